#pragma once

#include <chrono>
#include <limits>
#include <optional>

#include "heliostat/planning/decomposition/improve.h"
#include "heliostat/planning/decomposition/neighbourhood_search.h"
#include "heliostat/planning/decomposition/search_memory.h"
#include "heliostat/planning/decomposition/search_schedule.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::decomposition {

// One search for a plan: prices first, then a plan guided by them. It ignores the carbon budget and the performance
// floor. Refers to its arguments, which must outlive it. Not thread-safe.
class Search {
 public:
  Search(const plan::Problem& problem, const Model& model, const plan::Effort& effort,
         const SearchMemory::Content* begin);

  // Finds prices and their bound, round by round: groups may be over-full at a rent.
  void FindPrices();
  // Finds a plan. False when a required job or a service found no place; why() names the first.
  bool FindPlan();
  // One round of improvement after FindPlan(). False, without a change, when the time, the rounds of the effort or
  // `rounds` are over.
  bool ImproveFurther(plan::Rounds& rounds);

  double bound() const { return bound_; }
  // Proven that no plan exists: a job does not fit its window, or GPUs are short. why() states which.
  bool infeasible() const { return infeasible_; }
  const std::string& why() const { return why_; }
  // Jobs that found no place.
  const std::vector<std::size_t>& unplaced() const { return unplaced_; }
  const DraftPlan& draft() const { return draft_; }
  // Further whole plans: the one from memory with the new jobs added, and the last ones on the way to the draft. After
  // the placement one of them may be better. Empty when no proof is asked for, to save the time of placements.
  const std::vector<DraftPlan::Content>& others() const { return others_; }
  // The memory for the next search.
  SearchMemory::Content Remember(const plan::Plan& plan) const;

 private:
  void Begin(const SearchMemory::Content* begin);
  void Round(double width);
  void AskBound();
  Prices PricesNow() const;
  void AskBoundOfSmall();
  void TryFormer();
  void KeepContinued();
  // Whether the search only repairs the last plan.
  bool IsLight() const { return warm_ && !proof_; }
  // Whether a round may begin. When rounds are counted, the clock has no influence.
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
  unsigned threads_;
  bool warm_ = false;
  SearchSchedule schedule_;
  DraftPlan draft_;
  Improver improver_;
  NeighbourhoodSearch neighbours_;
  double weight_ = 0.0;  // sum over all rounds so far
  int rounds_ = 0;
  std::vector<double> energy_;  // of the last round
  DraftPlan::Rents shortage_;
  std::vector<double> mean_energy_;  // weighted mean over rounds; it converges
  DraftPlan::Rents mean_shortage_;
  std::vector<Response> replies_;
  std::vector<Schedule> former_;  // [job]: from memory; empty without
  struct Continued {
    DraftPlan::Content content;
    double value = 0.0;
  };
  std::optional<Continued> continued_{};  // the plan from memory with the new jobs added, where it is better
  std::vector<DraftPlan::Content> others_;
  double bound_ = -std::numeric_limits<double>::infinity();
  bool infeasible_ = false;
  std::string why_;
  std::vector<std::size_t> unplaced_;
};

}  // namespace heliostat::decomposition
