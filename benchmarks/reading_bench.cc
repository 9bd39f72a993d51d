// The speed of reading files, compared with a lower bound: one memchr pass for newlines over the same bytes.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "heliostat/base/io/csv.h"
#include "heliostat/base/io/file.h"
#include "heliostat/base/io/number.h"
#include "heliostat/signals/signal_files/read.h"

namespace heliostat {
namespace {

std::string TextOf(const char* variable) {
  const char* path = std::getenv(variable);
  auto text = io::ReadFile(path != nullptr ? path : "");
  if (!text) {
    std::fprintf(stderr, "%s: %s\n", variable, text.error().Line().c_str());
    std::exit(2);
  }
  return std::move(*text);
}

void ScanNewlines(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    std::size_t lines = 0;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at))) {
      at = static_cast<const char*>(found) + 1;
      ++lines;
    }
    benchmark::DoNotOptimize(lines);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

// Reads all columns as checked series with their times, as `signal inspect` does.
void ReadSignals(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    auto table = signal_files::ReadSignalText(text, "REAL_TIME_wind.csv");
    if (!table) state.SkipWithError(table.error().Line().c_str());
    benchmark::DoNotOptimize(table);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

// A job trace with typed columns: a time, two numbers, an integer, and a name as a view into the text.
struct Jobs {
  std::vector<Instant> submitted;
  std::vector<double> duration_s;
  std::vector<std::int32_t> gpus;
  std::vector<double> gpu_time_s;
  std::vector<std::string_view> cluster;
};

bool AddJob(Jobs& jobs, const io::CsvReader& csv) {
  const auto submitted = ParseIsoTime(csv.cell(0));
  double duration = 0;
  double gpu_time = 0;
  const auto gpus = io::ParseInteger(csv.cell(2));
  if (!submitted || !csv.ReadNumber(1, duration) || !gpus || !csv.ReadNumber(3, gpu_time)) return false;
  jobs.submitted.emplace_back(submitted->local.time_since_epoch());
  jobs.duration_s.push_back(duration);
  jobs.gpus.push_back(*gpus);
  jobs.gpu_time_s.push_back(gpu_time);
  jobs.cluster.push_back(csv.cell(4));
  return true;
}

void ReadJobs(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    io::CsvReader csv(text, "jobs.csv");
    Jobs jobs;
    csv.NextRow();
    while (csv.NextRow()) {
      if (!AddJob(jobs, csv)) state.SkipWithError(csv.where().c_str());
    }
    benchmark::DoNotOptimize(jobs);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

}  // namespace
}  // namespace heliostat

int main(int argc, char** argv) {
  using namespace heliostat;
  benchmark::Initialize(&argc, argv);
  const std::string wind = TextOf("HELIOSTAT_BENCH_WIND");
  const std::string jobs = TextOf("HELIOSTAT_BENCH_JOBS");
  benchmark::RegisterBenchmark("wind/scan", [&](auto& state) { ScanNewlines(state, wind); });
  benchmark::RegisterBenchmark("wind/heliostat", [&](auto& state) { ReadSignals(state, wind); });
  benchmark::RegisterBenchmark("jobs/scan", [&](auto& state) { ScanNewlines(state, jobs); });
  benchmark::RegisterBenchmark("jobs/heliostat", [&](auto& state) { ReadJobs(state, jobs); });
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
