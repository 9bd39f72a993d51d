#pragma once

// For tests: a program, a signal and an actuator that the test scripts. Time passes only in ScriptedProgram::Wait().

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/forecasting/live_signal/signal_source.h"
#include "heliostat/node/device_model/simulated_gpu.h"
#include "heliostat/node/process/program.h"
#include "heliostat/node/training_run/knob_actuator.h"

namespace heliostat::training_run {

// A program that trains on a card, prints every step, and ends after `ends_after` or `total_steps`.
class ScriptedProgram final : public process::Program {
 public:
  using Millis = std::chrono::milliseconds;

  ScriptedProgram(ManualClock& clock, device_model::SimulatedGpu& gpu) : clock_(clock), gpu_(gpu) {
    gpu_.Run(device_model::LoadOf("resnet50", *device_model::FindCardModel("H200")));
  }

  void Wait(Millis timeout) override {
    longest_poll_ = std::max(longest_poll_, timeout);
    const Millis left = ends_after - lived_;
    const Millis passed = std::min(timeout, left);
    clock_.Advance(passed);
    gpu_.Advance(Seconds(passed));
    lived_ += passed;
    work_ += Seconds(passed).count() * steps_per_s() * duty_;
    const int before = std::exchange(told_, static_cast<int>(work_ + 1e-9));
    if (told_ > before) output_ += fmt::format("step {}/{}\n", told_, total_steps);
    is_done_ = lived_ >= ends_after || told_ >= total_steps;
  }
  bool is_done() const override { return is_done_; }
  std::optional<process::Ending> ending() const override {
    return is_done_ ? std::optional(process::Ending{}) : std::nullopt;
  }
  std::string TakeOutput() override { return std::exchange(output_, {}); }
  void SetDuty(double duty) override { duty_ = duty; }
  void SetOwesCard(bool owes) override { owes_card_ = owes; }
  void End() override { is_done_ = true; }

  Millis lived() const { return lived_; }
  Millis longest_poll() const { return longest_poll_; }
  int steps() const { return told_; }
  double duty() const { return duty_; }
  bool owes_card() const { return owes_card_; }

  Millis ends_after = std::chrono::minutes(10);
  int total_steps = 1'000'000;
  std::function<double()> steps_per_s = [] { return 5.0; };

 private:
  ManualClock& clock_;
  device_model::SimulatedGpu& gpu_;
  Millis lived_{0};
  Millis longest_poll_{0};
  double work_ = 0.0;
  int told_ = 0;
  std::string output_;
  double duty_ = 1.0;
  bool owes_card_ = false;
  bool is_done_ = false;
};

// A source whose values and perfect forecasts come from a function.
class ScriptedSource final : public live_signal::SignalSource {
 public:
  ScriptedSource(std::string name, std::function<Value(Instant)> at) : name_(std::move(name)), at_(std::move(at)) {}

  const std::string& name() const override { return name_; }
  Value At(Instant now) override { return at_(now); }
  std::vector<double> Ahead(Instant now, Duration slot, std::size_t count) override {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(at_(now + slot * static_cast<int>(i)).number);
    return values;
  }
  double HighestOfDay(Instant now) override { return highest.value_or(at_(now).number); }
  bool is_known() override { return knows(); }

  std::optional<double> highest;
  std::function<bool()> knows = [] { return true; };

 private:
  std::string name_;
  std::function<Value(Instant)> at_;
};

// Sets a card's power limit directly and records each call.
class ScriptedActuator final : public KnobActuator {
 public:
  struct Turned {
    Instant at;
    double level = 0.0;
    bool is_default = false;
  };

  ScriptedActuator(const Clock& clock, device::Gpu& gpu) : clock_(clock), gpu_(gpu) {}

  std::string how() const override { return "as the test says"; }
  Status Turn(const level_control::Level& level, bool is_default) override {
    turned.push_back({clock_.Now(), level.value, is_default});
    if (failure) return tl::unexpected(*failure);
    level_ = level.value;
    const auto applied = gpu_.Apply(is_default ? device::Setting::Default(Knob::kPowerLimit)
                                               : device::Setting::PowerLimit(Watts{level.value}));
    if (!applied) return Propagate(applied);
    return {};
  }
  Time Keep(Time now) override { return now + std::chrono::milliseconds(200); }
  bool IsThere() override { return is_there(); }
  double duty() const override { return 1.0; }
  void Release() override {
    ++releases;
    (void)gpu_.Apply(device::Setting::Default(Knob::kPowerLimit));  // A simulated card accepts it.
  }
  // The last level.
  double level() const { return level_; }

  std::vector<Turned> turned;
  std::optional<Error> failure;
  std::function<bool()> is_there = [] { return true; };
  int releases = 0;

 private:
  const Clock& clock_;
  device::Gpu& gpu_;
  double level_ = 700.0;
};

}  // namespace heliostat::training_run
