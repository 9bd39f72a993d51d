#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::training_progress {

struct StepLayout;

enum class StepPhase : std::uint64_t { kTrain = 0, kEvaluate = 1, kIdle = 2 };

// What a program has reported.
struct StepReading {
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;  // 0 where the program does not report them
  StepPhase phase = StepPhase::kTrain;
  std::chrono::nanoseconds last{0};  // of CLOCK_MONOTONIC, as std::chrono::steady_clock
  int pid = 0;
};

// Steps that a program reports through shared memory: a file whose path it finds in HELIOSTAT_STEPS. This object owns
// the file and removes it. Reading takes nanoseconds and does not disturb the program. Not thread-safe.
class StepFile {
 public:
  static constexpr const char* kVariable = "HELIOSTAT_STEPS";

  // In /dev/shm, else in TMPDIR or /tmp; readable and writable by its owner only.
  static Result<StepFile> Create(const Environment& environment);
  StepFile(StepFile&& other) noexcept;
  StepFile& operator=(StepFile&& other) noexcept;
  ~StepFile();

  const std::string& path() const { return path_; }
  // Absent until a process has begun to report, and when the content has another magic number or version.
  std::optional<StepReading> Read() const;

 private:
  StepFile(std::string path, StepLayout* shared) : path_(std::move(path)), shared_(shared) {}

  std::string path_;
  StepLayout* shared_ = nullptr;
};

}  // namespace heliostat::training_progress
