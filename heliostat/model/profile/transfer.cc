#include "heliostat/model/profile/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace heliostat::profile {

// Another workload that was measured on both GPUs, and its weight.
struct Transfer::Witness {
  const Sweep* from = nullptr;
  const Sweep* to = nullptr;
  double weight = 0.0;
};

struct Transfer::Estimate {
  std::vector<Measurement> points;
};

namespace {

// Scales of the difference between two workloads: in ln(batch), in the share of the highest power, in ln of the change
// of speed between further GPUs. Found by leave-one-out; round numbers, because the error is flat there.
constexpr double kBatchWidth = 1.5;
constexpr double kDrawWidth = 0.1;
constexpr double kMoveWidth = 0.2;
// The least weight: even a very different model counts when there is no other.
constexpr double kLeastWeight = 1e-3;
// The weight of the model's own batches, above that of any other model.
constexpr double kOwnWeight = 50.0;
constexpr std::size_t kFewestModels = 2;
// Sources with a spread of ratios below this count as equally good.
constexpr double kLeastVariance = 0.05 * 0.05;
constexpr double kBarQuantile = 0.8;
constexpr double kLeastBar = 0.05;
// The line of power is extrapolated at most this far.
constexpr double kBeyond = 0.1;

struct Moments {
  double weight = 0.0;
  double mean = 0.0;
  double variance = 0.0;
};

template <typename Items, typename Value>
Moments MomentsOf(const Items& items, Value value) {
  Moments moments;
  double sum = 0.0;
  double squares = 0.0;
  for (const auto& item : items) {
    const double v = value(item);
    moments.weight += item.weight;
    sum += item.weight * v;
    squares += item.weight * v * v;
  }
  moments.mean = sum / moments.weight;
  moments.variance = std::max(squares / moments.weight - moments.mean * moments.mean, 0.0);
  return moments;
}

bool HasPower(const Sweep& sweep) { return sweep.top().power.has_value(); }

double QuantileOf(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))) - 1;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(rank));
  return values[rank];
}

const Measurement* AtSetting(const Sweep& sweep, const scenario::GpuSetting& knob) {
  const auto found = std::ranges::find(sweep.points, knob, &Measurement::knob);
  return found == sweep.points.end() ? nullptr : &*found;
}

// Settings of all witnesses on the requested GPU, from the lowest to the highest.
template <typename Witnesses>
std::vector<scenario::GpuSetting> SettingsOf(const Witnesses& witnesses) {
  std::vector<scenario::GpuSetting> knobs;
  for (const auto& witness : witnesses) {
    for (const Measurement& row : witness.to->points) {
      if (std::ranges::find(knobs, row.knob) == knobs.end()) knobs.push_back(row.knob);
    }
  }
  std::ranges::sort(knobs, {}, SettingOf);
  return knobs;
}

// The mean over witnesses of ln(value / value at the top) at a setting. Nothing where none was measured.
template <typename Witnesses, typename Value>
std::optional<double> ShapeAt(const Witnesses& witnesses, const scenario::GpuSetting& knob, Value value) {
  double weight = 0.0;
  double sum = 0.0;
  for (const auto& witness : witnesses) {
    const Measurement* const row = AtSetting(*witness.to, knob);
    if (row == nullptr) continue;
    weight += witness.weight;
    sum += witness.weight * std::log(value(*row) / value(witness.to->top()));
  }
  return weight > 0.0 ? std::optional(sum / weight) : std::nullopt;
}

double SpeedOf(const Measurement& row) { return row.per_s; }
double WattsOf(const Measurement& row) { return row.power ? row.power->value : 1.0; }

// Top power on the new GPU, along the line through the powers of the witnesses on both GPUs.
template <typename Witnesses>
double TopWatts(const Witnesses& witnesses, double from_w) {
  const auto x = MomentsOf(witnesses, [](const auto& w) { return WattsOf(w.from->top()); });
  const auto y = MomentsOf(witnesses, [](const auto& w) { return WattsOf(w.to->top()); });
  const auto xy = MomentsOf(witnesses, [](const auto& w) { return WattsOf(w.from->top()) * WattsOf(w.to->top()); });
  double lowest = WattsOf(witnesses.front().to->top());
  double highest = lowest;
  for (const auto& witness : witnesses) {
    lowest = std::min(lowest, WattsOf(witness.to->top()));
    highest = std::max(highest, WattsOf(witness.to->top()));
  }
  // Equal powers have no slope, so the ratio is used.
  const bool is_flat = x.variance < 1e-4 * x.mean * x.mean;
  const double slope = is_flat ? y.mean / x.mean : std::max((xy.mean - x.mean * y.mean) / x.variance, 0.0);
  return std::clamp(y.mean + slope * (from_w - x.mean), lowest * (1.0 - kBeyond), highest * (1.0 + kBeyond));
}

}  // namespace

