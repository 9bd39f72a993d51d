#include "heliostat/model/workload/to_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "heliostat/base/core/names.h"
#include "heliostat/base/core/nearest.h"
#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"
#include "heliostat/model/profile/cells.h"
#include "heliostat/model/profile/gpu_facts.h"
#include "heliostat/model/scenario/validate.h"
#include "heliostat/model/workload/catalogue.h"
#include "heliostat/model/workload/generate.h"
#include "heliostat/model/workload/site.h"
#include "heliostat/model/workload/to_jobs.h"
#include "heliostat/signals/synthetic/generate.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;

constexpr double kUsualLoad = 0.5;
constexpr int kMostKnobSteps = 64;
constexpr std::size_t kMostServices = 1000;
constexpr double kHighestElasticity = 64.0;
constexpr double kHighestSlack = 1e4;

constexpr auto kDeadlines = NamesOf<Deadlines>({
    {Deadlines::kDrawn, "drawn"},
    {Deadlines::kOfTrace, "column"},
    {Deadlines::kNone, "none"},
});
constexpr std::array<std::string_view, 4> kOnSiteNames{"none", "solar", "wind", "mixed"};

Status Refuse(std::string_view where, std::string what, std::string allowed) {
  return Fail(ErrorCode::kInvalidArgument, std::string(where), std::move(what), std::move(allowed));
}

// From `low` to `high`, inclusive. Fails for NaN.
Status RefuseOutside(std::string_view name, double value, double low, double high) {
  if (value >= low && value <= high) return {};
  return Refuse(name, fmt::format("is {}", value), fmt::format("must be from {} to {}", low, high));
}

Status ValidateNumbers(const ScenarioRecipe& recipe) {
  struct Bounds {
    std::string_view name;
    double value;
    double low;
    double high;
  };
  const std::array bounds{
      Bounds{"pue", recipe.pue, 1.0, 10.0},
      Bounds{"load", recipe.load.value_or(0.0), 0.0, 1.0},
      Bounds{"slack", recipe.slack, 1.0, kHighestSlack},
      Bounds{"best-effort share", recipe.best_effort, 0.0, 1.0},
      Bounds{"share in one piece", recipe.in_one_piece, 0.0, 1.0},
      Bounds{"elasticity", recipe.elasticity, 1.0, kHighestElasticity},
      Bounds{"renewable share", recipe.renewable_share, 0.0, 100.0},
      Bounds{"renewable carbon", recipe.renewable_carbon_g_per_kwh, 0.0, 1e6},
      Bounds{"serving share", recipe.serving_share, 0.0, 0.5},
      Bounds{"services", static_cast<double>(recipe.services), 0.0, static_cast<double>(kMostServices)},
      Bounds{"knob steps", static_cast<double>(recipe.knob_steps), 1.0, static_cast<double>(kMostKnobSteps)},
      Bounds{"resume", Seconds(recipe.resume).count(), 0.0, 86400.0},
      Bounds{"idle GPU power", recipe.nodes.gpu_idle_w.value_or(0.0), 0.0, 1e4},
      Bounds{"node power", recipe.nodes.base_w.value_or(0.0), 0.0, 1e5},
      Bounds{"sleep power", recipe.nodes.sleep_w.value_or(0.0), 0.0, 1e5},
      Bounds{"wake time", recipe.nodes.wake_minutes.value_or(0.0), 0.0, 1440.0},
      Bounds{"wake energy", recipe.nodes.wake_wh.value_or(0.0), 0.0, 1e6},
      Bounds{"trace offset", Seconds(recipe.trace_offset).count(), 0.0, 1e10},
  };
  if (!recipe.rate_shape.empty() && recipe.rate_shape.size() != recipe.slots) {
    return Refuse("rates", fmt::format("has {} values", recipe.rate_shape.size()),
                  fmt::format("must have one per slot: {}", recipe.slots));
  }
  for (const Bounds& one : bounds) {
    if (auto bad = RefuseOutside(one.name, one.value, one.low, one.high); !bad) return bad;
  }
  return {};
}

// How to go on without a profile of a GPU.
std::string WaysToProfile(const ScenarioRecipe& recipe, const std::string& gpu) {
  std::string known = fmt::format("the library has {}", fmt::join(profile::LibraryGpus(), ", "));
  if (!recipe.profiles.empty()) {
    std::set<std::string> own;
    for (const profile::Measurement& row : recipe.profiles) own.insert(row.gpu);
    known = fmt::format("the given profiles are of {}, {}", fmt::join(own, ", "), known);
  }
  // A GPU that exists is not a misspelt one.
  for (const std::string_view near : profile::LibraryGpus()) {
    if (!profile::HighestWatts(gpu) && EditDistance(gpu, near) == 1) {
      return fmt::format("did you mean {}? {}", near, known);
    }
  }
  return fmt::format(
      "{}; for {}, make one with heliostat profile measure, heliostat profile import or heliostat profile transfer, "
      "and give it with option 'profiles'",
      known, Printable(gpu, 40));
}

