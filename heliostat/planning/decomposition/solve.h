#pragma once

#include <memory>

#include "heliostat/planning/plan/objective.h"

namespace heliostat::decomposition {

// What one search keeps for the next: prices by instant and schedules by job id. So it remains useful when the horizon
// has moved and jobs have arrived or ended. Opaque and cheap to copy. Not thread-safe.
class SearchMemory {
 public:
  SearchMemory();
  ~SearchMemory();
  SearchMemory(const SearchMemory&);
  SearchMemory& operator=(const SearchMemory&);
  SearchMemory(SearchMemory&&) noexcept;
  SearchMemory& operator=(SearchMemory&&) noexcept;

  // Makes the next search a fresh one: it does not begin from the last prices. It still returns to the last schedules
  // where they are better than what it finds.
  void ForgetPrices();

  struct Content;
  std::shared_ptr<const Content> content;
};

// The solver for clusters of any size. Jobs and services are coupled only by the price of energy and the rent of GPUs
// in each slot. For given prices, each finds its own best schedule (a small dynamic programme). Prices rise where
// groups are over-full and are averaged over rounds. At any prices, the total cost less the revenue of the prices is a
// proven bound. The plan comes from inserting jobs one by one, repeatedly, at the exact cost that they add.
// Deterministic for a given number of rounds: only the time limit can make two runs differ. It ignores the carbon
// budget and the performance floor. When `memory` is given, the search begins from it and updates it. Thread-safe, with
// one memory per thread.
plan::Outcome Solve(const plan::Problem& problem, const plan::Effort& effort, SearchMemory* memory = nullptr);

}  // namespace heliostat::decomposition
