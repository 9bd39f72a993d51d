#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/model/scenario/scenario.h"
#include "heliostat/model/workload/to_scenario.h"
#include "heliostat/model/workload/trace.h"

namespace heliostat::workload {

// A job of a trace on its way into a scenario: what it trains and on how many GPUs that the cluster can give it.
struct DraftJob {
  scenario::Job job;                 // all but samples and, where a rule decides, deadline
  int workers = 1;                   // asked for, a power of two
  Duration length{};                 // at them
  std::optional<Duration> window{};  // from submit to deadline; none: best effort

  double gpu_hours() const { return Seconds(length).count() * workers / 3600.0; }
};

// The models that jobs without one of their own are drawn from: those that somebody measured on one of the GPUs, or all
// that the library has when nobody did.
std::vector<std::string> ModelsFor(const std::vector<scenario::Group>& groups);
// The library's model for a trace's name: itself, the nearest of its kind, or one drawn for that name.
std::string ModelNamed(const std::string& name, const std::vector<std::string>& models, std::uint64_t seed);

// The jobs of the trace that the scenario's horizon can hold, in the trace's order. Needs the scenario's frame,
// groups and services.
std::vector<DraftJob> CutOut(const Trace& trace, const ScenarioRecipe& recipe, const scenario::Scenario& scenario);

// Keeps pieces in an order that the seed shuffles until they come to `gpu_hours`; one that is too large for what is
// left is passed over.
void ThinTo(double gpu_hours, std::uint64_t seed, std::vector<DraftJob>& pieces);

// Numbers of workers that the pieces may run with.
std::vector<int> WorkerCounts(const std::vector<DraftJob>& pieces);

// Samples a second at the default setting (the highest limit and clock) with exactly so many workers on a GPU; 0 where
// nobody measured it.
double DefaultSpeed(const scenario::Scenario& scenario, const std::string& model, const std::string& gpu, int workers);
// The slowest among the groups that hold so many workers.
double SlowestSpeed(const scenario::Scenario& scenario, const std::string& model, int workers);

// The pieces as jobs of the scenario, which needs its training profiles for this.
std::vector<scenario::Job> ToJobs(const std::vector<DraftJob>& pieces, const ScenarioRecipe& recipe,
                                  const scenario::Scenario& scenario);

}  // namespace heliostat::workload
