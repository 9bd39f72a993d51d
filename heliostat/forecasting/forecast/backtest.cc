#include "heliostat/forecasting/forecast/backtest.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "heliostat/forecasting/forecast/rehearsal.h"
#include "heliostat/forecasting/forecast/walk_forward.h"

namespace heliostat::forecast {
namespace {

constexpr Duration kDay = std::chrono::days{1};
// The share of the time of a model that its rehearsal takes, estimated, for the progress.
constexpr double kRehearsalShare = 0.3;

Status RefuseUneven(Duration length, Duration step, std::string_view what) {
  if (length > Duration{0} && length % step == Duration{0}) return {};
  return Fail(ErrorCode::kInvalidArgument, std::string(what), fmt::format("is {}", FormatDuration(length)),
              fmt::format("must be a positive multiple of the step of the series, {}", FormatDuration(step)));
}

Status RefuseSchedule(const BacktestSchedule& schedule, const History& all) {
  const Duration step = all.step();
  if (const auto bad = RefuseUneven(schedule.horizon, step, "horizon"); !bad) return bad;
  if (const auto bad = RefuseUneven(schedule.every, step, "distance of origins"); !bad) return bad;
  if (schedule.train) {
    if (const auto bad = RefuseUneven(*schedule.train, step, "training window"); !bad) return bad;
  }
  const Instant start = all.target.series.start();
  if ((schedule.first - start) % step != Duration{0}) {
    return Fail(ErrorCode::kInvalidArgument, "first origin",
                fmt::format("{} is between two values", FormatInstant(schedule.first)),
                fmt::format("must be {} or a whole number of {} from it", FormatInstant(start), FormatDuration(step)));
  }
  return {};
}

Error AtOrigin(Error error, std::string_view model, Instant origin) {
  const std::string named = fmt::format("model {}", model);  // many models use this name in their errors
  const std::string inside = error.where.empty() || error.where == named ? "" : ": " + error.where;
  error.where = fmt::format("{} at {}{}", named, FormatInstant(origin), inside);
  return error;
}

// Adds one forecast to the scores per lead. Where limits leave only one value, a band always covers it and is not
// counted.
void ScoreForecast(const Step& step, const signal::StepSeries& series, std::vector<ScoreSum>& by_lead) {
  const IssuedForecast& issued = step.issued;
  const auto first = static_cast<std::size_t>((issued.origin - series.start()) / series.step());
  for (std::size_t lead = 0; lead < by_lead.size(); ++lead) {
    const std::span<const Band> bands = step.is_free[lead] ? std::span(issued.bands) : std::span<const Band>();
    const double yesterday = YesterdayOf(series, series.TimeOf(first + lead), issued.origin);
    by_lead[lead].Add(issued.prediction.values[lead], series.values()[first + lead], yesterday, bands, lead);
  }
}

void Summarise(const std::vector<ScoreSum>& by_lead, Duration step, ModelResult& result) {
  ScoreSum all;
  std::vector<ScoreSum> by_day;
  for (std::size_t lead = 0; lead < by_lead.size(); ++lead) {
    const auto day = static_cast<std::size_t>(step * static_cast<std::int64_t>(lead) / kDay);
    by_day.resize(std::max(by_day.size(), day + 1));
    by_day[day].Add(by_lead[lead]);
    all.Add(by_lead[lead]);
    result.by_lead.push_back(by_lead[lead].Result());
  }
  for (const auto& sum : by_day) result.by_day.push_back(sum.Result());
  result.score = all.Result();
}

// "auto: 181 of 181", in the order of the first answer.
std::vector<std::string> Answered(const ModelResult& result) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const auto& issued : result.forecasts) {
    const auto& name = issued.prediction.answered_by.empty() ? result.name : issued.prediction.answered_by;
    const auto at = std::ranges::find(counts, name, &std::pair<std::string, std::size_t>::first);
    if (at == counts.end()) {
      counts.emplace_back(name, 1);
    } else {
      ++at->second;
    }
  }
  std::vector<std::string> lines;
  lines.reserve(counts.size());
  for (const auto& count : counts) {
    lines.push_back(fmt::format("{}: {} of {}", count.first, count.second, result.forecasts.size()));
  }
  return lines;
}

Result<ModelResult> BacktestOne(const History& all, const BacktestSchedule& schedule,
                                const std::vector<Instant>& origins, const Candidate& model,
                                const BacktestProgress& progressed) {
  const auto steps = static_cast<std::size_t>(schedule.horizon / all.step());
  const Training training = TrainingOf(model.info, schedule.train, schedule.refit);
  auto walk = WalkForward::Start(model, all, training, steps, schedule.every);
  if (!walk) return Propagate(walk);
  const auto rehearsed = walk->Rehearse(origins.front(), [&](double share) { progressed(kRehearsalShare * share); });
  if (!rehearsed) return Propagate(rehearsed);

  ModelResult result;
  result.name = model.info.name;
  result.train = training.train.value_or(Duration{});
  result.refit = training.refit;
  std::vector<ScoreSum> by_lead(steps);
  for (const Instant origin : origins) {
    auto step = walk->Forecast(origin);
    if (!step) return tl::unexpected<Error>(AtOrigin(step.error(), model.info.name, origin));
    ScoreForecast(*step, all.target.series, by_lead);
    result.forecasts.push_back(std::move(step->issued));
    progressed(kRehearsalShare + (1 - kRehearsalShare) * static_cast<double>(result.forecasts.size()) /
                                     static_cast<double>(origins.size()));
  }
  Summarise(by_lead, all.step(), result);
  result.answered = Answered(result);
  result.fit_s = walk->fit_s();
  result.predict_s = walk->predict_s();
  return result;
}

}  // namespace

std::vector<Instant> OriginsOf(const BacktestSchedule& schedule, const History& all) {
  std::vector<Instant> origins;
  if (schedule.every <= Duration{0}) return origins;
  const auto& series = all.target.series;
  const auto known = std::ranges::find_if_not(series.values(), signal::IsMissing);
  const Instant first_known = series.TimeOf(static_cast<std::size_t>(known - series.values().begin()));
  for (Instant origin = schedule.first; origin <= schedule.last; origin += schedule.every) {
    if (origin > first_known && origin + schedule.horizon <= series.end()) origins.push_back(origin);
  }
  return origins;
}

Result<BacktestResult> Backtest(const History& all, const BacktestSchedule& schedule,
                                const std::vector<Candidate>& models, const BacktestProgress& progressed) {
  if (const auto bad = RefuseSchedule(schedule, all); !bad) return Propagate(bad);
  BacktestResult result{OriginsOf(schedule, all), schedule.horizon, {}};
  if (result.origins.empty()) {
    return Fail(
        ErrorCode::kInvalidArgument, "backtest",
        fmt::format("no origin from {} to {} has {} of values after it", FormatInstant(schedule.first),
                    FormatInstant(schedule.last), FormatDuration(schedule.horizon)),
        fmt::format("the series covers {} to {}", FormatInstant(all.target.series.start()), FormatInstant(all.end())));
  }
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto share = [&](double of_model) {
      if (progressed) progressed((static_cast<double>(i) + of_model) / static_cast<double>(models.size()));
    };
    auto one = BacktestOne(all, schedule, result.origins, models[i], share);
    if (!one) return Propagate(one);
    result.models.push_back(std::move(*one));
  }
  return result;
}

}  // namespace heliostat::forecast
