#include "heliostat/control/policy/job_table.h"

#include <algorithm>

#include "heliostat/base/core/check.h"

namespace heliostat::policy {
namespace {

// Samples assumed to be left in a job that has exceeded its estimate, as a share of the estimate.
constexpr double kNeverLess = 0.05;

}  // namespace

double JobState::SamplesLeft(Instant now) const {
  if (IsOver(phase)) return 0.0;
  double done = samples_done;
  if (phase == Phase::kRunning && now > since) done += samples_per_s * Seconds(now - since).count();
  const double left = asked.samples - done;
  return left > 1e-9 * asked.samples ? left : kNeverLess * asked.samples;
}

std::size_t JobTable::At(JobId id) const {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), id,
                                      [](const Entry& entry, JobId wanted) { return entry.id < wanted; });
  return static_cast<std::size_t>(found - entries_.begin());
}

JobState& JobTable::Add(JobId id, JobState state) {
  const std::size_t at = entries_.empty() || entries_.back().id < id ? entries_.size() : At(id);
  auto own = std::make_unique<JobState>(std::move(state));
  if (at < entries_.size() && entries_[at].id == id) {
    Check(!entries_[at].state, "the job id is already in the table");
    --erased_;
    entries_[at].state = std::move(own);
  } else {
    entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(at), Entry{id, std::move(own)});
  }
  return *entries_[at].state;
}

void JobTable::Erase(JobId id) {
  const std::size_t at = At(id);
  if (at == entries_.size() || entries_[at].id != id || !entries_[at].state) return;
  entries_[at].state.reset();
  ++erased_;
  // Compacting at half keeps the cost of each erasure constant on average.
  if (erased_ < 64 || 2 * erased_ < entries_.size()) return;
  std::erase_if(entries_, [](const Entry& entry) { return !entry.state; });
  erased_ = 0;
}

const JobState* JobTable::Find(JobId id) const {
  const std::size_t at = At(id);
  return at < entries_.size() && entries_[at].id == id ? entries_[at].state.get() : nullptr;
}

JobState* JobTable::Find(JobId id) { return const_cast<JobState*>(std::as_const(*this).Find(id)); }

const JobState& JobTable::operator[](JobId id) const {
  const JobState* state = Find(id);
  Check(state != nullptr, "the job id is not in the table");
  return *state;
}

JobState& JobTable::operator[](JobId id) { return const_cast<JobState&>(std::as_const(*this)[id]); }

}  // namespace heliostat::policy
