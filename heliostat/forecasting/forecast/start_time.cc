#include "heliostat/forecasting/forecast/start_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/forecasting/forecast/start_calibration.h"
#include "heliostat/forecasting/forecast/walk_forward.h"

namespace heliostat::forecast {
namespace {

constexpr std::size_t kMostOptions = 3;

Status Refuse(const StartQuestion& question, Instant now, const SignalAhead& ahead) {
  if (question.duration.count() <= 0 || question.duration > question.within) {
    return Fail(
        ErrorCode::kInvalidArgument, "duration",
        fmt::format("{} does not fit into {}", FormatDuration(question.duration), FormatDuration(question.within)),
        "must be more than 0 and at most option 'within'");
  }
  if (now < ahead.begin || now + question.within > ahead.end()) {
    return Fail(ErrorCode::kInvalidArgument, "signal",
                fmt::format("covers {} to {}", FormatInstant(ahead.begin), FormatInstant(ahead.end())),
                fmt::format("needed is {} to {}", FormatInstant(now), FormatInstant(now + question.within)));
  }
  return {};
}

// Now, the begins of the steps after it, and the latest possible start.
std::vector<Instant> StartsFor(const StartQuestion& question, Instant now, const SignalAhead& ahead) {
  const Instant latest = now + (question.within - question.duration);
  std::vector<Instant> starts{now};
  const auto passed = (now - ahead.begin) / ahead.step;
  for (Instant t = ahead.begin + ahead.step * (passed + 1); t < latest; t += ahead.step) starts.push_back(t);
  if (latest > now) starts.push_back(latest);
  return starts;
}

double StepsUntil(Instant t, const SignalAhead& ahead) { return Seconds(t - ahead.begin) / Seconds(ahead.step); }

StartGrid GridOf(const StartQuestion& question, const SignalAhead& ahead, const std::vector<Instant>& starts) {
  StartGrid grid{{}, Seconds(question.duration) / Seconds(ahead.step)};
  for (const Instant start : starts) grid.starts.push_back(StepsUntil(start, ahead));
  return grid;
}

// The best starts, none within half of the duration of a better one.
std::vector<StartOption> Pick(const StartQuestion& question, std::vector<StartOption> options) {
  std::ranges::stable_sort(options, std::greater<>(), &StartOption::saving);
  std::vector<StartOption> best;
  for (const StartOption& option : options) {
    if (option.saving <= 0.0 || best.size() == kMostOptions) break;
    const auto is_near = [&](const StartOption& better) {
      return 2 * std::chrono::abs(option.start - better.start) < question.duration;
    };
    if (std::ranges::none_of(best, is_near)) best.push_back(option);
  }
  return best;
}

}  // namespace

Result<StartAdvice> AdviseStart(const StartQuestion& question, Instant now, const SignalAhead& ahead) {
  if (const auto bad = Refuse(question, now, ahead); !bad) return Propagate(bad);
  const std::vector<Instant> starts = StartsFor(question, now, ahead);
  const StartGrid grid = GridOf(question, ahead, starts);
  const StartCalibration calibration(grid, ahead);
  StartAdvice advice;
  advice.now = {.start = now, .mean = JobMean(grid, grid.starts[0], ahead.expected)};
  std::vector<StartOption> options;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    StartOption option{.start = starts[i]};
    option.saving = calibration.Expect(advice.now.mean - JobMean(grid, grid.starts[i], ahead.expected));
    option.mean = advice.now.mean - option.saving;
    options.push_back(option);
  }
  advice.best = Pick(question, std::move(options));
  for (StartOption& option : advice.best) calibration.AddRange(StepsUntil(option.start, ahead), option);
  if (advice.best.empty()) return advice;
  const double forecast = JobMean(grid, StepsUntil(advice.best[0].start, ahead), ahead.expected);
  advice.waits = advice.now.mean - forecast >= kLeastSaving * std::abs(advice.now.mean);
  return advice;
}

