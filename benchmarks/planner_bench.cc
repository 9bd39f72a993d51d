// The time to make plans and their gap, compared in the same run with CBC and with the solver as it was before
// (decision 0150). Prints a table. HELIOSTAT_BENCH_CBC_SECONDS (default 120) limits the time of CBC;
// HELIOSTAT_BENCH_LARGE=1 adds 10,000 jobs and 8,000 jobs; the argument `reference` leaves out all but the
// comparison with the solver as it was.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/reference/prices.h"
#include "benchmarks/reference/solve.h"
#include "heliostat/model/scenario/generate.h"
#include "heliostat/planning/decomposition/prices.h"
#include "heliostat/planning/decomposition/solve.h"
#include "heliostat/planning/milp/solve.h"

namespace heliostat {
namespace {

constexpr plan::Weights kCarbon{1.0, 0.0, 0.0, 0.0};

double SecondsSince(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

double Setting(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atof(text);
}

double PeakGibibytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != "VmHWM:") continue;
    double kibibytes = 0.0;
    status >> kibibytes;
    return kibibytes / 1024.0 / 1024.0;
  }
  return 0.0;
}

scenario::Shape ShapeOf(std::size_t jobs, std::size_t slots, int gpus, std::size_t groups) {
  scenario::Shape shape;
  shape.jobs = jobs;
  shape.slots = slots;
  shape.gpus = gpus;
  shape.groups = groups;
  return shape;
}

struct Timed {
  plan::Outcome outcome;
  double seconds = 0.0;
};

// Of all threads. Other work on the machine changes it less than the time that passes.
double ProcessorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Timed Price(const scenario::Scenario& scenario, decomposition::SearchMemory* memory = nullptr) {
  const auto begun = std::chrono::steady_clock::now();
  Timed timed{decomposition::Solve({scenario, kCarbon, {}}, {Seconds(600.0), 1e-3}, memory), 0.0};
  timed.seconds = SecondsSince(begun);
  return timed;
}

void Print(const std::string& what, const Timed& timed) {
  fmt::print("{:<58}{:>9.2f} s   gap {:>6.2f} %   peak {:.2f} GiB\n", what, timed.seconds,
             100.0 * plan::GapOf(timed.outcome.value, timed.outcome.bound), PeakGibibytes());
  std::fflush(stdout);
}

// The same cluster one slot later: the work of the first slot is done, and a few jobs are new.
scenario::Scenario OneSlotLater(const scenario::Scenario& now, const plan::Plan& plan) {
  scenario::Scenario later = now;
  later.start = now.start + now.step;
  later.slots = now.slots - 1;
  later.carbon.erase(later.carbon.begin());
  later.renewable.erase(later.renewable.begin());
  if (!later.price_per_kwh.empty()) later.price_per_kwh.erase(later.price_per_kwh.begin());
  for (auto& service : later.services) service.requests_per_s.erase(service.requests_per_s.begin());
  later.jobs.clear();
  for (std::size_t j = 0; j < now.jobs.size(); ++j) {
    plan::JobPlan first = plan.jobs[j];
    std::erase_if(first.segments, [&](const plan::Segment& s) { return s.span.begin >= later.start; });
    for (auto& segment : first.segments) segment.span.end = std::min(segment.span.end, later.start);
    scenario::Job job = now.jobs[j];
    job.samples -= plan::SamplesDone(now, j, first);
    if (job.samples <= 0.0 || (job.deadline && *job.deadline <= later.start)) continue;
    later.jobs.push_back(job);
  }
  for (int i = 0; i < 5; ++i) {
    scenario::Job job = now.jobs[static_cast<std::size_t>(i) * now.jobs.size() / 5];
    if (!job.deadline) continue;
    const Duration window = *job.deadline - job.submit;
    job.id = fmt::format("new{}", i);
    job.submit = later.start;
    job.deadline = std::min(later.start + window, later.end());
    job.samples *= 0.5;
    later.jobs.push_back(job);
  }
  return later;
}

void AgainstCbc() {
  const scenario::Scenario scenario = scenario::Generate(ShapeOf(50, 96, 128, 1));
  const Timed fast = Price(scenario);
  Print("price: 50 jobs x 96 slots, 24 points per job, 128 GPUs", fast);
  const double limit = Setting("HELIOSTAT_BENCH_CBC_SECONDS", 120.0);
  const auto begun = std::chrono::steady_clock::now();
  const plan::Outcome cbc = milp::Solve({scenario, kCarbon, {}}, {Seconds(limit), 1e-3});
  const double seconds = SecondsSince(begun);
  if (!cbc.has_plan()) {
    fmt::print("CBC, the same: no plan after {:.0f} s, so price is more than {:.0f} times faster; bound {:.2f}\n",
               seconds, seconds / fast.seconds, cbc.bound);
  } else {
    fmt::print(
        "CBC, the same: {:.2f} kg after {:.0f} s (price {:.2f} kg): {} {:.0f} times; its bound {:.2f}, price's "
        "{:.2f}\n",
        cbc.value, seconds, fast.outcome.value,
        cbc.value <= fast.outcome.value ? "reached, price is faster" : "not reached, price is faster by more than",
        seconds / fast.seconds, cbc.bound, fast.outcome.bound);
  }
}

constexpr std::size_t kSeeds = 5;

// One figure of all seeds.
struct Figures {
  std::vector<double> values;

