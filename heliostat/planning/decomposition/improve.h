#pragma once

#include <functional>
#include <vector>

#include "heliostat/planning/decomposition/board.h"
#include "heliostat/planning/decomposition/prices.h"

namespace heliostat::decomposition {

// True once time is up.
using Expired = std::function<bool()>;

// Fills a board job by job and makes it better job by job. Deterministic.
class Improver {
 public:
  explicit Improver(Board& board);

  // Sets every service and places every job that is not placed yet, tightest first, at prices that foresee how scarce
  // GPUs are. Jobs for which there is no room push others aside. Returns the required jobs that found no place.
  std::vector<std::size_t> Fill(const Board::Rents& scarcity, const Expired& expired);

  // Takes off jobs, those with the most slack first, until no group is over-full.
  void Evict();

  // Takes each job off and puts it back where it adds least, keeping it only if that helps. Returns how much it gained.
  // `scarcity` (may be null) as in Board::OffersFor.
  double Sweep(const Board::Rents* scarcity, const Expired& expired);

  void SetLambda(std::size_t job, double lambda) { lambda_[job] = lambda; }

 private:
  bool Insert(std::size_t job, const Board::Rents* rents);
  bool MakeRoom(std::size_t job, const Board::Rents* rents, std::vector<std::size_t>& pushed);
  double Slack(std::size_t job) const;
  double SweepServices(const Board::Rents* rents);

  Board& board_;
  const Model& model_;
  JobSearch search_;
  Offers offers_;
  std::vector<double> lambda_;
  std::vector<int> pushes_;            // how often each job had to make room for others
  std::vector<std::size_t> by_slack_;  // tightest first
};

}  // namespace heliostat::decomposition
