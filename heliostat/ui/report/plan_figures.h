#pragma once

#include <optional>
#include <vector>

#include "heliostat/planning/plan/score.h"

namespace heliostat::report {

// Figures of a plan in addition to its totals, for the terminal and the page.
struct PlanFigures {
  struct Group {
    double mean_on = 0.0;
    int most_on = 0;
    int wake_ups = 0;
  };
  struct Job {
    std::optional<Instant> begin;   // of its first segment; nullopt: it never runs
    std::optional<Instant> finish;  // nullopt: it is not done within the horizon
    std::optional<Duration> spare;  // from finish to deadline; nullopt if either is missing
    double done_share = 0.0;        // of its samples
    Joules energy;                  // of its GPUs, before PUE
    int starts = 0;                 // first start, restarts and changes of workers
    int most_workers = 0;

    bool is_late(const scenario::Job& job) const { return job.deadline && !(spare && *spare >= Duration{0}); }
  };
  struct Service {
    Seconds worst_latency{};
    Instant worst_at;
    double mean_replicas = 0.0;
    int most_replicas = 0;
    double mean_utilisation = 0.0;  // over replicas
    Joules energy;                  // of its GPUs, before PUE
  };

  // Mean facility power per slot in kW, by consumer.
  std::vector<double> training_kw;
  std::vector<double> serving_kw;
  std::vector<double> standing_kw;  // the rest: nodes, idle GPUs, wake-ups
  std::vector<double> facility_kw;
  std::vector<double> renewable_kw;  // available, used or not
  double renewable_kwh = 0.0;
  std::vector<Group> groups;
  std::vector<Job> jobs;
  std::vector<Service> services;
};

// `plan` must be a plan of `scenario`, and `score` its score.
PlanFigures FiguresOf(const scenario::Scenario& scenario, const plan::Plan& plan, const plan::Score& score);

}  // namespace heliostat::report
