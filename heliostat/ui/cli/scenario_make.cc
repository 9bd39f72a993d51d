#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>

#include "heliostat/base/core/log.h"
#include "heliostat/base/io/file.h"
#include "heliostat/control/sim/rehearsal.h"
#include "heliostat/model/profile/worker_scaling.h"
#include "heliostat/model/scenario/write.h"
#include "heliostat/model/workload/requests.h"
#include "heliostat/model/workload/to_scenario.h"
#include "heliostat/signals/synthetic/generate.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/cli/profile_files.h"
#include "heliostat/ui/cli/read_options.h"
#include "heliostat/ui/cli/scenario_jobs.h"
#include "heliostat/ui/cli/scenario_sacct.h"

namespace heliostat::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string out;
  std::string name;
  TraceArguments trace;
  SacctArguments sacct;
  std::string gpus;
  std::vector<std::string> profiles;
  std::optional<std::size_t> services;
  std::string zone;
  std::string carbon;
  std::string price;
  std::string renewable;
  std::string currency;
  std::vector<std::string> units;
  ReadArguments read;  // of all signal files
  std::string rates;
  std::string on_site;
  std::string start;
  std::optional<std::size_t> slots;
  std::string step = "60m";
  std::string resume = "60s";
  std::string deadlines = "drawn";
  bool no_prices = false;
  workload::ScenarioRecipe recipe;  // plain numbers go straight in
};

constexpr const char* kAbout =
    R"(Writes a folder for heliostat plan and heliostat simulate: scenario.toml and its tables. Speed and power of the
GPUs come from the built-in profiles (heliostat profile library) or from --profiles, for any GPU. Carbon intensity,
price, solar and wind power come from a built-in zone (heliostat signal zones) or from your own files, in any format
that heliostat signal inspect reads.

Jobs are generated (Poisson arrivals by hour and weekday, heavy-tailed lengths) or come from a trace:
  philly   Microsoft Philly: timestamp,duration,num_gpus
  chronus  minutes, models and deadlines
  pollux   workload-N.csv; lengths are estimated
  pai      Alibaba PAI: hours, cpus taken as GPUs
  own      id,submit,length_s,gpus[,model][,deadline][,best_effort]
  table    any other table, such as of sacct -X -P: columns by their names, or by --job-columns

With --sacct, the scenario is a site as it was: its nodes, its jobs and when they ran, from
  sacct -a -D -P -S 2024-03-01 -E 2024-04-01 -o JobID,User,JobName,Submit,Start,End,Timelimit,State,AllocTRES,NodeList,Comment
What users allow is in the comments of their jobs: heliostat:deadline=2024-03-08T08:00:00Z;slack=50%;may=suspend,requeue
No job starts earlier than it did. heliostat simulate then compares policies with the site as it was.

--load is the GPU-hours that jobs need at default settings, divided by all GPU-hours of the horizon. Generated jobs
reach this load, up to about 0.8 with deadlines; of a trace, jobs are left out at random until it has this load. A
deadline that the policy run-now would miss in heliostat simulate is moved to when it ends the job, and a job that it
does not end within the scenario is left out, unless --keep-deadlines is given. The command prints how many.

--profiles takes tables of training and of serving, as heliostat profile import and heliostat profile measure write
them. Jobs get the models of these tables: by their name in the trace, where case, punctuation and data set do not
matter, or drawn. Numbers of workers that were not measured are scaled; the error of that is told.

Examples:
  heliostat scenario make -o week
  heliostat scenario make -o mine --profiles t4.csv --gpus T4:4x4 --node-base-w 280
  heliostat scenario make -o heavy --gpus A100:16x8 --zone wind-heavy --on-site mixed --load 0.7 --slack 1.5 --seed 7
  heliostat scenario make -o philly --jobs philly.csv --offset 28d --load 0.6 --services 0
  heliostat scenario make -o own --jobs dump.csv --job-columns submit=Submit,length=Elapsed,gpus=AllocTRES --deadlines none
  heliostat scenario make -o mine --carbon DE.csv:carbon_intensity --price DE_price.csv --start 2023-03-01 --slots 48
  heliostat scenario make -o month --sacct dump.txt --time-zone Europe/Berlin --carbon DE.csv --default-slack 50%
  heliostat scenario make -o spot --carbon moer.csv --price spot.csv:price --unit lb/MWh --unit EUR/MWh --start 2023-03-01)";

