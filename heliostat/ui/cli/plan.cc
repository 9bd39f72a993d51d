#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "heliostat/base/io/file.h"
#include "heliostat/model/scenario/read.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/cli/plan_frontier.h"
#include "heliostat/ui/cli/plan_report.h"
#include "heliostat/ui/cli/progress_bar.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::string scenario;
  std::string objective;
  std::optional<double> carbon_budget_kg;
  std::optional<double> performance_floor;
  std::optional<double> facility_cap_kw;
  bool no_right_sizing = false;
  bool finish_best_effort = false;
  std::string solver = "auto";
  double time_limit_s = 60.0;
  double gap_percent = 0.1;
  std::optional<int> rounds;
  std::string pareto;
  int points = 9;
  std::string explain;
  std::string html;
  std::optional<double> risk;
};

struct Wish {
  planner::PlanRequest request;
  std::optional<std::pair<planner::TradeOffAxis, planner::TradeOffAxis>> axes;
};

constexpr const char* kAbout = R"(Objectives:
  min-carbon       least carbon with every deadline and latency objective met and, if given, at least the performance
                   of --performance-floor (performance-constrained mode of CA-RM)
  max-performance  most performance within --carbon-budget-kg (carbon-constrained mode of CA-RM)
  max-ppc          most performance per kg of CO2e (PPC-driven mode of CA-RM)
  min-cost         least cost of electricity (CE-DLA; with --no-right-sizing, CE-DLA without node sleep)
  min-energy       least energy

Each plan comes with a certificate: a bound that no plan can beat, and the gap between the plan and the bound. 'optimal'
means that the gap is within --gap. If not every deadline can be kept, the plan misses the least weight of jobs, names
them, and the exit status is 3 (status 'best_effort'). If no plan is feasible, the exit status is 3 and one line names the
service or limit that prevents a plan.

Examples:
  heliostat plan scenario.toml --objective min-carbon --html plan.html
  heliostat plan scenario.toml --objective max-performance --carbon-budget-kg 80 --json plan.json
  heliostat plan scenario.toml --objective min-cost --explain job-17
  heliostat plan scenario.toml --pareto carbon,performance --points 12 --html trade-off.html
  heliostat plan scenario.toml --objective min-carbon --risk 0.9)";

constexpr std::array<FieldFlag, 12> kFlags{{{"objective", "--objective"},
                                            {"carbon budget", "--carbon-budget-kg"},
                                            {"performance floor", "--performance-floor"},
                                            {"facility cap", "--facility-cap-kw"},
                                            {"time limit", "--time-limit"},
                                            {"gap", "--gap"},
                                            {"rounds", "--rounds"},
                                            {"solver", "--solver"},
                                            {"axes", "--pareto"},
                                            {"points", "--points"},
                                            {"risk", "--risk"},
                                            {"job", "--explain"}}};

Status RefusePoints(int points) {
  constexpr int kMostPoints = 200;
  if (points >= 2 && points <= kMostPoints) return {};
  return Fail(ErrorCode::kInvalidArgument, "--points", fmt::format("{} is out of range", points),
              fmt::format("2 to {}", kMostPoints));
}

Result<Wish> WishOf(const Arguments& arguments) {
  Wish wish;
  plan::Limits& limits = wish.request.limits;
  limits.carbon_budget_kg = arguments.carbon_budget_kg;
  limits.performance_floor = arguments.performance_floor;
  if (arguments.facility_cap_kw) limits.facility_cap = Kilowatts(*arguments.facility_cap_kw);
  limits.right_sizing = !arguments.no_right_sizing;
  limits.finish_best_effort = arguments.finish_best_effort;
  wish.request.effort = {Seconds{arguments.time_limit_s}, arguments.gap_percent / 100};
  wish.request.rounds = arguments.rounds;
  const auto solver = AtFlags(planner::ParseSolver(arguments.solver), kFlags);
  if (!solver) return Propagate(solver);
  wish.request.solver = *solver;
  if (const auto bad = AtFlags(planner::Validate(wish.request), kFlags); !bad) return Propagate(bad);
  if (const auto bad = RefusePoints(arguments.points); !bad) return Propagate(bad);
  if (!arguments.pareto.empty()) {
    const auto axes = ParseAxes(arguments.pareto);
    if (!axes) return Propagate(axes);
    wish.axes = *axes;
  }
  if (!arguments.objective.empty()) {
    const auto objective = AtFlags(plan::ParseObjective(arguments.objective), kFlags);
    if (!objective) return Propagate(objective);
    wish.request.objective = *objective;
  } else if (!wish.axes || !arguments.explain.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--objective", "is missing",
                "min-carbon, max-performance, max-ppc, min-cost or min-energy");
  }
  if (arguments.risk && wish.axes) {
    return Fail(ErrorCode::kInvalidArgument, "--risk", "cannot be combined with --pareto",
                "use it with --objective alone");
  }
  return wish;
}

