#include "heliostat/ui/experiments/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "heliostat/base/core/hash.h"
#include "heliostat/ui/experiments/result_journal.h"

namespace heliostat::experiments {
namespace {

// A change of what a case means, or of what is kept of it, makes old journals void.
constexpr int kEdition = 2;

std::string KeyOf(const Case& one, std::uint64_t fingerprint, const std::string& version) {
  return fmt::format("{:016x}", Hash64(fmt::format("{}|{}|{}|{}", kEdition, version, fingerprint, Describe(one))));
}

// Cases, taken one by one by several threads; everything that they share is behind one lock.
class Sweep {
 public:
  Sweep(const std::vector<Case>& cases, std::vector<std::string> keys, const RunOne& run, const SweepProgress& progress)
      : cases_(cases), keys_(std::move(keys)), run_(run), progress_(progress), outcomes_(cases.size()) {}

  Status Resume(ResultJournal& journal) {
    journal_ = &journal;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const auto found = journal.entries().find(keys_[i]);
      if (found == journal.entries().end()) continue;
      auto outcome = OutcomeOf(found->second);
      if (!outcome) return Propagate(outcome);
      outcomes_[i] = *std::move(outcome);
      ++done_;
    }
    return {};
  }

  Result<std::vector<CaseOutcome>> Go(unsigned threads) {
    if (progress_) progress_(done_, cases_.size());
    const auto work = [this] {
      for (std::size_t i = next_++; i < cases_.size(); i = next_++) {
        if (outcomes_[i]) continue;
        if (has_failed_) return;
        Finish(i, run_(cases_[i]));
      }
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& thread : others) thread.join();
    if (!status_) return Propagate(status_);
    std::vector<CaseOutcome> outcomes;
    for (auto& outcome : outcomes_) outcomes.push_back(*std::move(outcome));
    return outcomes;
  }

 private:
  void Finish(std::size_t i, Result<CaseOutcome> outcome) {
    const std::lock_guard lock(mutex_);
    Status status = outcome ? Status{} : Status{Propagate(outcome)};
    if (outcome && journal_ != nullptr) status = journal_->Append(keys_[i], ToJson(*outcome));
    if (!status) {
      has_failed_ = true;
      // Of several failures the one of the first case is reported, as with one thread.
      if (status_ || i < failed_case_) {
        status_ = status;
        failed_case_ = i;
      }
      return;
    }
    outcomes_[i] = *std::move(outcome);
    ++done_;
    if (progress_) progress_(done_, cases_.size());
  }

  const std::vector<Case>& cases_;
  std::vector<std::string> keys_;
  const RunOne& run_;
  const SweepProgress& progress_;
  std::vector<std::optional<CaseOutcome>> outcomes_;  // each written by one thread, before or after all others run
  ResultJournal* journal_ = nullptr;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::size_t failed_case_ = 0;
  Status status_;
};

}  // namespace

Result<std::vector<CaseOutcome>> RunSweep(const std::vector<Case>& cases, std::uint64_t fingerprint, const RunOne& run,
                                          const SweepOptions& options, const SweepProgress& progress) {
  std::vector<std::string> keys;
  keys.reserve(cases.size());
  for (const Case& one : cases) keys.push_back(KeyOf(one, fingerprint, options.version));
  Sweep sweep(cases, std::move(keys), run, progress);
  std::optional<ResultJournal> journal;
  if (!options.journal.empty()) {
    auto opened = ResultJournal::Open(options.journal);
    if (!opened) return Propagate(opened);
    journal.emplace(*std::move(opened));
    if (auto bad = sweep.Resume(*journal); !bad) return Propagate(bad);
  }
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned wanted = options.threads == 0 ? cores : options.threads;
  return sweep.Go(static_cast<unsigned>(std::min<std::size_t>(wanted, std::max<std::size_t>(1, cases.size()))));
}

Result<std::vector<CaseOutcome>> RunSweep(const std::vector<Case>& cases, const StudyPlaces& world,
                                          const SweepOptions& options, const SweepProgress& progress) {
  return RunSweep(
      cases, world.fingerprint, [&world](const Case& one) { return RunCase(one, world); }, options, progress);
}

}  // namespace heliostat::experiments
