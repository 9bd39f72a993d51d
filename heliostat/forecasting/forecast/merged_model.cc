#include "heliostat/forecasting/forecast/merged_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/forecasting/forecast/issued.h"
#include "heliostat/forecasting/forecast/limits.h"
#include "heliostat/forecasting/forecast/rehearsal.h"
#include "heliostat/forecasting/regression/saved.h"

namespace heliostat::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;

constexpr std::int64_t kVersion = 1;
constexpr Duration kLongestRehearsal = days{90};
constexpr Duration kShortHistory = days{60};  // below this, rehearse every six hours: a third of it has few days
constexpr Duration kNeighbours = hours{3};    // leads that share a weight

// The errors of both at the same past origins.
struct Skills {
  ErrorRecord own, other;
};

// `length` in whole steps, at least one.
Duration WholeSteps(Duration length, Duration step) { return std::max(step, length / step * step); }

// Actual values from `origin` on; missing after the end of the history.
std::vector<double> ActualFrom(const signal::StepSeries& series, Instant origin, std::size_t steps) {
  const auto first = static_cast<std::size_t>((origin - series.start()) / series.step());
  std::vector<double> actual(steps, signal::Missing());
  for (std::size_t i = 0; i < steps && first + i < series.size(); ++i) actual[i] = series.values()[first + i];
  return actual;
}

// Forecasts the last weeks with `auto`, fitted on the time before them, at the time of day of the end of the history.
// Skips origins that cannot be compared.
Skills Rehearse(const History& past, std::size_t steps) {
  const Duration length = past.target.series.span().length();
  const Duration every = WholeSteps(length < kShortHistory ? Duration{hours{6}} : Duration{days{1}}, past.step());
  const std::int64_t most = std::min(kLongestRehearsal, length / 3) / every;
  const ErrorScale scale = ScaleOf(past);
  const auto capacity = static_cast<std::size_t>(std::max<std::int64_t>(1, most));
  Skills skills{ErrorRecord(scale, capacity), ErrorRecord(scale, capacity)};
  AutoModel own;
  const auto before = Before(past, past.end() - every * most);
  if (!before || !own.Fit(*before, steps)) return skills;
  for (std::int64_t k = most; k >= 1; --k) {
    const Instant origin = past.end() - every * k;
    const auto said = IssuedAt(past, origin, steps);
    if (std::ranges::all_of(said, signal::IsMissing)) continue;
    const auto known = Before(past, origin);
    if (!known) continue;
    const auto prediction = own.Predict(*known, steps);
    if (!prediction) continue;
    const auto actual = ActualFrom(past.target.series, origin, steps);
    skills.own.Add(origin, prediction->values, actual);
    skills.other.Add(origin, said, actual);
  }
  return skills;
}

}  // namespace

Status MergedModel::Fit(const History& past, std::size_t steps) {
  weights_.reset();
  if (const auto fitted = own_.Fit(past, steps); !fitted) return fitted;
  if (past.issued.empty()) return {};
  const Skills skills = Rehearse(past, steps);
  weights_ = SkillWeights::Learn(skills.own, skills.other, steps, static_cast<std::size_t>(kNeighbours / past.step()));
  return {};
}

Result<Prediction> MergedModel::Predict(const History& past, std::size_t steps) const {
  auto prediction = own_.Predict(past, steps);
  if (!prediction) return prediction;
  auto said = IssuedAt(past, past.end(), steps);
  const auto count = steps - static_cast<std::size_t>(std::ranges::count_if(said, signal::IsMissing));
  if (!weights_ || count == 0) {
    prediction->reason = fmt::format(
        "{}; {}",
        weights_ ? "no forecast of a provider covers this time" : "no forecast of a provider was known at the fit",
        prediction->reason);
    return prediction;
  }
  for (std::size_t i = 0; i < steps; ++i) prediction->values[i] = weights_->Merge(i, prediction->values[i], said[i]);
  Clamp(prediction->values, LimitsOf(past, steps));
  prediction->answered_by = prediction->answered_by == "auto" ? "merged" : "merged with " + prediction->answered_by;
  prediction->reason = Reason(past.step(), steps, count) + "; auto: " + prediction->reason;
  return prediction;
}

// "providers 62 % at 1 h, 41 % at 24 h, of …"
std::string MergedModel::Reason(Duration step, std::size_t steps, std::size_t said) const {
  std::string shares;
  for (const Duration lead : {hours{1}, hours{4}, hours{12}, hours{24}, hours{47}}) {
    const auto at = static_cast<std::size_t>(lead / step);
    if (at == 0 || at > steps) continue;
    shares += fmt::format("{}{:.0f} % at {}", shares.empty() ? "" : ", ", 100 * weights_->WeightAt(at - 1),
                          FormatDuration(lead));
  }
  return fmt::format("{} of {} values combined with providers{}{}; weights from {} past forecasts", said, steps,
                     shares.empty() ? "" : ", whose share is ", shares, weights_->learned_from());
}

io::Json MergedModel::Save() const {
  io::Json saved = regression::SaveModel("merged");
  saved.Set("version", kVersion).Set("auto", own_.Save());
  if (weights_) saved.Set("skill", weights_->Save());
  return saved;
}

Status MergedModel::Load(const io::Json& saved) {
  if (const auto is_ours = regression::ExpectModel(saved, "merged"); !is_ours) return is_ours;
  const auto version = regression::LoadInteger(saved, "version");
  if (!version) return Propagate(version);
  if (*version != kVersion) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), fmt::format("has version {}", *version),
                fmt::format("must be version {}; fit it again", kVersion));
  }
  MergedModel loaded;
  const auto own = saved.Get("auto");
  if (!own) return Propagate(own);
  if (const auto status = loaded.own_.Load(**own); !status) return status;
  if (const io::Json* skill = saved.Find("skill")) {
    auto weights = SkillWeights::Load(*skill);
    if (!weights) return Propagate(weights);
    loaded.weights_ = std::move(*weights);
  }
  *this = std::move(loaded);
  return {};
}

}  // namespace heliostat::forecast
