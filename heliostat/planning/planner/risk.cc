#include "heliostat/planning/planner/risk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "heliostat/model/serving/latency.h"

namespace heliostat::planner {
namespace {

using scenario::Paths;
using scenario::Scenario;

constexpr double kTolerance = 1e-9;
constexpr int kMostTightenings = 5;
// Slightly more than in proportion, so that the last step does not miss the budget by rounding.
constexpr double kTighten = 0.999;

// The number of paths for a share: 9 of 10 for 0.9, also where 0.9 * 10 is not exactly 9.
std::size_t CountFor(double share, std::size_t paths) {
  const double wanted = std::ceil(share * static_cast<double>(paths) - kTolerance);
  return std::clamp(static_cast<std::size_t>(std::max(wanted, 1.0)), std::size_t{1}, paths);
}

template <typename Value>
std::vector<Value> MeanOf(const std::vector<std::vector<Value>>& paths) {
  std::vector<Value> mean = paths.front();
  for (std::size_t path = 1; path < paths.size(); ++path) {
    for (std::size_t slot = 0; slot < mean.size(); ++slot) mean[slot] += paths[path][slot];
  }
  for (Value& value : mean) value = value / static_cast<double>(paths.size());
  return mean;
}

// Raises the mark of each path to its highest rate above the mean, in standard deviations.
void MarkExtremes(const std::vector<std::vector<double>>& rates, std::vector<double>& marks) {
  const std::vector<double> mean = MeanOf(rates);
  for (std::size_t slot = 0; slot < mean.size(); ++slot) {
    double variance = 0.0;
    for (const auto& path : rates) variance += (path[slot] - mean[slot]) * (path[slot] - mean[slot]);
    const double sd = std::sqrt(variance / static_cast<double>(rates.size()));
    if (!(sd > 0.0)) continue;
    for (std::size_t k = 0; k < rates.size(); ++k) marks[k] = std::max(marks[k], (rates[k][slot] - mean[slot]) / sd);
  }
}

std::vector<std::size_t> LeastExtreme(const Paths& paths, std::size_t count) {
  std::vector<double> marks(paths.count, -std::numeric_limits<double>::infinity());
  for (const auto& rates : paths.requests_per_s) {
    if (!rates.empty()) MarkExtremes(rates, marks);
  }
  std::vector<std::size_t> order(paths.count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return marks[a] < marks[b]; });
  order.resize(count);
  return order;
}

// Updates one slot of a service to another rate. False when the replicas cannot serve it within the latency.
bool Serves(const Scenario& scenario, const scenario::Service& service, double rate, plan::ServiceSlot& how) {
  if (how.replicas == 0) return rate <= 0.0;
  const auto& point = scenario.inference.Of(service.model, scenario.groups[how.group].gpu)[how.point];
  const double planned = how.utilisation;
  how.utilisation = rate / (how.replicas * point.requests_per_s);
  if (how.utilisation <= planned * (1.0 + kTolerance)) return true;
  if (!(how.utilisation < 1.0)) {
    how.utilisation = 1.0;  // cannot be more than fully busy
    return false;
  }
  how.latency = serving::LatencyPercentile({rate, point.batch, how.replicas, point.latency}, service.percentile);
  return how.latency <= service.latency_slo * (1.0 + kTolerance);
}

struct Fate {
  bool is_served = true;  // every latency and the power cap are kept
  double carbon_kg = 0.0;
};

// `scenario` has the path's signals.
Fate FateOf(const Scenario& scenario, const plan::Limits& limits, plan::Plan plan) {
  Fate fate;
  for (std::size_t i = 0; i < scenario.services.size(); ++i) {
    const scenario::Service& service = scenario.services[i];
    for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
      const bool kept = Serves(scenario, service, service.requests_per_s[slot], plan.services[i].slots[slot]);
      fate.is_served = fate.is_served && kept;
    }
  }
  const plan::Score score = plan::ScoreOf(scenario, plan);
  fate.carbon_kg = score.carbon_kg();
  if (!limits.facility_cap) return fate;
  const Joules most = *limits.facility_cap * Seconds(scenario.step) * (1.0 + kTolerance);
  for (const account::Balance& balance : score.slots) fate.is_served = fate.is_served && balance.facility <= most;
  return fate;
}

std::vector<Fate> FatesOf(const Scenario& scenario, const Paths& paths, const plan::Limits& limits,
                          const plan::Plan& plan) {
  std::vector<Fate> fates;
  Scenario there = scenario;
  for (std::size_t path = 0; path < paths.count; ++path) {
    ApplyPath(paths, path, there);
    fates.push_back(FateOf(there, limits, plan));
  }
  return fates;
}

// The carbon that `count` of the fates do not exceed. Infinite when there are fewer.
double CarbonFor(std::size_t count, const std::vector<Fate>& fates, bool only_served) {
  std::vector<double> kg;
  for (const Fate& fate : fates) {
    if (fate.is_served || !only_served) kg.push_back(fate.carbon_kg);
  }
  if (kg.size() < count) return std::numeric_limits<double>::infinity();
  std::sort(kg.begin(), kg.end());
  return kg[count - 1];
}