Status ValidateHardware(const ScenarioRecipe& recipe, const Catalogue& catalogue) {
  if (recipe.hardware.empty()) return Refuse("cluster", "has no GPUs", "at least one group of nodes is needed");
  for (const Hardware& one : recipe.hardware) {
    if (!catalogue.HasGpu(one.gpu)) {
      return Refuse("cluster", fmt::format("there is no profile of GPU '{}'", Printable(one.gpu, 40)),
                    WaysToProfile(recipe, one.gpu));
    }
    if (one.nodes < 1 || one.nodes > 1'000'000 || one.gpus_per_node < 1 || one.gpus_per_node > 1024) {
      return Refuse("cluster", fmt::format("{} nodes of {} {}", one.nodes, one.gpus_per_node, one.gpu),
                    "must be 1 to 1000000 nodes of 1 to 1024 GPUs");
    }
  }
  const auto can_train = [&](const Hardware& one) { return catalogue.HasTraining(one.gpu); };
  if (std::ranges::none_of(recipe.hardware, can_train)) {
    return Refuse(
        "cluster",
        fmt::format("there is no profile for training on GPU '{}'", Printable(recipe.hardware.front().gpu, 40)),
        "a table of training in option 'profiles', or a group with another GPU");
  }
  const auto is_used = [&](const std::string& gpu) {
    return std::ranges::find(recipe.hardware, gpu, &Hardware::gpu) != recipe.hardware.end();
  };
  if (!catalogue.own_gpus().empty() && std::ranges::none_of(catalogue.own_gpus(), is_used)) {
    return Refuse("cluster",
                  fmt::format("has none of the GPUs of the given profiles: {}", fmt::join(catalogue.own_gpus(), ", ")),
                  fmt::format("groups such as {}:4x8", catalogue.own_gpus().front()));
  }
  return {};
}

std::vector<std::string> NamesIn(const Trace& trace) {
  std::set<std::string> names;
  for (const TraceJob& job : trace.jobs) {
    if (job.model) names.insert(*job.model);
  }
  return {names.begin(), names.end()};
}

// Names of models in the trace that fit no profile.
std::vector<std::string> UnknownModelsOf(const ScenarioRecipe& recipe, const Catalogue& catalogue,
                                         const std::vector<scenario::Group>& groups) {
  if (!recipe.trace) return {};
  std::vector<std::string> names = NamesIn(*recipe.trace);
  std::erase_if(names, [&](const std::string& name) { return catalogue.ModelNamed(name, groups).has_value(); });
  return names;
}

// Jobs that all name other models than the user measured would be drawn at random, which is not what the user asks for.
Status ValidateModels(const ScenarioRecipe& recipe, const Catalogue& catalogue,
                      const std::vector<scenario::Group>& groups) {
  if (recipe.profiles.empty() || !recipe.trace) return {};
  const std::vector<std::string> unknown = UnknownModelsOf(recipe, catalogue, groups);
  if (unknown.empty() || unknown.size() < NamesIn(*recipe.trace).size()) return {};
  return Refuse(recipe.trace->name,
                fmt::format("asks for models {}, but the given profiles have {}",
                            Printable(fmt::format("{}", fmt::join(unknown, ", ")), 160),
                            Printable(fmt::format("{}", fmt::join(catalogue.ModelsFor(groups), ", ")), 160)),
                "rename the models in one of the files, or leave out the trace's column of models to have them drawn");
}

Status ValidateModel(const ScenarioRecipe& recipe, const Catalogue& catalogue,
                     const std::vector<scenario::Group>& groups) {
  if (recipe.model.empty() || catalogue.ModelNamed(recipe.model, groups)) return {};
  const std::vector<std::string> models = catalogue.ModelsFor(groups);
  return Refuse("model", fmt::format("no profile fits '{}'", Printable(recipe.model, 40)),
                OneOf(recipe.model, std::vector<std::string_view>(models.begin(), models.end())));
}

std::string NameFor(const ScenarioRecipe& recipe) {
  if (!recipe.name.empty()) return recipe.name;
  return fmt::format("{}-{}", recipe.carbon ? recipe.carbon->name : recipe.zone, recipe.seed);
}

void Replace(const NodeFigures& figures, scenario::Group& group) {
  if (figures.gpu_idle_w) group.gpu_idle = Watts{*figures.gpu_idle_w};
  if (figures.base_w) group.node_base = Watts{*figures.base_w};
  if (figures.sleep_w) group.node_sleep = Watts{*figures.sleep_w};
  if (figures.wake_minutes) group.wake_time = Duration{std::llround(*figures.wake_minutes * 60.0)};
  if (figures.wake_wh) group.wake_energy = Joules{*figures.wake_wh * 3600.0};
}