std::vector<Measurement> Cautious(const PredictedProfile& prediction) {
  std::vector<Measurement> points = prediction.points;
  for (Measurement& point : points) {
    point.per_s /= 1.0 + prediction.bar.speed;
    if (point.latency) *point.latency *= 1.0 + prediction.bar.speed;
    if (point.power) point.power = *point.power * (1.0 + prediction.bar.power);
  }
  return points;
}

Transfer::Transfer(std::span<const Measurement> rows) : sweeps_(SweepsOf(rows)) {
  for (const Sweep& sweep : sweeps_) {
    by_workload_[sweep.workload][sweep.gpu] = &sweep;
    double& highest = highest_w_[sweep.gpu];
    highest = std::max(highest, HasPower(sweep) ? WattsOf(sweep.top()) : 0.0);
  }
}

const Sweep* Transfer::Find(const Workload& workload, const std::string& gpu) const {
  const auto of_workload = by_workload_.find(workload);
  if (of_workload == by_workload_.end()) return nullptr;
  const auto found = of_workload->second.find(gpu);
  return found == of_workload->second.end() ? nullptr : found->second;
}

// The squared distance in units of the scales. It uses no measurement of either workload on the GPU `to`.
double Transfer::Unlikeness(const Workload& a, const Workload& b, const std::string& from,
                            const std::string& to) const {
  const Sweep& a_from = *Find(a, from);
  const Sweep& b_from = *Find(b, from);
  double sum = std::pow(std::log(static_cast<double>(a.batch) / b.batch) / kBatchWidth, 2);
  if (HasPower(a_from) && HasPower(b_from)) {
    sum += std::pow((WattsOf(a_from.top()) - WattsOf(b_from.top())) / highest_w_.at(from) / kDrawWidth, 2);
  }
  for (const auto& [gpu, sweep] : by_workload_.at(a)) {
    const Sweep* const other = gpu == from || gpu == to ? nullptr : Find(b, gpu);
    if (other == nullptr) continue;
    const double moved = std::log(a_from.top().per_s / sweep->top().per_s);
    const double other_moved = std::log(b_from.top().per_s / other->top().per_s);
    sum += std::pow((moved - other_moved) / kMoveWidth, 2);
  }
  return sum;
}

std::vector<Transfer::Witness> Transfer::WitnessesOf(const Workload& workload, const std::string& from,
                                                     const std::string& to, Knowledge knowledge,
                                                     const std::string& without) const {
  std::vector<Witness> witnesses;
  std::map<std::string, double> rows_of;
  std::set<std::string> models;
  for (const auto& [other, gpus] : by_workload_) {
    const bool is_own = other.model == workload.model;
    if (other == workload || other.workers != workload.workers || other.is_training != workload.is_training) continue;
    if ((is_own && knowledge == Knowledge::kNothing) || other.model == without) continue;
    const auto a = gpus.find(from);
    const auto b = gpus.find(to);
    if (a == gpus.end() || b == gpus.end()) continue;
    const double likeness = std::exp(-0.5 * Unlikeness(workload, other, from, to)) + kLeastWeight;
    witnesses.push_back({a->second, b->second, likeness * (is_own ? kOwnWeight : 1.0)});
    rows_of[other.model] += 1.0;
    if (!is_own) models.insert(other.model);
  }
  if (models.size() < kFewestModels) return {};
  // A model with many batches counts as one model.
  for (Witness& witness : witnesses) witness.weight /= rows_of.at(witness.from->workload.model);
  return witnesses;
}

