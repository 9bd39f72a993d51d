#pragma once

#include <map>
#include <string>
#include <vector>

#include "heliostat/planning/decomposition/board.h"
#include "heliostat/planning/decomposition/solve.h"

namespace heliostat::decomposition {

// What a search can begin from.
struct SearchMemory::Content {
  struct Job {
    double lambda = 0.0;
    plan::JobPlan plan;
  };
  Duration step{};
  plan::Weights weights;                                      // prices of another objective would mislead
  std::map<Instant, double> energy;                           // by the slot's beginning
  std::map<std::string, std::map<Instant, double>> shortage;  // by group
  std::map<std::string, Job> jobs;                            // by id
};

// Prices of the new horizon's slots where the old one knew them; false when it knew none.
bool Recall(const scenario::Scenario& scenario, const SearchMemory::Content& content, std::vector<double>& energy,
            Board::Rents& shortage);

// The job's schedule of last time, as far as it still makes sense: inside the window, in one of its groups, with points
// that it still has, and with all its samples. Empty pieces otherwise.
Schedule Recall(const scenario::Scenario& scenario, const Model& model, std::size_t job,
                const SearchMemory::Content& content);

}  // namespace heliostat::decomposition