// Reads the scenario and adds each of its files to `inputs`, so that no result overwrites one.
Result<scenario::WithPaths> ReadScenario(const std::string& path, std::vector<std::string>& inputs) {
  inputs = {path};
  const auto toml = io::ReadFile(path);
  if (!toml) return Propagate(toml);
  return scenario::ReadTextWithPaths(*toml, path, [&inputs](const std::string& table) {
    inputs.push_back(table);
    return io::ReadFile(table);
  });
}

Status RefuseUnknownJob(const scenario::Scenario& scenario, const std::string& job) {
  constexpr std::size_t kNamed = 3;
  if (job.empty() || std::ranges::any_of(scenario.jobs, [&](const auto& known) { return known.id == job; })) return {};
  std::string some;
  for (std::size_t i = 0; i < std::min(scenario.jobs.size(), kNamed); ++i) {
    some += fmt::format("{}{}", i == 0 ? "" : ", ", scenario.jobs[i].id);
  }
  return Fail(
      ErrorCode::kInvalidArgument, "--explain", fmt::format("'{}' is not a job", Printable(job, 80)),
      some.empty() ? "the scenario has no jobs" : fmt::format("one of {} jobs: {}, ...", scenario.jobs.size(), some));
}

planner::Watcher WatcherOf(ProgressBar& progress) {
  return [&progress](double share, double value, double bound) {
    const auto text = [](double x) { return std::isfinite(x) ? report::NumberText(x, 5) : std::string("none yet"); };
    progress.Show(share, fmt::format("best {}, bound {}", text(value), text(bound)));
  };
}

// Makes the plan. With --risk the plan is for the cautious scenario, which then replaces planned.scenario.
Status Answer(const Arguments& arguments, const Wish& wish, const scenario::Paths& paths,
              const planner::Watcher& watcher, PlanFindings& planned) {
  if (!arguments.risk) {
    auto answer = planner::MakePlan(planned.scenario, wish.request, watcher);
    if (!answer) return Propagate(answer);
    planned.answer = std::move(*answer);
    return {};
  }
  auto answer = planner::MakePlanAtRisk(planned.scenario, paths, wish.request, *arguments.risk, watcher);
  if (!answer) return Propagate(answer);
  planned.scenario = planner::CautiousScenario(planned.scenario, paths, *arguments.risk);
  planned.answer = std::move(answer->answer);
  planned.risk = answer->risk;
  return {};
}

// Makes the plan, the explanation and the trade-off, as far as they are requested. Stops if there is no feasible plan.
Result<PlanFindings> Make(const Arguments& arguments, const Wish& wish, scenario::WithPaths read,
                          const Options& options) {
  PlanFindings planned{.file = arguments.scenario, .scenario = std::move(read.scenario)};
  if (!arguments.objective.empty()) {
    ProgressBar progress("planning", 1, options.quiet);
    if (const auto bad = Answer(arguments, wish, read.paths, WatcherOf(progress), planned); !bad) return Propagate(bad);
    if (!planned.answer->outcome.has_plan()) return planned;
    auto baselines = BaselinesOf(planned.scenario, arguments.no_right_sizing);
    if (!baselines) return Propagate(baselines);
    planned.baselines = std::move(*baselines);
  }
  if (!arguments.explain.empty()) {
    auto explanation = planner::Explain(planned.scenario, wish.request, *planned.answer, arguments.explain);
    if (!explanation) return Propagate(explanation);
    planned.explanation = std::move(*explanation);
  }
  if (wish.axes) {
    ProgressBar progress("trade-off", 1, options.quiet);
    auto frontier = planner::MakeFrontier(planned.scenario, wish.request, wish.axes->first, wish.axes->second,
                                          arguments.points, WatcherOf(progress));
    if (!frontier) return Propagate(frontier);
    planned.frontier = std::move(*frontier);
  }
  return planned;
}

