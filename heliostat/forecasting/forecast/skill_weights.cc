#include "heliostat/forecasting/forecast/skill_weights.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "heliostat/forecasting/regression/saved.h"

namespace heliostat::forecast {
namespace {

constexpr double kEven = 0.5;
constexpr double kEnough = 20;  // number of past forecasts from which the weights are fully used

// The errors of both at one lead of one forecast.
struct Pair {
  double own;
  double other;
};

struct Sample {
  std::vector<Pair> pairs;
  std::size_t forecasts = 0;  // the number that the pairs come from; errors of one forecast are correlated
};

using Rows = std::vector<std::pair<const ForecastErrors*, const ForecastErrors*>>;

Rows SameOrigins(const ErrorRecord& own, const ErrorRecord& other) {
  std::map<Instant, const ForecastErrors*> by_origin;
  for (const auto& row : other.rows()) by_origin.emplace(row.origin, &row);
  Rows rows;
  for (const auto& row : own.rows()) {
    const auto found = by_origin.find(row.origin);
    if (found != by_origin.end()) rows.emplace_back(&row, found->second);
  }
  return rows;
}

Sample Around(const Rows& rows, std::size_t lead, std::size_t reach) {
  Sample sample;
  for (const auto& [own, other] : rows) {
    const std::size_t before = sample.pairs.size();
    const std::size_t end = std::min({lead + reach + 1, own->errors.size(), other->errors.size()});
    for (std::size_t i = lead - reach; i < end; ++i) {
      if (!std::isnan(own->errors[i]) && !std::isnan(other->errors[i])) {
        sample.pairs.push_back({own->errors[i], other->errors[i]});
      }
    }
    if (sample.pairs.size() > before) ++sample.forecasts;
  }
  return sample;
}

double MeanOfOther(const std::vector<Pair>& pairs) {
  double sum = 0;
  for (const Pair& pair : pairs) sum += pair.other;
  return pairs.empty() ? 0 : sum / static_cast<double>(pairs.size());
}

// The share of the other with the least squared error: (own² − own·other) / (own − other)².
double BestWeight(const std::vector<Pair>& pairs, double correction) {
  double gain = 0, distance = 0;
  for (const Pair& pair : pairs) {
    const double apart = pair.own - (pair.other - correction);
    gain += pair.own * apart;
    distance += apart * apart;
  }
  return distance > 0 ? std::clamp(gain / distance, 0.0, 1.0) : kEven;
}

}  // namespace

SkillWeights SkillWeights::Learn(const ErrorRecord& own, const ErrorRecord& other, std::size_t leads,
                                 std::size_t widest) {
  const Rows rows = SameOrigins(own, other);
  SkillWeights learned;
  learned.is_relative_ = own.scale() == ErrorScale::kRelative;
  for (std::size_t lead = 0; lead < std::max<std::size_t>(1, leads); ++lead) {
    const Sample sample = Around(rows, lead, std::min(widest, lead / 2));
    const double trust = std::min(1.0, static_cast<double>(sample.forecasts) / kEnough);
    const double correction = trust * MeanOfOther(sample.pairs);
    learned.corrections_.push_back(correction);
    learned.weights_.push_back(kEven + trust * (BestWeight(sample.pairs, correction) - kEven));
    learned.learned_from_ = std::max(learned.learned_from_, sample.forecasts);
  }
  return learned;
}

double SkillWeights::Merge(std::size_t lead, double own, double other) const {
  if (std::isnan(other)) return own;
  const double weight = WeightAt(lead), correction = CorrectionAt(lead);
  if (!is_relative_) return own + weight * (other + correction - own);
  if (own <= 0 || other <= 0) return own + weight * (other - own);  // the logarithm is not defined
  return own * std::exp(weight * (std::log(other / own) + correction));
}

io::Json SkillWeights::Save() const {
  return io::Json::Object{{"relative", is_relative_},
                          {"learned_from", learned_from_},
                          {"weights", regression::SaveNumbers(weights_)},
                          {"corrections", regression::SaveNumbers(corrections_)}};
}

Result<SkillWeights> SkillWeights::Load(const io::Json& saved) {
  const auto is_relative = regression::LoadBoolean(saved, "relative");
  if (!is_relative) return Propagate(is_relative);
  const auto learned_from = regression::LoadInteger(saved, "learned_from");
  if (!learned_from) return Propagate(learned_from);
  auto weights = regression::LoadNumbers(saved, "weights");
  if (!weights) return Propagate(weights);
  auto corrections = regression::LoadNumbers(saved, "corrections");
  if (!corrections) return Propagate(corrections);
  const bool is_share = std::ranges::all_of(*weights, [](double weight) { return weight >= 0 && weight <= 1; });
  if (weights->empty() || weights->size() != corrections->size() || !is_share) {
    return Fail(ErrorCode::kCorrupt, saved.where(), "weights and corrections do not match",
                "must be equally many, weights from 0 to 1");
  }
  SkillWeights loaded;
  loaded.is_relative_ = *is_relative;
  loaded.learned_from_ = static_cast<std::size_t>(std::max<std::int64_t>(0, *learned_from));
  loaded.weights_ = std::move(*weights);
  loaded.corrections_ = std::move(*corrections);
  return loaded;
}

}  // namespace heliostat::forecast
