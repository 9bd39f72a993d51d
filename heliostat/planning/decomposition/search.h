#pragma once

#include <chrono>
#include <limits>

#include "heliostat/planning/decomposition/improve.h"
#include "heliostat/planning/decomposition/memory.h"
#include "heliostat/planning/decomposition/search_schedule.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::decomposition {

// One search for a plan: prices first, then a plan that they guide. Budget and floor are not its business.
class Search {
 public:
  Search(const plan::Problem& problem, const Model& model, const plan::Effort& effort,
         const SearchMemory::Content* begin);

  // Finds prices by letting groups be over-full at a rent, round by round, and their bound.
  void FindPrices();
  // Finds a plan. False when some required job found no place; why() names the first.
  bool FindPlan();

  double bound() const { return bound_; }
  // No prices were needed to see that a job cannot be done at all, or they prove that GPUs are short. Then why() says
  // so.
  bool infeasible() const { return infeasible_; }
  const std::string& why() const { return why_; }
  // Jobs for which there was no place.
  const std::vector<std::size_t>& unplaced() const { return unplaced_; }
  const Board& board() const { return board_; }
  // What the search knows, for the next one.
  SearchMemory::Content Remember(const plan::Plan& plan) const;

 private:
  void Begin(const SearchMemory::Content* begin);
  void Round(double width);
  void AskBound();
  Prices PricesNow() const;
  void AskBoundOfSmall();
  // The last plan is mended rather than made anew.
  bool IsLight() const { return warm_ && !proof_; }
  // Whether a round may begin. With rounds that are counted, the clock decides nothing.
  bool MayBegin() { return rounds_allowed_ != nullptr ? rounds_allowed_->Begin() : !Expired(); }
  bool Expired() const { return rounds_allowed_ != nullptr ? rounds_allowed_->is_over() : Clock::now() > until_; }
  double Scale() const;
  bool ProveShortage();

  using Clock = std::chrono::steady_clock;
  const plan::Problem& problem_;
  const Model& model_;
  Clock::time_point until_;
  plan::Rounds* rounds_allowed_;
  double gap_;
  bool proof_;
  bool warm_ = false;
  SearchSchedule schedule_;
  Board board_;
  Improver improver_;
  double weight_ = 0.0;  // of all rounds so far
  int rounds_ = 0;
  std::vector<double> energy_;  // of the last round
  Board::Rents shortage_;
  std::vector<double> mean_energy_;  // over rounds: what converges
  Board::Rents mean_shortage_;
  std::vector<Response> replies_;
  double bound_ = -std::numeric_limits<double>::infinity();
  bool infeasible_ = false;
  std::string why_;
  std::vector<std::size_t> unplaced_;
};

}  // namespace heliostat::decomposition
