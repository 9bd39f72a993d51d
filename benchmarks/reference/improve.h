#pragma once

#include <functional>
#include <vector>

#include "benchmarks/reference/draft_plan.h"
#include "benchmarks/reference/prices.h"

namespace heliostat::reference {

// Returns true once the time is over.
using Expired = std::function<bool()>;

// Fills a draft job by job and improves it job by job. Deterministic. Refers to the draft, which must outlive it. Not
// thread-safe.
class Improver {
 public:
  explicit Improver(DraftPlan& draft);

  // Sets every service and places every job that is not placed yet, the least slack first. `scarcity` is the expected
  // rent of GPUs, as in DraftPlan::OffersFor(). A job without free GPUs displaces others. Returns the required jobs
  // that found no place.
  std::vector<std::size_t> Fill(const DraftPlan::Rents& scarcity, const Expired& expired);

  // Removes jobs in over-full slots or slots above the power cap, the most slack first, until each slot fits.
  void Evict();

  // Removes each job and inserts it where it adds the least cost; undoes the change if the value rises. Returns by how
  // much the value fell. `scarcity` (may be null) as in DraftPlan::OffersFor().
  double Sweep(const DraftPlan::Rents* scarcity, const Expired& expired);

  void SetLambda(std::size_t job, double lambda) { lambda_[job] = lambda; }

 private:
  bool Insert(std::size_t job, const DraftPlan::Rents* rents);
  bool MakeRoom(std::size_t job, const DraftPlan::Rents* rents, std::vector<std::size_t>& pushed);
  double Slack(std::size_t job) const;
  double SweepServices(const DraftPlan::Rents* rents);

  DraftPlan& draft_;
  const Model& model_;
  JobSearch search_;
  Offers offers_;
  std::vector<double> lambda_;
  std::vector<int> pushes_;            // [job]: how often it was displaced
  std::vector<std::size_t> by_slack_;  // jobs, the least slack first
};

}  // namespace heliostat::reference
