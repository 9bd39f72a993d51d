#pragma once

#include <functional>
#include <span>
#include <vector>

#include "heliostat/planning/decomposition/draft_plan.h"
#include "heliostat/planning/decomposition/prices.h"

namespace heliostat::decomposition {

// Returns true once the time is over.
using Expired = std::function<bool()>;

// Fills a draft job by job and improves it job by job. Deterministic. Refers to the draft, which must outlive it. Not
// thread-safe.
class Improver {
 public:
  // Uses `threads` threads (0: one per core). The result does not depend on their number.
  explicit Improver(DraftPlan& draft, unsigned threads = 0);

  // Sets every service and places every job that is not placed yet, the least slack first. `scarcity` is the expected
  // rent of GPUs, as in DraftPlan::OffersFor(). A job without free GPUs displaces others. Returns the required jobs
  // that found no place.
  std::vector<std::size_t> Fill(const DraftPlan::Rents& scarcity, const Expired& expired);

  // Removes jobs in over-full slots or slots above the power cap, the most slack first, until each slot fits.
  void Evict();

  // Removes each job and inserts it where it adds the least cost; undoes the change if the value rises. Returns by how
  // much the value fell. `scarcity` (may be null) as in DraftPlan::OffersFor().
  double Sweep(const DraftPlan::Rents* scarcity, const Expired& expired);

  // The same for blocks of `size` jobs: all jobs of a block are removed, then each finds its place in the same draft,
  // in several threads, then all are inserted. Jobs of a block do not see each other and choose the same slots, so a
  // block must be a small part of all jobs, and the draft smooth.
  double SweepInBlocks(std::size_t size, const Expired& expired);

  // Inserts a job that is not placed where it adds the least cost. False when a required job finds no place. `rents` as
  // above.
  bool Insert(std::size_t job, const DraftPlan::Rents* rents);

  void SetLambda(std::size_t job, double lambda) { lambda_[job] = lambda; }

 private:
  // What a thread needs to find places.
  struct Worker {
    JobSearch search;
    Offers offers;
  };
  struct Place {
    bool found = false;
    Schedule schedule;
  };

  Place Find(std::size_t job, const DraftPlan::Rents* rents, Worker& worker);
  void SweepBlock(std::span<const std::size_t> jobs);
  bool MakeRoom(std::size_t job, const DraftPlan::Rents* rents, std::vector<std::size_t>& pushed);
  double Slack(std::size_t job) const;
  double SweepServices(const DraftPlan::Rents* rents);

  DraftPlan& draft_;
  const Model& model_;
  std::vector<Worker> workers_;  // one per thread
  std::vector<double> lambda_;
  std::vector<std::size_t> choice_;    // [job]: its last group
  std::vector<int> pushes_;            // [job]: how often it was displaced
  std::vector<std::size_t> by_slack_;  // jobs, the least slack first
};

}  // namespace heliostat::decomposition
