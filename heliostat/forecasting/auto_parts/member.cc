#include "heliostat/forecasting/auto_parts/member.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "heliostat/base/core/check.h"
#include "heliostat/forecasting/auto_parts/origin_features.h"
#include "heliostat/forecasting/regression/saved.h"

namespace heliostat::auto_parts {
namespace {

constexpr std::array<std::string_view, 5> kNames{"yesterday", "pattern", "recent", "calendar", "mix"};

// Near leads depend on the present; far ones hardly do and are shrunk more. As shares of the weight of the rows; larger
// when there are few rows per feature.
double Penalty(double lead_hours, double features_a_row) {
  const double few = 0.02 * features_a_row * features_a_row;
  if (lead_hours < 6) return 0.003 + few;
  if (lead_hours < 24) return 0.010 + few;
  if (lead_hours < 48) return 0.030 + few;
  return 0.100 + few;
}

// The columns that the regressions of a member forecast.
std::vector<std::size_t> Forecast(MemberKind kind, const Frame& frame) {
  if (kind != MemberKind::kMix) return {0};
  std::vector<std::size_t> powers(frame.powers);
  for (std::size_t s = 0; s < frame.powers; ++s) powers[s] = frame.signs + 1 + s;
  return powers;
}

// Training origins every three hours, backwards from the newest one whose horizon is known.
std::vector<std::size_t> TrainingOrigins(const Frame& frame, std::size_t until, std::size_t steps) {
  std::vector<std::size_t> origins;
  const std::size_t first = OriginFeatures::FirstOrigin(frame), stride = frame.Hours(3);
  for (std::size_t newest = until; newest >= first + steps; newest -= std::min(stride, newest)) {
    origins.push_back(newest - steps);
  }
  return origins;
}

// Origins at the time of day of the fit count most: the next forecast is probably at that time of day.
double WeightOf(const Frame& frame, std::size_t origin, std::size_t until) {
  const std::size_t apart = (until - origin) % frame.day;
  const double hours = 24.0 * static_cast<double>(std::min(apart, frame.day - apart)) / static_cast<double>(frame.day);
  return 1 - hours / 13;
}

regression::Ridge FitRegressions(MemberKind kind, const Scene& scene, std::size_t until, std::size_t steps) {
  const Frame& frame = scene.frame;
  const auto& baselines = scene.Of(BaselineOf(kind));
  const OriginFeatures features(frame, scene.recipe.calendar(), baselines, scene.seasons, kind == MemberKind::kMix);
  const auto origins = TrainingOrigins(frame, until, steps);
  Check(!origins.empty() && steps > 0, "a regression needs rows and leads: CanLearn() must be true");
  const auto columns = Forecast(kind, frame);
  regression::Matrix x = regression::Matrix::Zeros(origins.size(), features.size());
  regression::Matrix y = regression::Matrix::Zeros(origins.size(), columns.size() * steps);
  std::vector<double> weights(origins.size());
  for (std::size_t i = 0; i < origins.size(); ++i) {
    features.Fill(origins[i], x.Row(i));
    weights[i] = WeightOf(frame, origins[i], until);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto rest = y.Row(i).subspan(c * steps, steps);
      for (std::size_t lead = 0; lead < steps; ++lead) rest[lead] = baselines[columns[c]].Rest(origins[i], lead);
    }
  }
  const double features_a_row = static_cast<double>(features.size()) / static_cast<double>(origins.size());
  std::vector<double> penalties(y.columns);
  for (std::size_t k = 0; k < penalties.size(); ++k) {
    const double lead_hours = 24.0 * static_cast<double>(k % steps) / static_cast<double>(frame.day);
    penalties[k] = Penalty(lead_hours, features_a_row);
  }
  return regression::Ridge::Fit(x, weights, y, penalties);
}

// The share of an anomaly that remains after one step.
double FadingOf(const Baseline& baseline, std::size_t until) {
  double now = 0, next = 0;
  for (std::size_t t = 1; t < until; ++t) {
    now += baseline.Anomaly(t - 1) * baseline.Anomaly(t - 1);
    next += baseline.Anomaly(t - 1) * baseline.Anomaly(t);
  }
  return now > 0 ? std::clamp(next / now, 0.0, 0.995) : 0.0;
}

}  // namespace

