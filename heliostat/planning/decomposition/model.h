#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/model/serving/options.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::decomposition {

// A point of a profile with a fixed number of workers that no mixture of other points beats.
struct Vertex {
  double samples_per_s = 0.0;
  double watts = 0.0;
  std::size_t point = 0;  // in the profile
};

// All efficient points with one number of workers, the slowest first. Each step up costs more power per speed than the
// one before. So a mixture of two neighbours in time is the best way to reach a speed between them.
struct WorkerLevel {
  int workers = 1;
  std::vector<Vertex> hull;
};

// The efficient points of a job in one group.
struct Choice {
  std::size_t group = 0;
  std::vector<WorkerLevel> levels;
};

// A job in the units of the search.
struct JobModel {
  std::size_t first_slot = 0;  // the window begins here
  std::size_t slot_count = 0;
  int first_begin = 0;  // seconds into the first slot at which the window begins
  int last_end = 0;     // seconds into the last slot at which it ends
  double samples = 0.0;
  double resume_s = 0.0;
  bool required = true;
  bool preemptible = true;
  std::vector<Choice> choices;
  // A job that runs until its window begins can go on without a start, at this level of its only choice.
  bool runs = false;
  std::size_t run_level = 0;
  double resume_left_s = 0.0;
  // Whether the job can only go on as it runs, so that no other time is possible.
  bool must_go_on() const { return runs && !preemptible; }
  // The performance of one sample: a constant (throughput), less a part that grows with time from the start of the
  // scenario (headroom).
  double worth = 0.0;
  double worth_lost_per_s = 0.0;
};

// The cost of the facility energy of a slot: `cheap` per kWh up to `free_kwh`, then `cheap + dear`. Convex when dear >=
// 0.
struct SlotTariff {
  double cheap = 0.0;
  double dear = 0.0;
  double free_kwh = 0.0;
  double cap_kwh = 0.0;  // upper limit; without a power cap, more than the cluster can draw

  double Cost(double kwh) const { return cheap * kwh + (kwh > free_kwh ? dear * (kwh - free_kwh) : 0.0); }
};

// A group in the units of the search.
struct GroupModel {
  int nodes = 0;
  int up = 0;  // before the first slot
  int gpus_per_node = 0;
  double on_kwh = 0.0;     // per slot and node: facility energy on with idle GPUs, less that asleep
  double sleep_kwh = 0.0;  // per slot and node: facility energy asleep
  double wake_kwh = 0.0;   // per wake-up: facility energy
  double idle_watts = 0.0;
};

// A problem in the units of the search: facility kWh per slot, and the unit of the objective for all costs.
struct Model {
  std::size_t slots = 0;
  int step_s = 0;
  double kwh_per_joule = 0.0;  // facility kWh of one joule of IT energy
  std::vector<SlotTariff> tariffs;
  std::vector<GroupModel> groups;
  std::vector<JobModel> jobs;
  std::vector<std::vector<std::vector<serving::ServingOption>>> services;  // [service][slot]: serving options
  std::vector<std::vector<double>> service_worth;  // [service][slot]: performance at zero latency
  std::vector<double> latency_slo_s;               // [service]
  double performance_weight = 0.0;
  double certain_worth = 0.0;  // performance that every plan has, as all requests are served
  bool right_sizing = true;
  // The share of a power cap that the search may use: after the placement, whole nodes draw a little more.
  double cap_share = 1.0;
  bool capped = false;
};

// Accepts any problem. The caller checks first that each job has a choice and each service an option.
Model MakeModel(const plan::Problem& problem);

// Sets other weights without computing the serving options again.
void SetWeights(const plan::Problem& problem, const plan::Weights& weights, Model& model);

// The efficient points among those with one number of workers, the slowest first: no other is as fast with less power.
// With `mixtures`, it also removes points that a mixture of two others in time equals. That is valid only if energy
// never has a negative price.
std::vector<Vertex> Worthwhile(std::vector<Vertex> points, bool mixtures);

}  // namespace heliostat::decomposition
