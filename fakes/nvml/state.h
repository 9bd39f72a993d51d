#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fakes/nvml/layout.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::nvml_double {

// How the GPUs of a state are made.
struct Plan {
  std::vector<std::string> gpus;  // names of card models, in the driver's order
  double time_scale = 1.0;        // seconds of the double's clock in one of the machine's
  bool is_root_only = false;      // settings are root's to change, as on a real machine
  bool is_manual = false;         // the clock stands still but for Advance()
};

// The GPUs that all processes with the same file see. Every change is settled to the present, made on a copy and
// published as a whole: a process that is killed at any moment, the lock in its hands, leaves either the old state or
// the new one, and the next one takes the lock over. Thread-safe.
class State {
 public:
  // Makes the file, in the place of an old one; processes that use the old one keep it. Anyone may write to it, so that
  // an agent and programs of other users can meet there.
  static Status Create(const std::string& path, const Plan& plan);
  static Result<State> Open(const std::string& path);
  // What HELIOSTAT_DOUBLE names; without it a file of this user's own, made at first use with an H200 and an A40.
  static Result<State> OpenNamed(const Environment& environment);

  State(State&& other) noexcept;
  State& operator=(State&& other) noexcept;
  ~State();

  int gpus() const;
  double time_scale() const;
  bool is_root_only() const;
  bool is_manual() const;
  // Counts the times that the driver was loaded. What was handed out under another number is void.
  std::uint64_t generation() const;
  // The double's clock; while it is not manual, the machine's time since boot, scaled.
  double Now() const;
  // The clock of a manual state only.
  void Advance(double seconds);
  // How long a process may be silent and still counts as running, on the double's clock.
  double grace_s() const;

  // A GPU as it is now.
  GpuState Look(int gpu);
  // `change(GpuState&)` on a GPU that is settled to the present.
  template <typename Change>
  void Update(int gpu, Change change) {
    const Hold hold(*this);
    GpuState next = Settled(gpu);
    change(next);
    Publish(gpu, next);
  }

  // The driver is loaded anew: settings at their default, energy from zero, every session void. A boot also ends every
  // process.
  void Reload(bool is_boot);

  // The lock of the whole state while it lives. Public for the test that dies with it in its hands.
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
