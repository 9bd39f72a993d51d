#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/model/scenario/scenario.h"
#include "heliostat/model/workload/catalogue.h"
#include "heliostat/model/workload/job_tally.h"
#include "heliostat/model/workload/to_scenario.h"
#include "heliostat/model/workload/trace.h"

namespace heliostat::workload {

// What a job has that its trace did not say.
struct DrawnParts {
  bool model = false;        // drawn, because the trace names none
  bool other_model = false;  // in place of a model that the library does not have
  bool other_gpus = false;   // rounded to a power of two that fits
  bool deadline = false;
  bool best_effort = false;  // no deadline, by chance
  bool is_clipped = false;   // the deadline was drawn after the horizon and is its end
};

// A job of a trace that becomes a job of a scenario, with its model and number of GPUs.
struct DraftJob {
  scenario::Job job;                 // without samples and, where a rule sets it, deadline
  int workers = 1;                   // a power of two
  Duration length{};                 // with that many workers
  std::optional<Duration> window{};  // from submit to deadline; nothing: best effort
  DrawnParts drawn{};

  double gpu_hours() const { return Seconds(length).count() * workers / 3600.0; }
};

// The jobs of the trace that fit into the horizon, in the order of the trace. A name that no model of the catalogue
// fits gets a model that is drawn at random for that name. The scenario must have its horizon, groups and services.
// Counts those that it leaves out in `tally`.
std::vector<DraftJob> CutOut(const Trace& trace, const ScenarioRecipe& recipe, const Catalogue& catalogue,
                             const scenario::Scenario& scenario, JobTally& tally);

// Keeps a random selection of the jobs, by the seed, with at most `gpu_hours` in total. A job that is too large for the
// rest is skipped.
void ThinTo(double gpu_hours, std::uint64_t seed, std::vector<DraftJob>& pieces);

// All numbers of workers with which the jobs may run.
std::vector<int> WorkerCounts(const std::vector<DraftJob>& pieces);

// Samples per second at the default setting (the highest limit and clock) with exactly that many workers on a GPU. 0
// without measurements.
double DefaultSpeed(const scenario::Scenario& scenario, const std::string& model, const std::string& gpu, int workers);
// The lowest such speed among the groups with that many GPUs.
double SlowestSpeed(const scenario::Scenario& scenario, const std::string& model, int workers);

// Sets samples and deadlines of the jobs, and puts them into the scenario, which must have all its other parts except
// on-site power. With feasible deadlines it moves those that the queue or the rehearsal misses, and leaves out the jobs
// that are not done there. `pieces` are the jobs that are left.
void AddJobs(const ScenarioRecipe& recipe, const Rehearsal& rehearse, std::vector<DraftJob>& pieces,
             scenario::Scenario& scenario, JobTally& tally);

// Completes the tally with what was drawn and moved for the jobs that are left.
void CountDrawn(const std::vector<DraftJob>& pieces, JobTally& tally);

}  // namespace heliostat::workload