std::optional<Transfer::Estimate> Transfer::EstimateFor(const Workload& workload, const std::string& gpu,
                                                        Knowledge knowledge, const std::string& without) const {
  double trust_sum = 0.0;
  double log_speed = 0.0;
  double watts_trust = 0.0;
  double watts = 0.0;
  std::vector<Witness> all;
  for (const auto& [from, sweep] : by_workload_.at(workload)) {
    if (from == gpu) continue;
    std::vector<Witness> witnesses = WitnessesOf(workload, from, gpu, knowledge, without);
    if (witnesses.empty()) continue;
    const Moments ratio =
        MomentsOf(witnesses, [](const Witness& w) { return std::log(w.to->top().per_s / w.from->top().per_s); });
    const double trust = 1.0 / (ratio.variance + kLeastVariance);
    trust_sum += trust;
    log_speed += trust * (std::log(sweep->top().per_s) + ratio.mean);
    all.insert(all.end(), witnesses.begin(), witnesses.end());
    std::erase_if(witnesses, [](const Witness& w) { return !HasPower(*w.from) || !HasPower(*w.to); });
    if (!HasPower(*sweep) || witnesses.empty()) continue;
    watts_trust += trust;
    watts += trust * TopWatts(witnesses, WattsOf(sweep->top()));
  }
  if (all.empty()) return std::nullopt;

  Estimate estimate;
  for (const scenario::GpuSetting& knob : SettingsOf(all)) {
    Measurement point{.model = workload.model, .gpu = gpu, .is_training = workload.is_training};
    point.workers = workload.workers;
    point.batch = workload.batch;
    point.knob = knob;
    point.origin = Origin::kPredicted;
    point.per_s = std::exp(log_speed / trust_sum + *ShapeAt(all, knob, SpeedOf));
    if (watts_trust > 0.0) point.power = Watts{watts / watts_trust * std::exp(*ShapeAt(all, knob, WattsOf))};
    if (!workload.is_training) point.latency = Seconds{workload.batch / point.per_s};
    estimate.points.push_back(std::move(point));
  }
  return estimate;
}

// The error of the same method for the other models on that GPU, each left out in turn.
ErrorBar Transfer::BarFor(const Workload& workload, const std::string& gpu, Knowledge knowledge) const {
  std::vector<double> speed_errors;
  std::vector<double> power_errors;
  for (const auto& [other, gpus] : by_workload_) {
    if (other.model == workload.model || other.workers != workload.workers || !gpus.contains(gpu)) continue;
    if (other.is_training != workload.is_training) continue;
    const auto estimate = EstimateFor(other, gpu, knowledge, workload.model);
    if (!estimate) continue;
    for (const Measurement& point : estimate->points) {
      const Measurement* const truth = AtSetting(*gpus.at(gpu), point.knob);
      if (truth == nullptr) continue;
      speed_errors.push_back(std::abs(std::log(point.per_s / truth->per_s)));
      if (point.power && truth->power) power_errors.push_back(std::abs(std::log(*point.power / *truth->power)));
    }
  }
  const auto bar = [](std::vector<double> errors) {
    return std::max(std::exp(QuantileOf(std::move(errors), kBarQuantile)) - 1.0, kLeastBar);
  };
  return {bar(std::move(speed_errors)), bar(std::move(power_errors))};
}

std::optional<PredictedProfile> Transfer::PredictWorkload(const Workload& workload, const std::string& gpu,
                                                          Knowledge knowledge) const {
  if (!by_workload_.contains(workload)) return std::nullopt;
  auto estimate = EstimateFor(workload, gpu, knowledge, "");
  if (!estimate) return std::nullopt;
  return PredictedProfile{std::move(estimate->points), BarFor(workload, gpu, knowledge)};
}

Result<std::vector<PredictedProfile>> Transfer::Predict(const std::string& model, const std::string& gpu) const {
  const auto is_model = [&](const Sweep& sweep) { return sweep.workload.model == model; };
  if (std::ranges::none_of(sweeps_, is_model)) {
    std::set<std::string> known;
    for (const Sweep& sweep : sweeps_) known.insert(sweep.workload.model);
    return Fail(ErrorCode::kInvalidArgument, "model", fmt::format("'{}' was not measured", Printable(model, 60)),
                fmt::format("one of {}", fmt::join(known, ", ")));
  }
  if (!highest_w_.contains(gpu)) {
    std::set<std::string> known;
    for (const Sweep& sweep : sweeps_) known.insert(sweep.gpu);
    return Fail(ErrorCode::kInvalidArgument, "gpu", fmt::format("no model ran on '{}'", Printable(gpu, 60)),
                fmt::format("one of {}", fmt::join(known, ", ")));
  }
  std::vector<PredictedProfile> predictions;
  for (const auto& [workload, gpus] : by_workload_) {
    if (workload.model != model) continue;
    auto prediction = PredictWorkload(workload, gpu, Knowledge::kNothing);
    if (prediction) predictions.push_back(std::move(*prediction));
  }
  if (!predictions.empty()) return predictions;
  return Fail(ErrorCode::kInfeasible, "gpu",
              fmt::format("there are too few measurements to predict {} on {}", model, gpu),
              "two other models measured on this GPU and on another GPU of the model");
}

}  // namespace heliostat::profile
