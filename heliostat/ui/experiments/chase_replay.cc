#include "heliostat/ui/experiments/chase_replay.h"

#include <algorithm>
#include <cmath>

#include "heliostat/forecasting/forecast/forecaster.h"

namespace heliostat::experiments {
namespace {

constexpr Duration kDay = std::chrono::days{1};

double TruthAt(const ChaseWindow& window, std::size_t period) {
  return window.truth[std::min(period, window.truth.size() - 1)];
}

std::vector<level_control::Slot> SlotsFrom(const ChaseWindow& window, std::size_t period, double used) {
  const std::vector<double>& expected = window.forecasts[std::min(period, window.forecasts.size() - 1)];
  std::vector<level_control::Slot> slots;
  slots.reserve(expected.size());
  for (const double value : expected) slots.push_back({Seconds{kChasePeriod}, GramsPerKwh(value).value});
  slots.front().length -= Seconds{used};
  return slots;
}

// Periods of the window are finer than the series, or as fine.
std::vector<double> InPeriods(const std::vector<double>& values, std::size_t times, std::size_t skip,
                              std::size_t count) {
  std::vector<double> periods;
  for (std::size_t i = skip; periods.size() < count; ++i)
    periods.push_back(values[std::min(i / times, values.size() - 1)]);
  return periods;
}

}  // namespace

Result<ChaseWindow> LookAt(const signal::Signal& signal, Instant start, std::size_t periods, const std::string& model,
                           Duration train) {
  const signal::StepSeries& series = signal.series;
  const auto times = static_cast<std::size_t>(std::max<std::int64_t>(1, series.step() / kChasePeriod));
  ChaseWindow window;
  window.start = start;
  for (std::size_t p = 0; p < periods; ++p) {
    const auto value = series.At(start + kChasePeriod * static_cast<std::int64_t>(p));
    if (!value) return Propagate(value);
    window.truth.push_back(*value);
  }
  const auto before = series.Slice({start - kDay, start});
  if (!before) return Propagate(before);
  window.highest = *std::ranges::max_element(before->values());
  const forecast::History all{signal, {}, {}};
  std::unique_ptr<forecast::Forecaster> forecaster;
  const std::size_t steps = periods / times + 1;
  if (model != "perfect") {
    auto made = forecast::MakeForecaster(model);
    if (!made) return Propagate(made);
    forecaster = *std::move(made);
    const auto past = forecast::Before(all, start);
    if (!past) return Propagate(past);
    const auto newest = forecast::Newest(*past, train);
    if (!newest) return Propagate(newest);
    if (const Status fitted = forecaster->Fit(*newest, steps); !fitted) return Propagate(fitted);
  }
  for (std::size_t p = 0; p < periods; ++p) {
    if (!forecaster) {
      window.forecasts.emplace_back(window.truth.begin() + static_cast<std::ptrdiff_t>(p), window.truth.end());
      continue;
    }
    const std::size_t skip = p % times;
    const Instant origin = start + kChasePeriod * static_cast<std::int64_t>(p - skip);
    const auto past = forecast::Before(all, origin);
    if (!past) return Propagate(past);
    const auto newest = forecast::Newest(*past, train);
    if (!newest) return Propagate(newest);
    const auto ahead = forecaster->Predict(*newest, steps);
    if (!ahead) return Propagate(ahead);
    window.forecasts.push_back(InPeriods(ahead->values, times, skip, periods - p));
  }
  return window;
}

Result<ChaseRun> Replay(const ChaseWindow& window, const std::vector<level_control::LevelOption>& options,
                        const level_control::Settings& settings, double work) {
  auto controller = level_control::Controller::MakeKnown(settings, options);
  if (!controller) return Propagate(controller);
  ChaseRun run;
  double done = 0.0;
  for (std::size_t period = 0; done < work * (1.0 - 1e-12); ++period) {
    const auto length = static_cast<double>(kChasePeriod.count());
    double used = 0.0;
    while (length - used > 1e-6 && done < work * (1.0 - 1e-12)) {
      level_control::Situation situation;
      situation.now = window.start + Duration{std::llround(run.seconds)};
      situation.ahead = SlotsFrom(window, period, used);
      situation.progress = {Seconds{run.seconds}, done, work - done};
      const level_control::LevelDecision decision = controller->Decide(situation);
      const double time =
          std::min({static_cast<double>(decision.hold.count()), length - used, (work - done) / decision.speed});
      used += time;
      done += time * decision.speed;
      run.seconds += time;
      const Joules energy = decision.power * Seconds{time};
      run.joules += energy.value;
      run.carbon_g += (energy * GramsPerKwh(TruthAt(window, period))).value;
    }
  }
  return run;
}

ChaseRun RunConstant(const ChaseWindow& window, double speed, Watts power, double work) {
  ChaseRun run{0.0, work / speed, 0.0};
  double left = run.seconds;
  for (std::size_t period = 0; left > 0.0; ++period) {
    const double time = std::min(left, static_cast<double>(kChasePeriod.count()));
    const Joules energy = power * Seconds{time};
    run.joules += energy.value;
    run.carbon_g += (energy * GramsPerKwh(TruthAt(window, period))).value;
    left -= time;
  }
  return run;
}

ChaseRun BestConstant(const ChaseWindow& window, const std::vector<level_control::LevelOption>& options, double work,
                      double seconds) {
  const std::vector<level_control::Slot> always{{Seconds{seconds}, 1.0}};
  const level_control::BudgetPlan plan = level_control::PlanWithin(options, always, work, Seconds{seconds});
  return RunConstant(window, work / plan.takes.count(), Watts{plan.cost / plan.takes.count()}, work);
}

}  // namespace heliostat::experiments
