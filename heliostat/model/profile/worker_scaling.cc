#include "heliostat/model/profile/worker_scaling.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "heliostat/base/core/check.h"
#include "heliostat/model/profile/sweep.h"

namespace heliostat::profile {
namespace {

constexpr double kLowestKappa = 0.1;
constexpr double kErrorQuantile = 0.8;

double KappaOf(const SpeedUp& one) { return std::log(one.times) / std::log(static_cast<double>(one.workers)); }

// Weighted regression of kappa on the logarithm of the step. `without` is a model to leave out.
ScalingRule Regress(std::span<const SpeedUp> speed_ups, bool uses_step, const std::string& without) {
  std::map<std::string, double> count_of;
  for (const SpeedUp& one : speed_ups) count_of[one.model] += 1.0;
  double weights = 0.0;
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  for (const SpeedUp& one : speed_ups) {
    if (one.model == without) continue;
    const double weight = 1.0 / count_of[one.model];
    const double ln_step = std::log(one.step_s);
    weights += weight;
    x += weight * ln_step;
    y += weight * KappaOf(one);
    xx += weight * ln_step * ln_step;
    xy += weight * ln_step * KappaOf(one);
  }
  const double variance = xx / weights - x / weights * x / weights;
  const double slope = uses_step && variance > 0.0 ? (xy / weights - x / weights * y / weights) / variance : 0.0;
  return {y / weights - slope * x / weights, slope, 0.0};
}

// A waiting worker draws less than a busy one.
double PowerShare(double kappa, int workers) {
  const double busy = std::pow(static_cast<double>(workers), kappa - 1.0);
  return kWaitingPower + (1.0 - kWaitingPower) * busy;
}

// All sweeps of one model on one GPU with one batch, by number of workers.
using Family = std::map<int, const Sweep*>;

struct OwnRule {
  ScalingRule rule;
  double kappa = 1.0;
};

OwnRule RuleFor(const Family& family) {
  if (family.size() > 1) {
    std::vector<int> workers;
    std::vector<double> speeds;
    for (const auto& [count, sweep] : family) {
      workers.push_back(count);
      speeds.push_back(sweep->top().per_s);
    }
    if (const auto fit = FitScaling(workers, speeds)) {
      const double kappa = std::clamp(fit->curve.kappa, kLowestKappa, 1.0);
      return {{kappa, 0.0, kOwnKappaError}, kappa};
    }
  }
  const auto& [count, sweep] = *family.begin();
  if (sweep->workload.batch == 1) return {kWithoutStep, kWithoutStep.kappa};
  const double step_s = static_cast<double>(sweep->workload.batch) * count / sweep->top().per_s;
  return {kByStep, kByStep.KappaAt(step_s)};
}

Measurement Scaled(const Measurement& from, int workers, const OwnRule& own) {
  Measurement row = from;
  const double ratio = static_cast<double>(workers) / from.workers;
  row.workers = workers;
  row.line = 0;
  row.origin = Origin::kScaled;
  row.per_s = from.per_s * std::pow(ratio, own.kappa);
  row.speed_error = (1.0 + from.speed_error) * (1.0 + own.rule.SpeedErrorOf(from.workers, workers)) - 1.0;
  if (from.power) {
    const double share = PowerShare(own.kappa, workers);
    row.power = *from.power * (ratio * share / PowerShare(own.kappa, from.workers));
    // At most, all workers are busy all the time.
    row.power_error = (1.0 + from.power_error) / share - 1.0;
  }
  return row;
}

const Sweep& Nearest(const Family& family, int workers) {
  const auto distance = [&](const auto& entry) {
    return std::abs(std::log(static_cast<double>(entry.first) / workers));
  };
  return *std::ranges::min_element(family, {}, distance)->second;
}

}  // namespace

double ScalingRule::KappaAt(double step_s) const {
  return std::clamp(kappa + per_ln_step * std::log(step_s), kLowestKappa, 1.0);
}

double ScalingRule::SpeedErrorOf(int from, int to) const {
  return std::pow(static_cast<double>(std::max(from, to)) / std::min(from, to), error) - 1.0;
}

ScalingRule FitScalingRule(std::span<const SpeedUp> speed_ups, bool uses_step) {
  std::set<std::string> models;
  for (const SpeedUp& one : speed_ups) models.insert(one.model);
  Check(models.size() > 1, "a scaling rule needs two models");
  std::vector<double> errors;
  for (const std::string& model : models) {
    const ScalingRule others = Regress(speed_ups, uses_step, model);
    for (const SpeedUp& one : speed_ups) {
      if (one.model == model) errors.push_back(std::abs(others.KappaAt(one.step_s) - KappaOf(one)));
    }
  }
  std::ranges::sort(errors);
  ScalingRule rule = Regress(speed_ups, uses_step, "");
  rule.error = errors[static_cast<std::size_t>(std::ceil(kErrorQuantile * static_cast<double>(errors.size()))) - 1];
  return rule;
}

std::vector<Measurement> ScaleWorkers(std::span<const Measurement> rows, std::span<const int> counts) {
  const std::vector<Sweep> sweeps = SweepsOf(rows);
  std::map<std::tuple<std::string, std::string, int, bool>, Family> families;
  for (const Sweep& sweep : sweeps) {
    if (!sweep.workload.is_training) continue;
    const bool is_limit = sweep.top().knob.power_limit_w.has_value();
    families[{sweep.workload.model, sweep.gpu, sweep.workload.batch, is_limit}][sweep.workload.workers] = &sweep;
  }
  std::vector<Measurement> all(rows.begin(), rows.end());
  for (const auto& [key, family] : families) {
    const OwnRule own = RuleFor(family);
    for (const int count : counts) {
      if (family.contains(count)) continue;
      for (const Measurement& row : Nearest(family, count).points) all.push_back(Scaled(row, count, own));
    }
  }
  return all;
}

}  // namespace heliostat::profile
