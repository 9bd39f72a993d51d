#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fakes/nvml/layout.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::nvml_double {

// What State::Create() makes.
struct Plan {
  std::vector<std::string> gpus;  // names of card models, in the driver's order
  double time_scale = 1.0;        // seconds of the double's clock per second of the machine's
  bool is_root_only = false;      // only root may change settings, as on a real machine
  bool is_manual = false;         // the clock moves only in Advance()
  bool is_marked = false;         // names of GPUs say that they are made up (kMadeUpMark)
};

// GPUs that all processes with the same file share. Every change is made on a copy that is settled to the present, and
// is published as a whole. A process that is killed at any moment, even with the lock, leaves either the old state or
// the new one, and the next process takes the lock over. Thread-safe.
class State {
 public:
  // Creates the file and replaces an old one; processes that use the old file keep it. All users may write to the file,
  // so that an agent and programs of other users can share it.
  static Status Create(const std::string& path, const Plan& plan);
  static Result<State> Open(const std::string& path);
  // Opens the file that HELIOSTAT_DOUBLE names; without it a file of this user, created at first use with an H200 and
  // an A40. With HELIOSTAT_DOUBLE_GPUS ("H200,H200"), a file that is missing or of another version is created with
  // these GPUs, marked as made up.
  static Result<State> OpenNamed(const Environment& environment);

  State(State&& other) noexcept;
  State& operator=(State&& other) noexcept;
  ~State();

  int gpus() const;
  double time_scale() const;
  bool is_root_only() const;
  bool is_manual() const;
  bool is_marked() const;
  // Counts how often the driver was loaded. Handles of another generation are invalid.
  std::uint64_t generation() const;
  // The double's clock; while it is not manual, the machine's time since boot, scaled.
  double Now() const;
  // Moves the clock of a manual state.
  void Advance(double seconds);
  // For how long a process may not report and still counts as running, in seconds of the double's clock.
  double grace_s() const;

  // A GPU at the present time.
  GpuState Look(int gpu);
  // Applies `change(GpuState&)` to a GPU that is settled to the present.
  template <typename Change>
  void Update(int gpu, Change change) {
    const Hold hold(*this);
    GpuState next = Settled(gpu);
    change(next);
    Publish(gpu, next);
  }

  // Reloads the driver: settings at their default, energy from 0, all sessions invalid. `is_boot`: also ends all
  // processes' loads.
  void Reload(bool is_boot);

  // Holds the lock of the whole state while it lives. Public for the test that dies while holding it.
  class Hold {
   public:
    explicit Hold(const State& state);
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold();

   private:
    const State& state_;
  };

 private:
  struct Shared;
  explicit State(Shared* shared) : shared_(shared) {}
  static Status Write(const std::string& path, const Plan& plan, bool replaces);
  GpuState Settled(int gpu) const;
  void Publish(int gpu, const GpuState& next);

  Shared* shared_ = nullptr;
};

// The machine's time since boot, in seconds.
double RealSeconds();

}  // namespace heliostat::nvml_double
