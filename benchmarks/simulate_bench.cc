// The speed of simulations, compared with a minimal SimGrid program with host energy in the same run. Prints a table.
// Jobs come from the public traces (HELIOSTAT_DATA) where present; otherwise they are generated.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "heliostat/base/io/file.h"
#include "heliostat/control/policy/policy.h"
#include "heliostat/control/sim/simulation.h"
#include "heliostat/model/workload/generate.h"
#include "heliostat/model/workload/to_scenario.h"

namespace heliostat {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

[[noreturn]] void Stop(const std::string& why) {
  fmt::print(stderr, "simulate_bench: {}\n", why);
  std::exit(1);
}

template <typename T>
T Must(Result<T> result) {
  if (!result) Stop(result.error().Line());
  return std::move(*result);
}

std::string DataFile(const std::string& relative) {
  const char* folder = std::getenv("HELIOSTAT_DATA");
  const std::string path = std::string(folder == nullptr ? "../shared/data" : folder) + "/" + relative;
  return std::filesystem::exists(path) ? path : "";
}

workload::Trace MadeTrace(std::size_t jobs, std::chrono::days days) {
  workload::Crowd crowd;
  crowd.jobs = jobs;
  crowd.span = {Instant{}, Instant{} + days};
  crowd.lengths.median_hours = 0.3;
  return Must(workload::Generate(crowd));
}

double Simulated(const scenario::Scenario& scenario, const std::string& name, sim::Figures* figures = nullptr) {
  auto policy = Must(policy::Make(name, {}));
  const auto foresight = sim::PerfectForesight(scenario, false);
  const auto begun = Clock::now();
  const sim::SimulatedRun run = sim::Simulate(scenario, *policy, *foresight, {});
  const double seconds = SecondsSince(begun);
  if (figures != nullptr) *figures = sim::FiguresOf(scenario, run);
  return seconds;
}

double PeerSeconds(const workload::Trace& trace, int gpus, const std::string& peer) {
  const std::string jobs = "build/bench/simgrid_jobs.txt";
  std::ofstream out(jobs);
  for (const auto& job : trace.jobs) {
    out << job.submit.count() << ' ' << job.length.count() << ' ' << std::min(job.gpus, gpus) << '\n';
  }
  out.close();
  FILE* pipe = popen(fmt::format("{} {} --log=root.thresh:critical < {}", peer, gpus, jobs).c_str(), "r");
  if (pipe == nullptr) return 0.0;
  double seconds = 0.0;
  double joules = 0.0;
  const int read = std::fscanf(pipe, "%lf %lf", &seconds, &joules);
  pclose(pipe);
  return read == 2 ? seconds : 0.0;
}

void Philly(const std::string& peer) {
  const std::string path = DataFile("jobs/philly/philly.csv");
  auto begun = Clock::now();
  workload::Trace trace = path.empty() ? MadeTrace(82247, std::chrono::days{110})
                                       : Must(workload::ReadTrace(Must(io::ReadFile(path)), path));
  const double reading = SecondsSince(begun);
  begun = Clock::now();
  workload::ScenarioRecipe recipe;
  recipe.hardware = {{"V100", 320, 8}};
  recipe.slots = 24 * 110;
  recipe.services = 0;
  recipe.has_feasible_deadlines = false;
  recipe.trace = std::make_shared<const workload::Trace>(trace);
  const scenario::Scenario scenario = Must(workload::Make(recipe));
  const double making = SecondsSince(begun);
  fmt::print("Philly, {} jobs, 2,560 GPUs, 110 days ({}): read {:.3f} s, scenario {:.3f} s\n", scenario.jobs.size(),
             path.empty() ? "generated" : "public trace", reading, making);
  const double theirs = PeerSeconds(trace, 2560, peer);
  for (const char* name : {"run-now", "edf", "zeus", "chase", "run-now+sleep"}) {
    const double seconds = Simulated(scenario, name);
    const double rate = static_cast<double>(scenario.jobs.size()) / seconds;
    const double all = static_cast<double>(scenario.jobs.size()) / (seconds + reading + making);
    fmt::print("  {:<14} {:8.3f} s  {:9.0f} jobs/s  end to end {:9.0f} jobs/s (goal 100,000)", name, seconds, rate,
               all);
    if (theirs > 0.0) fmt::print("  {:5.1f} x SimGrid (goal 2)", theirs / seconds);
    fmt::print("\n");
  }
  if (theirs > 0.0) {
    fmt::print("  SimGrid 3.32   {:8.3f} s  {:9.0f} jobs/s\n", theirs, static_cast<double>(trace.jobs.size()) / theirs);
  } else {
    fmt::print("  the SimGrid peer is not built: no ratio\n");
  }
}

scenario::Scenario SiteYear(std::uint64_t seed) {
  workload::ScenarioRecipe recipe;
  recipe.seed = seed;
  recipe.hardware = {{"A40", 8, 8}};
  recipe.start = std::chrono::sys_days{std::chrono::year{2023} / 1 / 2};
  recipe.step = std::chrono::minutes{5};
  recipe.slots = 365 * 288;
  recipe.services = 0;
  recipe.load = 0.4;
  recipe.has_feasible_deadlines = false;
  return Must(workload::Make(recipe));
}

void Years() {
  const scenario::Scenario one = SiteYear(1);
  // The best of three: a single run is too short for a busy machine.
  const auto best = [](const scenario::Scenario& site) {
    return std::min({Simulated(site, "run-now"), Simulated(site, "run-now"), Simulated(site, "run-now")});
  };
  const double seconds = best(one);
  fmt::print("One site, a year of 5-minute steps, {} jobs: {:.3f} s (goal 1; Vessim takes 26.6 s without jobs)\n",
             one.jobs.size(), seconds);
  double ten = 0.0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) ten += best(SiteYear(seed));
  fmt::print("Ten sites: {:.3f} s, {:.1f} times one (goal 11)\n", ten, ten / seconds);
}

