#include "heliostat/control/policy/replan_trigger.h"

#include <algorithm>
#include <cmath>

namespace heliostat::policy {
namespace {

using namespace std::chrono_literals;

// The pause between plans: at least the longer of kLeastPause and this part of a slot, at most a slot.
constexpr Duration kLeastPause = 60s;
constexpr int kLeastPausesPerSlot = 12;
// More jobs take longer to plan, and one more matters less.
constexpr Duration kPausePerJob = 10s;
// A job that could not wait for this many pauses is urgent.
constexpr int kUrgentPauses = 2;
// Forecasts change all the time, so a plan for a moved forecast waits for this many pauses.
constexpr int kForecastPauses = 4;
// The longest time until the next plan without news.
constexpr Duration kLongestLife = 24h;
// A forecast has moved when it differs by more than this on average, as a share.
constexpr double kSameForecast = 0.04;

Duration PauseFor(const Observation& observation, std::size_t jobs) {
  const Duration step = observation.site->step;
  return std::clamp(kPausePerJob * static_cast<std::int64_t>(jobs), std::max(kLeastPause, step / kLeastPausesPerSlot),
                    std::max(kLeastPause, step));
}

bool IsUrgent(const Observation& observation, const PlanStanding& standing, Duration pause) {
  if (!observation.interrupted.empty()) return true;
  return standing.least_slack && *standing.least_slack < Seconds(kUrgentPauses * pause);
}

// `then` began `passed` slots before `now`.
bool HasMoved(const std::vector<double>& then, const std::vector<double>& now, std::size_t passed) {
  double moved = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < now.size() && i + passed < then.size(); ++i) {
    moved += std::abs(now[i] - then[i + passed]);
    size += std::abs(then[i + passed]);
  }
  return moved > kSameForecast * size;
}

}  // namespace

ReplanTrigger::Signals::Signals(const Forecast& forecast)
    : price_per_kwh(forecast.price_per_kwh.begin(), forecast.price_per_kwh.end()) {
  for (const CarbonIntensity carbon : forecast.carbon) carbon_g_per_kwh.push_back(InGramsPerKwh(carbon));
  for (const Watts power : forecast.renewable) renewable_w.push_back(power.value);
  price_per_kwh.resize(forecast.slots(), 0.0);
}

bool ReplanTrigger::IsDue(const Observation& observation, const PlanStanding& standing) {
  if (!last_) return true;
  if (!IsStale(observation, standing)) return false;
  const Duration pause = PauseFor(observation, standing.jobs);
  const Instant allowed = last_->at + pause;
  if (at_once_ || allowed <= observation.now || IsUrgent(observation, standing, pause)) return true;
  deferred_until_ = allowed;
  return false;
}

bool ReplanTrigger::IsStale(const Observation& observation, const PlanStanding& standing) const {
  if (has_news_ || standing.has_run_out) return true;
  // With known arrivals, planning daily adds nothing.
  if (!knows_arrivals_ && last_->at + kLongestLife <= observation.now) return true;
  const Instant patient = last_->at + kForecastPauses * PauseFor(observation, standing.jobs);
  return observation.slot_begins && patient <= observation.now && ForecastMoved(observation);
}

bool ReplanTrigger::ForecastMoved(const Observation& observation) const {
  const Signals now(observation.outlook.Ahead());
  const Signals& then = last_->signals;
  const std::size_t passed = observation.slot - last_->slot;
  return HasMoved(then.carbon_g_per_kwh, now.carbon_g_per_kwh, passed) ||
         HasMoved(then.renewable_w, now.renewable_w, passed) || HasMoved(then.price_per_kwh, now.price_per_kwh, passed);
}

void ReplanTrigger::Reset(const Observation& observation) {
  const Forecast forecast = observation.outlook.Ahead();
  last_ = LastPlan{observation.now, observation.slot, Signals(forecast)};
  has_news_ = false;
  deferred_until_.reset();
  const auto is_to_come = [&](const scenario::Job* job) { return job->submit > observation.now; };
  knows_arrivals_ = knows_arrivals_ || std::any_of(forecast.jobs.begin(), forecast.jobs.end(), is_to_come);
}

}  // namespace heliostat::policy
