#include "heliostat/control/loop/threaded_planning.h"

#include <algorithm>
#include <utility>

namespace heliostat::loop {
namespace {

// How long to wait for a plan that is past its time limit but whose last round still runs.
constexpr Duration kLatePause{1};

}  // namespace

ThreadedPlanning::~ThreadedPlanning() {
  Drop();
  JoinDropped(true);
}

void ThreadedPlanning::Begin(std::shared_ptr<policy::PlanTask> task, Instant now) {
  JoinDropped(false);
  work_ = std::make_unique<Work>();
  work_->task = std::move(task);
  work_->wanted = now + time_;
  work_->until = std::chrono::steady_clock::now() + time_;
  work_->thread = std::thread([work = work_.get()] {
    plan::Rounds rounds(
        [work](int /*done*/) { return !work->is_dropped && std::chrono::steady_clock::now() < work->until; });
    work->task->Make(rounds);
    work->rounds = rounds.done();
    work->is_made = true;
  });
}

bool ThreadedPlanning::Take(Instant /*now*/) {
  if (!work_ || !work_->is_made) return false;
  work_->thread.join();
  rounds_ = work_->rounds;
  work_.reset();
  return true;
}

void ThreadedPlanning::Drop() {
  if (!work_) return;
  work_->is_dropped = true;
  dropped_.push_back(std::move(work_));
}

void ThreadedPlanning::JoinDropped(bool wait) {
  std::erase_if(dropped_, [wait](const std::unique_ptr<Work>& work) {
    if (!wait && !work->is_made) return false;
    work->thread.join();
    return true;
  });
}

std::optional<Instant> ThreadedPlanning::NextArrival(Instant now) const {
  if (!work_) return std::nullopt;
  return std::max(work_->wanted, now + kLatePause);
}

void RecordingPlanning::Begin(std::shared_ptr<policy::PlanTask> task, Instant now) {
  begun_ = now;
  inner_.Begin(std::move(task), now);
}

bool RecordingPlanning::Take(Instant now) {
  if (!inner_.Take(now)) return false;
  arrivals_.push_back({begun_, inner_.rounds()});
  return true;
}

}  // namespace heliostat::loop
