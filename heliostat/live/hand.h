#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/access/control.h"
#include "heliostat/chase/level.h"
#include "heliostat/launch/child.h"

namespace heliostat::live {

// What turns a run's knob.
class Hand {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~Hand() = default;
  // "by the agent", "directly", "by holding the program": for people.
  virtual std::string how() const = 0;
  // The level from now on. `is_default`: as if nobody turned it.
  virtual Status Turn(const chase::Level& level, bool is_default) = 0;
  // Called often; a hand that works in time does its part here. When it wants to be called next at the latest.
  virtual Time Keep(Time now, launch::Child& child) = 0;
  // False when somebody else has turned it, as far as can be seen.
  virtual bool IsThere() = 0;
  // Share of the time in which the program is let run.
  virtual double duty() const = 0;
  // Everything as it was.
  virtual void LetGo(launch::Child* child) = 0;
};

// Limits and clocks of GPUs, on leases that end with this process.
class LeaseHand final : public Hand {
 public:
  // All outlive it. Where the knob stands now is where the cards should be when it is let go.
  static Result<std::unique_ptr<Hand>> Make(const Environment& environment, const access::Gpus& all,
                                            std::vector<device::Gpu*> gpus, device::Knob knob, std::string job);
  std::string how() const override;
  Status Turn(const chase::Level& level, bool is_default) override;
  Time Keep(Time now, launch::Child& child) override;
  bool IsThere() override;
  double duty() const override { return 1.0; }
  void LetGo(launch::Child* child) override;

 private:
  LeaseHand(Environment environment, const access::Gpus& all, std::vector<device::Gpu*> gpus, std::string job)
      : environment_(std::move(environment)), all_(all), gpus_(std::move(gpus)), job_(std::move(job)) {}
  // Nothing: as it was.
  Status Turn(const std::optional<device::Setting>& setting);
  Status Take(const device::Setting& setting);
  Status ReleaseAll();
  Status Connect();

  Environment environment_;
  const access::Gpus& all_;
  std::vector<device::Gpu*> gpus_;
  std::string job_;
  std::unique_ptr<access::Control> control_;
  std::vector<std::pair<device::Gpu*, std::string>> held_;
  device::Knob knob_ = device::Knob::kPowerLimit;
  std::map<device::Gpu*, device::Setting> bases_;  // of those whose driver can tell
  std::optional<device::Setting> wanted_;
  Time taken_{};
};

// The program held for a part of each second. Needs no privilege.
class PaceHand final : public Hand {
 public:
  std::string how() const override { return "by holding the program for a part of each second"; }
  Status Turn(const chase::Level& level, bool is_default) override;
  Time Keep(Time now, launch::Child& child) override;
  bool IsThere() override { return true; }
  double duty() const override { return duty_; }
  void LetGo(launch::Child* child) override;

 private:
  double duty_ = 1.0;
  Time begun_{};  // of the present second
};

}  // namespace heliostat::live
