#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/file.h"
#include "heliostat/model/scenario/read.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/cli/simulate_report.h"
#include "heliostat/ui/cli/simulate_requests.h"
#include "heliostat/ui/simulation_page/simulation_page.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::string scenario;
  std::string policies = "all";
  std::string foresight = "forecast";
  std::string model = "auto";
  double forecast_error = 0.0;
  double estimate_error = 0.0;
  std::vector<std::string> requests;
  std::uint64_t seed = 1;
  double eta = 0.5;
  std::optional<double> carbon_budget_kg;
  std::string patience = "24h";
  double node_mtbf_h = 0.0;
  double gpu_mtbf_h = 0.0;
  double repair_h = 4.0;
  double wake_failure = 0.0;
  std::string planning_time;
  std::optional<int> planning_rounds;
  unsigned threads = 0;
  std::string report;
  std::string decision_log;
};

std::string About() {
  std::string text = "Policies (NAME+sleep also lets idle nodes sleep; 'all' means all policies without a *):\n";
  for (const policy::Info& info : policy::Policies()) {
    text += fmt::format("  {:<18} {}{}\n", info.name, info.in_all ? "" : "* ", info.description);
  }
  return text + R"(
A policy gets the data of a real cluster: jobs when they arrive, signals when they are measured, and forecasts
that learn from the values before the horizon in the scenario's signal files. With --foresight perfect it sees the true
future instead, including future jobs.

Examples:
  heliostat simulate scenario.toml
  heliostat simulate scenario.toml --policies run-now,run-now+sleep,ca-rm-performance --report out
  heliostat simulate scenario.toml --policies all --foresight perfect --json result.json
  heliostat simulate scenario.toml --policies edf,ca-rm-ppc --estimate-error 0.3 --node-mtbf-hours 2000)";
}

std::vector<std::string> NamesOf(const std::string& list) {
  std::vector<std::string> names;
  if (list == "all") {
    for (const policy::Info& info : policy::Policies()) {
      if (info.in_all) names.emplace_back(info.name);
    }
    return names;
  }
  names = SplitAtCommas(list);
  std::erase(names, "");
  return names;
}

Status RefuseNumber(const char* option, double value, double most) {
  if (std::isfinite(value) && value >= 0.0 && value <= most) return {};
  return Fail(ErrorCode::kInvalidArgument, option, fmt::format("{} is out of range", value),
              fmt::format("0 to {:g}", most));
}

