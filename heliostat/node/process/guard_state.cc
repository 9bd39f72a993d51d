#include "heliostat/node/process/guard_state.h"

#include <sys/mman.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

namespace heliostat::process {
namespace {

constexpr std::int64_t kSilenceMs = 2000;

std::int64_t NowMs() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

void GuardState::Beat(Member member) { beats.at(member).store(NowMs()); }

bool GuardState::IsSilent(Member member) const { return NowMs() - beats.at(member).load() > kSilenceMs; }

bool GuardState::IsProgramGone() const {
  // A guard may be killed between collecting the program and noting it.
  return has_ended || program <= 0 || (::kill(program, 0) != 0 && errno == ESRCH);
}

void GuardState::SignalAll(int number) const {
  if (const pid_t group = program.load(); group > 1) (void)::kill(-group, number);
  const std::uint32_t count = group_count.load();
  for (std::uint32_t i = 0; i < count && i < kMostGroups; ++i) {
    if (const pid_t group = groups.at(i).load(); group > 1) (void)::kill(-group, number);
  }
}

Result<SharedGuardState> SharedGuardState::Make() {
  void* const memory = ::mmap(nullptr, sizeof(GuardState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Fail(ErrorCode::kInternal, "shared memory", std::strerror(errno));
  return SharedGuardState(std::construct_at(static_cast<GuardState*>(memory)));
}

SharedGuardState::SharedGuardState(SharedGuardState&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

SharedGuardState& SharedGuardState::operator=(SharedGuardState&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

SharedGuardState::~SharedGuardState() {
  if (state_ != nullptr) (void)::munmap(state_, sizeof(GuardState));
}

}  // namespace heliostat::process