constexpr std::array kFlags{FieldFlag{"cluster", "--gpus"},
                            FieldFlag{"synthetic zone", "--zone"},
                            FieldFlag{"pue", "--pue"},
                            FieldFlag{"load", "--load"},
                            FieldFlag{"slack", "--slack"},
                            FieldFlag{"best-effort share", "--best-effort"},
                            FieldFlag{"share in one piece", "--in-one-piece"},
                            FieldFlag{"elasticity", "--elasticity"},
                            FieldFlag{"renewable share", "--renewable-share"},
                            FieldFlag{"serving share", "--serving-share"},
                            FieldFlag{"services", "--services"},
                            FieldFlag{"resume", "--resume"},
                            FieldFlag{"trace offset", "--offset"},
                            FieldFlag{"rates", "--rates"},
                            FieldFlag{"model", "--model"},
                            FieldFlag{"deadlines", "--deadlines"},
                            FieldFlag{"idle GPU power", "--gpu-idle-w"},
                            FieldFlag{"node power", "--node-base-w"},
                            FieldFlag{"sleep power", "--node-sleep-w"},
                            FieldFlag{"wake time", "--wake-minutes"},
                            FieldFlag{"wake energy", "--wake-wh"}};

struct Quantity {
  const char* name;
  signal::Kind kind;
};

Result<signal::Signal> ReadColumn(const std::string& text, const Quantity& quantity, const Arguments& arguments,
                                  std::size_t& skipped) {
  const FileColumn named = SplitColumn(text);
  ReadArguments read = arguments.read;
  read.time_zone = arguments.trace.time_zone;
  read.table.skips_bad_rows = arguments.trace.skips_bad_rows;
  read.currency = quantity.kind == signal::Kind::kPrice ? arguments.currency : "";
  if (!named.column.empty()) read.table.columns = {named.column};
  const auto unit = UnitFor(quantity.kind, arguments.units);
  if (!unit) return Propagate(unit);
  read.table.unit = *unit;
  const auto options = ToReadOptions(read);
  if (!options) return Propagate(options);
  const auto table = ReadAndTell(named.file, *options);
  if (!table) return Propagate(table);
  skipped += table->skipped;
  const auto found = table->Find(named.column);
  if (!found) return Propagate(found);
  signal::Signal signal = (*found)->signal;
  if (signal.meaning.kind == signal::Kind::kOther) {
    return Fail(ErrorCode::kInvalidArgument, table->file,
                fmt::format("column '{}' does not state its unit", Printable(signal.name, 60)),
                fmt::format("set --unit, such as {}", quantity.kind == signal::Kind::kPrice   ? "EUR/MWh"
                                                      : quantity.kind == signal::Kind::kPower ? "kW"
                                                                                              : "g/kWh"));
  }
  signal.name = fmt::format("{}: {} '{}'", table->file, quantity.name, signal.name);
  return signal;
}

// A price without a currency takes that of the zone, and the user is told.
Status TellCurrency(const workload::ScenarioRecipe& recipe) {
  if (!recipe.price || recipe.price->meaning.currency) return {};
  const auto zone = synthetic::FindZone(recipe.zone);
  if (!zone) return Propagate(zone);
  Log(LogLevel::kWarning, "{} names no currency: taken as {}, that of zone {}; set --currency for another",
      recipe.price->name, (*zone)->currency.code(), recipe.zone);
  return {};
}

