#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heliostat/base/core/error.h"

namespace heliostat::process {

// What Heliostat and its two guards know of each other, in memory that all three share. Whoever survives finds here
// what was stopped. All members are lock-free atomics, so that a process that dies in the middle of a write blocks
// nobody. Thread-safe.
struct GuardState {
  static constexpr std::size_t kMostGroups = 1024;
  enum Member : std::size_t { kHeliostat, kFirstGuard, kSecondGuard };
  static constexpr std::size_t kMembers = 3;

  std::array<std::atomic<pid_t>, kMembers> pids{};
  std::array<std::atomic<std::int64_t>, kMembers> beats{};  // ms of CLOCK_MONOTONIC: the last sign of life
  std::atomic<pid_t> program{0};                            // also the id of its group
  std::atomic<bool> has_ended{false};                       // a guard has collected the program
  std::atomic<bool> has_held{false};                        // Heliostat has stopped the program at least once
  std::atomic<bool> is_suspended{false};                    // by the user: Ctrl-Z, or use of the terminal
  std::atomic<bool> owes_card{false};                       // a card must be put back when Heliostat dies
  std::atomic<std::uint32_t> closed_relays{0};              // bit i: relay i is closed
  // Groups besides the program's own that Hold() stops. Written before the first of them is stopped.
  std::atomic<std::uint32_t> group_count{0};
  std::array<std::atomic<pid_t>, kMostGroups> groups{};

  void Beat(Member member);
  // True when the member has given no sign of life for two seconds: it is dead, stopped or hangs.
  bool IsSilent(Member member) const;
  // True when no process is the program any more.
  bool IsProgramGone() const;
  // Sends a signal to the program's group and the listed groups.
  void SignalAll(int number) const;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// The memory of a GuardState, shared with all processes that are forked later. Unmapped by the destructor.
class SharedGuardState {
 public:
  static Result<SharedGuardState> Make();
  SharedGuardState() = default;
  SharedGuardState(SharedGuardState&& other) noexcept;
  SharedGuardState& operator=(SharedGuardState&& other) noexcept;
  ~SharedGuardState();

  GuardState* get() const { return state_; }
  GuardState* operator->() const { return state_; }

 private:
  explicit SharedGuardState(GuardState* state) : state_(state) {}
  GuardState* state_ = nullptr;
};

}  // namespace heliostat::process
