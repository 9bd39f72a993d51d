#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "heliostat/control/policy/planning.h"

namespace heliostat::loop {

// Makes each plan on a thread of its own, for worlds in real time. The search begins no round after the time limit. A
// plan may arrive before the limit, or after it when its last round takes longer. Used from one thread, which is not
// that of the plans.
class ThreadedPlanning : public policy::Planning {
 public:
  explicit ThreadedPlanning(Duration time) : time_(time) {}
  // Drops the plan under way and waits until its last round ends.
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
    Instant wanted;  // when it is due, in the time of the world
    std::atomic<bool> is_dropped = false;
    std::atomic<bool> is_made = false;
    int rounds = 0;  // valid once is_made is true
    std::thread thread;
  };
  void JoinDropped(bool wait);

  Duration time_;
  std::unique_ptr<Work> work_;
  std::vector<std::unique_ptr<Work>> dropped_;  // plans whose last round may still run
  int rounds_ = 0;
};

// Forwards to another planning and records which plans have arrived. Does not own the other, which must outlive it.
// Used from one thread.
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

  // Plans that have arrived since the last call.
  std::vector<Arrival> TakeArrivals() { return std::exchange(arrivals_, {}); }

 private:
  policy::Planning& inner_;
  Instant begun_;
  std::vector<Arrival> arrivals_;
};

}  // namespace heliostat::loop
