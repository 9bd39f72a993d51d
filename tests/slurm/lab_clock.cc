// A clock that is set and runs fast, to be loaded into a program before all else: for programs with sanitizers, which
// libfaketime does not start. It allocates nothing and calls no other library, because sanitizers ask for the time
// before they are ready.
//
// LAB_CLOCK in the environment is "REAL FAKE SPEED": at the real time REAL the clock shows FAKE, both in nanoseconds
// since 1970, and it shows SPEED seconds for each real one. Only the wall clock is changed.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace {

constexpr long long kSecond = 1'000'000'000;

long long Now() {
  timespec real{};
  (void)::syscall(SYS_clock_gettime, CLOCK_REALTIME, &real);
  const long long now = real.tv_sec * kSecond + real.tv_nsec;
  const char* const text = std::getenv("LAB_CLOCK");
  if (text == nullptr) return now;
  char* rest = nullptr;
  const long long begin = std::strtoll(text, &rest, 10);
  const long long fake = std::strtoll(rest, &rest, 10);
  return fake + (now - begin) * std::strtoll(rest, &rest, 10);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
    return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  const long long now = Now();
  *time = {now / kSecond, now % kSecond};
  return 0;
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  const long long now = Now();
  *time = {now / kSecond, now % kSecond / 1000};
  return 0;
}

time_t time(time_t* copy) noexcept {
  const time_t now = Now() / kSecond;
  if (copy != nullptr) *copy = now;
  return now;
}

}  // extern "C"
