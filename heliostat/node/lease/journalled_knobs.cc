#include "heliostat/node/lease/journalled_knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heliostat/base/core/fault_point.h"

namespace heliostat::lease {
namespace {

constexpr std::chrono::seconds kFirstDelay{1};
constexpr std::chrono::seconds kLongestDelay{60};

// True for errors with which the driver refuses a write before it changes anything.
bool IsRefusal(ErrorCode code) {
  return code == ErrorCode::kPermissionDenied || code == ErrorCode::kUnsupported || code == ErrorCode::kInvalidArgument;
}

}  // namespace

using device::Applied;
using device::Knob;
using device::SetOutcome;
using device::Setting;

GpuLeases::JournalledKnobs::JournalledKnobs(io::Journal journal, device::Gpu& gpu, const Machine& machine, Say say,
                                            OpenOptions options)
    : journal_(std::move(journal)),
      gpu_(&gpu),
      machine_(&machine),
      say_(std::move(say)),
      table_(gpu.identity().uuid),
      watch_(gpu, machine, std::move(options.bases)) {}

const Lease* GpuLeases::JournalledKnobs::Winner(Knob knob) const {
  const Lease* winner = nullptr;
  for (const auto& [number, entry] : table_.entries) {
    const Lease& lease = entry.lease;
    if (lease.wanted.knob != knob || lease.state == LeaseState::kOverridden) continue;
    if (winner == nullptr || watch_.LevelOf(lease.wanted) < watch_.LevelOf(winner->wanted)) winner = &lease;
  }
  return winner;
}

Setting GpuLeases::JournalledKnobs::Aim(Knob knob) const {
  const Lease* const winner = Winner(knob);
  return winner != nullptr ? watch_.Normal(winner->wanted) : table_.knobs.at(knob).base;
}

Status GpuLeases::JournalledKnobs::Settle(Knob knob, const Steps& steps, Records news) {
  const auto found = table_.knobs.find(knob);
  if (found == table_.knobs.end()) {
    Note(news);
    return {};
  }
  const auto seen = watch_.Look(knob, found->second);
  if (!seen) {
    Note(news);
    return RetryLater(knob, seen.error());
  }
  if (seen->is_foreign) {
    MarkOverridden(knob, *seen->at, std::move(news));
    return {};
  }
  return Winner(knob) != nullptr ? Bring(knob, *seen, steps, std::move(news))
                                 : Restore(knob, *seen, steps, std::move(news));
}

bool GpuLeases::JournalledKnobs::Prepare(LeasedKnob& leased, const KnobWatch::KnobState& seen, const Setting& wanted) {
  const bool is_there = watch_.IsThere(leased, seen, wanted);
  if (seen.is_fresh) {
    leased.asked = leased.stands = seen.at.value_or(leased.base);
    leased.boot = machine_->BootId();
    leased.counter_mj = watch_.Counter(std::chrono::seconds(0));
    leased.is_reloaded = false;
  }
  if (!is_there) {
    leased.pending = wanted;
    return true;
  }
  leased.pending.reset();
  leased.asked = wanted;
  leased.stands = seen.at.value_or(wanted);
  return false;
}

Status GpuLeases::JournalledKnobs::Bring(Knob knob, const KnobWatch::KnobState& seen, const Steps& steps,
                                         Records news) {
  LeasedKnob& leased = table_.knobs.at(knob);
  const LeasedKnob before = leased;
  const bool is_turning = Prepare(leased, seen, Aim(knob));
  if (is_turning && !seen.is_fresh && !before.pending && seen.at == before.base && before.stands != before.base) {
    LogForGpu(LogLevel::kInfo,
              fmt::format("another program put {} back to {}; set again", NameOf(knob), before.base.Text()));
  }
  if (leased != before) news.push_back(table_.KnobRecord(knob));
  if (!news.empty() || is_behind_) {
    const auto on_disk = Write(news);
    // The setting must be on disk before the card changes: the knob stays where it is, which the journal has.
    if (!on_disk && is_turning) {
      leased = before;
      return RetryLater(knob, on_disk.error());
    }
  }
  if (is_turning) {
    FaultPoint(steps.journalled);
    const auto applied = Turn(knob, steps);
    if (!applied) return RetryLater(knob, applied.error());
  }
  leased.is_settled = true;
  ClearTrouble(knob);
  return {};
}

bool GpuLeases::JournalledKnobs::IsRefused(const Applied& applied, Knob knob) const {
  if (applied.outcome != SetOutcome::kIgnored) return false;
  // Coarse steps of the driver: another lease already holds the knob lower, which satisfies this one too.
  const auto others = std::ranges::count_if(table_.entries, [knob](const auto& item) {
    return item.second.lease.wanted.knob == knob && item.second.lease.state != LeaseState::kOverridden;
  });
  return others < 2 || watch_.LevelOf(applied.stands) > watch_.LevelOf(applied.asked);
}

Result<Applied> GpuLeases::JournalledKnobs::Turn(Knob knob, const Steps& steps) {
  LeasedKnob& leased = table_.knobs.at(knob);
  const Setting wanted = *leased.pending;
  auto applied = gpu_->Apply(wanted);
  FaultPoint(steps.applied);
  if (!applied) {
    if (IsRefusal(applied.error().code)) {
      leased.pending.reset();
      Note({table_.KnobRecord(knob)});
    }
    return applied;
  }
  leased.pending.reset();
  leased.stands = watch_.Normal(applied->stands);
  const bool is_refused = IsRefused(*applied, knob);
  if (!is_refused) {
    leased.asked = wanted;
    leased.is_settled = true;
  }
  Note({table_.KnobRecord(knob)});
  FaultPoint(steps.recorded);
  if (!is_refused) return applied;
  return Fail(ErrorCode::kUnavailable, std::string(NameOf(knob)),
              fmt::format("the driver ignores {} and stays at {}", wanted.Text(), leased.stands.Text()));
}

Status GpuLeases::JournalledKnobs::TurnToBase(Knob knob, const KnobWatch::KnobState& seen, const Steps& steps) {
  LeasedKnob& leased = table_.knobs.at(knob);
  if (!watch_.IsThere(leased, seen, leased.base)) {
    const auto applied = gpu_->Apply(leased.base);
    FaultPoint(steps.applied);
    if (!applied) return Propagate(applied);
    const Setting stands = watch_.Normal(applied->stands);
    if (applied->outcome != SetOutcome::kUnverified && stands != leased.base) {
      leased.pending.reset();
      leased.stands = stands;
      Note({table_.KnobRecord(knob)});
      return Fail(ErrorCode::kUnavailable, std::string(NameOf(knob)),
                  fmt::format("does not go back to {} and stays at {}", leased.base.Text(), stands.Text()));
    }
  }
  leased.pending.reset();
  leased.asked = leased.stands = leased.base;
  leased.boot = machine_->BootId();
  if (seen.is_fresh) leased.counter_mj = watch_.Counter(KnobWatch::kCounterEvery);
  leased.is_reloaded = false;
  return {};
}

Status GpuLeases::JournalledKnobs::Restore(Knob knob, const KnobWatch::KnobState& seen, const Steps& steps,
                                           Records news) {
  const auto turned = TurnToBase(knob, seen, steps);
  if (!turned) {
    LeasedKnob& leased = table_.knobs.at(knob);
    // By the next try, perhaps after a restart, the counter may have risen past the value on disk.
    if (seen.is_fresh && !std::exchange(leased.is_reloaded, true)) news.push_back(table_.KnobRecord(knob));
    Note(news);
    return RetryLater(knob, turned.error());
  }
  table_.knobs.erase(knob);
  news.push_back(LeaseTable::FreeRecord(knob));
  Note(news);
  FaultPoint(steps.recorded);
  ClearTrouble(knob);
  return {};
}

void GpuLeases::JournalledKnobs::MarkOverridden(Knob knob, const Setting& at, Records news) {
  const LeasedKnob leased = table_.knobs.at(knob);
  std::size_t overridden = 0;
  for (auto& [number, entry] : table_.entries) {
    if (entry.lease.wanted.knob != knob || entry.lease.state == LeaseState::kOverridden) continue;
    entry.lease.state = LeaseState::kOverridden;
    news.push_back(table_.LeaseRecord(number));
    ++overridden;
  }
  table_.knobs.erase(knob);
  troubles_.erase(knob);
  // Last: Recover() takes a lease without its knob for one whose knob record was lost.
  news.push_back(LeaseTable::FreeRecord(knob));
  Note(news);
  LogForGpu(
      LogLevel::kWarning,
      fmt::format("another program set {} to {}; left alone ({} overridden, not put back to {})", NameOf(knob),
                  at.Text(), overridden == 1 ? "1 lease" : fmt::format("{} leases", overridden), leased.base.Text()));
}

Status GpuLeases::JournalledKnobs::Compact() {
  if (is_damaged_) {
    if (const auto kept = journal_.KeepDamaged(); !kept) return kept;
    is_damaged_ = false;
    if (const auto trusted = CheckTrust(); !trusted) LogForGpu(LogLevel::kWarning, trusted.error().Line());
  }
  const auto written = journal_.Replace(table_.Snapshot());
  if (written) {
    is_behind_ = false;
    // A journal that is full of leases still in force must not be compacted again by every write.
    compact_above_ = std::max(kCompactAbove, 2 * journal_.bytes());
  }
  return written;
}

Status GpuLeases::JournalledKnobs::CheckTrust() const {
  const auto copies = io::Journal::DamagedCopies(journal_.path());
  if (copies.empty()) return {};
  return Fail(ErrorCode::kUnavailable, copies.front(), "the GPU has no new leases because this journal was damaged",
              "check the GPU's settings, then remove the file");
}

std::vector<std::string> GpuLeases::JournalledKnobs::troubles() const {
  std::vector<std::string> lines;
  if (!journal_trouble_.empty()) lines.push_back("no new leases: the journal cannot be written: " + journal_trouble_);
  if (const auto trusted = CheckTrust(); !trusted) lines.push_back(trusted.error().Line());
  return lines;
}

Status GpuLeases::JournalledKnobs::Write(const Records& news) {
  const auto written = is_behind_ ? Compact() : journal_.Append(news);
  if (!written) {
    is_behind_ = true;
    const std::string why = written.error().Line();
    if (std::exchange(journal_trouble_, why) != why) {
      LogForGpu(LogLevel::kWarning, fmt::format("the journal cannot be written: {}; no new leases until it can", why));
    }
    return written;
  }
  if (!journal_trouble_.empty()) {
    journal_trouble_.clear();
    LogForGpu(LogLevel::kInfo, "the journal can be written again");
  }
  if (journal_.bytes() > compact_above_ && !Compact()) compact_above_ = 2 * journal_.bytes();
  return {};
}

void GpuLeases::JournalledKnobs::Note(const Records& news) {
  if (news.empty()) return;
  (void)Write(news);  // Logs a failure; Tick() tries again.
}

tl::unexpected<Error> GpuLeases::JournalledKnobs::RetryLater(Knob knob, const Error& error) {
  Trouble& trouble = troubles_[knob];
  trouble.delay = std::clamp(2 * trouble.delay, kFirstDelay, kLongestDelay);
  trouble.due = machine_->SinceBoot() + trouble.delay;
  const std::string why = error.Line();
  if (std::exchange(trouble.why, why) != why) {
    LogForGpu(LogLevel::kWarning, fmt::format("{} should be at {} and is not: {}; will be tried again", NameOf(knob),
                                              Aim(knob).Text(), why));
  }
  return tl::unexpected<Error>(error);
}

void GpuLeases::JournalledKnobs::ClearTrouble(Knob knob) {
  if (troubles_.erase(knob) == 0) return;
  LogForGpu(LogLevel::kInfo, fmt::format("{} is where it should be again", NameOf(knob)));
}

LeaseState GpuLeases::JournalledKnobs::StateOf(const Lease& lease) const {
  if (lease.state == LeaseState::kOverridden) return LeaseState::kOverridden;
  const Lease* const winner = Winner(lease.wanted.knob);
  if (winner != nullptr && watch_.Normal(winner->wanted) != watch_.Normal(lease.wanted)) return LeaseState::kOutdone;
  return troubles_.count(lease.wanted.knob) > 0 ? LeaseState::kWaiting : LeaseState::kInForce;
}

Lease GpuLeases::JournalledKnobs::WithState(const Lease& lease) const {
  Lease copy = lease;
  copy.state = StateOf(lease);
  return copy;
}

void GpuLeases::JournalledKnobs::LogForGpu(LogLevel level, const std::string& line) const {
  const auto& identity = gpu_->identity();
  if (say_) say_(level, fmt::format("GPU {} ({}): {}", identity.index, identity.name, line));
}

}  // namespace heliostat::lease
