#pragma once

#include <map>
#include <string>
#include <vector>

#include "benchmarks/reference/draft_plan.h"
#include "benchmarks/reference/solve.h"

namespace heliostat::reference {

// What a search keeps for the next one.
struct SearchMemory::Content {
  struct Job {
    double lambda = 0.0;
    plan::JobPlan plan;
  };
  Duration step{};
  plan::Weights weights;                                      // prices are valid for these weights only
  std::map<Instant, double> energy;                           // by the begin of the slot
  std::map<std::string, std::map<Instant, double>> shortage;  // by group
  std::map<std::string, Job> jobs;                            // by id
};

// Sets the prices of those slots of the scenario that the memory has. False when it has none of them.
bool Recall(const scenario::Scenario& scenario, const SearchMemory::Content& content, std::vector<double>& energy,
            DraftPlan::Rents& shortage);

// The job's schedule in the last plan, cut to its window. Without pieces when the schedule is no longer valid: another
// group, points that the model no longer has, too few samples, or far too many.
Schedule Recall(const scenario::Scenario& scenario, const Model& model, std::size_t job,
                const SearchMemory::Content& content);

}  // namespace heliostat::reference