void Pai() {
  const std::string path = DataFile("jobs/alibaba_pai/pai_rows_00000_29999.csv");
  workload::ScenarioRecipe recipe;
  recipe.hardware = {{"V100", 8, 8}};
  recipe.slots = 720;
  recipe.services = 0;
  workload::Trace trace =
      path.empty() ? MadeTrace(1000, std::chrono::days{30}) : Must(workload::ReadTrace(Must(io::ReadFile(path)), path));
  // Takes every n-th job, so that a thousand jobs arrive in thirty days.
  workload::Trace thinned{"pai", {}, 0};
  std::size_t within = 0;
  for (const auto& job : trace.jobs) within += job.submit < std::chrono::days{30} ? 1 : 0;
  const std::size_t every = std::max<std::size_t>(1, within / 1000);
  for (std::size_t i = 0; i < within; i += every) thinned.jobs.push_back(trace.jobs[i]);
  recipe.trace = std::make_shared<const workload::Trace>(thinned);
  const scenario::Scenario scenario = Must(workload::Make(recipe));
  sim::Figures figures;
  for (const char* name : {"run-now", "carbon-scaler", "ca-rm-performance"}) {
    const double seconds = Simulated(scenario, name, &figures);
    fmt::print("PAI, 30 days, {} jobs, {:<18} {:7.3f} s{}  ({:.1f} kg, {} late)\n", scenario.jobs.size(), name, seconds,
               std::string_view(name) == "ca-rm-performance" ? " (goal 10)" : "", figures.carbon_kg,
               figures.deadline_misses);
  }
}

}  // namespace
}  // namespace heliostat

int main(int argc, char** argv) {
  const std::string self = argv[0];
  const std::string peer = argc > 1 ? argv[1] : self.substr(0, self.rfind('/') + 1) + "simgrid_peer";
  heliostat::Philly(std::filesystem::exists(peer) ? peer : "false");
  heliostat::Years();
  heliostat::Pai();
  return 0;
}
