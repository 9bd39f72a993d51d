#include "heliostat/planning/planner/best_effort.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "heliostat/planning/admission/admit.h"
#include "heliostat/planning/plan/check.h"
#include "heliostat/planning/plan/progress.h"
#include "heliostat/planning/planner/reasons.h"

namespace heliostat::planner {
namespace {

using plan::Termination;
using scenario::Scenario;
using Clock = std::chrono::steady_clock;

// Exchanges of the admission; with more jobs, each takes longer.
constexpr std::size_t kMostExchanges = 4000;
constexpr std::size_t kLeastExchanges = 200;
constexpr std::size_t kExchangesTimesJobs = 400'000;
// When no plan keeps the moved deadlines, they move once more: by this share of the time since submit, at least so far.
constexpr int kRelief = 10;
constexpr Duration kLeastRelief{900};
// Attempts to keep the deadline of one more job, and the share of the time that all of them may take.
constexpr int kMostReturns = 6;
constexpr double kShareForReturns = 0.5;
constexpr double kReturnGap = 0.02;
constexpr double kLeastSeconds = 0.05;

// The end of each job's time in a plan; nothing for a job that need not be done.
using Dues = std::vector<std::optional<Instant>>;

// One search for a plan that misses deadlines.
class BestEffort {
 public:
  BestEffort(const Scenario& scenario, const PlanRequest& request, const Watcher& watcher)
      : scenario_(scenario), request_(request), watcher_(watcher), begun_(Clock::now()) {
    request_.limits.finish_best_effort = false;  // the dues say which jobs must be done
  }

  // Keeps the admission's deadlines, or nearly. Nothing when no plan was found.
  std::optional<SolvedRequest> Find(const admission::Admission& admission) {
    dues_ = DuesOf(admission);
    for (int i = 0; i < 2; ++i) {
      SolvedRequest solved = SolveWith(dues_, request_.effort);
      if (!solved.is_crowded) return solved;
      for (const std::size_t j : admission.missed) {
        if (!dues_[j]) continue;
        const Duration more = std::max<Duration>(kLeastRelief, (*dues_[j] - scenario_.jobs[j].submit) / kRelief);
        dues_[j] = std::min(*dues_[j] + more, scenario_.end());
      }
    }
    return std::nullopt;
  }

  // Tries to keep the deadline of one more job, the heaviest first.
  void Return(const std::vector<std::size_t>& missed, std::size_t least, SolvedRequest& best) {
    std::vector<std::size_t> order = missed;
    std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t j) { return scenario_.jobs[j].weight; });
    std::size_t count = missed.size();
    int tries = 0;
    for (const std::size_t j : order) {
      if (count <= least || ++tries > kMostReturns) return;
      if (!request_.rounds && Elapsed() > kShareForReturns * request_.effort.time_limit.count()) return;
      Dues dues = dues_;
      dues[j] = scenario_.WindowOf(scenario_.jobs[j]).end;
      plan::Effort effort = request_.effort;
      effort.gap = std::max(effort.gap, kReturnGap);
      SolvedRequest solved = SolveWith(dues, effort);
      if (!solved.answer.outcome.has_plan()) continue;
      dues_ = std::move(dues);
      best = std::move(solved);
      --count;
    }
  }

  // Plans once more with the final deadlines, and takes the time that is left.
  void Improve(SolvedRequest& best) {
    if (!request_.rounds && Elapsed() >= request_.effort.time_limit.count()) return;
    SolvedRequest solved = SolveWith(dues_, request_.effort, Patience::kAnswer);
    if (!solved.answer.outcome.has_plan()) return;
    const auto worse = [&](double a, double b) { return IsMaximised(request_.objective) ? a < b : a > b; };
    if (!worse(solved.answer.outcome.value, best.answer.outcome.value)) best = std::move(solved);
  }

  double Elapsed() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }
  Scenario Moved(const Dues& dues) const {
    Scenario moved = scenario_;
    for (std::size_t j = 0; j < dues.size(); ++j) moved.jobs[j].deadline = dues[j];
    return moved;
  }
  const Dues& dues() const { return dues_; }

 private:
  Dues DuesOf(const admission::Admission& admission) const {
    const std::vector<admission::Terms> terms = admission::TermsOf(scenario_, asked_);
    Dues dues(scenario_.jobs.size());
    for (std::size_t j = 0; j < dues.size(); ++j) {
      if (terms[j].must_run) dues[j] = scenario_.jobs[j].deadline.value_or(scenario_.end());
    }
    for (const std::size_t j : admission.missed) dues[j] = admission.finish[j];
    return dues;
  }

  SolvedRequest SolveWith(const Dues& dues, plan::Effort effort, Patience patience = Patience::kStep) {
    PlanRequest request = request_;
    request.effort = effort;
    request.effort.time_limit = Seconds(std::max(kLeastSeconds, effort.time_limit.count() - Elapsed()));
    return SolveRequest(Moved(dues), request, watcher_, patience);
  }

  const Scenario& scenario_;
  PlanRequest request_;
  const plan::Limits asked_ = request_.limits;
  const Watcher& watcher_;
  Clock::time_point begun_;
  Dues dues_;
};

