// The time to integrate a year of 5-minute samples over random intervals.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/signals/signal/step_series.h"

namespace heliostat::signal {
namespace {

constexpr std::size_t kSamples = 365 * 288;
constexpr std::size_t kIntervals = 10000;

StepSeries Year() {
  RandomStream random(1);
  std::vector<double> values;
  for (std::size_t i = 0; i < kSamples; ++i)
    values.push_back(300 + 100 * std::sin(0.02 * static_cast<double>(i)) + random.Normal());
  return *StepSeries::Make(Instant{}, std::chrono::minutes{5}, std::move(values));
}

std::vector<Interval> RandomIntervals(const StepSeries& series) {
  RandomStream random(2);
  const auto length = static_cast<std::uint64_t>((series.end() - series.start()).count());
  std::vector<Interval> intervals;
  while (intervals.size() < kIntervals) {
    const Instant a = series.start() + Duration{random.Below(length)};
    const Instant b = series.start() + Duration{random.Below(length)};
    intervals.push_back({std::min(a, b), std::max(a, b)});
  }
  return intervals;
}

void Integrate(benchmark::State& state) {
  const StepSeries series = Year();
  const auto intervals = RandomIntervals(series);
  for (auto _ : state) {
    double sum = 0;
    for (const Interval& interval : intervals) sum += *series.Integrate(interval);
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kIntervals));
}
BENCHMARK(Integrate)->Name("integrate/prefix-sums");

// The same result by adding up every step, for the ratio.
void AddUpSteps(benchmark::State& state) {
  const StepSeries series = Year();
  const auto intervals = RandomIntervals(series);
  std::size_t next = 0;
  for (auto _ : state) {
    const Interval& interval = intervals[next++ % kIntervals];
    double sum = 0;
    for (std::size_t i = 0; i < series.size(); ++i) {
      const auto piece = interval.Intersect({series.TimeOf(i), series.TimeOf(i) + series.step()});
      sum += series.values()[i] * static_cast<double>(piece.length().count());
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(AddUpSteps)->Name("integrate/step-by-step");

void MakeYear(benchmark::State& state) {
  const std::vector<double> values = Year().values();
  for (auto _ : state) benchmark::DoNotOptimize(StepSeries::Make(Instant{}, std::chrono::minutes{5}, values));
}
BENCHMARK(MakeYear)->Name("make/year-of-5-minutes")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace heliostat::signal

BENCHMARK_MAIN();