Status ReadSignals(const Arguments& arguments, workload::ScenarioRecipe& recipe, std::size_t& skipped) {
  const auto read = [&](const std::string& text, Quantity quantity, std::optional<signal::Signal>& into) -> Status {
    if (text.empty()) return {};
    auto signal = ReadColumn(text, quantity, arguments, skipped);
    if (!signal) return Propagate(signal);
    into = *std::move(signal);
    return {};
  };
  const auto kind_if = [](const std::string& file, signal::Kind kind) {
    return file.empty() ? signal::Kind::kOther : kind;
  };
  if (auto bad = RefuseUnits(arguments.units, {kind_if(arguments.carbon, signal::Kind::kCarbonIntensity),
                                               kind_if(arguments.price, signal::Kind::kPrice),
                                               kind_if(arguments.renewable, signal::Kind::kPower)});
      !bad) {
    return bad;
  }
  if (auto bad = read(arguments.carbon, {"carbon", signal::Kind::kCarbonIntensity}, recipe.carbon); !bad) return bad;
  if (auto bad = read(arguments.price, {"price", signal::Kind::kPrice}, recipe.price); !bad) return bad;
  if (auto bad = read(arguments.renewable, {"on-site power", signal::Kind::kPower}, recipe.renewable); !bad) return bad;
  if (!arguments.zone.empty()) recipe.zone = arguments.zone;
  if (auto bad = TellCurrency(recipe); !bad) return bad;
  if (!arguments.zone.empty()) return {};
  // Prices and solar power of the built-in zone do not match the carbon of a file, so they are used only on request.
  if (recipe.carbon) recipe.has_prices = recipe.price.has_value();
  if (recipe.carbon && arguments.on_site.empty()) recipe.on_site = workload::OnSite::kNone;
  return {};
}

Status ReadRates(const Arguments& arguments, workload::ScenarioRecipe& recipe) {
  if (arguments.rates.empty()) return {};
  const FileColumn column = SplitColumn(arguments.rates);
  const auto text = io::ReadFile(column.file);
  if (!text) return Propagate(text);
  Result<std::vector<double>> rates{std::vector<double>{}};
  if (text->substr(0, text->find('\n')).find("rate_rps") != std::string::npos) {
    const auto trace = workload::ReadServeGenRates(*text, column.file, column.column);
    if (!trace) return Propagate(trace);
    rates = workload::RatesPerSlot(*trace, recipe.step, recipe.slots, true, signal::FillRule::kLinear);
  } else {
    const auto trace = workload::ReadRequests(*text, column.file);
    if (!trace) return Propagate(trace);
    rates = workload::RatesPerSlot(*trace, recipe.step, recipe.slots, true);
  }
  if (!rates) return Propagate(rates);
  recipe.rate_shape = *std::move(rates);
  return {};
}

// Reads the profiles of the user's GPUs. Without --gpus, the cluster has eight nodes of eight of each.
Status ReadProfiles(const Arguments& arguments, workload::ScenarioRecipe& recipe) {
  if (arguments.profiles.empty()) return {};
  auto read = ReadMeasurementFiles(arguments.profiles, "auto");
  if (!read) return Propagate(read);
  recipe.profiles = std::move(read->rows);
  recipe.hardware.clear();
  for (const profile::Measurement& row : recipe.profiles) {
    const bool is_there =
        std::ranges::find(recipe.hardware, row.gpu, &workload::Hardware::gpu) != recipe.hardware.end();
    if (!row.power) {
      return Fail(ErrorCode::kInvalidArgument, "--profiles", "the measurements are speeds without power",
                  "tables with power");
    }
    if (!is_there) recipe.hardware.push_back({row.gpu, 8, 8});
  }
  return {};
}

Result<workload::ScenarioRecipe> RecipeOf(const Arguments& arguments, std::size_t& skipped) {
  workload::ScenarioRecipe recipe = arguments.recipe;
  recipe.name =
      arguments.name.empty() ? fs::path(arguments.out).lexically_normal().filename().string() : arguments.name;
  recipe.slots = arguments.slots.value_or(recipe.slots);
  if (!arguments.start.empty() && arguments.sacct.file.empty()) {
    const auto start = ParseInstant(arguments.start, "--start");
    if (!start) return Propagate(start);
    recipe.start = *start;
  }
  const auto step = ParseDuration(arguments.step, "--step");
  if (!step) return Propagate(step);
  recipe.step = *step;
  if (arguments.resume != "0") {
    const auto resume = ParseDuration(arguments.resume, "--resume");
    if (!resume) return Propagate(resume);
    recipe.resume = *resume;
  } else {
    recipe.resume = Duration{};
  }
  if (auto bad = ReadProfiles(arguments, recipe); !bad) return Propagate(bad);
  if (!arguments.gpus.empty()) {
    const auto hardware = workload::ParseHardware(arguments.gpus, "--gpus");
    if (!hardware) return Propagate(hardware);
    recipe.hardware = *hardware;
  }
  if (arguments.services) recipe.services = *arguments.services;
  recipe.has_prices = !arguments.no_prices;
  const auto deadlines = AtFlags(workload::ParseDeadlines(arguments.deadlines), kFlags);
  if (!deadlines) return Propagate(deadlines);
  recipe.deadlines = *deadlines;
  if (!arguments.on_site.empty()) {
    const auto on_site = workload::ParseOnSite(arguments.on_site);
    if (!on_site) return Propagate(on_site);
    recipe.on_site = *on_site;
  }
  if (auto bad = ReadSignals(arguments, recipe, skipped); !bad) return Propagate(bad);
  TraceArguments trace = arguments.trace;
  trace.date_order = arguments.read.table.date_order;  // one option for the trace and for signal files
  if (auto bad = ReadJobs(trace, recipe); !bad) return Propagate(bad);
  if (auto bad = ReadRates(arguments, recipe); !bad) return Propagate(bad);
  return recipe;
}

