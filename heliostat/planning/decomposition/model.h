#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/model/serving/options.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::decomposition {

// A way to train with a fixed number of workers that no mixture of others beats.
struct Vertex {
  double samples_per_s = 0.0;
  double watts = 0.0;
  std::size_t point = 0;  // in the profile
};

// All worthwhile ways with one number of workers, slowest first; each step up buys speed at a higher price than the one
// before, so that mixing neighbours in time is the best way to any speed between.
struct WorkerLevel {
  int workers = 1;
  std::vector<Vertex> hull;
};

// What a job can do in one group.
struct Choice {
  std::size_t group = 0;
  std::vector<WorkerLevel> levels;
};

// A job as the search sees it.
struct JobModel {
  std::size_t first_slot = 0;  // of the window
  std::size_t slot_count = 0;
  int first_begin = 0;  // seconds into the first slot at which the window begins
  int last_end = 0;     // seconds into the last slot at which it ends
  double samples = 0.0;
  double resume_s = 0.0;
  bool required = true;
  bool preemptible = true;
  std::vector<Choice> choices;
  // What one sample is worth, in units of performance: a constant (throughput), and a part that falls with time
  // (headroom), counted from the scenario's start.
  double worth = 0.0;
  double worth_lost_per_s = 0.0;
};

// The cost of a slot's facility energy: `cheap` a kWh up to `free_kwh`, then `cheap + dear`. Convex when dear >= 0.
struct SlotTariff {
  double cheap = 0.0;
  double dear = 0.0;
  double free_kwh = 0.0;
  double cap_kwh = 0.0;  // may not be exceeded; what the whole cluster could draw when nobody sets a limit

  double Cost(double kwh) const { return cheap * kwh + (kwh > free_kwh ? dear * (kwh - free_kwh) : 0.0); }
};

struct GroupModel {
  int nodes = 0;
  int gpus_per_node = 0;
  double on_kwh = 0.0;     // facility energy of a slot that a node which is on draws beyond one asleep, all GPUs idle
  double sleep_kwh = 0.0;  // facility energy of a slot of a node asleep
  double wake_kwh = 0.0;   // facility energy of a wake-up
  double idle_watts = 0.0;
};

// A problem in the units that the search works in: facility kWh a slot, and the objective's own unit for all costs.
struct Model {
  std::size_t slots = 0;
  int step_s = 0;
  double kwh_per_joule = 0.0;  // facility kWh of one joule of IT energy
  std::vector<SlotTariff> tariffs;
  std::vector<GroupModel> groups;
  std::vector<JobModel> jobs;
  std::vector<std::vector<std::vector<serving::ServingOption>>> services;  // [service][slot]: ways to serve it
  std::vector<std::vector<double>> service_worth;  // [service][slot]: performance of a full latency budget left
  std::vector<double> latency_slo_s;               // [service]
  double performance_weight = 0.0;
  double certain_worth = 0.0;  // performance that every plan has: requests are all served
  bool right_sizing = true;
  // Share of a power cap that plans are made for: whole nodes, placed one by one, draw a little more in the end.
  double cap_share = 1.0;
  bool capped = false;
};

// Nothing is refused here: a job without a choice or a service without an option is the planner's to explain first.
Model MakeModel(const plan::Problem& problem);

// The same work under other weights, without asking the latency model again.
void SetWeights(const plan::Problem& problem, const plan::Weights& weights, Model& model);

// Worthwhile ways among points of one number of workers: no other is as fast for less power. With `mixtures`, those
// that a mixture of two others in time equals go too, which is right as long as energy never has a negative price.
std::vector<Vertex> Worthwhile(std::vector<Vertex> points, bool mixtures);

}  // namespace heliostat::decomposition
