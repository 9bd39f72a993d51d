#include "heliostat/sim/simulation.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

#include "heliostat/core/check.h"
#include "heliostat/plan/performance.h"
#include "heliostat/sim/world.h"

namespace heliostat::sim {
namespace {

// What a policy is told of signals at a slot.
class SlotOutlook : public policy::Outlook {
 public:
  SlotOutlook(const scenario::Scenario& scenario, Foresight& foresight)
      : scenario_(scenario),
        foresight_(foresight),
        day_(static_cast<std::size_t>(std::max<std::int64_t>(1, std::chrono::days{1} / scenario.step))) {}

  void MoveTo(std::size_t slot) { slot_ = slot; }

  policy::Forecast Ahead() override { return foresight_.At(slot_); }
  CarbonIntensity CarbonNow() const override { return scenario_.carbon[slot_]; }
  double PriceNow() const override { return scenario_.price_per_kwh.empty() ? 0.0 : scenario_.price_per_kwh[slot_]; }
  CarbonIntensity DirtiestOfDay() const override {
    const std::size_t first = slot_ + 1 > day_ ? slot_ + 1 - day_ : 0;
    return *std::max_element(scenario_.carbon.begin() + static_cast<std::ptrdiff_t>(first),
                             scenario_.carbon.begin() + static_cast<std::ptrdiff_t>(slot_ + 1));
  }

 private:
  const scenario::Scenario& scenario_;
  Foresight& foresight_;
  std::size_t day_;
  std::size_t slot_ = 0;
};

// What never changes, and nothing else.
scenario::Scenario SiteOf(const scenario::Scenario& scenario) {
  scenario::Scenario site;
  site.name = scenario.name;
  site.start = scenario.start;
  site.step = scenario.step;
  site.slots = scenario.slots;
  site.pue = scenario.pue;
  site.currency = scenario.currency;
  site.performance = scenario.performance;
  site.renewable_carbon = scenario.renewable_carbon;
  site.groups = scenario.groups;
  site.training = scenario.training;
  site.inference = scenario.inference;
  return site;
}

std::vector<std::size_t> ByArrival(const scenario::Scenario& scenario) {
  std::vector<std::size_t> order(scenario.jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&scenario](std::size_t a, std::size_t b) {
    return scenario.jobs[a].submit < scenario.jobs[b].submit;
  });
  return order;
}

// One policy in one simulated world, from the first second to the last.
class Course {
 public:
  Course(const scenario::Scenario& scenario, policy::Policy& policy, Foresight& foresight, const Options& options)
      : scenario_(scenario),
        policy_(policy),
        site_(SiteOf(scenario)),
        outlook_(scenario, foresight),
        world_(scenario, options),
        arrivals_(ByArrival(scenario)) {}

  Run Go() {
    for (slot_ = 0; slot_ < scenario_.slots; ++slot_) {
      const Interval span = scenario_.SlotSpan(slot_);
      outlook_.MoveTo(slot_);
      world_.AdvanceTo(span.begin);
      world_.BeginSlot(slot_);
      slot_begins_ = true;
      SubmitUntil(span.begin);
      Consult();
      for (Instant next = NextTime(span.end); next < span.end; next = NextTime(span.end)) {
        world_.AdvanceTo(next);
        SubmitUntil(next);
        if (timer_ && *timer_ <= next) Consult();
        if (world_.anything_new()) Consult();
      }
      world_.AdvanceTo(span.end);
      world_.EndSlot();
    }
    return world_.Finish();
  }

 private:
  void SubmitUntil(Instant now) {
    while (next_arrival_ < arrivals_.size() && scenario_.jobs[arrivals_[next_arrival_]].submit <= now) {
      world_.Submit(arrivals_[next_arrival_++]);
    }
  }

  Instant NextTime(Instant end) const {
    Instant next = end;
    if (next_arrival_ < arrivals_.size()) next = std::min(next, scenario_.jobs[arrivals_[next_arrival_]].submit);
    if (const auto event = world_.NextEvent()) next = std::min(next, *event);
    if (timer_) next = std::min(next, *timer_);
    return std::max(next, world_.now());
  }

  void Consult() {
    timer_.reset();
    decision_.Clear();
    const policy::Observation observation{world_.now(),       slot_,
                                          slot_begins_,       site_,
                                          world_.jobs(),      world_.arrived(),
                                          world_.ended(),     world_.interrupted(),
                                          world_.services(),  world_.groups(),
                                          world_.carbon_kg(), outlook_};
    policy_.Decide(observation, decision_);
    slot_begins_ = false;
    world_.ClearNews();
    world_.Apply(decision_);
    if (!decision_.call_again) return;
    Check(*decision_.call_again > world_.now(), "a policy asked to be called in the past");
    timer_ = decision_.call_again;
  }

  const scenario::Scenario& scenario_;
  policy::Policy& policy_;
  scenario::Scenario site_;
  SlotOutlook outlook_;
  World world_;
  std::vector<std::size_t> arrivals_;
  std::size_t next_arrival_ = 0;
  std::size_t slot_ = 0;
  bool slot_begins_ = true;
  std::optional<Instant> timer_;
  policy::Decision decision_;
};

double PerformanceOf(const scenario::Scenario& scenario, const Run& run) {
  const bool throughput = scenario.performance == scenario::Performance::kThroughput;
  double sum = 0.0;
  std::map<std::string, double> references;  // many jobs share few models
  for (std::size_t j = 0; j < run.jobs.size(); ++j) {
    const std::string& model = scenario.jobs[j].model;
    if (throughput) {
      auto reference = references.find(model);
      if (reference == references.end()) {
        reference = references.emplace(model, scenario.ReferenceSamplesPerS(model)).first;
      }
      sum += run.jobs[j].samples_done / reference->second / 3600.0;
    } else {
      sum += plan::JobHeadroom(scenario, j, run.jobs[j].plan);
    }
  }
  for (std::size_t s = 0; s < run.services.size(); ++s) {
    const plan::ServicePlan plan{run.services[s].slots};
    sum += throughput ? plan::ServiceGpuHours(scenario, s, plan) : plan::ServiceHeadroom(scenario, s, plan);
  }
  const std::size_t count = run.jobs.size() + run.services.size();
  return throughput || count == 0 ? sum : sum / static_cast<double>(count);
}

}  // namespace

Run Simulate(const scenario::Scenario& scenario, policy::Policy& policy, Foresight& foresight, const Options& options) {
  const auto begun = std::chrono::steady_clock::now();
  Run run = Course(scenario, policy, foresight, options).Go();
  run.performance = PerformanceOf(scenario, run);
  run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return run;
}

}  // namespace heliostat::sim
