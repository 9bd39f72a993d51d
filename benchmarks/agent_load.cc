// Sends requests to a daemon over its Unix socket at a constant rate, one request per line, and prints the latencies of
// the answers as JSON. Beside them it prints the noise of the machine: how late a timer of the same rate wakes this
// thread while no request is sent. Half-seconds of requests and of the timer alone take turns, so that both see the
// same other load.
//
//   agent_load SOCKET QUESTION RATE SECONDS
//
// RATE is in requests per second, SECONDS the time with requests.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr long kNanoseconds = 1'000'000'000;

long Now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNanoseconds + now.tv_nsec;
}

int Connect(const char* path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    std::perror(path);
    std::exit(1);
  }
  return fd;
}

// Sends one request and reads its whole answer; returns the nanoseconds between.
long RoundTrip(int fd, const std::string& question) {
  const long start = Now();
  if (::send(fd, question.data(), question.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(question.size())) std::exit(1);
  char buffer[65536];
  while (true) {
    const ssize_t got = ::recv(fd, buffer, sizeof(buffer), 0);
    if (got <= 0) std::exit(1);
    if (buffer[got - 1] == '\n') return Now() - start;
  }
}

void SleepUntil(long due) {
  const timespec when{due / kNanoseconds, due % kNanoseconds};
  ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr);
}

// Does `work` `count` times at this rate, and appends the nanoseconds that it returns to `took`. It gets the moment at
// which it was due.
template <typename Work>
void Repeat(std::size_t count, double rate, std::vector<long>& took, const Work& work) {
  const long start = Now();
  for (std::size_t i = 0; i < count; ++i) {
    const long due = start + static_cast<long>(static_cast<double>(i) / rate * kNanoseconds);
    SleepUntil(due);
    took.push_back(work(due));
  }
}

// The value in microseconds below which this share of the sorted times is.
double At(const std::vector<long>& sorted, double share) {
  return static_cast<double>(sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))]) / 1e3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: {} SOCKET QUESTION RATE SECONDS\n", argv[0]);
    return 2;
  }
  const int fd = Connect(argv[1]);
  const std::string question = std::string(argv[2]) + "\n";
  const double rate = std::atof(argv[3]);
  const double seconds = std::atof(argv[4]);
  for (int i = 0; i < 200; ++i) RoundTrip(fd, question);
  const auto turns = std::max<std::size_t>(1, static_cast<std::size_t>(2 * seconds));
  const auto each = static_cast<std::size_t>(rate * seconds / static_cast<double>(turns));
  std::vector<long> took;
  std::vector<long> late;
  took.reserve(turns * each);
  late.reserve(turns * each);
  long asking = 0;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    Repeat(each, rate, late, [](long due) { return Now() - due; });
    const long start = Now();
    Repeat(each, rate, took, [&](long) { return RoundTrip(fd, question); });
    asking += Now() - start;
  }
  std::sort(took.begin(), took.end());
  std::sort(late.begin(), late.end());
  fmt::print(
      "{{\"rate\": {:.1f}, \"p50_us\": {:.1f}, \"p99_us\": {:.1f}, \"p999_us\": {:.1f}, \"max_us\": {:.1f}, "
      "\"noise_p50_us\": {:.1f}, \"noise_p99_us\": {:.1f}, \"noise_p999_us\": {:.1f}}}\n",
      static_cast<double>(took.size()) * kNanoseconds / static_cast<double>(asking), At(took, 0.5), At(took, 0.99),
      At(took, 0.999), At(took, 1.0), At(late, 0.5), At(late, 0.99), At(late, 0.999));
  ::close(fd);
  return 0;
}
