#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heliostat::training_progress {

// The memory that a program and Heliostat share, version 1: the same in python/heliostat.py and
// python/heliostat_step.h. Numbers have the byte order of the machine. Each is written atomically, and only by the
// process whose id is in `pid`.
struct StepLayout {
  std::atomic<std::uint64_t> magic;
  std::atomic<std::uint64_t> version;
  std::atomic<std::uint64_t> steps;
  std::atomic<std::uint64_t> samples;
  std::atomic<std::uint64_t> phase;    // StepPhase
  std::atomic<std::uint64_t> last_ns;  // CLOCK_MONOTONIC at the last step
  std::atomic<std::uint64_t> pid;      // the process that reports; 0: none yet
  std::atomic<std::uint64_t> spare;
};

inline constexpr std::uint64_t kStepMagic = 0x50455453'4f494c48ULL;  // "HLIOSTEP" in memory
inline constexpr std::uint64_t kStepVersion = 1;

static_assert(sizeof(StepLayout) == 64 && offsetof(StepLayout, pid) == 48);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace heliostat::training_progress
