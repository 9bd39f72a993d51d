#pragma once

#include <memory>

#include "heliostat/planning/plan/objective.h"

namespace heliostat::decomposition {

// What one plan leaves for the next: prices and schedules by the instant and the job's id, so that it still fits when
// the horizon has moved on and jobs have come and gone. Opaque; cheap to copy.
class SearchMemory {
 public:
  SearchMemory();
  ~SearchMemory();
  SearchMemory(const SearchMemory&);
  SearchMemory& operator=(const SearchMemory&);
  SearchMemory(SearchMemory&&) noexcept;
  SearchMemory& operator=(SearchMemory&&) noexcept;

  struct Content;
  std::shared_ptr<const Content> content;
};

// The planner for clusters of any size. Jobs and services meet only through the price of energy and the rent of GPUs in
// each slot: given these, each finds its own best schedule (a small dynamic programme). Prices rise where groups are
// over-full and are averaged over rounds. What everybody costs at any prices, less what the prices take in, is a proven
// bound; the plan comes from inserting jobs one by one at the exact cost that they add, again and again. Deterministic
// for a given number of rounds; only the time limit can make two runs differ. `memory`, when given, is begun from and
// updated. May be called from several threads at once, each with a memory of its own.
plan::Outcome Solve(const plan::Problem& problem, const plan::Effort& effort, SearchMemory* memory = nullptr);

}  // namespace heliostat::decomposition