// Fails, before the work begins, if --output is missing, is a file, or is the folder of an input.
Status RefuseFolder(const Arguments& arguments) {
  if (arguments.out.empty()) return Fail(ErrorCode::kInvalidArgument, "--output", "is missing", "name a folder");
  std::error_code ignored;
  if (fs::exists(arguments.out, ignored) && !fs::is_directory(arguments.out, ignored)) {
    return Fail(ErrorCode::kInvalidArgument, "--output", arguments.out + " is a file", "name a folder");
  }
  std::vector<std::string> inputs{arguments.trace.file, arguments.sacct.file, arguments.carbon,
                                  arguments.price,      arguments.renewable,  arguments.rates};
  inputs.insert(inputs.end(), arguments.profiles.begin(), arguments.profiles.end());
  for (const std::string& text : inputs) {
    if (text.empty()) continue;
    const fs::path folder = fs::absolute(SplitColumn(text).file, ignored).parent_path();
    if (fs::equivalent(folder, arguments.out, ignored)) {
      return Fail(ErrorCode::kInvalidArgument, "--output", arguments.out + " holds the input " + text,
                  "name another folder");
    }
  }
  return RefuseTargets({{"--output", arguments.out + "/scenario.toml", "", true}}, {}, {});
}

// What the user's own profiles are used for: models, scaled numbers of workers, assumed figures of nodes.
std::string TextOfOwn(const scenario::Scenario& scenario, const workload::ScenarioRecipe& recipe) {
  std::string text;
  for (const scenario::Group& group : scenario.groups) {
    std::set<std::string> models;
    int most_workers = 1;
    for (const auto& [key, points] : scenario.training.all()) {
      if (key.second != group.gpu) continue;
      models.insert(Printable(key.first, 60));
      for (const auto& point : points) most_workers = std::max(most_workers, point.workers);
    }
    const auto is_own = [&](const profile::Measurement& row) { return row.gpu == group.gpu && row.is_training; };
    if (std::ranges::none_of(recipe.profiles, is_own)) continue;
    double error = 0.0;
    for (const auto& row : profile::ScaleWorkers(recipe.profiles, std::array{most_workers})) {
      if (row.gpu == group.gpu && row.origin == profile::Origin::kScaled) error = std::max(error, row.speed_error);
    }
    text += fmt::format("  {}: own profiles of {}", Printable(group.gpu, 20), fmt::join(models, ", "));
    if (error > 0.0) {
      text += fmt::format("; up to {} workers scaled, in four of five cases right within a factor of {:.2f}",
                          most_workers, 1.0 + error);
    }
    text +=
        fmt::format("\n  {}: node {:g} W without GPUs, {:g} W asleep, {:g} W an idle GPU, wakes in {} with {:g} Wh{}\n",
                    Printable(group.gpu, 20), group.node_base.value, group.node_sleep.value, group.gpu_idle.value,
                    FormatDuration(group.wake_time), group.wake_energy.value / 3600.0,
                    recipe.nodes == workload::NodeFigures{} ? " (assumed: see --node-base-w and the like)" : "");
  }
  return text;
}

