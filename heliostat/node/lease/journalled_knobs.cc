#include "heliostat/node/lease/journalled_knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heliostat/base/core/fault_point.h"

namespace heliostat::lease {
namespace {

constexpr std::chrono::seconds kFirstDelay{1};
constexpr std::chrono::seconds kLongestDelay{60};

// The driver said no before it did anything.
bool IsRefusal(ErrorCode code) {
  return code == ErrorCode::kPermissionDenied || code == ErrorCode::kUnsupported || code == ErrorCode::kInvalidArgument;
}

}  // namespace

using device::Applied;
using device::Knob;
using device::SetOutcome;
using device::Setting;

GpuLeases::JournalledKnobs::JournalledKnobs(io::Journal journal, device::Gpu& gpu, const Machine& machine, Say say)
    : journal_(std::move(journal)),
      gpu_(&gpu),
      machine_(&machine),
      say_(std::move(say)),
      ledger_(gpu.identity().uuid),
      lookout_(gpu, machine) {}

const Lease* GpuLeases::JournalledKnobs::Winner(Knob knob) const {
  const Lease* winner = nullptr;
  for (const auto& [number, entry] : ledger_.entries) {
    const Lease& lease = entry.lease;
    if (lease.wanted.knob != knob || lease.state == LeaseState::kOverridden) continue;
    if (winner == nullptr || lookout_.LevelOf(lease.wanted) < lookout_.LevelOf(winner->wanted)) winner = &lease;
  }
  return winner;
}

Setting GpuLeases::JournalledKnobs::Aim(Knob knob) const {
  const Lease* const winner = Winner(knob);
  return winner != nullptr ? lookout_.Normal(winner->wanted) : ledger_.pages.at(knob).base;
}

Status GpuLeases::JournalledKnobs::Settle(Knob knob, const Steps& steps, Records news) {
  const auto found = ledger_.pages.find(knob);
  if (found == ledger_.pages.end()) {
    Note(news);
    return {};
  }
  const auto sight = lookout_.Look(knob, found->second);
  if (!sight) {
    Note(news);
    return Owe(knob, sight.error());
  }
  if (sight->is_foreign) {
    LetGo(knob, *sight->at, std::move(news));
    return {};
  }
  return Winner(knob) != nullptr ? Bring(knob, *sight, steps, std::move(news))
                                 : Restore(knob, *sight, steps, std::move(news));
}

bool GpuLeases::JournalledKnobs::Prepare(LeasedKnob& page, const KnobWatch::Sight& sight, const Setting& wanted) {
  const bool is_there = lookout_.IsThere(page, sight, wanted);
  if (sight.is_fresh) {
    page.asked = page.stands = sight.at.value_or(page.base);
    page.boot = machine_->BootId();
    page.counter_mj = lookout_.Counter(std::chrono::seconds(0));
    page.is_reloaded = false;
  }
  if (!is_there) {
    page.pending = wanted;
    return true;
  }
  page.pending.reset();
  page.asked = wanted;
  page.stands = sight.at.value_or(wanted);
  return false;
}

Status GpuLeases::JournalledKnobs::Bring(Knob knob, const KnobWatch::Sight& sight, const Steps& steps, Records news) {
  LeasedKnob& page = ledger_.pages.at(knob);
  const LeasedKnob before = page;
  const bool is_turning = Prepare(page, sight, Aim(knob));
  if (is_turning && !sight.is_fresh && !before.pending && sight.at == before.base && before.stands != before.base) {
    Tell(LogLevel::kInfo,
         fmt::format("{} was put back to {} by somebody else; turned again", NameOf(knob), before.base.Text()));
  }
  if (page != before) news.push_back(ledger_.KnobRecord(knob));
  if (!news.empty() || is_behind_) {
    const auto on_disk = Write(news);
    // Where it may be turned to has to be on disk before: it stays where it is, which the disk knows.
    if (!on_disk && is_turning) {
      page = before;
      return Owe(knob, on_disk.error());
    }
  }
  if (is_turning) {
    FaultPoint(steps.journalled);
    const auto applied = Turn(knob, steps);
    if (!applied) return Owe(knob, applied.error());
  }
  page.is_settled = true;
  Forgive(knob);
  return {};
}

bool GpuLeases::JournalledKnobs::IsRefused(const Applied& applied, Knob knob) const {
  if (applied.outcome != SetOutcome::kIgnored) return false;
  // Coarse steps of the driver: another lease has it below already, and lower is what everybody asked for.
  const auto others = std::ranges::count_if(ledger_.entries, [knob](const auto& item) {
    return item.second.lease.wanted.knob == knob && item.second.lease.state != LeaseState::kOverridden;
  });
  return others < 2 || lookout_.LevelOf(applied.stands) > lookout_.LevelOf(applied.asked);
}

Result<Applied> GpuLeases::JournalledKnobs::Turn(Knob knob, const Steps& steps) {
  LeasedKnob& page = ledger_.pages.at(knob);
  const Setting wanted = *page.pending;
  auto applied = gpu_->Apply(wanted);
  FaultPoint(steps.applied);
  if (!applied) {
    if (IsRefusal(applied.error().code)) {
      page.pending.reset();
      Note({ledger_.KnobRecord(knob)});
    }
    return applied;
  }
  page.pending.reset();
  page.stands = lookout_.Normal(applied->stands);
  const bool is_refused = IsRefused(*applied, knob);
  if (!is_refused) {
    page.asked = wanted;
    page.is_settled = true;
  }
  Note({ledger_.KnobRecord(knob)});
  FaultPoint(steps.recorded);
  if (!is_refused) return applied;
  return Fail(ErrorCode::kUnavailable, std::string(NameOf(knob)),
              fmt::format("the driver ignores {} and stays at {}", wanted.Text(), page.stands.Text()));
}

Status GpuLeases::JournalledKnobs::TurnToBase(Knob knob, const KnobWatch::Sight& sight, const Steps& steps) {
  LeasedKnob& page = ledger_.pages.at(knob);
  if (!lookout_.IsThere(page, sight, page.base)) {
    const auto applied = gpu_->Apply(page.base);
    FaultPoint(steps.applied);
    if (!applied) return Propagate(applied);
    const Setting stands = lookout_.Normal(applied->stands);
    if (applied->outcome != SetOutcome::kUnverified && stands != page.base) {
      page.pending.reset();
      page.stands = stands;
      Note({ledger_.KnobRecord(knob)});
      return Fail(ErrorCode::kUnavailable, std::string(NameOf(knob)),
                  fmt::format("does not go back to {} and stays at {}", page.base.Text(), stands.Text()));
    }
  }
  page.pending.reset();
  page.asked = page.stands = page.base;
  page.boot = machine_->BootId();
  if (sight.is_fresh) page.counter_mj = lookout_.Counter(KnobWatch::kCounterEvery);
  page.is_reloaded = false;
  return {};
}

Status GpuLeases::JournalledKnobs::Restore(Knob knob, const KnobWatch::Sight& sight, const Steps& steps, Records news) {
  const auto turned = TurnToBase(knob, sight, steps);
  if (!turned) {
    LeasedKnob& page = ledger_.pages.at(knob);
    // By the next try, after a restart it may be, the counter may have risen past what is on disk.
    if (sight.is_fresh && !std::exchange(page.is_reloaded, true)) news.push_back(ledger_.KnobRecord(knob));
    Note(news);
    return Owe(knob, turned.error());
  }
  ledger_.pages.erase(knob);
  news.push_back(LeaseTable::FreeRecord(knob));
  Note(news);
  FaultPoint(steps.recorded);
  Forgive(knob);
  return {};
}

void GpuLeases::JournalledKnobs::LetGo(Knob knob, const Setting& at, Records news) {
  const LeasedKnob page = ledger_.pages.at(knob);
  std::size_t overridden = 0;
  for (auto& [number, entry] : ledger_.entries) {
    if (entry.lease.wanted.knob != knob || entry.lease.state == LeaseState::kOverridden) continue;
    entry.lease.state = LeaseState::kOverridden;
    news.push_back(ledger_.LeaseRecord(number));
    ++overridden;
  }
  ledger_.pages.erase(knob);
  troubles_.erase(knob);
  // Last: a lease on record without its page would be taken for one whose page was lost.
  news.push_back(LeaseTable::FreeRecord(knob));
  Note(news);
  Tell(
      LogLevel::kWarning,
      fmt::format("{} stands at {}, where somebody else put it; left alone ({} of ours overridden, not put back to {})",
                  NameOf(knob), at.Text(), overridden == 1 ? "1 lease" : fmt::format("{} leases", overridden),
                  page.base.Text()));
}

Status GpuLeases::JournalledKnobs::Compact() {
  const auto written = journal_.Replace(ledger_.Snapshot());
  if (written) {
    is_behind_ = false;
    // Leases in such numbers that they alone fill it must not have it written anew each time.
    compact_above_ = std::max(kCompactAbove, 2 * journal_.bytes());
  }
  return written;
}

Status GpuLeases::JournalledKnobs::Write(const Records& news) {
  const auto written = is_behind_ ? Compact() : journal_.Append(news);
  if (!written) {
    is_behind_ = true;
    const std::string why = written.error().Line();
    if (std::exchange(journal_trouble_, why) != why) {
      Tell(LogLevel::kWarning, fmt::format("the journal cannot be written: {}; no new leases until it can", why));
    }
    return written;
  }
  if (!journal_trouble_.empty()) {
    journal_trouble_.clear();
    Tell(LogLevel::kInfo, "the journal is written again");
  }
  if (journal_.bytes() > compact_above_ && !Compact()) compact_above_ = 2 * journal_.bytes();
  return {};
}

void GpuLeases::JournalledKnobs::Note(const Records& news) {
  if (news.empty()) return;
  (void)Write(news);  // Told there, and tried again by Tick().
}

tl::unexpected<Error> GpuLeases::JournalledKnobs::Owe(Knob knob, const Error& error) {
  Trouble& trouble = troubles_[knob];
  trouble.delay = std::clamp(2 * trouble.delay, kFirstDelay, kLongestDelay);
  trouble.due = machine_->SinceBoot() + trouble.delay;
  const std::string why = error.Line();
  if (std::exchange(trouble.why, why) != why) {
    Tell(LogLevel::kWarning,
         fmt::format("{} should be at {} and is not: {}; tried again", NameOf(knob), Aim(knob).Text(), why));
  }
  return tl::unexpected<Error>(error);
}

void GpuLeases::JournalledKnobs::Forgive(Knob knob) {
  if (troubles_.erase(knob) == 0) return;
  Tell(LogLevel::kInfo, fmt::format("{} is where it should be again", NameOf(knob)));
}

LeaseState GpuLeases::JournalledKnobs::StateOf(const Lease& lease) const {
  if (lease.state == LeaseState::kOverridden) return LeaseState::kOverridden;
  const Lease* const winner = Winner(lease.wanted.knob);
  if (winner != nullptr && lookout_.Normal(winner->wanted) != lookout_.Normal(lease.wanted))
    return LeaseState::kOutdone;
  return troubles_.count(lease.wanted.knob) > 0 ? LeaseState::kWaiting : LeaseState::kInForce;
}

Lease GpuLeases::JournalledKnobs::WithState(const Lease& lease) const {
  Lease told = lease;
  told.state = StateOf(lease);
  return told;
}

void GpuLeases::JournalledKnobs::Tell(LogLevel level, const std::string& line) const {
  const auto& identity = gpu_->identity();
  if (say_) say_(level, fmt::format("GPU {} ({}): {}", identity.index, identity.name, line));
}

}  // namespace heliostat::lease