Result<sim::CompareOptions> OptionsOf(const Arguments& arguments) {
  constexpr double kMostHours = 1e9;
  for (const auto& bad : {RefuseNumber("--eta", arguments.eta, 1.0),
                          RefuseNumber("--carbon-budget-kg", arguments.carbon_budget_kg.value_or(0.0), 1e12),
                          RefuseNumber("--estimate-error", arguments.estimate_error, 3.0),
                          RefuseNumber("--forecast-error", arguments.forecast_error, 3.0),
                          RefuseNumber("--node-mtbf-hours", arguments.node_mtbf_h, kMostHours),
                          RefuseNumber("--gpu-mtbf-hours", arguments.gpu_mtbf_h, kMostHours),
                          RefuseNumber("--repair-hours", arguments.repair_h, kMostHours),
                          RefuseNumber("--wake-failure", arguments.wake_failure, 1.0)}) {
    if (!bad) return Propagate(bad);
  }
  if (arguments.foresight != "forecast" && arguments.foresight != "signals" && arguments.foresight != "perfect") {
    return Fail(ErrorCode::kInvalidArgument, "--foresight",
                fmt::format("'{}' is unknown", Printable(arguments.foresight, 40)), "forecast, signals or perfect");
  }
  const auto patience = ParseDuration(arguments.patience, "--patience");
  if (!patience) return Propagate(patience);
  Result<Duration> planning_time{Duration{0}};
  if (!arguments.planning_time.empty()) planning_time = ParseDuration(arguments.planning_time, "--planning-time");
  if (!planning_time) return Propagate(planning_time);
  if (arguments.planning_rounds && *arguments.planning_rounds < 0) {
    return Fail(ErrorCode::kInvalidArgument, "--planning-rounds", "is negative", "0 or more");
  }
  sim::CompareOptions options;
  options.policies = NamesOf(arguments.policies);
  if (options.policies.empty())
    return Fail(ErrorCode::kInvalidArgument, "--policies", "names no policy", "at least one");
  options.policy.eta = arguments.eta;
  options.policy.carbon_budget_kg = arguments.carbon_budget_kg;
  options.policy.patience = *patience;
  if (!arguments.decision_log.empty() && options.policies.size() != 1) {
    return Fail(ErrorCode::kInvalidArgument, "--decision-log", "records one policy only", "give --policies one name");
  }
  options.decision_log = arguments.decision_log;
  for (const std::string& name : options.policies) {
    if (const auto known = AtFlags(policy::Describe(name), {{"policy", "--policies"}}); !known) return Propagate(known);
  }
  const auto hours = [](double h) { return Duration{std::llround(h * 3600.0)}; };
  options.world.seed = arguments.seed;
  options.world.estimate_error = arguments.estimate_error;
  options.world.faults.node_mtbf = hours(arguments.node_mtbf_h);
  options.world.faults.gpu_mtbf = hours(arguments.gpu_mtbf_h);
  options.world.faults.repair = std::max(Duration{1}, hours(arguments.repair_h));
  options.world.faults.wake_failure = arguments.wake_failure;
  options.world.planning.time = *planning_time;
  if (arguments.planning_rounds) options.world.planning.most_rounds = *arguments.planning_rounds;
  options.threads = arguments.threads;
  return options;
}

Result<std::unique_ptr<sim::Foresight>> ForesightOf(const Arguments& arguments, const scenario::WithPaths& read) {
  if (arguments.forecast_error > 0.0) {
    return sim::DisturbedForesight(read.scenario, arguments.forecast_error, arguments.seed);
  }
  if (arguments.foresight != "forecast") {
    return sim::PerfectForesight(read.scenario, arguments.foresight == "perfect");
  }
  return sim::ForecastForesight(read.scenario, read.past, arguments.model);
}

// The sentence of the page about what policies know of the future.
std::string KnowledgeOf(const Arguments& arguments) {
  if (arguments.forecast_error > 0.0) {
    return fmt::format("Policies saw the true future with random errors of {:g} % one day ahead.",
                       100.0 * arguments.forecast_error);
  }
  if (arguments.foresight == "perfect") return "Policies saw the true future of signals and jobs.";
  if (arguments.foresight == "signals") return "Policies saw the true future of signals, and jobs when they arrived.";
  return fmt::format("Policies saw forecasts (model {}) made only from the past.", arguments.model);
}

Result<Output> Answer(const Arguments& arguments, const Options& options) {
  auto wanted = OptionsOf(arguments);
  if (!wanted) return Propagate(wanted);
  std::vector<std::string> inputs{arguments.scenario};
  const auto toml = io::ReadFile(arguments.scenario);
  if (!toml) return Propagate(toml);
  auto read = scenario::ReadTextWithPaths(*toml, arguments.scenario, [&inputs](const std::string& table) {
    inputs.push_back(table);
    return io::ReadFile(table);
  });
  if (!read) return Propagate(read);
  if (const auto bad = UseRequests(arguments.requests, read->scenario, wanted->world, inputs); !bad) {
    return Propagate(bad);
  }
  if (const auto bad = RefuseReport(arguments.report, inputs, options); !bad) return Propagate(bad);
  if (std::find(inputs.begin(), inputs.end(), arguments.decision_log) != inputs.end()) {
    return Fail(ErrorCode::kInvalidArgument, "--decision-log", arguments.decision_log + " is an input",
                "name another file");
  }
  const auto foresight = ForesightOf(arguments, *read);
  if (!foresight) return Propagate(foresight);
  const auto comparison = sim::Compare(read->scenario, **foresight, *wanted);
  if (!comparison) return Propagate(comparison);
  Output output;
  output.text = TextOf(read->scenario, *comparison, isatty(STDOUT_FILENO) != 0);
  output.json = JsonOf(read->scenario, *comparison);
  if (arguments.report.empty()) return output;
  const auto page = Render(simulation_page::SimulationPage{read->scenario, *comparison, KnowledgeOf(arguments)});
  if (!page) return Propagate(page);
  const auto path = WriteReport(arguments.report, *page);
  if (!path) return Propagate(path);
  output.text += fmt::format("\nreport: {}\n", *path);
  output.json.Set("report", *path);
  return output;
}

}  // namespace