// Warns of jobs whose model was drawn. Fails if services were asked for and there is no profile for them.
Status Tell(const Arguments& arguments, const workload::ScenarioRecipe& recipe, const scenario::Scenario& scenario) {
  const std::vector<std::string> unknown = workload::UnknownModels(recipe);
  if (!unknown.empty()) {
    Log(LogLevel::kWarning, "{}: no profile fits the models {}; each gets a model that is drawn at random",
        arguments.trace.file, Printable(fmt::format("{}", fmt::join(unknown, ", ")), 200));
  }
  if (recipe.services == 0 || !scenario.services.empty()) return {};
  if (arguments.services) {
    return Fail(ErrorCode::kInvalidArgument, "--services", "the given profiles have no table of serving",
                "0, or a table with latency_ms and requests_per_s in --profiles");
  }
  Log(LogLevel::kInfo, "no services: the given profiles have no table of serving");
  return {};
}

// `tell` adds where the jobs come from.
Output Report(const scenario::Scenario& scenario, const workload::ScenarioRecipe& recipe, const std::string& folder,
              const std::function<void(Output&)>& tell) {
  const auto due = std::ranges::count_if(scenario.jobs, [](const auto& job) { return job.deadline.has_value(); });
  int gpus = 0;
  double renewable_kwh = 0.0;
  double carbon = 0.0;
  for (const scenario::Group& group : scenario.groups) gpus += group.gpus();
  for (const Watts power : scenario.renewable) renewable_kwh += InKilowattHours(power * Seconds(scenario.step));
  for (const CarbonIntensity one : scenario.carbon) {
    carbon += InGramsPerKwh(one) / static_cast<double>(scenario.carbon.size());
  }
  const double load = workload::LoadOf(scenario);
  const std::string file = (fs::path(folder) / "scenario.toml").string();
  Output output;
  output.text = fmt::format("{}: {} slots of {} from {}\n", scenario.name, scenario.slots,
                            FormatDuration(scenario.step), FormatInstant(scenario.start));
  output.text += fmt::format("  {} GPUs in {} groups, load {:.2f}\n", gpus, scenario.groups.size(), load);
  output.text += fmt::format("  {} job{}, {} with a deadline; {} service{}\n", scenario.jobs.size(),
                             scenario.jobs.size() == 1 ? "" : "s", due, scenario.services.size(),
                             scenario.services.size() == 1 ? "" : "s");
  tell(output);
  output.text += fmt::format("  carbon {:.0f} gCO2e/kWh on average; on-site energy {:.0f} kWh{}\n", carbon,
                             renewable_kwh, scenario.price_per_kwh.empty() ? "; no prices" : "");
  output.text += TextOfOwn(scenario, recipe);
  output.text += fmt::format("{}\n", file);
  output.json.Set("scenario", scenario.name).Set("file", file).Set("start", FormatInstant(scenario.start));
  output.json.Set("slots", static_cast<std::int64_t>(scenario.slots))
      .Set("step_s", static_cast<std::int64_t>(scenario.step.count()));
  output.json.Set("gpus", gpus).Set("load", load).Set("jobs", static_cast<std::int64_t>(scenario.jobs.size()));
  output.json.Set("jobs_with_deadline", static_cast<std::int64_t>(due));
  output.json.Set("services", static_cast<std::int64_t>(scenario.services.size()));
  output.json.Set("mean_carbon_g_per_kwh", carbon).Set("renewable_kwh", renewable_kwh);
  output.json.Set("seed", static_cast<std::int64_t>(recipe.seed));
  return output;
}

// A record has its own jobs and its own time, so the options that make jobs do not apply.
Status RefuseBesideSacct(const Arguments& arguments) {
  const bool has_sacct = !arguments.sacct.file.empty();
  const auto refuse = [](const char* option, const char* why, const char* allowed) -> Status {
    return Fail(ErrorCode::kInvalidArgument, option, why, allowed);
  };
  if (!has_sacct && !arguments.sacct.end.empty()) return refuse("--end", "is for --sacct", "--slots sets the horizon");
  if (!has_sacct) return {};
  const char* const kWhy = "does not go with --sacct: the dump has the jobs";
  if (!arguments.trace.file.empty()) return refuse("--jobs", kWhy, "one of both");
  if (arguments.recipe.load) return refuse("--load", kWhy, "leave it out");
  if (arguments.recipe.jobs) return refuse("--count", kWhy, "leave it out");
  if (arguments.services.value_or(0) > 0) return refuse("--services", kWhy, "0, or leave it out");
  if (!arguments.rates.empty()) return refuse("--rates", kWhy, "leave it out");
  if (arguments.slots) return refuse("--slots", "does not go with --sacct", "--start and --end");
  return {};
}

