#pragma once

// For tests: a simulated card that a worker's thread and the test share. It can hang. Thread-safe.

#include <condition_variable>
#include <memory>
#include <mutex>

#include "heliostat/node/device_model/simulated_gpu.h"

namespace heliostat::agent {

class SharedCard {
 public:
  explicit SharedCard(int index) : gpu_(*device_model::FindCardModel("H200"), index) {}

  // From now on writes do not return.
  void Hang() {
    const std::lock_guard hold(mutex_);
    hangs_ = true;
  }
  // From now on no call returns.
  void HangInReads() {
    const std::lock_guard hold(mutex_);
    hangs_ = true;
    hangs_in_reads_ = true;
  }
  void Answer() {
    const std::lock_guard hold(mutex_);
    hangs_ = false;
    hangs_in_reads_ = false;
    change_.notify_all();
  }
  void AwaitHanging() {
    std::unique_lock hold(mutex_);
    change_.wait(hold, [this] { return hanging_ > 0; });
  }
  // Until the worker that had the card is gone.
  void AwaitGone() {
    std::unique_lock hold(mutex_);
    change_.wait(hold, [this] { return users_ == 0; });
  }
  int limit_w() {
    const std::lock_guard hold(mutex_);
    return static_cast<int>(gpu_.Stands(device::Knob::kPowerLimit)->high / 1000);
  }

 private:
  friend class CardHandle;

  std::mutex mutex_;
  std::condition_variable change_;
  device_model::SimulatedGpu gpu_;
  bool hangs_ = false;
  bool hangs_in_reads_ = false;
  int hanging_ = 0;
  int users_ = 0;
};

// The Gpu that the worker gets.
class CardHandle final : public device::Gpu {
 public:
  explicit CardHandle(std::shared_ptr<SharedCard> card) : card_(std::move(card)) {
    const std::lock_guard hold(card_->mutex_);
    ++card_->users_;
  }
  ~CardHandle() override {
    const std::lock_guard hold(card_->mutex_);
    --card_->users_;
    card_->change_.notify_all();
  }

  const device::Identity& identity() const override { return card_->gpu_.identity(); }
  const device::Abilities& abilities() const override { return card_->gpu_.abilities(); }
  Result<device::Reading> Read() override {
    const auto hold = Await();
    return card_->gpu_.Read();
  }
  Result<Joules> Energy() override {
    const auto hold = Await();
    return card_->gpu_.Energy();
  }
  Result<device::Details> Inspect() override {
    const auto hold = Await();
    return card_->gpu_.Inspect();
  }
  Result<device::Setting> Stands(device::Knob knob) override {
    const auto hold = Await();
    return card_->gpu_.Stands(knob);
  }
  Result<device::Applied> Apply(const device::Setting& wanted) override {
    std::unique_lock hold(card_->mutex_);
    ++card_->hanging_;
    card_->change_.notify_all();
    card_->change_.wait(hold, [this] { return !card_->hangs_; });
    --card_->hanging_;
    return card_->gpu_.Apply(wanted);
  }

 private:
  std::unique_lock<std::mutex> Await() {
    std::unique_lock hold(card_->mutex_);
    card_->change_.wait(hold, [this] { return !card_->hangs_in_reads_; });
    return hold;
  }

  std::shared_ptr<SharedCard> card_;
};

}  // namespace heliostat::agent
