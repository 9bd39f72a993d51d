#include "heliostat/forecasting/auto_parts/frame.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "heliostat/forecasting/auto_parts/generation_mix.h"
#include "heliostat/forecasting/regression/matrix.h"
#include "heliostat/forecasting/regression/saved.h"
#include "heliostat/signals/signal/fill.h"

namespace heliostat::auto_parts {
namespace {

// Sources with a smaller share of generation are noise and get no column.
constexpr double kLeastSign = 0.02;
constexpr double kLeastPower = 0.005;
// Above this error the sources do not explain the intensity, for example because of imports.
constexpr double kLargestMixError = 0.05;

tl::unexpected<Error> NothingKnown() {
  return Fail(ErrorCode::kInvalidArgument, "history", "has no known value", "at least one is needed");
}

// Fills all gaps: short ones linearly, long ones with the usual day.
signal::StepSeries Closed(const signal::StepSeries& series) {
  using signal::FillRule;
  auto closed = signal::Fill(series, FillRule::kLinear, std::chrono::hours{3});
  for (const FillRule rule : {FillRule::kYesterday, FillRule::kTypical, FillRule::kHold}) {
    if (closed.missing() == 0) break;
    closed = signal::Fill(closed, rule);
  }
  return closed;
}

// Fills gaps and converts to `step`, so that the last step ends where the series ends.
Result<std::vector<double>> Even(const signal::StepSeries& series, Duration step) {
  auto closed = Closed(series);
  if (closed.missing() > 0) return NothingKnown();
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

// For days ahead a regression gains nothing from steps finer than an hour; coarser signals keep their step.
Duration WorkingStep(Duration step) {
  constexpr Duration kHour = std::chrono::hours{1};
  return step < kHour && kHour % step == Duration::zero() ? kHour : step;
}

// A source must share the times of the target and have at most a fifth of its values missing.
bool IsUsable(const signal::Signal& source, const signal::Signal& target) {
  const auto& series = source.series;
  const bool beside = series.start() == target.series.start() && series.end() == target.series.end();
  return beside && series.step() == target.series.step() && series.missing() * 5 <= series.size();
}

// The power of a source at the working step; negative values become zero.
Result<std::vector<double>> PowerOf(const signal::Signal& source, Duration step) {
  auto power = Even(source.series, step);
  if (!power) return Propagate(power);
  for (double& value : *power) value = std::max(0.0, value);
  return power;
}

std::vector<double> SumOf(const std::vector<std::vector<double>>& power) {
  std::vector<double> sum(power[0].size(), 0.0);
  for (const auto& one : power) {
    for (std::size_t t = 0; t < sum.size(); ++t) sum[t] += one[t];
  }
  return sum;
}

regression::Matrix Table(const std::vector<std::vector<double>>& columns) {
  auto table = regression::Matrix::Zeros(columns[0].size(), columns.size());
  for (std::size_t t = 0; t < table.rows; ++t) {
    for (std::size_t c = 0; c < table.columns; ++c) table.Row(t)[c] = columns[c][t];
  }
  return table;
}

}  // namespace

std::size_t Frame::Hours(double hours) const {
  return static_cast<std::size_t>(std::max(1.0, std::round(hours * static_cast<double>(day) / 24)));
}

std::size_t FrameRecipe::signs() const {
  const auto shares = std::ranges::count_if(sources_, [](const Source& source) { return source.is_sign; });
  return static_cast<std::size_t>(shares) + (demand_varies_ ? 1 : 0);
}

std::size_t FrameRecipe::powers() const {
  const auto powers = std::ranges::count_if(sources_, [](const Source& source) { return source.scale > 0; });
  return static_cast<std::size_t>(powers);
}

Result<FrameRecipe> FrameRecipe::Of(const signal::Signal& target, std::span<const signal::Signal> sources) {
  if (target.series.missing() == target.series.size()) return NothingKnown();
  FrameRecipe recipe(ValueSpace::Of(target.meaning, target.series.values()), target.meaning.zone);
  recipe.fine_step_ = target.series.step();
  recipe.step_ = WorkingStep(recipe.fine_step_);
  // A series shorter than the working step cannot be converted to it.
  if (target.series.span().length() < recipe.step_) recipe.step_ = recipe.fine_step_;
  recipe.ChooseSources(target, sources);
  return recipe;
}

void FrameRecipe::ChooseSources(const signal::Signal& target, std::span<const signal::Signal> sources) {
  about_mix_ = "the file has no generation by source";
  if (space_.scale() != ValueSpace::Scale::kLogarithm) return;
  const auto intensity = Even(target.series, step_);
  if (!intensity) return;
  std::vector<Source> usable;
  std::vector<std::vector<double>> power;
  for (const auto& source : sources) {
    if (!IsUsable(source, target)) continue;
    auto values = PowerOf(source, step_);
    if (!values) continue;
    usable.push_back({source.name});
    power.push_back(std::move(*values));
  }
  if (usable.size() < 2) return;
  const auto demand = SumOf(power);
  const double all = MeanOf(demand);
  if (!(all > 0)) return;

  sources_ = std::move(usable);
  demand_varies_ = *std::ranges::min_element(demand) > 0 && Varies(demand);
  for (std::size_t s = 0; s < power.size(); ++s) sources_[s].is_sign = MeanOf(power[s]) / all > kLeastSign;
  const auto factors = FindFactors(Table(power), *intensity);
  if (!factors || factors->error > kLargestMixError) {
    about_mix_ =
        factors ? fmt::format("the sources explain the intensity only with an error of {:.0f} %", 100 * factors->error)
                : "too few rows of generation by source";
    return;
  }
  for (std::size_t s = 0; s < power.size(); ++s) {
    const double mean = MeanOf(power[s]);
    if (mean / all <= kLeastPower) continue;
    sources_[s].scale = mean;
    sources_[s].factor = factors->of_source[s];
  }
  about_mix_ = fmt::format("{} sources and their emission factors", powers());
}

Result<Frame> FrameRecipe::Lay(const signal::Signal& target, std::span<const signal::Signal> sources) const {
  if (target.series.step() != fine_step_) {
    return Fail(ErrorCode::kInvalidArgument, "history", "has a step of " + FormatDuration(target.series.step()),
                "must be that of the model, " + FormatDuration(fine_step_));
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
  if (sources_.empty()) return frame;

  std::vector<std::vector<double>> power;
  for (const Source& wanted : sources_) {
    const auto found = std::ranges::find(sources, wanted.name, &signal::Signal::name);
    auto of_source = found != sources.end() ? PowerOf(*found, step_) : NothingKnown();
    if (!of_source || of_source->size() != frame.size) {
      return Fail(ErrorCode::kInvalidArgument, "history",
                  "generation of '" + Printable(wanted.name, 40) + "' is missing",
                  "must have all sources that the model was fitted on");
    }
    power.push_back(std::move(*of_source));
  }
  AddSources(power, frame);
  return frame;
}

void FrameRecipe::AddSources(const std::vector<std::vector<double>>& power, Frame& frame) const {
  const auto demand = SumOf(power);
  std::vector<double> column(frame.size);
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    if (!sources_[s].is_sign) continue;
    for (std::size_t t = 0; t < frame.size; ++t) column[t] = demand[t] > 0 ? power[s][t] / demand[t] : 0;
    frame.columns.push_back(column);
  }
  if (demand_varies_) {
    for (std::size_t t = 0; t < frame.size; ++t) column[t] = std::log(std::max(demand[t], 1e-9));
    frame.columns.push_back(column);
  }
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    if (!(sources_[s].scale > 0)) continue;
    for (std::size_t t = 0; t < frame.size; ++t) column[t] = std::sqrt(power[s][t] / sources_[s].scale);
    frame.columns.push_back(column);
  }
  frame.signs = signs();
  frame.powers = powers();
}

std::optional<double> FrameRecipe::Intensity(std::span<const double> scaled_powers) const {
  std::vector<double> power, factors;
  for (const Source& source : sources_) {
    if (!(source.scale > 0)) continue;
    const double root = std::max(0.0, scaled_powers[power.size()]);
    power.push_back(root * root * source.scale);
    factors.push_back(source.factor);
  }
  return IntensityOf(power, factors);
}

io::Json FrameRecipe::Save() const {
  io::Json sources{io::Json::Array{}};
  for (const Source& source : sources_) {
    io::Json one;
    one.Set("name", source.name).Set("is_sign", source.is_sign).Set("scale", source.scale).Set("factor", source.factor);
    sources.Append(std::move(one));
  }
  io::Json saved;
  saved.Set("space", space_.Save()).Set("zone", zone_);
  saved.Set("step_s", std::int64_t{step_.count()}).Set("fine_step_s", std::int64_t{fine_step_.count()});
  saved.Set("sources", std::move(sources)).Set("demand_varies", demand_varies_).Set("about_mix", about_mix_);
  return saved;
}

Result<FrameRecipe> FrameRecipe::Load(const io::Json& saved) {
  const auto scale = saved.Get("space");
  if (!scale) return Propagate(scale);
  const auto space = ValueSpace::Load(**scale);
  if (!space) return Propagate(space);
  const auto zone = regression::LoadText(saved, "zone");
  if (!zone) return Propagate(zone);
  FrameRecipe recipe(*space, *zone);
  const auto step_s = regression::LoadInteger(saved, "step_s");
  if (!step_s) return Propagate(step_s);
  const auto fine_step_s = regression::LoadInteger(saved, "fine_step_s");
  if (!fine_step_s) return Propagate(fine_step_s);
  recipe.step_ = Duration{*step_s};
  recipe.fine_step_ = Duration{*fine_step_s};
  constexpr Duration kLongest = std::chrono::days{366};
  const bool can_be = recipe.fine_step_ > Duration::zero() && recipe.fine_step_ <= kLongest;
  if (!can_be || (recipe.step_ != recipe.fine_step_ && recipe.step_ != WorkingStep(recipe.fine_step_))) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), "has a step out of range", "1 s to 366 d");
  }
  const auto varies = regression::LoadBoolean(saved, "demand_varies");
  if (!varies) return Propagate(varies);
  recipe.demand_varies_ = *varies;
  auto about = regression::LoadText(saved, "about_mix");
  if (!about) return Propagate(about);
  recipe.about_mix_ = std::move(*about);
  if (const auto status = recipe.LoadSources(saved); !status) return Propagate(status);
  return recipe;
}

Status FrameRecipe::LoadSources(const io::Json& saved) {
  const auto member = saved.Get("sources");
  if (!member) return Propagate(member);
  const auto elements = (*member)->Elements();
  if (!elements) return Propagate(elements);
  for (const io::Json& element : **elements) {
    auto name = regression::LoadText(element, "name");
    if (!name) return Propagate(name);
    const auto is_sign = regression::LoadBoolean(element, "is_sign");
    if (!is_sign) return Propagate(is_sign);
    const auto scale = regression::LoadNumber(element, "scale");
    if (!scale) return Propagate(scale);
    const auto factor = regression::LoadNumber(element, "factor");
    if (!factor) return Propagate(factor);
    sources_.push_back({std::move(*name), *is_sign, *scale, *factor});
  }
  if (demand_varies_ && sources_.empty()) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), "has no sources",
                "must be a model that this program saved");
  }
  return {};
}

}  // namespace heliostat::auto_parts
