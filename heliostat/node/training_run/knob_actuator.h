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

// Turns a run's knob. Not thread-safe.
class KnobActuator {
 public:
  using Time = Clock::Time;

  virtual ~KnobActuator() = default;
  // "by the agent", "directly", "by holding the program": for messages.
  virtual std::string how() const = 0;
  // Sets the level from now on. `is_default`: as without Heliostat.
  virtual Status Turn(const level_control::Level& level, bool is_default) = 0;
  // Renews leases. Returns the time by which it must be called again.
  virtual Time Keep(Time now) = 0;
  // False when another program has visibly turned the knob.
  virtual bool IsThere() = 0;
  // Share of the time in which the program is not held, 0 to 1.
  virtual double duty() const = 0;
  // Puts everything back as it was before the run.
  virtual void Release() = 0;
};

// Sets power limits or clocks of GPUs, through leases that end with this process. Not thread-safe.
class LeaseActuator final : public KnobActuator {
 public:
  // Opens the control that grants leases; called again when it failed, and when the agent was restarted.
  using Connect = std::function<Result<std::unique_ptr<gpu_access::Control>>()>;

  // `gpus`, `program` and `clock` must outlive it. The present settings are those that Release() restores.
  LeaseActuator(Connect connect, std::vector<device::Gpu*> gpus, device::Knob knob, std::string job,
                process::Program& program, const Clock& clock);
  std::string how() const override;
  Status Turn(const level_control::Level& level, bool is_default) override;
  Time Keep(Time now) override;
  bool IsThere() override;
  double duty() const override { return 1.0; }
  void Release() override;

 private:
  // Absent: as before the run.
  Status Turn(const std::optional<device::Setting>& setting);
  Status Take(const device::Setting& setting);
  Status ReleaseAll();
  Status Reconnect();

  Connect connect_;
  std::vector<device::Gpu*> gpus_;
  device::Knob knob_;
  std::string job_;
  process::Program& program_;
  const Clock& clock_;
  std::unique_ptr<gpu_access::Control> control_;  // may be nullptr
  std::vector<std::pair<device::Gpu*, std::string>> held_;
  std::map<device::Gpu*, device::Setting> bases_;  // of GPUs whose driver can read the knob
  std::optional<device::Setting> wanted_;
  Time taken_{};
};

// Holds the program for a part of each second. Needs no privilege. Not thread-safe.
class PaceActuator final : public KnobActuator {
 public:
  // `program` must outlive it.
  explicit PaceActuator(process::Program& program) : program_(program) {}
  std::string how() const override { return "by holding the program for a part of each second"; }
  Status Turn(const level_control::Level& level, bool is_default) override;
  Time Keep(Time now) override;
  bool IsThere() override { return true; }
  double duty() const override { return duty_; }
  void Release() override;

 private:
  process::Program& program_;
  double duty_ = 1.0;
};

// Turns nothing: for a shadow run, which only decides and accounts. Not thread-safe.
class DryActuator final : public KnobActuator {
 public:
  std::string how() const override { return "not at all"; }
  Status Turn(const level_control::Level& level, bool is_default) override;
  Time Keep(Time now) override;
  bool IsThere() override { return true; }
  double duty() const override { return 1.0; }
  void Release() override {}
};

}  // namespace heliostat::training_run