Risk Summarise(const std::vector<Fate>& fates, const plan::Limits& limits, double share) {
  Risk risk{.share_asked = share, .paths = fates.size()};
  const double budget = limits.carbon_budget_kg.value_or(std::numeric_limits<double>::infinity());
  std::size_t kept = 0;
  for (const Fate& fate : fates) {
    kept += fate.is_served && fate.carbon_kg <= budget * (1.0 + kTolerance) ? 1 : 0;
    risk.expected_carbon_kg += fate.carbon_kg / static_cast<double>(fates.size());
  }
  risk.share_kept = static_cast<double>(kept) / static_cast<double>(fates.size());
  risk.carbon_kg_at_share = CarbonFor(CountFor(share, fates.size()), fates, false);
  return risk;
}

Status Refuse(const Paths& paths, double share) {
  if (!(share > 0.0 && share <= 1.0)) {
    return Fail(ErrorCode::kInvalidArgument, "risk", fmt::format("{} is out of range", share),
                "above 0 and at most 1, such as 0.9");
  }
  if (paths.count > 0) return {};
  return Fail(ErrorCode::kInvalidArgument, "risk", "the scenario has no file of possible futures",
              "make one with option 'scenarios-csv' of heliostat forecast show, and name it as scenarios in [signals] "
              "or as rate_scenarios_file "
              "of a service");
}

// The outcome when no tighter budget has helped.
plan::Outcome NoPlan(double share, double budget_kg, double needed_kg) {
  return {.reason = fmt::format(
              "no plan was found that keeps the carbon budget of {:.3f} kg in {:g} % of the paths; {:.3f} kg, or a "
              "smaller share, would be enough",
              budget_kg, 100.0 * share, needed_kg)};
}

}  // namespace

Scenario CautiousScenario(const Scenario& scenario, const Paths& paths, double share) {
  Scenario cautious = scenario;
  if (paths.count == 0) return cautious;
  if (!paths.carbon.empty()) cautious.carbon = MeanOf(paths.carbon);
  if (!paths.renewable.empty()) cautious.renewable = MeanOf(paths.renewable);
  if (!paths.price_per_kwh.empty()) cautious.price_per_kwh = MeanOf(paths.price_per_kwh);
  const std::vector<std::size_t> kept = LeastExtreme(paths, CountFor(share, paths.count));
  for (std::size_t i = 0; i < paths.requests_per_s.size(); ++i) {
    const auto& rates = paths.requests_per_s[i];
    if (rates.empty()) continue;
    std::vector<double>& most = cautious.services[i].requests_per_s;
    most = rates[kept.front()];
    for (const std::size_t path : kept) {
      for (std::size_t slot = 0; slot < most.size(); ++slot) most[slot] = std::max(most[slot], rates[path][slot]);
    }
  }
  return cautious;
}

Risk RiskOf(const Scenario& scenario, const Paths& paths, const plan::Limits& limits, const plan::Plan& plan,
            double share) {
  return Summarise(FatesOf(scenario, paths, limits, plan), limits, share);
}

Result<AnswerAtRisk> MakePlanAtRisk(const Scenario& scenario, const Paths& paths, const PlanRequest& request,
                                    double share, const Watcher& watcher) {
  if (const Status bad = Refuse(paths, share); !bad) return Propagate(bad);
  const Scenario cautious = CautiousScenario(scenario, paths, share);
  const std::size_t wanted = CountFor(share, paths.count);
  const auto budget = request.limits.carbon_budget_kg;
  PlanRequest tightened = request;
  plan::PlanAnswer last;
  double spent_s = 0.0;
  double needed_kg = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kMostTightenings; ++i) {
    auto answer = MakePlan(cautious, tightened, watcher);
    if (!answer) return Propagate(answer);
    spent_s += answer->solve_s;
    answer->solve_s = spent_s;
    if (!answer->outcome.has_plan()) {
      // Infeasible with the requested budget is the answer; with a tighter one it proves nothing.
      if (i == 0) return AnswerAtRisk{*std::move(answer)};
      break;
    }
    last = *std::move(answer);
    const std::vector<Fate> fates = FatesOf(scenario, paths, request.limits, last.outcome.plan());
    const double needs_kg = CarbonFor(wanted, fates, true);
    // A tighter budget does not help when too few paths keep latencies and the power cap.
    if (!budget || !std::isfinite(needs_kg) || needs_kg <= *budget * (1.0 + kTolerance)) {
      return AnswerAtRisk{std::move(last), Summarise(fates, request.limits, share)};
    }
    needed_kg = std::min(needed_kg, needs_kg);
    tightened.limits.carbon_budget_kg = *tightened.limits.carbon_budget_kg * (*budget / needs_kg) * kTighten;
  }
  last.solve_s = spent_s;
  last.outcome = NoPlan(share, *budget, needed_kg);
  return AnswerAtRisk{std::move(last)};
}

}  // namespace heliostat::planner