std::vector<scenario::Group> MakeGroups(const ScenarioRecipe& recipe, const Catalogue& catalogue) {
  std::vector<scenario::Group> groups;
  for (const Hardware& one : recipe.hardware) {
    scenario::Group group = catalogue.GroupOf(one.gpu, one.nodes, one.gpus_per_node);
    Replace(recipe.nodes, group);
    const std::string name = group.name;
    for (int copy = 2; std::ranges::find(groups, group.name, &scenario::Group::name) != groups.end(); ++copy) {
      group.name = fmt::format("{}-{}", name, copy);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

// Arrivals follow the local time of the zone.
Result<Trace> MadeTrace(const ScenarioRecipe& recipe, const scenario::Scenario& scenario) {
  const auto zone = synthetic::FindZone(recipe.zone);
  if (!zone) return Propagate(zone);
  Crowd crowd;
  crowd.seed = recipe.seed;
  crowd.jobs = recipe.jobs;
  crowd.gpu_hours = recipe.load.value_or(kUsualLoad) * AllGpuHours(scenario);
  // Time at the end for a start and for rounding.
  crowd.span = {scenario.start, scenario.end() - recipe.resume - 2min};
  crowd.local_offset = 1h * (*zone)->utc_offset_hours;
  crowd.slack = recipe.slack;
  crowd.least_slack = std::min(crowd.least_slack, recipe.slack);
  crowd.best_effort = recipe.best_effort;
  return Generate(crowd);
}

Result<std::vector<DraftJob>> PiecesOf(const ScenarioRecipe& recipe, const Catalogue& catalogue,
                                       const scenario::Scenario& scenario, JobTally& tally) {
  if (!recipe.trace) {
    const auto made = MadeTrace(recipe, scenario);
    if (!made) return Propagate(made);
    ScenarioRecipe whole = recipe;
    whole.trace_offset = Duration{};
    return CutOut(*made, whole, catalogue, scenario, tally);
  }
  std::vector<DraftJob> pieces = CutOut(*recipe.trace, recipe, catalogue, scenario, tally);
  if (pieces.empty()) {
    return Fail(ErrorCode::kInvalidArgument, recipe.trace->name,
                fmt::format("has no job that fits into {} from {} on", FormatDuration(scenario.horizon().length()),
                            FormatDuration(recipe.trace_offset)),
                fmt::format("its submissions end after {:.1f} d", Seconds(recipe.trace->span()).count() / 86400.0));
  }
  const std::size_t all = pieces.size();
  if (recipe.load) ThinTo(*recipe.load * AllGpuHours(scenario), recipe.seed, pieces);
  tally.above_load = all - pieces.size();
  return pieces;
}

// Adds profiles of every model of a job on the GPU of every group. Without jobs it adds one model, because a group
// whose GPU has no profile is an error.
void AddTraining(const Catalogue& catalogue, const std::vector<DraftJob>& pieces, scenario::Scenario& scenario) {
  std::set<std::string> models;
  for (const DraftJob& piece : pieces) models.insert(piece.job.model);
  if (models.empty()) models.insert(catalogue.ModelsFor(scenario.groups).front());
  const std::vector<int> counts = WorkerCounts(pieces);
  std::set<std::string> gpus;
  for (const scenario::Group& group : scenario.groups) gpus.insert(group.gpu);
  for (const std::string& model : models) {
    for (const std::string& gpu : gpus) {
      for (auto& point : catalogue.TrainingPoints(model, gpu, counts)) {
        scenario.training.Add(model, gpu, point);
      }
    }
  }
}

}  // namespace

Result<OnSite> ParseOnSite(std::string_view name) {
  const auto* const found = std::ranges::find(kOnSiteNames, name);
  if (found != kOnSiteNames.end()) return static_cast<OnSite>(found - kOnSiteNames.begin());
  return Fail(ErrorCode::kInvalidArgument, "on-site power", fmt::format("'{}' is not known", Printable(name, 40)),
              OneOf(name, kOnSiteNames));
}

std::string_view NameOf(OnSite on_site) { return kOnSiteNames[static_cast<std::size_t>(on_site)]; }

Result<std::vector<Hardware>> ParseHardware(std::string_view text, std::string_view where) {
  std::vector<Hardware> hardware;
  for (const std::string_view one : SplitAtCommas(text)) {
    const std::size_t colon = one.find(':');
    const std::size_t times = one.find('x', colon == std::string_view::npos ? one.size() : colon);
    std::optional<std::int32_t> nodes;
    std::optional<std::int32_t> gpus;
    if (times != std::string_view::npos) {
      nodes = io::ParseInteger(one.substr(colon + 1, times - colon - 1));
      gpus = io::ParseInteger(one.substr(times + 1));
    }
    if (one.empty()) {
      return Fail(ErrorCode::kInvalidArgument, std::string(where),
                  fmt::format("'{}' has an empty entry", Printable(text, 60)),
                  "GPU:NODESxGPUS with one comma between, such as A40:8x8,V100:4x4");
    }
    if (colon == 0 || !nodes || !gpus || *nodes < 1 || *gpus < 1) {
      return Fail(ErrorCode::kInvalidArgument, std::string(where),
                  fmt::format("'{}' is not a group", Printable(one, 60)),
                  "GPU:NODESxGPUS with commas between, such as A40:8x8,V100:4x4");
    }
    hardware.push_back({profile::GpuName(one.substr(0, colon)), *nodes, *gpus});
  }
  return hardware;
}

Result<Deadlines> ParseDeadlines(std::string_view name) {
  if (const auto found = kDeadlines.Find(name)) return *found;
  std::vector<std::string_view> names;
  for (const auto& row : kDeadlines.rows) names.push_back(row.name);
  return Fail(ErrorCode::kInvalidArgument, "deadlines", fmt::format("'{}' is not known", Printable(name, 40)),
              OneOf(name, names));
}

Result<scenario::Scenario> Make(const ScenarioRecipe& recipe) {
  auto made = MakeRehearsed(recipe, {});
  if (!made) return Propagate(made);
  return std::move(made->scenario);
}

Result<scenario::Scenario> MakeFrame(const ScenarioRecipe& recipe, const Catalogue& catalogue) {
  if (auto bad = ValidateNumbers(recipe); !bad) return Propagate(bad);
  if (auto bad = ValidateHardware(recipe, catalogue); !bad) return Propagate(bad);
  scenario::Scenario scenario;
  scenario.name = NameFor(recipe);
  scenario.start = recipe.start;
  scenario.step = recipe.step;
  scenario.slots = recipe.slots;
  scenario.pue = recipe.pue;
  scenario.performance = recipe.performance;
  // Checks the horizon before anything is made for it.
  if (auto bad = scenario::ValidateFrame(scenario, "scenario"); !bad) return Propagate(bad);
  if (auto bad = AddGrid(recipe, scenario); !bad) return Propagate(bad);
  scenario.renewable.assign(scenario.slots, Watts{});
  scenario.groups = MakeGroups(recipe, catalogue);
  if (auto bad = ValidateModel(recipe, catalogue, scenario.groups); !bad) return Propagate(bad);
  return scenario;
}

Result<MadeScenario> MakeRehearsed(const ScenarioRecipe& recipe, const Rehearsal& rehearse) {
  const Catalogue catalogue(recipe.profiles, recipe.knob_steps, recipe.margin);
  auto frame = MakeFrame(recipe, catalogue);
  if (!frame) return Propagate(frame);
  MadeScenario made{*std::move(frame), {}};
  scenario::Scenario& scenario = made.scenario;
  if (auto bad = ValidateModels(recipe, catalogue, scenario.groups); !bad) return Propagate(bad);
  AddServices(recipe, catalogue, scenario);
  auto pieces = PiecesOf(recipe, catalogue, scenario, made.tally);
  if (!pieces) return Propagate(pieces);
  AddTraining(catalogue, *pieces, scenario);
  AddJobs(recipe, rehearse, *pieces, scenario, made.tally);
  CountDrawn(*pieces, made.tally);
  if (auto bad = AddRenewable(recipe, scenario); !bad) return Propagate(bad);
  if (auto bad = scenario::Validate(scenario); !bad) return Propagate(bad);
  return made;
}

std::vector<std::string> UnknownModels(const ScenarioRecipe& recipe) {
  const Catalogue catalogue(recipe.profiles, recipe.knob_steps, recipe.margin);
  return UnknownModelsOf(recipe, catalogue, MakeGroups(recipe, catalogue));
}

double LoadOf(const scenario::Scenario& scenario) {
  double gpu_hours = 0.0;
  for (const scenario::Job& job : scenario.jobs) {
    // Down to the next number of workers with measurements.
    auto workers = static_cast<int>(std::sqrt(static_cast<double>(job.min_workers) * job.max_workers));
    double speed = SlowestSpeed(scenario, job.model, workers);
    while (speed == 0.0 && workers > job.min_workers) speed = SlowestSpeed(scenario, job.model, --workers);
    if (speed > 0.0) gpu_hours += job.samples / speed * workers / 3600.0;
  }
  const double all = AllGpuHours(scenario);
  return all > 0.0 ? gpu_hours / all : 0.0;
}

}  // namespace heliostat::workload
