#pragma once

#include <vector>

#include "heliostat/forecasting/forecast/backtest.h"

namespace heliostat::forecast {

// A job that runs for `duration` without a break and must end within `within` of now.
struct StartQuestion {
  Duration duration{};
  Duration within{};
};

// A forecast of the past and what happened, in as many steps as the question looks at, and as many of them known.
struct PastForecast {
  Instant origin;
  std::vector<double> expected;
  std::vector<double> actual;
};

// A signal from `begin` on: known values and then a forecast, and past forecasts of the same model, oldest first.
struct SignalAhead {
  Instant begin;
  Duration step{};
  std::vector<double> expected;
  std::vector<PastForecast> past;
  ErrorScale scale = ErrorScale::kAbsolute;  // of the errors of past forecasts

  Instant end() const { return begin + step * static_cast<std::int64_t>(expected.size()); }
};

// A start, compared with starting now. Values are means of the signal while the job runs.
struct StartOption {
  Instant start;
  double mean = 0.0;    // expected
  double saving = 0.0;  // expected mean of starting now, less `mean`
  // The saving is between these nine times of ten. Both are `saving` without past forecasts.
  double saving_low = 0.0;
  double saving_high = 0.0;
  double chance = 0.0;  // that this start is better than now
};

// The answer. `best` has at most three starts that are better than now, best first; each differs from the better ones
// by at least half of the duration.
struct StartAdvice {
  StartOption now;
  std::vector<StartOption> best;
  bool waits = false;  // by the forecast, the best start saves enough to wait for it
};

// The least saving of the forecast to wait for, as a share of the mean when starting now.
inline constexpr double kLeastSaving = 0.01;

// When to start, among now and the begins of all steps after it. Savings and their ranges are those that the same
// question had in the past (StartCalibration): a forecast promises too much, and errors of neighbouring hours, and of
// both starts, are correlated. kInvalidArgument when the duration is not positive or longer than `within`, or when the
// signal does not cover [now, now + within).
Result<StartAdvice> AdviseStart(const StartQuestion& question, Instant now, const SignalAhead& ahead);

// The distance of past questions. Seven hours reach every hour of the day.
inline constexpr Duration kStartsEvery = std::chrono::hours{7};

// The forecasts of a record that are known to their end, each of `steps` steps with `known` steps before it.
std::vector<PastForecast> PastForecasts(const ErrorRecord& record, const signal::StepSeries& series, std::size_t known,
                                        std::size_t steps);

// How the advice would have done: means over all origins.
struct StartScore {
  std::size_t origins = 0;
  std::size_t waited = 0;        // advised to wait
  double now = 0.0;              // of the signal when starting now
  double advised = 0.0;          // of the signal at the advised start
  double oracle = 0.0;           // of the signal at the best start
  double promised_saving = 0.0;  // the expected saving, 0 where it advised to start now
  std::size_t covered = 0;       // of `waited`: the saving was in its range
  std::size_t worse = 0;         // of `waited`: starting now would have been better
};

// Asks the question at each origin of the schedule, with only the values before it, and compares the advice with what
// happened. The horizon of the schedule is that of the question. Fails as Backtest() does.
Result<StartScore> BacktestStarts(const History& all, const BacktestSchedule& schedule, const Candidate& model,
                                  const StartQuestion& question, const BacktestProgress& progressed);

}  // namespace heliostat::forecast
