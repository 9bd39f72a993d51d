#include "heliostat/control/sim/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "heliostat/control/sim/verdict.h"

namespace heliostat::sim {
namespace {

// Rough times of the parts of a comparison relative to a policy that does not plan, for the share of work done.
constexpr double kReplanningWork = 30.0;
constexpr double kBoundWork = 5.0;

// A comparison under way. Thread-safe where it says so.
class Contest {
 public:
  Contest(const scenario::Scenario& scenario, Foresight& foresight, const CompareOptions& options,
          ComparisonListener* listener)
      : scenario_(scenario), foresight_(foresight), options_(options), listener_(listener) {}

  Status Prepare() {
    for (const std::string& name : options_.policies) {
      auto policy = policy::Make(name, options_.policy);
      if (!policy) return Propagate(policy);
      all_work_ += WorkOf(**policy);
      policies_.push_back(std::move(*policy));
      order_.push_back(order_.size());
    }
    std::ranges::stable_sort(order_, {}, [this](std::size_t i) { return policies_[i]->Replans(); });
    if (options_.with_bound) all_work_ += kBoundWork;
    // The split simulates the winner again; the last in the order takes the longest.
    if (options_.with_split && policies_.size() > 1) all_work_ += WorkOf(*policies_[order_.back()]);
    return {};
  }

  Result<Comparison> Run() {
    comparison_.runs.resize(policies_.size());
    comparison_.figures.resize(policies_.size());
    const unsigned wanted =
        options_.threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : options_.threads;
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < std::min<std::size_t>(wanted, policies_.size()); ++i) {
      threads.emplace_back([this] { RunPolicies(); });
    }
    RunPolicies();
    for (std::thread& thread : threads) thread.join();
    if (!failed_) return Propagate(failed_);
    std::thread beside;
    if (options_.with_bound && wanted > 1) beside = std::thread([this] { FindBound(); });
    if (options_.with_split) Split();
    if (beside.joinable()) {
      beside.join();
    } else if (options_.with_bound) {
      FindBound();
    }
    return std::move(comparison_);
  }

 private:
  static double WorkOf(const policy::Policy& policy) { return policy.Replans() ? kReplanningWork : 1.0; }

  // Thread-safe.
  void RunPolicies() {
    for (std::size_t k = next_++; k < order_.size(); k = next_++) {
      const std::size_t i = order_[k];
      auto run = RunOne(i);
      const std::lock_guard lock(mutex_);
      if (!run) {
        failed_ = Propagate(run);
        continue;
      }
      comparison_.runs[i] = *std::move(run);
      comparison_.figures[i] = FiguresOf(scenario_, comparison_.runs[i]);
      if (listener_ != nullptr) listener_->Finished(comparison_.runs[i], comparison_.figures[i]);
    }
  }

  Result<SimulatedRun> RunOne(std::size_t i) {
    const std::string& name = options_.policies[i];
    const SlotProgress progressed = ProgressOf(name, WorkOf(*policies_[i]));
    if (!options_.decision_log.empty()) {
      return SimulateLogged(scenario_, *policies_[i], foresight_, options_.world,
                            {options_.decision_log, name, options_.policy}, progressed);
    }
    SimulatedRun run = Simulate(scenario_, *policies_[i], foresight_, options_.world, progressed);
    run.policy = name;
    return run;
  }

  SlotProgress ProgressOf(const std::string& what, double work) {
    if (listener_ == nullptr) return {};
    const double slot_work = work / static_cast<double>(scenario_.slots);
    return [this, what, slot_work, before = std::size_t{0}](std::size_t slots_done) mutable {
      const std::lock_guard lock(mutex_);
      done_work_ += slot_work * static_cast<double>(slots_done - before);
      before = slots_done;
      listener_->Advanced(done_work_ / all_work_, fmt::format("{}: slot {} of {}", what, slots_done, scenario_.slots));
    };
  }

  void FindBound() {
    const Bound bound = LowestPossible(scenario_, comparison_.runs, [this](int rounds_done) {
      const std::lock_guard lock(mutex_);
      // The number of rounds is not known in advance.
      if (listener_ != nullptr) listener_->Advanced(std::nullopt, fmt::format("the bound: round {}", rounds_done));
    });
    const std::lock_guard lock(mutex_);
    comparison_.bound = bound;
    done_work_ += kBoundWork;
  }

  void Split() {
    const auto winner = Judge(comparison_.figures).winner;
    if (!winner || *winner == 0) return;
    const std::string& name = options_.policies[*winner];
    const SplitRequest request{options_.policies.front(), comparison_.figures.front(), name,
                               comparison_.figures[*winner], policies_[*winner]->MindsNodes()};
    SavingSplit split = SplitSaving(request, [&](const std::string& policy, bool default_settings_only) {
      return SimulateForSplit(policy, default_settings_only);
    });
    const std::lock_guard lock(mutex_);
    comparison_.split = std::move(split);
  }

  Figures SimulateForSplit(const std::string& name, bool default_settings_only) {
    const auto known = std::ranges::find(options_.policies, name);
    if (!default_settings_only && known != options_.policies.end()) {
      return comparison_.figures[static_cast<std::size_t>(known - options_.policies.begin())];
    }
    SimulationOptions world = options_.world;
    if (default_settings_only) world.capabilities.cap_power = false;
    const auto policy = policy::Make(name, options_.policy);  // a policy keeps state, so each run has its own
    const std::string what = name + (default_settings_only ? " with default GPU settings" : "");
    return FiguresOf(scenario_, Simulate(scenario_, **policy, foresight_, world, ProgressOf(what, WorkOf(**policy))));
  }

  const scenario::Scenario& scenario_;
  Foresight& foresight_;
  const CompareOptions& options_;
  ComparisonListener* listener_;
  std::vector<std::unique_ptr<policy::Policy>> policies_;
  std::vector<std::size_t> order_;  // of execution: policies that take little time first
  double all_work_ = 0.0;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;  // guards what follows, and the listener
  double done_work_ = 0.0;
  Comparison comparison_;
  Status failed_;
};

}  // namespace

std::optional<std::size_t> SleepingBaseline(const std::vector<SimulatedRun>& runs) {
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].policy == WithSleep(runs.front().policy)) return i;
  }
  return std::nullopt;
}

std::optional<YearSaving> SavedInAYear(const scenario::Scenario& scenario, const Comparison& comparison,
                                       std::size_t policy) {
  if (policy == 0) return std::nullopt;
  const SimulatedRun& base = comparison.runs.front();
  if (comparison.earlier_weeks.empty()) return SavedInAYear(scenario, base, comparison.runs[policy]);
  std::vector<SavedInPart> weeks = comparison.earlier_weeks;
  for (const SavedInPart& week : SavedByPart(scenario, base, comparison.runs[policy], std::chrono::weeks{1})) {
    weeks.push_back(week);
  }
  return YearOfWeeks(std::move(weeks));
}

Result<Comparison> Compare(const scenario::Scenario& scenario, Foresight& foresight, const CompareOptions& options,
                           ComparisonListener* listener) {
  Contest contest(scenario, foresight, options, listener);
  if (const auto bad = contest.Prepare(); !bad) return Propagate(bad);
  return contest.Run();
}

}  // namespace heliostat::sim
