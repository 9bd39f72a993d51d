#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/node/gpu_access/control.h"
#include "heliostat/node/level_control/level.h"
#include "heliostat/node/process/program.h"

namespace heliostat::training_run {

// What turns a run's knob. Not thread-safe.
class KnobActuator {
 public:
  using Time = Clock::Time;

  virtual ~KnobActuator() = default;
  // "by the agent", "directly", "by holding the program": for people.
  virtual std::string how() const = 0;
  // The level from now on. `is_default`: as if nobody turned it.
  virtual Status Turn(const level_control::Level& level, bool is_default) = 0;
  // Call it at the returned time at the latest: pacing and renewals happen here.
  virtual Time Keep(Time now, process::Program& program) = 0;
  // False when another program has turned it, as far as can be seen.
  virtual bool IsThere() = 0;
  // Share of the time in which the program is let run.
  virtual double duty() const = 0;
  // Everything as it was.
  virtual void Release(process::Program* program) = 0;
};

// Limits and clocks of GPUs, on leases that end with this process.
class LeaseActuator final : public KnobActuator {
 public:
  // How leases are had; called again when the agent was started anew.
  using Connect = std::function<Result<std::unique_ptr<gpu_access::Control>>()>;

  // `gpus` and `clock` outlive it. Where the knob stands now is where the cards should be when it is let go.
  static Result<std::unique_ptr<KnobActuator>> Make(Connect connect, std::vector<device::Gpu*> gpus, device::Knob knob,
                                                    std::string job, const Clock& clock);
  std::string how() const override;
  Status Turn(const level_control::Level& level, bool is_default) override;
  Time Keep(Time now, process::Program& program) override;
  bool IsThere() override;
  double duty() const override { return 1.0; }
  void Release(process::Program* program) override;

 private:
  LeaseActuator(Connect connect, std::vector<device::Gpu*> gpus, device::Knob knob, std::string job, const Clock& clock)
      : connect_(std::move(connect)), gpus_(std::move(gpus)), knob_(knob), job_(std::move(job)), clock_(clock) {}
  // Nothing: as it was.
  Status Turn(const std::optional<device::Setting>& setting);
  Status Take(const device::Setting& setting);
  Status ReleaseAll();
  Status Reconnect();

  Connect connect_;
  std::vector<device::Gpu*> gpus_;
  device::Knob knob_;
  std::string job_;
  const Clock& clock_;
  std::unique_ptr<gpu_access::Control> control_;
  std::vector<std::pair<device::Gpu*, std::string>> held_;
  std::map<device::Gpu*, device::Setting> bases_;  // of those whose driver can tell
  std::optional<device::Setting> wanted_;
  Time taken_{};
};

// The program held for a part of each second. Needs no privilege.
class PaceActuator final : public KnobActuator {
 public:
  std::string how() const override { return "by holding the program for a part of each second"; }
  Status Turn(const level_control::Level& level, bool is_default) override;
  Time Keep(Time now, process::Program& program) override;
  bool IsThere() override { return true; }
  double duty() const override { return duty_; }
  void Release(process::Program* program) override;

 private:
  double duty_ = 1.0;
  Time begun_{};  // of the present second
};

// Turns nothing: for a dry run, which decides and accounts only.
class DryActuator final : public KnobActuator {
 public:
  std::string how() const override { return "not at all"; }
  Status Turn(const level_control::Level& level, bool is_default) override;
  Time Keep(Time now, process::Program& program) override;
  bool IsThere() override { return true; }
  double duty() const override { return 1.0; }
  void Release(process::Program* /*program*/) override {}
};

}  // namespace heliostat::training_run