std::vector<plan::Miss> MissesOf(const Scenario& scenario, const plan::Limits& limits, const plan::Plan& plan,
                                 const admission::MissBound& bound) {
  std::vector<plan::Miss> missed;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const scenario::Job& job = scenario.jobs[j];
    if (!admission::MustBeDone(job, limits)) continue;
    const Instant by = scenario.WindowOf(job).end;
    const auto finish = plan::FinishOf(job, plan::PiecesOf(scenario, job, plan.jobs[j]));
    if (finish && *finish <= by) continue;
    plan::Miss& miss = missed.emplace_back(plan::Miss{.job = j});
    if (finish) miss.late = *finish - by;
    miss.reason = WhyMissed(scenario, bound, j);
    if (!finish) miss.reason += "; it is not done within the horizon";
  }
  return missed;
}

// The admission's own plan, where the search found none.
plan::Outcome OutcomeOf(const Scenario& scenario, const PlanRequest& request, const plan::Plan& plan) {
  plan::Outcome outcome{.planned = plan::Planned{plan, plan::ScoreOf(scenario, plan)}};
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  outcome.bound = IsMaximised(request.objective) ? kUnknown : -kUnknown;
  return outcome;
}

std::string Summary(const Scenario& scenario, const plan::Limits& limits, const plan::Outcome& outcome) {
  const auto due =
      std::ranges::count_if(scenario.jobs, [&](const auto& job) { return admission::MustBeDone(job, limits); });
  const plan::Miss& first = outcome.missed.front();
  std::string proven = outcome.least_misses == 0 ? "no plan was found that keeps all of them"
                                                 : fmt::format("every plan misses at least {}", outcome.least_misses);
  return fmt::format("{} of {} deadlines are missed, and {}; job {}: {}", outcome.missed.size(), due, proven,
                     scenario.jobs[first.job].id, first.reason);
}

}  // namespace

Scenario KeptBy(const Scenario& scenario, const plan::Outcome& outcome) {
  Scenario kept = scenario;
  for (const plan::Miss& miss : outcome.missed) {
    std::optional<Instant>& deadline = kept.jobs[miss.job].deadline;
    deadline.reset();
    if (miss.late) deadline = scenario.WindowOf(scenario.jobs[miss.job]).end + *miss.late;
  }
  return kept;
}

void NameMisses(const Scenario& scenario, const PlanRequest& request, const admission::MissBound& bound,
                plan::Outcome& outcome) {
  outcome.planned->score = plan::ScoreOf(scenario, outcome.plan());
  outcome.missed = MissesOf(scenario, request.limits, outcome.plan(), bound);
  outcome.least_misses = std::max(outcome.least_misses, bound.least);
  outcome.status = outcome.missed.empty() ? Termination::kFeasible : Termination::kBestEffort;
  outcome.reason = outcome.missed.empty() ? "" : Summary(scenario, request.limits, outcome);
}

plan::PlanAnswer MakeBestEffort(const Scenario& scenario, const PlanRequest& request, const admission::MissBound& bound,
                                SolvedRequest first, const Watcher& watcher) {
  const bool is_limited = request.limits.carbon_budget_kg || request.limits.performance_floor;
  const bool is_refuted = first.answer.outcome.status == Termination::kInfeasible && !is_limited;
  const std::size_t least = std::max<std::size_t>(bound.least, is_refuted ? 1 : 0);
  const auto terms = admission::TermsOf(scenario, request.limits);
  const std::size_t exchanges =
      std::clamp(kExchangesTimesJobs / std::max<std::size_t>(terms.size(), 1), kLeastExchanges, kMostExchanges);
  const auto admission = admission::Admit(scenario, request.limits, terms, static_cast<int>(exchanges));
  if (!admission) {
    if (first.answer.objective.empty()) first = SolveRequest(scenario, request, watcher);
    return std::move(first.answer);
  }
  BestEffort search(scenario, request, watcher);
  plan::PlanAnswer answer{.objective = std::string(NameOf(request.objective)), .solver = "price"};
  if (auto solved = search.Find(*admission)) {
    if (!solved->answer.outcome.has_plan()) {
      // A plan that misses more deadlines might keep the limits, so nothing is proven.
      plan::Outcome& failed = solved->answer.outcome;
      failed.status = Termination::kNoPlan;
      failed.reason = fmt::format("not every deadline can be kept; with {} missed, {}",
                                  admission->missed.size() == 1 ? "one" : fmt::format("{}", admission->missed.size()),
                                  failed.reason);
      return std::move(solved->answer);
    }
    search.Return(admission->missed, least, *solved);
    search.Improve(*solved);
    answer = std::move(solved->answer);
  } else {
    const auto kept = search.Moved(search.dues());
    plan::Limits limits = request.limits;
    limits.finish_best_effort = false;
    if (const auto broken = plan::Violations(kept, limits, admission->plan); !broken.empty()) {
      answer.outcome.reason = "no plan was found: " + broken.front();
      return answer;
    }
    answer.outcome = OutcomeOf(scenario, request, admission->plan);
  }
  plan::Outcome& outcome = answer.outcome;
  outcome.time_decided = outcome.time_decided || first.answer.outcome.time_decided;
  outcome.least_misses = least;
  NameMisses(scenario, request, bound, outcome);
  outcome.value = plan::ValueOf(request.objective, outcome.score());
  outcome.bound =
      IsMaximised(request.objective) ? std::max(outcome.bound, outcome.value) : std::min(outcome.bound, outcome.value);
  answer.solve_s = first.answer.solve_s + search.Elapsed();
  return answer;
}

}  // namespace heliostat::planner