Result<Output> Run(const Arguments& arguments, const Options& options) {
  const auto wish = WishOf(arguments);
  if (!wish) return Propagate(wish);
  std::vector<std::string> inputs;
  auto read = ReadScenario(arguments.scenario, inputs);
  if (!read) return Propagate(read);
  if (const auto bad = RefuseUnknownJob(read->scenario, arguments.explain); !bad) return Propagate(bad);
  std::vector<OutputFile> files{{"--html", arguments.html, ""}};
  if (const auto bad = RefuseTargets(files, inputs, options); !bad) return Propagate(bad);
  const auto planned = AtFlags(Make(arguments, *wish, std::move(*read), options), kFlags);
  if (!planned) return Propagate(planned);
  Output output = ReportOf(*planned);
  if (!HasPlan(*planned) || arguments.html.empty()) return output;
  auto page = PageOf(*planned, options.made_by);
  if (!page) return Propagate(page);
  files[0].text = std::move(*page);
  if (const auto written = WriteAll(files); !written) return Propagate(written);
  output.text += fmt::format("\nhtml: {}\n", arguments.html);
  return output;
}

}  // namespace

Command InstallPlan(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("SCENARIO", arguments->scenario, "Scenario file (TOML): cluster, signals, profiles, jobs, services")
      .Required();
  syntax.AddOption("--objective NAME", arguments->objective,
                   "Objective: min-carbon, max-performance, max-ppc, min-cost or min-energy; optional with --pareto");
  const Syntax limits = syntax.Group("Limits");
  limits.AddOption("--carbon-budget-kg KG", arguments->carbon_budget_kg,
                   "Upper limit of carbon (CO2e) over the horizon");
  limits.AddOption("--performance-floor X", arguments->performance_floor,
                   "Least performance, in the unit of performance in --json");
  limits.AddOption("--facility-cap-kw KW", arguments->facility_cap_kw,
                   "Upper limit of the mean facility power of each slot");
  limits.AddFlag("--no-right-sizing", arguments->no_right_sizing, "Keep every node on");
  limits.AddFlag("--finish-best-effort", arguments->finish_best_effort,
                 "Finish jobs without a deadline within the horizon too");
  const Syntax search = syntax.Group("Search");
  search
      .AddOption("--solver NAME", arguments->solver,
                 "Solver: exact (a mixed-integer programme, for small scenarios), price (any size) or auto")
      .ShowDefault();
  search.AddOption("--time-limit S", arguments->time_limit_s, "Time limit; with --pareto, per point").ShowDefault();
  search
      .AddOption("--gap PERCENT", arguments->gap_percent,
                 "Stop when the plan is proven to be this close to the optimum")
      .ShowDefault();
  search.AddOption("--rounds N", arguments->rounds,
                   "Improve the first plan in N rounds instead of for a time: the same plan on every machine; with "
                   "--pareto, per point");
  const Syntax tradeoff = syntax.Group("Trade-off");
  tradeoff.AddOption("--pareto AXIS,AXIS", arguments->pareto,
                     "Trade-off of two of carbon, cost, energy, performance, separated by a comma");
  tradeoff.AddOption("--points N", arguments->points, "Number of plans, 2 to 200").ShowDefault();
  syntax.AddOption("--explain JOB", arguments->explain,
                   "Explain why this job runs when it does, and what alternatives would add");
  limits.AddOption("--risk SHARE", arguments->risk,
                   "Meet all limits in this share of possible futures, above 0 to 1; 0.9: 90 %");
  syntax.AddOption("--html FILE", arguments->html, "Write an HTML page with charts to this file");
  syntax.Footer(kAbout);
  return [arguments, &options] { return Run(*arguments, options); };
}

}  // namespace heliostat::cli
