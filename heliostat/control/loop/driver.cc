#include "heliostat/control/loop/driver.h"

#include <algorithm>

#include "heliostat/base/core/log.h"
#include "heliostat/control/loop/violations.h"

namespace heliostat::loop {

using policy::Receipt;

Driver::Driver(World& world, MovingOutlook& outlook, policy::Policy& policy, StepListener* listener,
               policy::Planning* planning)
    : world_(world),
      outlook_(outlook),
      policy_(&policy),
      listener_(listener),
      planning_(planning != nullptr ? *planning : in_place_) {
  policy_->PlanWith(planning_);
}

void Driver::Run() {
  do {
    Step();
  } while (Wait());
}

void Driver::Replace(policy::Policy& policy) {
  planning_.Drop();
  policy_ = &policy;
  policy_->PlanWith(planning_);
  is_new_ = true;
}

bool Driver::Wait() {
  Instant until = timer_.value_or(policy::kNoHorizon);
  if (const auto arrival = planning_.NextArrival(world_.now())) until = std::min(until, *arrival);
  return world_.Wait(until);
}

void Driver::Step() {
  const WorldView view = world_.Look();
  auto site = world_.site();
  const std::size_t slot = site->SlotAt(view.now);
  const bool slot_begins = is_new_ || slot_ != slot;
  slot_ = slot;
  outlook_.MoveTo(view.now, slot);
  TakeNews(view);
  const policy::Observation observation{view.now,
                                        slot,
                                        slot_begins,
                                        std::move(site),
                                        world_.capabilities(),
                                        world_.horizon(),
                                        view.jobs,
                                        arrived_,
                                        view.ended,
                                        view.interrupted,
                                        shown_,
                                        view.services,
                                        view.groups,
                                        view.spent.carbon,
                                        outlook_,
                                        is_new_,
                                        planning_.time()};
  is_new_ = false;
  timer_.reset();
  decision_.Clear();
  policy_->Decide(observation, decision_);
  Number(decision_);
  if (listener_ != nullptr) listener_->Stepped(observation, decision_);
  receipts_.clear();
  RefuseViolations(observation);
  HoldPending();
  for (policy::JobOrder& order : decision_.jobs) order.expires = view.now + observation.site->step;
  timer_ = decision_.call_again;
  world_.Apply(decision_, receipts_);
  KeepReceipts();
}

// A new policy sees every job as arrived.
void Driver::TakeNews(const WorldView& view) {
  arrived_.clear();
  if (is_new_) {
    for (const auto& [id, state] : view.jobs) {
      if (!IsOver(state.phase)) arrived_.push_back(id);
    }
  } else {
    arrived_.assign(view.arrived.begin(), view.arrived.end());
  }
  for (const Receipt& receipt : view.receipts) {
    if (receipt.job && receipt.status != Receipt::Status::kPending) pending_.erase(*receipt.job);
    receipts_.push_back(receipt);
  }
  shown_ = receipts_;
  std::erase_if(pending_, [&](const auto& item) {
    const policy::JobState* job = view.jobs.Find(item.first);
    return job == nullptr || IsOver(job->phase);
  });
  for (const auto& item : pending_) shown_.push_back(item.second);
}

void Driver::Number(policy::Decision& decision) {
  for (policy::JobOrder& order : decision.jobs) order.id = next_order_++;
  for (policy::ServiceOrder& order : decision.services) order.id = next_order_++;
}

// Removes violations from the decision. Job and service orders get a receipt.
void Driver::RefuseViolations(const policy::Observation& observation) {
  const std::vector<Violation> found = Violations(observation, decision_);
  violations_ += found.size();
  for (auto wrong = found.rbegin(); wrong != found.rend(); ++wrong) {
    Log(LogLevel::kWarning, "refused an order of the policy: {}", wrong->why);
    const auto at = static_cast<std::ptrdiff_t>(wrong->index);
    switch (wrong->part) {
      case Violation::Part::kJob:
        receipts_.push_back(
            {decision_.jobs[wrong->index].id, decision_.jobs[wrong->index].job, Receipt::Status::kRefused, wrong->why});
        decision_.jobs.erase(decision_.jobs.begin() + at);
        break;
      case Violation::Part::kService:
        receipts_.push_back({decision_.services[wrong->index].id, {}, Receipt::Status::kRefused, wrong->why});
        decision_.services.erase(decision_.services.begin() + at);
        break;
      case Violation::Part::kNodes:
        decision_.nodes_on.clear();
        decision_.nodes_up.clear();
        break;
      case Violation::Part::kCallAgain:
        decision_.call_again.reset();
        break;
    }
  }
}

// Refuses orders for a job while an earlier order for it is under way.
void Driver::HoldPending() {
  if (pending_.empty()) return;
  std::erase_if(decision_.jobs, [&](const policy::JobOrder& order) {
    if (!pending_.contains(order.job)) return false;
    receipts_.push_back({order.id, order.job, Receipt::Status::kRefused, "an earlier order is under way"});
    return true;
  });
}

void Driver::KeepReceipts() {
  // A world with delayed orders may refuse an order for a reason that ends without any news: try again after the delay.
  const Duration delay = world_.capabilities().order_delay;
  const bool any_refused = std::any_of(receipts_.begin(), receipts_.end(), [](const Receipt& receipt) {
    return receipt.status == Receipt::Status::kRefused;
  });
  if (any_refused && delay > Duration{0}) {
    const Instant again = world_.now() + delay;
    timer_ = std::min(timer_.value_or(again), again);
  }
  for (const Receipt& receipt : receipts_) {
    if (receipt.job && receipt.status == Receipt::Status::kPending) pending_[*receipt.job] = receipt;
  }
  std::erase_if(receipts_, [](const Receipt& receipt) { return receipt.status == Receipt::Status::kPending; });
}

}  // namespace heliostat::loop
