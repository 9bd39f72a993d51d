#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "heliostat/base/io/file.h"
#include "heliostat/control/sim/earlier_weeks.h"
#include "heliostat/control/sim/verdict.h"
#include "heliostat/model/scenario/read.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/compare_policies.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/cli/simulate_report.h"
#include "heliostat/ui/cli/simulate_requests.h"
#include "heliostat/ui/cli/simulate_tables.h"
#include "heliostat/ui/simulation_page/simulation_page.h"

namespace heliostat::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string scenario;
  std::string policies = "standard";
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
  std::string csv;
  bool json_totals = false;
  bool no_split = false;
  int weeks = 0;
  std::string decision_log;
};

std::string About() {
  std::string text = fmt::format(
      "Without --policies: standard, which is {}. These take about a minute for a week of a thousand jobs.\n"
      "For a scenario of a site's own records (heliostat scenario make --sacct) the baseline is as-recorded:\n"
      "the site as it was. The first policy is the baseline. The winner has the {}.\n\n"
      "Policies (NAME+sleep also lets idle nodes sleep; NAME+afresh makes a policy that plans search long for\n"
      "every plan, to show what shorter searches cost; 'all' means all policies without a *, and run-now+sleep):\n",
      fmt::join(StandardPolicies(), ","), sim::RuleOf("the baseline"));
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
  auto policies = PoliciesOf(arguments.policies);
  if (!policies) return Propagate(policies);
  options.policies = std::move(*policies);
  options.policy.eta = arguments.eta;
  options.policy.carbon_budget_kg = arguments.carbon_budget_kg;
  options.policy.patience = *patience;
  if (!arguments.decision_log.empty() && options.policies.size() != 1) {
    return Fail(ErrorCode::kInvalidArgument, "--decision-log", "records one policy only", "give --policies one name");
  }
  options.decision_log = arguments.decision_log;
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
  options.with_split = !arguments.no_split;
  return options;
}

// The standard policies after the scenario's own baseline.
Result<std::vector<std::string>> StandardFor(const scenario::Scenario& scenario, const std::string& file) {
  const std::string baseline = BaselineFor(scenario);
  const auto known = policy::Describe(baseline);
  if (!known) return Fail(ErrorCode::kInvalidArgument, file, "baseline: " + known.error().what, known.error().allowed);
  return StandardPolicies(baseline);
}

Result<std::unique_ptr<sim::Foresight>> ForesightOf(const Arguments& arguments, const scenario::Scenario& scenario,
                                                    const scenario::Past& past) {
  if (arguments.forecast_error > 0.0) {
    return sim::DisturbedForesight(scenario, arguments.forecast_error, arguments.seed);
  }
  if (arguments.foresight != "forecast") {
    return sim::PerfectForesight(scenario, arguments.foresight == "perfect");
  }
  return sim::ForecastForesight(scenario, past, arguments.model);
}

// The weeks of the scenario; with fewer than one, weeks before it say nothing about it.
int WeeksOf(const scenario::Scenario& scenario) {
  return static_cast<int>(scenario.horizon().length() / std::chrono::weeks{1});
}

// Moves the scenario back until `arguments.weeks` weeks are simulated. Fails, before the work begins, where its files
// do not reach back so far.
Result<std::vector<sim::MovedScenario>> EarlierOf(const Arguments& arguments, const scenario::WithPaths& read) {
  std::vector<sim::MovedScenario> all;
  const int own = WeeksOf(read.scenario);
  if (arguments.weeks > own && own == 0) {
    return Fail(ErrorCode::kInvalidArgument, "--weeks", "the scenario is shorter than a week", "a scenario of weeks");
  }
  // A scenario of 10 days moves by two weeks, so that it ends before its own start.
  const int stride = own + (read.scenario.horizon().length() % std::chrono::weeks{1} == Duration{0} ? 0 : 1);
  for (int k = 1; own * k < arguments.weeks; ++k) {
    auto moved = AtFlags(sim::MovedBack(read.scenario, read.past, stride * k), {{"weeks", "--weeks"}});
    if (!moved) return Propagate(moved);
    all.insert(all.begin(), std::move(*moved));
  }
  return all;
}