Result<Output> AnswerFromSacct(const Arguments& arguments, workload::ScenarioRecipe recipe, std::size_t skipped) {
  const bool has_plant = !arguments.on_site.empty() || !arguments.renewable.empty();
  if (!has_plant) recipe.on_site = workload::OnSite::kNone;  // the site has what it has
  recipe.services = 0;
  const auto hardware = arguments.gpus.empty() ? std::vector<workload::Hardware>{} : recipe.hardware;
  auto made = AtFlags(ScenarioOfSacct(arguments.sacct, arguments.trace, arguments.start, hardware, recipe), kFlags);
  if (!made) return Propagate(made);
  if (const auto written = scenario::WriteFiles(made->made.scenario, arguments.out); !written) {
    return Propagate(written);
  }
  if (!recipe.carbon && arguments.zone.empty()) {
    Log(LogLevel::kWarning,
        "carbon intensity and prices are those of the built-in zone {}, not of your site: "
        "--carbon, --price or --zone sets them",
        recipe.zone);
  }
  Output output = Report(made->made.scenario, recipe, arguments.out, [&](Output& into) { TellSacct(*made, into); });
  output.json.Set("skipped_rows", skipped);
  return output;
}

Result<Output> Answer(const Arguments& arguments) {
  if (const auto bad = RefuseFolder(arguments); !bad) return Propagate(bad);
  if (const auto bad = RefuseBesideSacct(arguments); !bad) return Propagate(bad);
  std::size_t skipped = 0;
  const auto recipe = RecipeOf(arguments, skipped);
  if (!recipe) return Propagate(recipe);
  if (!arguments.sacct.file.empty()) return AnswerFromSacct(arguments, *recipe, skipped);
  const auto made = AtFlags(workload::MakeRehearsed(*recipe, sim::EndsUnderRunNow), kFlags);
  if (!made) return Propagate(made);
  if (const auto bad = Tell(arguments, *recipe, made->scenario); !bad) return Propagate(bad);
  if (const auto written = scenario::WriteFiles(made->scenario, arguments.out); !written) return Propagate(written);
  Output output = Report(made->scenario, *recipe, arguments.out, [&](Output& into) {
    if (recipe->trace) TellTrace(*recipe->trace, into);
    TellJobs(*made, *recipe, into);
  });
  output.json.Set("skipped_rows", skipped);
  return output;
}

void AddCluster(const Syntax& syntax, Arguments& arguments) {
  syntax.AddOption("--gpus GROUP,...", arguments.gpus,
                   "Groups of nodes, separated by commas: GPU:NODESxGPUS_PER_NODE (default: A40:8x8,V100:4x4; with "
                   "--profiles, 8x8 of each GPU there)");
  syntax.AddOption("--profiles FILE,...", arguments.profiles,
                   "Profile tables of your own GPUs, for training and for serving");
  workload::NodeFigures& nodes = arguments.recipe.nodes;
  syntax.AddOption("--node-base-w W", nodes.base_w,
                   "Power of a node that is on, without its GPUs (default: by GPU; 350 for GPUs not in the library)");
  syntax.AddOption("--node-sleep-w W", nodes.sleep_w, "Power of a node that sleeps (default: by GPU; 15)");
  syntax.AddOption("--gpu-idle-w W", nodes.gpu_idle_w, "Power of an idle GPU (default: by GPU; 12 % of its highest)");
  syntax.AddOption("--wake-minutes MINUTES", nodes.wake_minutes, "Time to wake a node (default: by GPU; 5)");
  syntax.AddOption("--wake-wh WH", nodes.wake_wh, "Energy to wake a node (default: by GPU; 20)");
  syntax.AddOption("--pue RATIO", arguments.recipe.pue, "PUE: facility energy divided by IT energy").ShowDefault();
}

