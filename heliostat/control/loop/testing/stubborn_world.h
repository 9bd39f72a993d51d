#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "heliostat/control/loop/world.h"

namespace heliostat::loop::testing {

// Another world that disturbs orders for jobs: of every nine, it refuses one, delays one, which is pending meanwhile,
// and moves one behind all others. It counts starts of jobs that already hold GPUs.
class StubbornWorld : public World {
 public:
  StubbornWorld(World& inner, Duration delay) : inner_(inner), delay_(delay) {}

  std::shared_ptr<const scenario::Site> site() const override { return inner_.site(); }
  policy::Capabilities capabilities() const override {
    policy::Capabilities can = inner_.capabilities();
    can.order_delay = delay_;
    return can;
  }
  Instant horizon() const override { return inner_.horizon(); }

  Instant now() const override { return inner_.now(); }

  WorldView Look() override {
    const WorldView view = inner_.Look();
    jobs_ = &view.jobs;
    shown_ = std::exchange(news_, {});
    return {view.now, view.jobs,     view.arrived, view.ended, view.interrupted,
            shown_,   view.services, view.groups,  view.spent};
  }

  void Apply(const policy::Decision& decision, std::vector<policy::Receipt>& receipts) override {
    policy::Decision passed = decision;
    passed.jobs.clear();
    std::vector<policy::JobOrder> last;
    for (const policy::JobOrder& order : decision.jobs) {
      switch (count_++ % 9) {
        case 2:
          receipts.push_back({order.id, order.job, policy::Receipt::Status::kRefused, "not today"});
          break;
        case 5:
          receipts.push_back({order.id, order.job, policy::Receipt::Status::kPending, "later"});
          delayed_.emplace(now() + delay_, order);
          break;
        case 8:
          last.push_back(order);
          break;
        default:
          passed.jobs.push_back(order);
      }
    }
    passed.jobs.insert(passed.jobs.end(), last.begin(), last.end());
    Pass(passed, receipts);
  }

  bool Wait(Instant until) override {
    const Instant due = delayed_.empty() ? until : std::min(until, delayed_.begin()->first);
    if (!inner_.Wait(due)) return false;
    CarryOutDelayed();
    return true;
  }

  int refused_or_delayed() const { return count_ / 9 * 2; }
  int double_starts() const { return double_starts_; }

 private:
  void Pass(const policy::Decision& decision, std::vector<policy::Receipt>& receipts) {
    for (const policy::JobOrder& order : decision.jobs) {
      const policy::JobState* job = jobs_->Find(order.job);
      const bool is_restart =
          std::any_of(decision.jobs.begin(), decision.jobs.end(),
                      [&](const policy::JobOrder& other) { return other.job == order.job && !other.setting; });
      const bool starts_again = order.setting && job != nullptr && HoldsGpus(job->phase) &&
                                order.setting->group != job->setting.group && !is_restart;
      double_starts_ += starts_again ? 1 : 0;
    }
    inner_.Apply(decision, receipts);
  }

  // Carries out the delayed orders that are due and still fit the job's phase; the others expire.
  void CarryOutDelayed() {
    policy::Decision decision;
    while (!delayed_.empty() && delayed_.begin()->first <= now()) {
      const policy::JobOrder order = delayed_.extract(delayed_.begin()).mapped();
      const policy::JobState* job = jobs_->Find(order.job);
      const bool fits = job != nullptr && now() <= order.expires &&
                        (order.setting ? MayStart(job->phase) : job->phase == policy::Phase::kRunning);
      if (fits) {
        decision.jobs.push_back(order);
      } else {
        news_.push_back({order.id, order.job, policy::Receipt::Status::kExpired, "too late"});
      }
    }
    if (!decision.jobs.empty()) inner_.Apply(decision, news_);
  }

  World& inner_;
  Duration delay_;
  const policy::JobTable* jobs_ = nullptr;  // the inner world's, which keeps it up to date
  int count_ = 0;
  int double_starts_ = 0;
  std::multimap<Instant, policy::JobOrder> delayed_;
  std::vector<policy::Receipt> news_;
  std::vector<policy::Receipt> shown_;
};

}  // namespace heliostat::loop::testing
