#include "heliostat/outlook/frame.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "heliostat/outlook/mix.h"
#include "heliostat/regression/matrix.h"
#include "heliostat/regression/saved.h"
#include "heliostat/signal/fill.h"

namespace heliostat::outlook {
namespace {

// Sources with a smaller share of generation are noise, not signs.
constexpr double kLeastSign = 0.02;
constexpr double kLeastPower = 0.005;
// Beyond this the sources beside an intensity do not explain it (imports, say).
constexpr double kLargestMixError = 0.05;

// Every gap closed, short ones by a line, long ones by the usual day.
signal::StepSeries Closed(const signal::StepSeries& series) {
  using signal::FillRule;
  auto closed = signal::Fill(series, FillRule::kLinear, std::chrono::hours{3});
  for (const FillRule rule : {FillRule::kYesterday, FillRule::kTypical, FillRule::kHold}) {
    if (closed.missing() == 0) break;
    closed = signal::Fill(closed, rule);
  }
  return closed;
}

// Closed and brought to `step`, phased so that the last step ends where the series does.
Result<std::vector<double>> Even(const signal::StepSeries& series, Duration step) {
  auto closed = Closed(series);
  if (closed.missing() > 0) {
    return Fail(ErrorCode::kInvalidArgument, "history", "holds no value", "at least one known value");
  }
  if (step == series.step()) return closed.values();
  auto coarse = closed.Resample(step, closed.end());
  if (!coarse) return Propagate(coarse);
  return coarse->values();
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

bool Varies(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return most > least * 1.05;
}

// Nothing finer than an hour is worth a regression of its own for days ahead;
// coarser signals keep their step.
Duration WorkingStep(Duration step) {
  constexpr Duration hour = std::chrono::hours{1};
  return step < hour && hour % step == Duration::zero() ? hour : step;
}

// The generation of each source at the working step, none below zero; a source
// that is mostly unknown is left out.
struct Generation {
  std::vector<std::string> names;
  std::vector<std::vector<double>> power;
  std::vector<double> total;
};

Result<Generation> GenerationOf(std::span<const signal::Signal> sources, Duration step, std::size_t size) {
  Generation generation;
  generation.total.assign(size, 0);
  for (const auto& source : sources) {
    if (source.series.missing() * 5 > source.series.size()) continue;
    auto power = Even(source.series, step);
    if (!power) return Propagate(power);
    if (power->size() != size) continue;
    for (std::size_t t = 0; t < size; ++t) {
      (*power)[t] = std::max(0.0, (*power)[t]);
      generation.total[t] += (*power)[t];
    }
    generation.names.push_back(source.name);
    generation.power.push_back(std::move(*power));
  }
  return generation;
}

}  // namespace

std::size_t Frame::Hours(double hours) const {
  return static_cast<std::size_t>(std::max(1.0, std::round(hours * static_cast<double>(day) / 24)));
}

Result<Recipe> Recipe::Of(const signal::Signal& target, std::span<const signal::Signal> sources) {
  Recipe recipe(ValueSpace::Of(target.meaning, target.series.values()), target.meaning.zone);
  recipe.fine_step_ = target.series.step();
  recipe.step_ = WorkingStep(recipe.fine_step_);
  recipe.ChooseSources(target, sources);
  return recipe;
}

void Recipe::ChooseSources(const signal::Signal& target, std::span<const signal::Signal> sources) {
  about_mix_ = "no generation by source beside it";
  if (sources.size() < 2 || space_.scale() != ValueSpace::Scale::kLogarithm) return;
  const auto intensity = Even(target.series, step_);
  if (!intensity) return;
  const auto generation = GenerationOf(sources, step_, intensity->size());
  if (!generation || generation->names.size() < 2) return;
  const double all = MeanOf(generation->total);
  if (!(all > 0)) return;

  regression::Matrix powers = regression::Matrix::Zeros(intensity->size(), generation->names.size());
  for (std::size_t s = 0; s < generation->names.size(); ++s) {
    const double share = MeanOf(generation->power[s]) / all;
    if (share > kLeastSign) share_names_.push_back(generation->names[s]);
    for (std::size_t t = 0; t < intensity->size(); ++t) powers.Row(t)[s] = generation->power[s][t];
  }
  demand_varies_ = *std::ranges::min_element(generation->total) > 0 && Varies(generation->total);
  const auto factors = FindFactors(powers, *intensity);
  if (!factors || factors->error > kLargestMixError) {
    about_mix_ = factors ? fmt::format("the sources explain the intensity only to {:.0f} %", 100 * factors->error)
                         : "too little generation by source";
    return;
  }
  for (std::size_t s = 0; s < generation->names.size(); ++s) {
    const double mean = MeanOf(generation->power[s]);
    if (mean / all <= kLeastPower) continue;
    power_names_.push_back(generation->names[s]);
    power_scales_.push_back(mean);
    factors_.push_back(factors->of_source[s]);
  }
  about_mix_ = fmt::format("{} sources and their emission factors", power_names_.size());
}

Result<Frame> Recipe::Lay(const signal::Signal& target, std::span<const signal::Signal> sources) const {
  if (target.series.step() != fine_step_) {
    return Fail(ErrorCode::kInvalidArgument, "history", "has a step of " + FormatDuration(target.series.step()),
                "the model's " + FormatDuration(fine_step_));
  }
  auto values = Even(target.series, step_);
  if (!values) return Propagate(values);
  Frame frame;
  frame.step = step_;
  frame.day = std::max<std::size_t>(1, static_cast<std::size_t>(std::chrono::days{1} / step_));
  frame.size = values->size();
  frame.start = target.series.end() - step_ * static_cast<std::int64_t>(frame.size);
  for (double& value : *values) value = space_.To(value);
  frame.columns.push_back(std::move(*values));
  if (share_names_.empty() && power_names_.empty()) return frame;

  const auto generation = GenerationOf(sources, step_, frame.size);
  if (!generation) return Propagate(generation);
  const auto power_of = [&](const std::string& name) -> Result<const std::vector<double>*> {
    const auto found = std::ranges::find(generation->names, name);
    if (found == generation->names.end()) {
      return Fail(ErrorCode::kInvalidArgument, "history", "generation of '" + Printable(name, 40) + "' is missing",
                  "the sources that the model was fitted on");
    }
    return &generation->power[static_cast<std::size_t>(found - generation->names.begin())];
  };
  for (const auto& name : share_names_) {
    const auto power = power_of(name);
    if (!power) return Propagate(power);
    std::vector<double> share(frame.size);
    for (std::size_t t = 0; t < frame.size; ++t) {
      share[t] = generation->total[t] > 0 ? (**power)[t] / generation->total[t] : 0;
    }
    frame.columns.push_back(std::move(share));
  }
  if (demand_varies_) {
    std::vector<double> demand(frame.size);
    for (std::size_t t = 0; t < frame.size; ++t) demand[t] = std::log(std::max(generation->total[t], 1e-9));
    frame.columns.push_back(std::move(demand));
  }
  frame.signs = frame.columns.size() - 1;
  for (std::size_t s = 0; s < power_names_.size(); ++s) {
    const auto power = power_of(power_names_[s]);
    if (!power) return Propagate(power);
    std::vector<double> scaled(frame.size);
    for (std::size_t t = 0; t < frame.size; ++t) scaled[t] = std::sqrt((**power)[t] / power_scales_[s]);
    frame.columns.push_back(std::move(scaled));
  }
  frame.powers = power_names_.size();
  return frame;
}

std::optional<double> Recipe::Intensity(std::span<const double> scaled_powers) const {
  std::vector<double> power(scaled_powers.size());
  for (std::size_t s = 0; s < power.size(); ++s) {
    const double root = std::max(0.0, scaled_powers[s]);
    power[s] = root * root * power_scales_[s];
  }
  return IntensityOf(power, factors_);
}

namespace {

io::Json SaveNames(const std::vector<std::string>& names) {
  io::Json saved{io::Json::Array{}};
  for (const auto& name : names) saved.Append(name);
  return saved;
}

Result<std::vector<std::string>> LoadNames(const io::Json& saved, std::string_view key) {
  const auto member = saved.Get(key);
  if (!member) return Propagate(member);
  const auto list = (*member)->Elements();
  if (!list) return Propagate(list);
  std::vector<std::string> names;
  for (const auto& element : **list) {
    auto name = element.Text();
    if (!name) return Propagate(name);
    names.push_back(std::move(*name));
  }
  return names;
}

Result<Duration> LoadStep(const io::Json& saved, std::string_view key) {
  const auto seconds = regression::LoadInteger(saved, key);
  if (!seconds) return Propagate(seconds);
  if (*seconds <= 0 || *seconds > 366L * 86400) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), "has a step that cannot be", "1 s to a year");
  }
  return Duration{*seconds};
}

}  // namespace