void AddSignals(const Syntax& syntax, Arguments& arguments) {
  syntax.AddOption("--zone ZONE", arguments.zone, "Built-in zone (default: duck-curve)");
  syntax.AddOption("--carbon FILE[:COLUMN]", arguments.carbon, "Carbon intensity, instead of the zone's");
  syntax.AddOption("--price FILE[:COLUMN]", arguments.price, "Prices, instead of the zone's");
  syntax.AddOption("--currency CODE", arguments.currency, "Currency of --price, where the file names none: EUR, USD");
  AddUnits(syntax, arguments.units);
  AddLayoutArguments(syntax, arguments.read);
  syntax.AddFlag("--no-prices", arguments.no_prices, "Write a scenario without prices");
  syntax.AddOption("--on-site NAME", arguments.on_site,
                   "On-site power: solar, wind, mixed or none (default: solar; with --carbon, none)");
  syntax.AddOption("--renewable FILE[:COLUMN]", arguments.renewable, "On-site power, scaled to --renewable-share");
  syntax
      .AddOption("--renewable-share SHARE", arguments.recipe.renewable_share,
                 "On-site energy of a mean year, divided by the energy of the cluster at its load")
      .ShowDefault();
}

void AddJobs(const Syntax& syntax, Arguments& arguments) {
  workload::ScenarioRecipe& recipe = arguments.recipe;
  syntax.AddOption("--load SHARE", recipe.load,
                   "Load of the cluster, see below (default: 0.5; with --jobs, all jobs of the trace)");
  syntax.AddOption("--count N", recipe.jobs, "Number of generated jobs; their lengths are scaled to the load");
  syntax.AddOption("--model NAME", recipe.model, "Model of jobs whose trace names none (default: drawn for each job)");
  syntax
      .AddOption("--deadlines NAME", arguments.deadlines,
                 "Deadlines: drawn (the trace's own, else drawn), column (only the trace's own) or none")
      .ShowDefault();
  syntax.AddOption("--slack RATIO", recipe.slack, "Mean of (deadline - submit) / length, if the trace has no deadlines")
      .ShowDefault();
  syntax
      .AddOption("--best-effort SHARE", recipe.best_effort,
                 "Share of jobs without a deadline, if the trace has no deadlines")
      .ShowDefault();
  syntax.AddOption("--in-one-piece SHARE", recipe.in_one_piece, "Share of jobs that cannot be paused").ShowDefault();
  syntax
      .AddOption("--elasticity E", recipe.elasticity,
                 "A job of N GPUs may use N/E to N*E of them, E >= 1; 1: exactly N")
      .ShowDefault();
  syntax.AddOption("--resume TIME", arguments.resume, "Time lost at each start or change of workers").ShowDefault();
  syntax.AddFlag("!--keep-deadlines", recipe.has_feasible_deadlines,
                 "Do not move deadlines, and leave no job out because of its deadline");
}

void AddServices(const Syntax& syntax, Arguments& arguments) {
  workload::ScenarioRecipe& recipe = arguments.recipe;
  syntax.AddOption("--services N", arguments.services,
                   "Number of inference services (default: 1; 0 if --profiles has no table of serving)");
  syntax
      .AddOption("--serving-share SHARE", recipe.serving_share, "Share of all GPUs that services keep busy on average")
      .ShowDefault();
  syntax.AddOption("--rates FILE[:MODEL]", arguments.rates,
                   "Shape of request rates: a request trace (Azure, Mooncake) or ServeGen's rates of a model");
}

}  // namespace

Command InstallScenarioMake(const Syntax& syntax, Options& /*options*/) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("-o,--output DIR", arguments->out, "Folder to write; created if it does not exist");
  syntax.AddOption("--name NAME", arguments->name, "Name of the scenario (default: the name of the folder)");
  syntax.AddOption("--start DATE", arguments->start,
                   "Start of the horizon, UTC (default: 2024-06-03; with --sacct, where the dump is complete)");
  syntax.AddOption("--slots N", arguments->slots, "Number of slots of the horizon (default: 168)").Between(1, 600'000);
  syntax.AddOption("--step TIME", arguments->step, "Length of a slot; a day must be a multiple of it").ShowDefault();
  syntax.AddOption("--seed N", arguments->recipe.seed, "Random seed of weather and jobs").ShowDefault();
  AddCluster(syntax.Group("Cluster"), *arguments);
  AddSignals(syntax.Group("Signals"), *arguments);
  AddSacctArguments(syntax.Group("A site's own record"), arguments->sacct);
  AddTraceArguments(syntax.Group("Trace of jobs"), arguments->trace);
  AddJobs(syntax.Group("Jobs"), *arguments);
  AddServices(syntax.Group("Services"), *arguments);
  syntax.Footer(kAbout);
  return [arguments]() -> Result<Output> { return Answer(*arguments); };
}

}  // namespace heliostat::cli