// Simulates the baseline and the winner in earlier weeks, for the range of a year.
Status AddEarlierWeeks(const Arguments& arguments, const scenario::WithPaths& read, const sim::CompareOptions& wanted,
                       const Options& options, sim::Comparison& comparison) {
  const auto winner = sim::Judge(comparison.figures).winner;
  if (!winner || *winner == 0) return {};
  const auto earlier = EarlierOf(arguments, read);
  if (!earlier) return Propagate(earlier);
  sim::CompareOptions both = wanted;
  both.policies = {wanted.policies.front(), wanted.policies[*winner]};
  both.with_bound = false;
  both.with_split = false;
  for (const sim::MovedScenario& moved : *earlier) {
    const auto foresight = ForesightOf(arguments, moved.scenario, moved.past);
    if (!foresight) return Propagate(foresight);
    const std::string about = fmt::format("from {}: ", FormatInstant(moved.scenario.start).substr(0, 10));
    const auto compared = CompareAloud(moved.scenario, **foresight, both, options, about);
    if (!compared) return Propagate(compared);
    for (const sim::SavedInPart& week :
         sim::SavedByPart(moved.scenario, compared->runs[0], compared->runs[1], std::chrono::weeks{1})) {
      comparison.earlier_weeks.push_back(week);
    }
  }
  return {};
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

// The tables that are written, as paths from the page.
std::vector<std::string> TablesOf(const std::string& report, const std::vector<OutputFile>& files) {
  std::vector<std::string> tables;
  const fs::path folder = fs::path(ReportFile(report).path).parent_path();
  for (const OutputFile& file : files) {
    if (file.option == "--csv") tables.push_back(fs::path(file.path).lexically_relative(folder));
  }
  return tables;
}

void NameFiles(const std::vector<OutputFile>& files, Output& output) {
  output.files = "";
  io::Json tables = io::Json(io::Json::Array{});
  for (const OutputFile& file : files) {
    if (file.path.empty()) continue;
    *output.files += fmt::format("{}: {}\n", file.option.substr(2), file.path);
    if (file.option == "--csv") tables.Append(file.path);
    if (file.option == "--report") output.json.Set("report", file.path);
  }
  output.json.Set("csv", std::move(tables));
  if (!output.files->empty()) output.text += "\n";
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
  if (arguments.policies == "standard") {
    auto policies = StandardFor(read->scenario, arguments.scenario);
    if (!policies) return Propagate(policies);
    wanted->policies = *std::move(policies);
  }
  if (const auto bad = UseRequests(arguments.requests, read->scenario, wanted->world, inputs); !bad) {
    return Propagate(bad);
  }
  std::vector<OutputFile> files = TableFiles(arguments.csv);
  std::vector<OutputFile> targets = files;
  targets.push_back(ReportFile(arguments.report));
  targets.push_back({"--decision-log", arguments.decision_log, ""});
  if (const auto bad = RefuseTargets(targets, inputs, options); !bad) return Propagate(bad);
  // Finds out before the work begins whether the files reach back far enough.
  if (const auto earlier = EarlierOf(arguments, *read); !earlier) return Propagate(earlier);
  const auto foresight = ForesightOf(arguments, read->scenario, read->past);
  if (!foresight) return Propagate(foresight);
  auto comparison = CompareAloud(read->scenario, **foresight, *wanted, options);
  if (!comparison) return Propagate(comparison);
  if (const auto bad = AddEarlierWeeks(arguments, *read, *wanted, options, *comparison); !bad) return Propagate(bad);
  Output output;
  output.text = TextOf(read->scenario, *comparison, isatty(STDOUT_FILENO) != 0);
  output.json = JsonOf(read->scenario, *comparison, options.wants_json && !arguments.json_totals);
  FillTables(read->scenario, *comparison, files);
  if (!arguments.report.empty()) {
    auto page = Render(simulation_page::SimulationPage{
        read->scenario, *comparison, KnowledgeOf(arguments), {}, options.made_by, TablesOf(arguments.report, files)});
    if (!page) return Propagate(page);
    files.push_back(ReportFile(arguments.report, std::move(*page)));
  }
  if (const auto written = WriteAll(files); !written) return Propagate(written);
  NameFiles(files, output);
  return output;
}

void AddAnswer(const Syntax& syntax, Arguments& arguments) {
  syntax
      .AddOption("--weeks N", arguments.weeks,
                 "Simulate the winner in earlier weeks, too, until there are this many, for the range of a year")
      .Between(0, 520);
  syntax.AddFlag("--no-split", arguments.no_split,
                 "Do not simulate the winner again to split its saving into sleep, timing and speed");
  syntax.AddOption("--decision-log FILE", arguments.decision_log,
                   "Write the observations and decisions of one policy to this file, for `heliostat replay`");
  syntax.AddOption("--report DIR", arguments.report, "Write index.html, a page with charts, into this folder");
  syntax.AddOption("--csv DIR", arguments.csv, "Write policies.csv, slots.csv and jobs.csv into this folder");
  syntax.AddFlag("--json-totals", arguments.json_totals, "Leave slots, jobs and services out of --json");
}

}  // namespace

Command InstallSimulate(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("SCENARIO", arguments->scenario, "Scenario file (TOML): cluster, signals, profiles, jobs, services")
      .Required();
  syntax
      .AddOption("--policies NAME,...", arguments->policies,
                 "Names of policies, separated by commas, or standard, or all; the first is the baseline")
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
      .Between(0, 1024)
      .ShowDefault();
  AddAnswer(syntax.Group("The answer and its files"), *arguments);
  syntax.Footer(About());
  return [arguments, &options] { return Answer(*arguments, options); };
}

}  // namespace heliostat::cli