  double median() const {
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
  double worst() const { return *std::ranges::max_element(values); }
};

// Plans the same scenarios with the solver and with the reference, one after the other.
void AgainstReference(const std::string& what, scenario::Shape shape) {
  Figures ratio;
  Figures processor_ratio;
  Figures seconds;
  Figures gap;
  Figures former_gap;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    shape.seed = seed;
    const scenario::Scenario scenario = scenario::Generate(shape);
    const double first = ProcessorSeconds();
    const Timed ours = Price(scenario);
    const double second = ProcessorSeconds();
    const auto begun = std::chrono::steady_clock::now();
    const plan::Outcome former = reference::Solve({scenario, kCarbon, {}}, {Seconds(600.0), 1e-3});
    ratio.values.push_back(ours.seconds / SecondsSince(begun));
    processor_ratio.values.push_back((second - first) / (ProcessorSeconds() - second));
    seconds.values.push_back(ours.seconds);
    gap.values.push_back(100.0 * ours.outcome.gap());
    former_gap.values.push_back(100.0 * former.gap());
  }
  fmt::print(
      "{:<58}{:>9.2f} s   {:.2f} of the reference's time (worst {:.2f}), {:.2f} of its processor time ({:.2f}); gap "
      "{:.2f} % (worst {:.2f}), reference {:.2f} % ({:.2f})\n",
      what, seconds.median(), ratio.median(), ratio.worst(), processor_ratio.median(), processor_ratio.worst(),
      gap.median(), gap.worst(), former_gap.median(), former_gap.worst());
  std::fflush(stdout);
}

// A job that resizes at no cost, in a week whose carbon intensity begins at another hour with each seed.
scenario::Scenario OneJob(std::size_t seed) {
  scenario::Scenario scenario;
  scenario.start = *ParseInstant("2024-01-01T00:00:00Z", "");
  scenario.slots = 168;
  scenario.renewable.assign(168, Watts{0.0});
  for (std::size_t t = 0; t < 168; ++t) {
    const auto hour = static_cast<double>(t + 5 * (seed - 1));
    scenario.carbon.push_back(GramsPerKwh(300.0 + 150.0 * std::sin(hour * 0.2618)));
  }
  scenario.groups = {{"g", "X", 8, 8, Watts{15.0}, Watts{320.0}, Watts{12.0}, Duration{240}, Joules{54000.0}}};
  for (int w = 1; w <= 64; ++w) {
    scenario.training.Add("m", "X", {{std::nullopt, 200.0}, w, 10.0 * std::pow(w, 0.9), Watts{200.0 * w}});
  }
  scenario.jobs = {{"j", "m", scenario.start, scenario.end(), 36000.0 * 84.0 * 8.0, 1, 64, true, Duration{0}}};
  return scenario;
}

// The mean time of a call, after one that is not measured.
template <typename Call>
double Milliseconds(const Call& call) {
  constexpr int kTimes = 200;
  call();
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) call();
  return SecondsSince(begun) * 1000.0 / kTimes;
}

void OneJobAgainstReference() {
  Figures ours;
  Figures ratio;
  for (std::size_t seed = 1; seed <= kSeeds; ++seed) {
    const scenario::Scenario scenario = OneJob(seed);
    const decomposition::Model model = decomposition::MakeModel({scenario, kCarbon, {}});
    const decomposition::Prices prices = decomposition::OpenPrices(model);
    const reference::Model former = reference::MakeModel({scenario, kCarbon, {}});
    const reference::Prices former_prices = reference::OpenPrices(former);
    ours.values.push_back(Milliseconds([&] { return decomposition::Ask(model, prices, {}); }));
    ratio.values.push_back(ours.values.back() /
                           Milliseconds([&] { return reference::Ask(former, former_prices, {}); }));
  }
  fmt::print("{:<58}{:>9.3f} ms  {:.3f} of the reference's time (worst {:.3f}); CarbonScaler's planner: 5.7 ms\n",
             "one job, 168 h x 64 workers, its best schedule and bound", ours.median(), ratio.median(), ratio.worst());
  std::fflush(stdout);
}

}  // namespace
}  // namespace heliostat

int main(int argc, char** argv) {
  using namespace heliostat;
  OneJobAgainstReference();
  AgainstReference("1,000 jobs x 168 slots, 1,000 GPUs, two groups", ShapeOf(1000, 168, 1000, 2));
  if (argc > 1 && std::string_view(argv[1]) == "reference") return 0;
  AgainstCbc();
  const scenario::Scenario thousand = scenario::Generate(ShapeOf(1000, 168, 1000, 2));
  decomposition::SearchMemory memory;
  const Timed cold = Price(thousand, &memory);
  Print("price: 1,000 jobs x 168 slots, 1,000 GPUs, two groups", cold);
  const Timed warm = Price(OneSlotLater(thousand, cold.outcome.plan()), &memory);
  Print("the same one slot later with five new jobs, warm", warm);
  fmt::print("{:<58}{:>9.1f} % of the cold time\n", "", 100.0 * warm.seconds / cold.seconds);
  const bool large = Setting("HELIOSTAT_BENCH_LARGE", 0.0) > 0.0;
  const std::size_t most = large ? 8000 : 2000;
  const auto at = [](std::size_t jobs) {
    return Price(scenario::Generate(ShapeOf(jobs, 72, static_cast<int>(jobs), 2)));
  };
  const Timed few = at(most / 8);
  const Timed many = at(most);
  fmt::print("growth of time from {} to {} jobs x 72 slots: {:.2f} s to {:.2f} s, n^{:.2f}\n", most / 8, most,
             few.seconds, many.seconds, std::log(many.seconds / few.seconds) / std::log(8.0));
  if (large)
    Print("price: 10,000 jobs x 336 slots, 10,000 GPUs", Price(scenario::Generate(ShapeOf(10000, 336, 10000, 2))));
  return 0;
}
