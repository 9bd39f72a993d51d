#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "heliostat/control/policy/planning.h"

namespace heliostat::loop {

// A thread makes each plan and stops at its time limit: for worlds whose time is real. Take() finds a plan that is
// ready before the limit; where one round takes longer, the plan arrives after it. All functions are called from one
// thread.
class ThreadedPlanning : public policy::Planning {
 public:
  explicit ThreadedPlanning(Duration time) : time_(time) {}
  // Waits for the rounds under way.
  ~ThreadedPlanning() override;
  ThreadedPlanning(const ThreadedPlanning&) = delete;
  ThreadedPlanning& operator=(const ThreadedPlanning&) = delete;

  Duration time() const override { return time_; }
  void Begin(std::shared_ptr<policy::PlanTask> task, Instant now) override;
  bool IsBusy() const override { return work_ != nullptr; }
  bool Take(Instant now) override;
  void Drop() override;
  std::optional<Instant> NextArrival(Instant now) const override;
  int rounds() const override { return rounds_; }

 private:
  struct Work {
    std::shared_ptr<policy::PlanTask> task;
    std::chrono::steady_clock::time_point until;
    Instant wanted;  // in the world's time
    std::atomic<bool> is_dropped = false;
    std::atomic<bool> is_made = false;
    int rounds = 0;  // once it is made
    std::thread thread;
  };
  void JoinDropped(bool wait);

  Duration time_;
  std::unique_ptr<Work> work_;
  std::vector<std::unique_ptr<Work>> dropped_;  // whose last round goes on
  int rounds_ = 0;
};

// Passes on another planning and remembers which plans have arrived.
class RecordingPlanning : public policy::Planning {
 public:
  struct Arrival {
    Instant begun;
    int rounds = 0;
  };
  explicit RecordingPlanning(policy::Planning& inner) : inner_(inner) {}

  Duration time() const override { return inner_.time(); }
  void Begin(std::shared_ptr<policy::PlanTask> task, Instant now) override;
  bool IsBusy() const override { return inner_.IsBusy(); }
  bool Take(Instant now) override;
  void Drop() override { inner_.Drop(); }
  std::optional<Instant> NextArrival(Instant now) const override { return inner_.NextArrival(now); }
  int rounds() const override { return inner_.rounds(); }

  // Those since the last call.
  std::vector<Arrival> TakeArrivals() { return std::exchange(arrivals_, {}); }

 private:
  policy::Planning& inner_;
  Instant begun_;
  std::vector<Arrival> arrivals_;
};

}  // namespace heliostat::loop
