#include "heliostat/forecasting/auto_parts/blend.h"

#include <algorithm>
#include <cmath>

#include "heliostat/forecasting/regression/saved.h"
#include "heliostat/signals/signal/step_series.h"

namespace heliostat::auto_parts {
namespace {

constexpr double kSharpness = 6;     // weights fall with this power of the error
constexpr std::size_t kNewest = 60;  // past forecasts for the correction
constexpr double kTrust = 0.2;       // share of the correction that is applied
constexpr std::size_t kFewest = 10;  // past forecasts needed to learn

// Visits the leads [first, last) of the forecasts `past` whose actual value is known.
template <typename Visit>
void ForKnown(std::span<const Rehearsed> past, std::size_t first, std::size_t last, const Visit& visit) {
  for (const Rehearsed& one : past) {
    for (std::size_t lead = first; lead < std::min(last, one.actual.size()); ++lead) {
      if (!signal::IsMissing(one.actual[lead])) visit(one, lead);
    }
  }
}

// Weights that decrease with the error; members without any error share all the weight.
std::vector<double> WeightsFor(const std::vector<double>& errors) {
  const double least = *std::ranges::min_element(errors);
  std::vector<double> weights(errors.size());
  double total = 0;
  for (std::size_t m = 0; m < errors.size(); ++m) {
    weights[m] = errors[m] <= least ? 1 : std::pow(least / errors[m], kSharpness);
    total += weights[m];
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

double Together(const Rehearsed& one, std::size_t lead, std::span<const double> weights) {
  double sum = 0;
  for (std::size_t m = 0; m < weights.size(); ++m) sum += weights[m] * one.by_member[m][lead];
  return sum;
}

// The shift that minimises the errors of the past forecasts, among quantiles of their differences.
double BestShift(std::span<const Rehearsed> past, std::size_t first, std::size_t last, std::span<const double> weights,
                 const ValueSpace& space) {
  std::vector<double> forecasts, actuals, lacked;
  ForKnown(past, first, last, [&](const Rehearsed& one, std::size_t lead) {
    forecasts.push_back(Together(one, lead, weights));
    actuals.push_back(one.actual[lead]);
    lacked.push_back(actuals.back() - forecasts.back());
  });
  if (lacked.empty()) return 0;
  std::ranges::sort(lacked);
  double best = 0, least = INFINITY;
  for (int percent = 20; percent <= 80; percent += 3) {
    const double shift = lacked[(lacked.size() - 1) * static_cast<std::size_t>(percent) / 100];
    double error = 0;
    for (std::size_t i = 0; i < forecasts.size(); ++i) error += space.Error(forecasts[i] + shift, actuals[i]);
    if (error < least) {
      least = error;
      best = shift;
    }
  }
  return best;
}

}  // namespace

Blend Blend::Even(std::size_t members, std::size_t day) {
  Blend blend;
  blend.day_ = day;
  blend.members_ = members;
  blend.weights_.assign(members, 1 / static_cast<double>(members));
  blend.corrections_.assign(1, 0.0);
  return blend;
}

Blend Blend::Learn(std::span<const Rehearsed> past, std::size_t members, std::size_t day, const ValueSpace& space) {
  Blend blend = Even(members, day);
  if (past.size() < kFewest || past.front().actual.empty()) return blend;
  const std::vector<double> even = std::move(blend.weights_);
  const std::size_t days = (past.front().actual.size() + day - 1) / day;
  blend.weights_.clear();
  blend.corrections_.clear();
  const auto newest = past.last(std::min(past.size(), kNewest));
  for (std::size_t d = 0; d < days; ++d) {
    std::vector<double> errors(members, 0.0);
    std::size_t known = 0;
    ForKnown(past, d * day, (d + 1) * day, [&](const Rehearsed& one, std::size_t lead) {
      ++known;
      for (std::size_t m = 0; m < members; ++m) errors[m] += space.Error(one.by_member[m][lead], one.actual[lead]);
    });
    const std::vector<double> weights = known >= kFewest ? WeightsFor(errors) : even;
    blend.corrections_.push_back(kTrust * BestShift(newest, d * day, (d + 1) * day, weights, space));
    blend.weights_.insert(blend.weights_.end(), weights.begin(), weights.end());
  }
  return blend;
}

std::span<const double> Blend::WeightsOf(std::size_t day_of_lead) const {
  const std::size_t d = std::min(day_of_lead, corrections_.size() - 1);
  return std::span(weights_).subspan(d * members_, members_);
}

std::vector<double> Blend::Mix(std::span<const std::vector<double>> by_member) const {
  std::vector<double> mixed(by_member.front().size());
  for (std::size_t lead = 0; lead < mixed.size(); ++lead) {
    const auto weights = WeightsOf(lead / day_);
    mixed[lead] = corrections_[std::min(lead / day_, corrections_.size() - 1)];
    for (std::size_t m = 0; m < members_; ++m) mixed[lead] += weights[m] * by_member[m][lead];
  }
  return mixed;
}

io::Json Blend::Save() const {
  io::Json saved;
  saved.Set("day", day_).Set("members", members_);
  saved.Set("weights", regression::SaveNumbers(weights_)).Set("corrections", regression::SaveNumbers(corrections_));
  return saved;
}

Result<Blend> Blend::Load(const io::Json& saved) {
  const auto day = regression::LoadInteger(saved, "day");
  const auto members = regression::LoadInteger(saved, "members");
  if (!day) return Propagate(day);
  if (!members) return Propagate(members);
  auto weights = regression::LoadNumbers(saved, "weights");
  if (!weights) return Propagate(weights);
  auto corrections = regression::LoadNumbers(saved, "corrections");
  if (!corrections) return Propagate(corrections);
  const bool sound = *day > 0 && *members > 0 && *members < 100 && !corrections->empty() &&
                     weights->size() == corrections->size() * static_cast<std::size_t>(*members);
  if (!sound) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), "is not a blend", "must be one that this program saved");
  }
  Blend blend;
  blend.day_ = static_cast<std::size_t>(*day);
  blend.members_ = static_cast<std::size_t>(*members);
  blend.weights_ = std::move(*weights);
  blend.corrections_ = std::move(*corrections);
  return blend;
}

}  // namespace heliostat::auto_parts