std::string_view NameOf(MemberKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

BaselineKind BaselineOf(MemberKind kind) {
  return kind == MemberKind::kCalendar ? BaselineKind::kCalendar : BaselineKind::kRecent;
}

Scene LayScene(const FrameRecipe& recipe, const Frame& frame, const CalendarModel& model, std::size_t steps) {
  return {recipe, frame, model.has_seasons(),
          MakeBaselines(BaselineKind::kCalendar, frame, model, recipe.calendar(), steps),
          MakeBaselines(BaselineKind::kRecent, frame, model, recipe.calendar(), steps)};
}

bool Member::CanLearn(MemberKind kind, const Frame& frame, std::size_t until, std::size_t steps) {
  return kind < MemberKind::kRecent || until >= OriginFeatures::FirstOrigin(frame) + steps;
}

Member Member::Fit(MemberKind kind, const Scene& scene, std::size_t until, std::size_t steps) {
  Member member(kind);
  if (kind == MemberKind::kPattern) member.fading_ = FadingOf(scene.by_recent[0], until);
  if (kind >= MemberKind::kRecent) member.ridge_ = FitRegressions(kind, scene, until, steps);
  return member;
}

std::size_t Member::Needs(const Frame& frame) const { return ridge_ ? OriginFeatures::FirstOrigin(frame) : frame.day; }

bool Member::Suits(const FrameRecipe& recipe, bool seasons, std::size_t steps) const {
  if (!ridge_) return true;
  const bool is_mix = kind_ == MemberKind::kMix;
  const std::size_t powers = is_mix ? recipe.powers() : 0;
  if (is_mix && powers == 0) return false;
  return ridge_->features() == OriginFeatures::Count(recipe.signs(), powers, seasons) &&
         ridge_->targets() == steps * (is_mix ? powers : 1);
}

std::vector<double> Member::Predict(const Scene& scene, std::size_t origin, std::size_t steps) const {
  if (kind_ == MemberKind::kPattern) return PredictPattern(scene, origin, steps);
  if (kind_ != MemberKind::kYesterday) return PredictRegression(scene, origin, steps);
  std::vector<double> values(steps);
  const auto& target = scene.frame.columns[0];
  for (std::size_t lead = 0; lead < steps; ++lead) {
    values[lead] = target[origin - scene.frame.day + lead % scene.frame.day];
  }
  return values;
}

std::vector<double> Member::PredictPattern(const Scene& scene, std::size_t origin, std::size_t steps) const {
  std::vector<double> values(steps);
  double left = scene.by_recent[0].Anomaly(origin - 1);
  for (std::size_t lead = 0; lead < steps; ++lead) {
    left *= fading_;
    values[lead] = scene.by_recent[0].Expected(origin, lead) + left;
  }
  return values;
}

std::vector<double> Member::PredictRegression(const Scene& scene, std::size_t origin, std::size_t steps) const {
  const auto& baselines = scene.Of(BaselineOf(kind_));
  const OriginFeatures features(scene.frame, scene.recipe.calendar(), baselines, scene.seasons,
                                kind_ == MemberKind::kMix);
  std::vector<double> row(features.size());
  features.Fill(origin, row);
  const auto rest = ridge_->Predict(row);
  const auto columns = Forecast(kind_, scene.frame);
  const std::size_t fitted_steps = rest.size() / columns.size();
  std::vector<double> values(steps), powers(columns.size());
  for (std::size_t lead = 0; lead < steps; ++lead) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      powers[c] = baselines[columns[c]].Expected(origin, lead) + rest[c * fitted_steps + lead];
    }
    if (kind_ != MemberKind::kMix) {
      values[lead] = powers[0];
      continue;
    }
    const auto intensity = scene.recipe.Intensity(powers);
    values[lead] =
        intensity && *intensity > 0 ? scene.recipe.space().To(*intensity) : scene.by_recent[0].Expected(origin, lead);
  }
  return values;
}

io::Json Member::Save() const {
  io::Json saved;
  saved.Set("kind", NameOf(kind_)).Set("fading", fading_);
  if (ridge_) saved.Set("ridge", ridge_->Save());
  return saved;
}

Result<Member> Member::Load(const io::Json& saved) {
  const auto name = regression::LoadText(saved, "kind");
  if (!name) return Propagate(name);
  const auto found = std::ranges::find(kNames, *name);
  const io::Json* ridge = saved.Find("ridge");
  const auto kind = static_cast<MemberKind>(found - kNames.begin());
  if (found == kNames.end() || (ridge == nullptr) != (kind < MemberKind::kRecent)) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), "is not a part of a forecast model",
                "must be one that this program saved");
  }
  Member member(kind);
  const auto fading = regression::LoadNumber(saved, "fading");
  if (!fading) return Propagate(fading);
  if (*fading < 0 || *fading > 1) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), "has a fading factor out of range", "must be 0 to 1");
  }
  member.fading_ = *fading;
  if (ridge == nullptr) return member;
  auto loaded = regression::Ridge::Load(*ridge);
  if (!loaded) return Propagate(loaded);
  member.ridge_ = std::move(*loaded);
  return member;
}

}  // namespace heliostat::auto_parts
