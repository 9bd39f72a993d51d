// The time that `auto` takes to fit a year of hourly values and forecast four days, and the time of a backtest of 181
// days. HELIOSTAT_BENCH_GRID names a file with a carbon intensity and its generation by source; without it a synthetic
// zone is used.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "heliostat/forecasting/forecast/backtest.h"
#include "heliostat/signals/signal_files/read.h"
#include "heliostat/signals/synthetic/generate.h"

namespace heliostat::forecast {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kSteps = 96;
const Instant kFirstOrigin = *ParseInstant("2021-07-01", "first origin");

template <typename T>
T OrStop(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "auto_bench: {}\n", result.error().Line());
  std::exit(1);
}

History Grid() {
  const char* path = std::getenv("HELIOSTAT_BENCH_GRID");
  if (path == nullptr || *path == '\0') {
    const Interval years{*ParseInstant("2020-01-01", ""), *ParseInstant("2022-01-01", "")};
    return {OrStop(synthetic::Generate({.zone = "wind-heavy", .interval = years})), {}, {}};
  }
  const auto table = OrStop(signal_files::ReadSignals(path, {}));
  const auto* carbon = OrStop(table.Find("carbon_intensity"));
  History history{carbon->signal, {}, {}};
  for (const auto& column : table.columns) {
    if (column.signal.meaning.kind == signal::Kind::kPower) history.sources.push_back(column.signal);
  }
  return history;
}

void FitAndPredict(benchmark::State& state, const History& all) {
  const History year = OrStop(Newest(OrStop(Before(all, kFirstOrigin)), 365 * 24h));
  for (auto _ : state) {
    const auto model = OrStop(MakeForecaster("auto"));
    if (!model->Fit(year, kSteps)) std::exit(1);
    benchmark::DoNotOptimize(OrStop(model->Predict(year, kSteps)));
  }
}

void WholeBacktest(benchmark::State& state, const History& all) {
  const BacktestSchedule schedule{kFirstOrigin, all.end(), 24h, kSteps * 1h, {}, {}};
  const std::vector<Candidate> models{OrStop(CandidateOf("auto"))};
  for (auto _ : state) {
    const auto result = OrStop(Backtest(all, schedule, models, [](double) {}));
    state.counters["origins"] = static_cast<double>(result.origins.size());
    state.counters["fit_s"] = result.models[0].fit_s;
  }
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const History all = Grid();
  benchmark::RegisterBenchmark("auto/year", [&](benchmark::State& state) {
    FitAndPredict(state, all);
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("auto/backtest", [&](benchmark::State& state) { WholeBacktest(state, all); })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace heliostat::forecast

int main(int argc, char** argv) { return heliostat::forecast::Main(argc, argv); }
