#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/model/profile/library.h"
#include "heliostat/model/profile/measurement.h"
#include "heliostat/model/scenario/scenario.h"
#include "heliostat/model/workload/job_tally.h"
#include "heliostat/model/workload/trace.h"
#include "heliostat/signals/signal/signal.h"

namespace heliostat::workload {

// The kind of on-site power.
enum class OnSite { kNone, kSolar, kWind, kMixed };  // kMixed: half of the energy each
// Accepts "none", "solar", "wind" and "mixed".
Result<OnSite> ParseOnSite(std::string_view name);
std::string_view NameOf(OnSite on_site);

// Where deadlines come from.
enum class Deadlines {
  kDrawn,    // the trace's own; for jobs without one they are drawn
  kOfTrace,  // the trace's own only; other jobs have none
  kNone,     // no job has one
};
// Accepts "drawn", "column" and "none".
Result<Deadlines> ParseDeadlines(std::string_view name);

// Nodes with one kind of GPU, of the built-in profile library or of the recipe's own profiles.
struct Hardware {
  std::string gpu;
  int nodes = 1;
  int gpus_per_node = 8;
  friend bool operator==(const Hardware&, const Hardware&) = default;
};
// Reads GPU, nodes and GPUs per node, such as "A40:8x8,V100:4x4". `where` is the place in errors.
Result<std::vector<Hardware>> ParseHardware(std::string_view text, std::string_view where);

// Figures of all nodes of a cluster that replace those of their GPU (see Catalogue::GroupOf()).
struct NodeFigures {
  std::optional<double> gpu_idle_w{};
  std::optional<double> base_w{};
  std::optional<double> sleep_w{};
  std::optional<double> wake_minutes{};
  std::optional<double> wake_wh{};
  friend bool operator==(const NodeFigures&, const NodeFigures&) = default;
};

// The complete input of a generated scenario: equal recipes give equal scenarios. Plain numbers have the unit in their
// name, or none.
struct ScenarioRecipe {
  std::string name;  // empty: made from the zone and the seed
  Instant start = std::chrono::sys_days{std::chrono::year{2024} / 6 / 3};
  Duration step{3600};
  std::size_t slots = 168;
  std::uint64_t seed = 1;

  // The cluster.
  std::vector<Hardware> hardware{{"A40", 8, 8}, {"V100", 4, 4}};
  // Measurements on the user's own GPUs. They replace the library's for these GPUs and give the models of jobs there.
  std::vector<profile::Measurement> profiles{};
  NodeFigures nodes{};
  double pue = 1.2;
  scenario::Performance performance = scenario::Performance::kThroughput;

  // The signals: a built-in zone, and signals that replace those of the zone.
  std::string zone = "duck-curve";
  std::optional<signal::Signal> carbon{};
  std::optional<signal::Signal> price{};
  std::optional<signal::Signal> renewable{};  // its shape, scaled to renewable_share; replaces on_site
  bool has_prices = true;
  OnSite on_site = OnSite::kSolar;
  // Energy of the on-site plant in a mean year, as a share of the energy of the cluster at its load; a winter week has
  // less sun. The signal `renewable` is scaled by its own mean.
  double renewable_share = 0.3;
  double renewable_carbon_g_per_kwh = 0.0;

  // The work. Without a trace, jobs are generated.
  std::shared_ptr<const Trace> trace{};
  Duration trace_offset{};  // from the begin of the trace to the begin of the horizon
  // GPU-hours of jobs at default settings, as a share of all GPU-hours of the horizon. Generated jobs reach it. Jobs of
  // a trace are thinned at random, by the seed, so that they do not exceed it; without a value all are kept.
  std::optional<double> load{};       // default for generated jobs: 0.5
  std::optional<std::size_t> jobs{};  // number of generated jobs; lengths are scaled to the load
  // The model of jobs whose trace names none. Empty: drawn.
  std::string model{};
  Deadlines deadlines = Deadlines::kDrawn;
  // Mean of (deadline - submit) / length at default settings, for traces without deadlines.
  double slack = 3.0;
  double best_effort = 0.1;   // share of jobs without a deadline, likewise
  double in_one_piece = 0.1;  // share of jobs that are not preemptible
  double elasticity = 2.0;    // workers from gpus / elasticity to gpus * elasticity; 1: exactly gpus
  Duration resume{60};
  // Moves deadlines that a first-come-first-served queue at default settings would miss to the end in that queue, so
  // that a plan exists which meets all. MakeRehearsed() also moves those that the rehearsal misses.
  bool has_feasible_deadlines = true;
  int knob_steps = 5;  // number of settings per GPU
  profile::Margin margin = profile::Margin::kErrorBar;

  std::size_t services = 1;
  double serving_share = 0.08;  // share of all GPUs that the services keep busy on average
  // The shape of the rates, one number per slot; only ratios count. Empty: a synthetic day with a broad peak.
  std::vector<double> rate_shape{};
};

// Makes the scenario of a recipe. It is valid, and its numbers are exact in files. The samples of a job are those of
// its length at default settings on the slowest GPUs that can hold it, so it takes no longer on others. GPU counts are
// rounded to powers of two; GPU-hours stay the same. Jobs that cannot be done within the horizon are left out. Fails
// for an unknown GPU or zone, for a number out of range, and for a trace of which no model is in the own profiles.
// There are no services where no group has a profile for serving.
Result<scenario::Scenario> Make(const ScenarioRecipe& recipe);

class Catalogue;

// The scenario of a recipe without its work and on-site power: horizon, signals of the grid, groups. `catalogue` must
// be that of the recipe.
Result<scenario::Scenario> MakeFrame(const ScenarioRecipe& recipe, const Catalogue& catalogue);

// The names of models in the recipe's trace that no profile fits; their jobs get models that are drawn at random.
std::vector<std::string> UnknownModels(const ScenarioRecipe& recipe);

// [job]: when each job of a scenario ends when it is tried out; nothing for one that is not done within the horizon.
// Must not depend on deadlines and on-site power.
using Rehearsal = std::function<std::vector<std::optional<Instant>>(const scenario::Scenario& scenario)>;

// A scenario, and what became of the jobs of its trace.
struct MadeScenario {
  scenario::Scenario scenario;
  JobTally tally;
};

// The same. If the recipe asks for feasible deadlines, each of them leaves some time after the job's end in the
// rehearsal, too, and each job is done in it within the horizon.
Result<MadeScenario> MakeRehearsed(const ScenarioRecipe& recipe, const Rehearsal& rehearse);

// GPU-hours of a scenario's jobs at default settings, with the middle of their range of workers and on the slowest GPUs
// that can hold them, as a share of all GPU-hours of its horizon. For the scenario of a recipe this is its load, unless
// the cluster is too small for a range of workers.
double LoadOf(const scenario::Scenario& scenario);

}  // namespace heliostat::workload
