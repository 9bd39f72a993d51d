// The time of the regressions of Chase to learn a day and predict the next, on the rows that compare.py also gives to
// scikit-learn. HELIOSTAT_BENCH_ROWS names the file: sine, cosine, previous, value; the first half is learned, the
// second predicted. HELIOSTAT_BENCH_ANSWERS names the folder for the predictions, one file per regression.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/base/io/csv.h"
#include "heliostat/base/io/file.h"
#include "heliostat/forecasting/regression/regressor.h"

namespace heliostat::regression {
namespace {

struct Rows {
  std::vector<Features> features;
  std::vector<double> values;

  std::size_t half() const { return values.size() / 2; }
  std::span<const Features> learned() const { return std::span(features).first(half()); }
  std::span<const double> learned_values() const { return std::span(values).first(half()); }
  std::span<const Features> asked() const { return std::span(features).subspan(half()); }
};

[[noreturn]] void Stop(const Error& error) {
  std::fprintf(stderr, "%s\n", error.Line().c_str());
  std::exit(2);
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

Rows ReadRows() {
  const auto text = io::ReadFile(Variable("HELIOSTAT_BENCH_ROWS"));
  if (!text) Stop(text.error());
  io::CsvReader csv(*text, "HELIOSTAT_BENCH_ROWS");
  Rows rows;
  csv.NextRow();
  while (csv.NextRow()) {
    Features features{};
    for (std::size_t i = 0; i < features.size(); ++i) csv.ReadNumber(i, features[i]);
    rows.features.push_back(features);
    csv.ReadNumber(features.size(), rows.values.emplace_back());
  }
  if (!csv.status()) Stop(csv.status().error());
  return rows;
}

std::unique_ptr<Regressor> Fitted(const std::string& name, const Rows& rows) {
  auto regressor = MakeRegressor(name);
  if (!regressor) Stop(regressor.error());
  const Status fitted = (*regressor)->Fit(rows.learned(), rows.learned_values());
  if (!fitted) Stop(fitted.error());
  return std::move(*regressor);
}

void FitAndPredict(benchmark::State& state, const std::string& name, const Rows& rows) {
  for (auto _ : state) {
    const auto regressor = Fitted(name, rows);
    for (const Features& row : rows.asked()) benchmark::DoNotOptimize(regressor->Predict(row));
  }
}

void WriteAnswers(const std::string& name, const Rows& rows) {
  const auto regressor = Fitted(name, rows);
  std::string text;
  for (const Features& row : rows.asked()) text += fmt::format("{}\n", regressor->Predict(row));
  const Status written = io::WriteFileAtomically(Variable("HELIOSTAT_BENCH_ANSWERS") + "/" + name + ".txt", text);
  if (!written) Stop(written.error());
}

// The best time, as for the peer, to exclude delays by a busy machine.
double Least(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const Rows rows = ReadRows();
  for (const std::string name : {"svr", "linear", "gradient-boosting", "adaboost", "random-forest"}) {
    WriteAnswers(name, rows);
    benchmark::RegisterBenchmark(("regress/" + name).c_str(),
                                 [&rows, name](benchmark::State& state) { FitAndPredict(state, name, rows); })
        ->Unit(benchmark::kMicrosecond)
        ->MinTime(0.001)
        ->Repetitions(200)
        ->ComputeStatistics("best", Least)
        ->ReportAggregatesOnly();
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace heliostat::regression

int main(int argc, char** argv) { return heliostat::regression::Main(argc, argv); }