std::vector<PastForecast> PastForecasts(const ErrorRecord& record, const signal::StepSeries& series, std::size_t known,
                                        std::size_t steps) {
  std::vector<PastForecast> all;
  const bool is_relative = record.scale() == ErrorScale::kRelative;
  for (const ForecastErrors& row : record.rows()) {
    const Duration since = row.origin - series.start();
    const auto at = static_cast<std::size_t>(std::max(since, Duration{0}) / series.step());
    if (since < Duration{0} || at < known || at + steps > series.size() || row.errors.size() < steps) continue;
    PastForecast past{row.origin, {}, {}};
    past.actual.assign(series.values().begin() + static_cast<std::ptrdiff_t>(at - known),
                       series.values().begin() + static_cast<std::ptrdiff_t>(at + steps));
    past.expected = past.actual;
    for (std::size_t i = 0; i < steps; ++i) {
      double& value = past.expected[known + i];
      value = is_relative ? value / std::exp(row.errors[i]) : value - row.errors[i];
    }
    const auto is_usable = [&](double value) { return std::isfinite(value) && (!is_relative || value > 0.0); };
    if (std::ranges::all_of(past.expected, is_usable)) all.push_back(std::move(past));
  }
  return all;
}

namespace {

// What happened when the job started at each possible start.
struct Truth {
  double now = 0.0;
  double advised = 0.0;
  double oracle = 0.0;
};

Truth TruthOf(const StartQuestion& question, Instant now, Instant advised, const SignalAhead& actual) {
  const StartGrid grid = GridOf(question, actual, StartsFor(question, now, actual));
  Truth truth{JobMean(grid, grid.starts[0], actual.expected),
              JobMean(grid, StepsUntil(advised, actual), actual.expected), 0.0};
  truth.oracle = truth.now;
  for (const double start : grid.starts) truth.oracle = std::min(truth.oracle, JobMean(grid, start, actual.expected));
  return truth;
}

void Add(const StartAdvice& advice, const Truth& truth, StartScore& score) {
  ++score.origins;
  score.now += truth.now;
  score.advised += truth.advised;
  score.oracle += truth.oracle;
  if (!advice.waits) return;
  const double saving = truth.now - truth.advised;
  ++score.waited;
  score.promised_saving += advice.best[0].saving;
  score.covered += saving >= advice.best[0].saving_low && saving <= advice.best[0].saving_high ? 1 : 0;
  score.worse += saving < 0.0 ? 1 : 0;
}

}  // namespace

Result<StartScore> BacktestStarts(const History& all, const BacktestSchedule& schedule, const Candidate& model,
                                  const StartQuestion& question, const BacktestProgress& progressed) {
  const std::vector<Instant> origins = OriginsOf(schedule, all);
  if (origins.empty()) {
    return Fail(
        ErrorCode::kInvalidArgument, "backtest", "no origin has enough values before and after it",
        fmt::format("the series covers {} to {}", FormatInstant(all.target.series.start()), FormatInstant(all.end())));
  }
  const auto steps = static_cast<std::size_t>(schedule.horizon / all.step());
  const Training training = TrainingOf(model.info, schedule.train, schedule.refit);
  auto walk = WalkForward::Start(model, all, training, steps, schedule.every);
  if (!walk) return Propagate(walk);
  if (const auto bad = walk->Rehearse(origins.front(), {}); !bad) return Propagate(bad);
  StartScore score;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    const Instant origin = origins[i];
    if (progressed) progressed(static_cast<double>(i) / static_cast<double>(origins.size()));
    auto step = walk->Forecast(origin);
    if (!step) return Propagate(step);
    const auto actual = all.target.series.Slice({origin, origin + schedule.horizon});
    if (!actual || std::ranges::any_of(actual->values(), signal::IsMissing)) continue;
    const auto past = Before(all, origin);
    if (!past) return Propagate(past);
    const auto& values = step->issued.prediction.values;
    const SignalAhead ahead{origin, all.step(), values, PastForecasts(walk->record(), past->target.series, 0, steps),
                            walk->record().scale()};
    const auto advice = AdviseStart(question, origin, ahead);
    if (!advice) return Propagate(advice);
    const Instant advised = advice->waits ? advice->best[0].start : origin;
    Add(*advice, TruthOf(question, origin, advised, {origin, all.step(), actual->values(), {}, {}}), score);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(score.origins, 1));
  for (double* sum : {&score.now, &score.advised, &score.oracle, &score.promised_saving}) *sum /= count;
  return score;
}

}  // namespace heliostat::forecast
