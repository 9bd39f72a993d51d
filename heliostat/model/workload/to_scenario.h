#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/model/profile/library.h"
#include "heliostat/model/scenario/scenario.h"
#include "heliostat/model/workload/trace.h"
#include "heliostat/signals/signal/signal.h"

namespace heliostat::workload {

// Power made on the site.
enum class OnSite { kNone, kSolar, kWind, kMixed };  // kMixed: half of the energy each
// "none", "solar", "wind", "mixed".
Result<OnSite> ParseOnSite(std::string_view name);
std::string_view NameOf(OnSite on_site);

// Alike nodes of a GPU of the built-in profile library.
struct Hardware {
  std::string gpu;
  int nodes = 1;
  int gpus_per_node = 8;
  friend bool operator==(const Hardware&, const Hardware&) = default;
};
// "A40:8x8,V100:4x4": GPU, nodes, GPUs a node. `where` names the option.
Result<std::vector<Hardware>> ParseHardware(std::string_view text, std::string_view where);

// All that a made scenario follows from: the same recipe, the same scenario. Plain numbers have the unit in their name
// or none.
struct ScenarioRecipe {
  std::string name;  // empty: after the zone and the seed
  Instant start = std::chrono::sys_days{std::chrono::year{2024} / 6 / 3};
  Duration step{3600};
  std::size_t slots = 168;
  std::uint64_t seed = 1;

  // The cluster.
  std::vector<Hardware> hardware{{"A40", 8, 8}, {"V100", 4, 4}};
  double pue = 1.2;
  scenario::Performance performance = scenario::Performance::kThroughput;

  // What it meets: a built-in zone, and signals that stand in for the zone's own.
  std::string zone = "duck-curve";
  std::optional<signal::Signal> carbon{};
  std::optional<signal::Signal> price{};
  std::optional<signal::Signal> renewable{};  // its shape, scaled to renewable_share; on_site is not asked then
  bool has_prices = true;
  OnSite on_site = OnSite::kSolar;
  // Energy of the plant in a mean year as a share of what the cluster draws at its load: a winter week has less sun.
  // A series of the caller's own is scaled by its own mean.
  double renewable_share = 0.3;
  double renewable_carbon_g_per_kwh = 0.0;

  // Its work. Without a trace, jobs are made up.
  std::shared_ptr<const Trace> trace{};
  Duration trace_offset{};  // the horizon begins this long after the trace does
  // GPU-hours asked for at default settings as a share of all there are in the horizon. Jobs that are made up come to
  // it; jobs of a trace are thinned by the seed to come no higher, and all kept where nothing is said.
  std::optional<double> load{};       // 0.5 for made jobs
  std::optional<std::size_t> jobs{};  // so many made jobs, their lengths stretched to the load
  // Mean of (deadline - submit) / length at default settings, where a trace has no deadlines of its own.
  double slack = 3.0;
  double best_effort = 0.1;   // share of jobs that get no deadline, likewise
  double in_one_piece = 0.1;  // share of jobs that are not preemptible
  double elasticity = 2.0;    // workers from gpus / elasticity to gpus * elasticity; 1: exactly what was asked for
  Duration resume{60};
  // Deadlines that first come first served, at default settings, would miss are moved to where it ends. All deadlines
  // can be met then, and by the plainest policy too.
  bool has_feasible_deadlines = true;
  int knob_steps = 5;  // settings of each GPU that plans may choose from
  profile::Margin margin = profile::Margin::kErrorBar;

  std::size_t services = 1;
  double serving_share = 0.08;  // GPUs that all services together keep busy on average
  // What rates follow, one number a slot, of which only ratios count; empty: a made day with a broad peak.
  std::vector<double> rate_shape{};
};

// The scenario of a recipe, valid and such as files can hold. A job's samples are its length at default settings on the
// slowest GPUs of the cluster that hold it: what it can do there it can do anywhere. GPU counts are rounded to powers
// of two, GPU-hours kept. Jobs that could not be done within the horizon are left out. Refuses a GPU, zone or number
// that cannot be, saying which.
Result<scenario::Scenario> Make(const ScenarioRecipe& recipe);

// GPU-hours that a scenario's jobs ask for at default settings and the middle of their range of workers, on the slowest
// GPUs that hold them, as a share of all GPU-hours of its horizon: for a recipe's scenario, the load asked for, unless
// a cluster too small for a range has cut it.
double LoadOf(const scenario::Scenario& scenario);

}  // namespace heliostat::workload