io::Json Recipe::Save() const {
  io::Json saved;
  saved.Set("space", space_.Save()).Set("zone", zone_);
  saved.Set("step_s", std::int64_t{step_.count()}).Set("fine_step_s", std::int64_t{fine_step_.count()});
  saved.Set("share_names", SaveNames(share_names_)).Set("demand_varies", demand_varies_);
  saved.Set("power_names", SaveNames(power_names_)).Set("power_scales", regression::SaveNumbers(power_scales_));
  saved.Set("factors", regression::SaveNumbers(factors_)).Set("about_mix", about_mix_);
  return saved;
}

Result<Recipe> Recipe::Load(const io::Json& saved) {
  const auto scale = saved.Get("space");
  if (!scale) return Propagate(scale);
  const auto space = ValueSpace::Load(**scale);
  if (!space) return Propagate(space);
  const auto zone = regression::LoadText(saved, "zone");
  if (!zone) return Propagate(zone);
  Recipe recipe(*space, *zone);
  const auto step = LoadStep(saved, "step_s");
  const auto fine = LoadStep(saved, "fine_step_s");
  if (!step) return Propagate(step);
  if (!fine) return Propagate(fine);
  const auto shares = LoadNames(saved, "share_names");
  if (!shares) return Propagate(shares);
  const auto powers = LoadNames(saved, "power_names");
  if (!powers) return Propagate(powers);
  const auto scales = regression::LoadNumbers(saved, "power_scales");
  if (!scales) return Propagate(scales);
  const auto factors = regression::LoadNumbers(saved, "factors");
  if (!factors) return Propagate(factors);
  const auto varies = regression::LoadBoolean(saved, "demand_varies");
  if (!varies) return Propagate(varies);
  const auto about = regression::LoadText(saved, "about_mix");
  if (!about) return Propagate(about);
  if (scales->size() != powers->size() || factors->size() != powers->size()) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), "has numbers missing", "a model that this program saved");
  }
  recipe.step_ = *step;
  recipe.fine_step_ = *fine;
  recipe.share_names_ = *shares;
  recipe.demand_varies_ = *varies;
  recipe.power_names_ = *powers;
  recipe.power_scales_ = *scales;
  recipe.factors_ = *factors;
  recipe.about_mix_ = *about;
  return recipe;
}

}  // namespace heliostat::outlook