Command InstallSimulate(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("SCENARIO", arguments->scenario, "Scenario file (TOML): cluster, signals, profiles, jobs, services")
      .Required();
  syntax.AddOption("--policies NAME,...", arguments->policies, "Names of policies, separated by commas, or all")
      .ShowDefault();
  const Syntax know = syntax.Group("What policies know");
  know.AddOption(
          "--foresight NAME", arguments->foresight,
          "What policies know of the future: forecast, signals (true signals) or perfect (true signals and jobs)")
      .ShowDefault();
  know.AddOption("--forecast-model NAME", arguments->model, "Forecast model; 'heliostat forecast models' lists them")
      .ShowDefault();
  know.AddOption("--forecast-error SHARE", arguments->forecast_error,
                 "Forecast = true future + random errors; their standard deviation one day ahead, 0.1: 10 %");
  know.AddOption(
      "--estimate-error SHARE", arguments->estimate_error,
      "Error of the users' estimates of job lengths: standard deviation of the logarithm, 0.3 is about 30 %");
  syntax.AddOption("--requests SERVICE=FILE", arguments->requests,
                   "Simulate each request of a trace (Azure, Mooncake), repeated until the horizon ends");
  syntax.AddOption("--seed N", arguments->seed, "Random seed of failures, true job lengths and forecast errors")
      .ShowDefault();
  const Syntax policy = syntax.Group("Settings of policies");
  policy
      .AddOption("--eta SHARE", arguments->eta,
                 "Policy chase: weight of carbon against time; 0: only time, 1: only carbon")
      .ShowDefault();
  policy.AddOption("--carbon-budget-kg KG", arguments->carbon_budget_kg,
                   "Policy ca-rm-carbon: carbon budget of the whole horizon");
  policy.AddOption("--patience TIME", arguments->patience, "How long a policy may delay jobs without a deadline")
      .ShowDefault();
  const Syntax failures = syntax.Group("Failures");
  failures.AddOption("--node-mtbf-hours HOURS", arguments->node_mtbf_h,
                     "Mean time between failures of a node; 0: never");
  failures.AddOption("--gpu-mtbf-hours HOURS", arguments->gpu_mtbf_h, "Mean time between failures of a GPU; 0: never");
  failures.AddOption("--repair-hours HOURS", arguments->repair_h, "Time until a failed node or GPU works again")
      .ShowDefault();
  failures.AddOption("--wake-failure SHARE", arguments->wake_failure,
                     "Share of wake-ups that fail, 0 to 1 (default: 0)");
  policy.AddOption("--planning-time TIME", arguments->planning_time,
                   "Simulated time to make a plan, such as 30s; the previous plan applies meanwhile (default: none)");
  policy.AddOption("--planning-rounds N", arguments->planning_rounds,
                   "Maximum search rounds of a plan (default: no limit)");
  syntax.AddOption("--threads N", arguments->threads, "Number of policies to simulate at a time; 0: one per core")
      .ShowDefault();
  syntax.AddOption("--decision-log FILE", arguments->decision_log,
                   "Write the observations and decisions of one policy to this file, for `heliostat replay`");
  syntax.AddOption("--report DIR", arguments->report, "Write index.html, a page with charts, into this folder");
  syntax.Footer(About());
  return [arguments, &options] { return Answer(*arguments, options); };
}

}  // namespace heliostat::cli
