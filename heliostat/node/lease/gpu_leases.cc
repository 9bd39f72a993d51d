#include "heliostat/node/lease/gpu_leases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heliostat/base/core/fault_point.h"
#include "heliostat/node/lease/journalled_knobs.h"

namespace heliostat::lease {
namespace {

// After a crash, a fall of the energy counter is detected against the value on disk. The older that value, the likelier
// the counter has risen past it again.
constexpr std::chrono::seconds kNoteCounterEvery = std::chrono::minutes(10);
constexpr std::size_t kMostLeases = 1000;
constexpr std::size_t kLongestName = 1024;
constexpr std::chrono::seconds kLongestTtl = std::chrono::hours(24) * 366 * 10;

Status CheckTtl(std::chrono::seconds ttl) {
  if (ttl.count() > 0 && ttl <= kLongestTtl) return {};
  return Fail(ErrorCode::kInvalidArgument, "ttl", fmt::format("is {} s", ttl.count()),
              fmt::format("1 to {} s", kLongestTtl.count()));
}

tl::unexpected<Error> NoSuchLease(std::string_view id) {
  return Fail(ErrorCode::kNotFound, "lease " + Printable(id, 60), "does not exist", "it may have ended");
}

}  // namespace

using device::Applied;
using device::Knob;
using device::SetOutcome;
using device::Setting;

Status GpuLeases::JournalledKnobs::CheckRequest(const LeaseRequest& request) const {
  if (is_put_back_) return Fail(ErrorCode::kUnavailable, "leases", "the agent is about to stop", "ask again later");
  const Setting& wanted = request.wanted;
  if (wanted.is_default) {
    return Fail(ErrorCode::kInvalidArgument, std::string(NameOf(wanted.knob)), "the default cannot be leased",
                "name a value, or release the lease");
  }
  if (const auto good = device::CheckRange(gpu_->identity(), gpu_->abilities(), wanted); !good) return good;
  if (const auto good = CheckTtl(request.ttl); !good) return good;
  if (const auto good = CheckTrust(); !good) return good;
  const Owner& owner = request.owner;
  if (owner.user.size() > kLongestName || owner.job.size() > kLongestName) {
    return Fail(ErrorCode::kInvalidArgument, "owner", "the name of the user or job is too long",
                fmt::format("at most {} bytes", kLongestName));
  }
  if (owner.process && !machine_->IsAlive(*owner.process)) {
    return Fail(ErrorCode::kInvalidArgument, "owner", fmt::format("process {} is not running", owner.process->pid),
                "the owner of a lease must be a running process");
  }
  if (table_.entries.size() >= kMostLeases) {
    return Fail(ErrorCode::kUnavailable, "leases", fmt::format("this GPU has {} leases already", kMostLeases),
                "release some first");
  }
  return {};
}

KeptLease GpuLeases::JournalledKnobs::MakeEntry(const LeaseRequest& request, std::uint64_t number,
                                                const LeasedKnob& leased) const {
  KeptLease entry;
  entry.lease = {.id = table_.IdOf(number),
                 .gpu = gpu_->identity().uuid,
                 .owner = request.owner,
                 .wanted = request.wanted,
                 .previous = leased.base,
                 .granted = machine_->Now(),
                 .expires = machine_->SinceBoot() + request.ttl,
                 .state = LeaseState::kInForce};
  entry.boot = machine_->BootId();
  return entry;
}

Result<KnobWatch::KnobState> GpuLeases::JournalledKnobs::TakeUp(Knob knob) {
  if (const auto found = table_.knobs.find(knob); found != table_.knobs.end()) {
    auto seen = watch_.Look(knob, found->second);
    if (!seen || !seen->is_foreign) return seen;
    MarkOverridden(knob, *seen->at, {});
  }
  auto start = watch_.Begin(knob);
  if (!start) return Propagate(start);
  table_.knobs[knob] = std::move(start->leased);
  return start->seen;
}

Result<GpuLeases::Grant> GpuLeases::JournalledKnobs::Take(const LeaseRequest& request) {
  if (const auto good = CheckRequest(request); !good) return Propagate(good);
  const Knob knob = request.wanted.knob;
  const auto seen = TakeUp(knob);
  if (!seen) return Propagate(seen);
  FaultPoint("take-read");
  const std::uint64_t number = table_.NextNumber();
  const auto is_turning = Enter(number, request, *seen);
  if (!is_turning) return Propagate(is_turning);
  FaultPoint(kTakeSteps.journalled);
  const LeasedKnob& leased = table_.knobs.at(knob);
  Grant grant;
  grant.applied = {request.wanted, leased.stands, SetOutcome::kAsAsked};
  if (*is_turning) {
    const auto applied = Turn(knob, kTakeSteps);
    if (!applied) {
      table_.entries.erase(number);
      (void)Settle(knob, kUndoSteps, {table_.EndRecord(number, LeaseEnd::kReleased)});  // What fails is owed.
      return Propagate(applied);
    }
    grant.applied.outcome = applied->outcome;
    grant.applied.stands = leased.stands;
  } else if (leased.stands != watch_.Normal(request.wanted)) {
    grant.applied.outcome = SetOutcome::kClamped;
  }
  if (Aim(knob) == watch_.Normal(request.wanted)) ClearTrouble(knob);
  grant.lease = WithState(table_.entries.at(number).lease);
  return grant;
}

Result<bool> GpuLeases::JournalledKnobs::Enter(std::uint64_t number, const LeaseRequest& request,
                                               const KnobWatch::KnobState& seen) {
  const Setting wanted = watch_.Normal(request.wanted);
  const Knob knob = wanted.knob;
  LeasedKnob& leased = table_.knobs.at(knob);
  const LeasedKnob before = leased;
  const bool is_first = Winner(knob) == nullptr && troubles_.count(knob) == 0;
  table_.entries.emplace(number, MakeEntry(request, number, leased));
  const bool is_outdone = Aim(knob) != wanted;
  const bool is_turning = !is_outdone && Prepare(leased, seen, wanted);
  // The knob comes first: a lease in the journal without its knob would not have a base to go back to.
  if (const auto on_disk = Write({table_.KnobRecord(knob), table_.LeaseRecord(number)}); !on_disk) {
    table_.entries.erase(number);
    leased = before;
    if (is_first) table_.knobs.erase(knob);
    return Propagate(on_disk);
  }
  return is_turning;
}

Result<Lease> GpuLeases::JournalledKnobs::Renew(std::string_view id, std::chrono::seconds ttl) {
  const auto number = table_.NumberOf(id);
  const auto found = number ? table_.entries.find(*number) : table_.entries.end();
  if (found == table_.entries.end()) return NoSuchLease(id);
  if (const auto good = CheckTtl(ttl); !good) return Propagate(good);
  Lease& lease = found->second.lease;
  const auto before = std::exchange(lease.expires, machine_->SinceBoot() + ttl);
  if (const auto on_disk = Write({table_.LeaseRecord(*number)}); !on_disk) {
    lease.expires = before;
    return Propagate(on_disk);
  }
  return WithState(lease);
}

Status GpuLeases::JournalledKnobs::Release(std::string_view id, LeaseEnd why) {
  const auto number = table_.NumberOf(id);
  const auto found = number ? table_.entries.find(*number) : table_.entries.end();
  if (found == table_.entries.end()) return NoSuchLease(id);
  FaultPoint("release-begun");
  const Knob knob = found->second.lease.wanted.knob;
  table_.entries.erase(found);
  (void)Settle(knob, kReleaseSteps, {table_.EndRecord(*number, why)});  // What fails is owed.
  return {};
}

std::optional<LeaseEnd> GpuLeases::JournalledKnobs::EndOf(const KeptLease& entry) const {
  if (entry.boot != machine_->BootId()) return LeaseEnd::kReboot;
  const auto& process = entry.lease.owner.process;
  if (process && !machine_->IsAlive(*process)) return LeaseEnd::kOwnerDied;
  if (entry.lease.expires <= machine_->SinceBoot()) return LeaseEnd::kExpired;
  return std::nullopt;
}

std::map<Knob, GpuLeases::JournalledKnobs::Records> GpuLeases::JournalledKnobs::EndFinishedLeases() {
  std::map<Knob, Records> news;
  for (auto it = table_.entries.begin(); it != table_.entries.end();) {
    const auto why = EndOf(it->second);
    if (!why) {
      ++it;
      continue;
    }
    const Lease& lease = it->second.lease;
    news[lease.wanted.knob].push_back(table_.EndRecord(it->first, *why));
    LogForGpu(LogLevel::kInfo, fmt::format("lease {} of {} on {} is over: {}", lease.id,
                                           Printable(lease.owner.user, 60), NameOf(lease.wanted.knob), NameOf(*why)));
    it = table_.entries.erase(it);
  }
  return news;
}

void GpuLeases::JournalledKnobs::WatchCounter() {
  if (table_.knobs.empty()) return;
  const auto counter = watch_.Counter(KnobWatch::kCounterEvery);
  if (!counter) return;
  const bool is_due = machine_->SinceBoot() - counter_noted_ >= kNoteCounterEvery;
  if (is_due) counter_noted_ = machine_->SinceBoot();
  Records news;
  for (auto& [knob, leased] : table_.knobs) {
    const bool has_fallen = leased.counter_mj && *counter < *leased.counter_mj;
    if (!has_fallen && !leased.is_reloaded) leased.counter_mj = counter;
    if (is_due || (has_fallen && !leased.is_reloaded)) {
      leased.is_reloaded = leased.is_reloaded || has_fallen;
      news.push_back(table_.KnobRecord(knob));
    }
  }
  Note(news);
}

void GpuLeases::JournalledKnobs::Tick() {
  if (is_put_back_) return;
  for (auto& [knob, records] : EndFinishedLeases()) (void)Settle(knob, kReleaseSteps, std::move(records));
  WatchCounter();
  for (const Knob knob : device::kKnobs) {
    const auto trouble = troubles_.find(knob);
    if (trouble != troubles_.end() && machine_->SinceBoot() < trouble->second.due) continue;
    (void)Settle(knob, kRecoverSteps);  // What fails is owed.
  }
  if (is_behind_) (void)Write({});  // Logs a failure itself.
}

Status GpuLeases::JournalledKnobs::PutBack(Knob knob) {
  LeasedKnob& leased = table_.knobs.at(knob);
  const auto seen = watch_.Look(knob, leased);
  if (!seen) return RetryLater(knob, seen.error());
  if (seen->is_foreign) {
    MarkOverridden(knob, *seen->at, {});
    return {};
  }
  if (Winner(knob) == nullptr) return Restore(knob, *seen, kPutBackSteps, {});
  if (const auto turned = TurnToBase(knob, *seen, kPutBackSteps); !turned) return RetryLater(knob, turned.error());
  Note({table_.KnobRecord(knob)});
  FaultPoint(kPutBackSteps.recorded);
  return {};
}

Status GpuLeases::JournalledKnobs::PutBack() {
  is_put_back_ = true;
  Status first;
  for (const Knob knob : device::kKnobs) {
    if (table_.knobs.count(knob) == 0) continue;
    const auto put = PutBack(knob);
    if (first && !put) first = put;
  }
  return first;
}

void GpuLeases::JournalledKnobs::DropUnsupported() {
  const auto is_possible = [this](const Setting& setting) {
    return device::CheckRange(gpu_->identity(), gpu_->abilities(), setting).has_value();
  };
  for (auto it = table_.entries.begin(); it != table_.entries.end();) {
    const Lease& lease = it->second.lease;
    if (!lease.wanted.is_default && is_possible(lease.wanted)) {
      ++it;
      continue;
    }
    LogForGpu(LogLevel::kWarning,
              fmt::format("lease {} in the journal asks for {} {}, which the card does not support; ended", lease.id,
                          NameOf(lease.wanted.knob), lease.wanted.Text()));
    it = table_.entries.erase(it);
    is_behind_ = true;
  }
  for (auto it = table_.knobs.begin(); it != table_.knobs.end();) {
    const Knob knob = it->first;
    LeasedKnob& leased = it->second;
    const bool has_knob = is_possible(Setting::Default(knob));
    if (!is_possible(leased.base)) {
      LogForGpu(LogLevel::kWarning,
                fmt::format("the journal has {} at {}, which the card does not support{}", NameOf(knob),
                            leased.base.Text(), has_knob ? "; the default is restored instead" : ""));
      leased.base = Setting::Default(knob);
      is_behind_ = true;
    }
    leased.base = watch_.Normal(leased.base);
    it = has_knob ? std::next(it) : table_.knobs.erase(it);
  }
}

void GpuLeases::JournalledKnobs::RebuildLostKnobs() {
  for (const auto& [number, entry] : table_.entries) {
    const Lease& lease = entry.lease;
    if (lease.state == LeaseState::kOverridden || table_.knobs.count(lease.wanted.knob) > 0) continue;
    LeasedKnob leased;
    leased.base = leased.asked = leased.stands = watch_.Normal(lease.previous);
    leased.pending = watch_.Normal(lease.wanted);
    leased.boot = entry.boot;
    table_.knobs[lease.wanted.knob] = std::move(leased);
    is_behind_ = true;
  }
}

void GpuLeases::JournalledKnobs::MarkUncertainKnobs(OpenPurpose purpose) {
  if (table_.knobs.empty()) return;
  const auto counter = watch_.Counter(std::chrono::seconds(0));
  for (auto& [knob, leased] : table_.knobs) {
    leased.is_reloaded = leased.is_reloaded || (counter && leased.counter_mj && *counter < *leased.counter_mj);
    if (leased.asked == leased.base || leased.pending) continue;
    if (purpose == OpenPurpose::kLook && Winner(knob) != nullptr) continue;
    // A crash or a reloaded driver may have put it back. A knob that cannot be read is written once more.
    const auto read = gpu_->Stands(knob);
    if (!read && read.error().code == ErrorCode::kUnsupported) leased.pending = leased.asked;
  }
}

void GpuLeases::JournalledKnobs::LookAt(Knob knob, Records news) {
  const LeasedKnob& leased = table_.knobs.at(knob);
  const auto seen = watch_.Look(knob, leased);
  if (seen && seen->is_foreign) {
    MarkOverridden(knob, *seen->at, std::move(news));
    return;
  }
  Note(news);
  if (!seen) {
    (void)RetryLater(knob, seen.error());
  } else if (!watch_.IsThere(leased, *seen, Aim(knob))) {
    troubles_[knob].why = "the lease is not in force while no agent runs";
  }
}

void GpuLeases::JournalledKnobs::RestoreTable(OpenPurpose purpose) {
  MarkUncertainKnobs(purpose);
  auto ended = EndFinishedLeases();
  if (purpose == OpenPurpose::kRestore) {
    is_behind_ = true;
    (void)PutBack();  // What fails is owed.
    return;
  }
  for (const Knob knob : device::kKnobs) {
    if (purpose == OpenPurpose::kLook && table_.knobs.count(knob) > 0 && Winner(knob) != nullptr) {
      LookAt(knob, std::move(ended[knob]));
    } else {
      (void)Settle(knob, kRecoverSteps, std::move(ended[knob]));
    }
  }
}

Status GpuLeases::JournalledKnobs::Recover(const io::Journal::Found& found, OpenPurpose purpose) {
  for (const std::string& trouble : found.troubles) {
    LogForGpu(LogLevel::kWarning, fmt::format("{}: {}", journal_.path(), trouble));
  }
  is_damaged_ = found.is_damaged;
  for (const io::Json& record : found.records) {
    const auto replayed = table_.Replay(record);
    if (replayed) continue;
    if (replayed.error().code == ErrorCode::kUnsupported) {
      return Fail(ErrorCode::kInvalidArgument, journal_.path(), replayed.error().what, replayed.error().allowed);
    }
    LogForGpu(LogLevel::kWarning, fmt::format("{}: {}; record skipped", journal_.path(), replayed.error().Line()));
    is_damaged_ = true;
  }
  is_behind_ = is_damaged_;
  FaultPoint("recover-begun");
  RebuildLostKnobs();
  DropUnsupported();
  RestoreTable(purpose);
  is_behind_ = true;  // Compacts the journal.
  // Logs a full or read-only disk, which is no error here: the card is restored already.
  (void)Write({});
  return {};
}

std::vector<Lease> GpuLeases::JournalledKnobs::leases() const {
  std::vector<Lease> all;
  for (const auto& [number, entry] : table_.entries) all.push_back(WithState(entry.lease));
  return all;
}

std::vector<GpuLeases::Owed> GpuLeases::JournalledKnobs::owed() const {
  std::vector<Owed> all;
  for (const auto& [knob, trouble] : troubles_) {
    if (table_.knobs.count(knob) > 0) all.push_back({Aim(knob), trouble.why});
  }
  return all;
}

Result<GpuLeases> GpuLeases::Open(const std::string& journal_path, device::Gpu& gpu, const Machine& machine, Say say,
                                  const OpenOptions& options) {
  io::Journal::Found found;
  auto journal = io::Journal::OpenReadable(journal_path, found);
  if (!journal) return Propagate(journal);
  auto knobs = std::make_unique<JournalledKnobs>(std::move(*journal), gpu, machine, std::move(say), options);
  if (const auto recovered = knobs->Recover(found, options.purpose); !recovered) return Propagate(recovered);
  return GpuLeases(std::move(knobs));
}

GpuLeases::GpuLeases(std::unique_ptr<JournalledKnobs> knobs) : knobs_(std::move(knobs)) {}
GpuLeases::GpuLeases(GpuLeases&&) noexcept = default;
GpuLeases& GpuLeases::operator=(GpuLeases&&) noexcept = default;
GpuLeases::~GpuLeases() = default;

Result<GpuLeases::Grant> GpuLeases::Take(const LeaseRequest& request) { return knobs_->Take(request); }
Result<Lease> GpuLeases::Renew(std::string_view id, std::chrono::seconds ttl) { return knobs_->Renew(id, ttl); }
Status GpuLeases::Release(std::string_view id, LeaseEnd why) { return knobs_->Release(id, why); }
void GpuLeases::Tick() { knobs_->Tick(); }
Status GpuLeases::PutBack() { return knobs_->PutBack(); }
std::vector<Lease> GpuLeases::leases() const { return knobs_->leases(); }
std::vector<GpuLeases::Owed> GpuLeases::owed() const { return knobs_->owed(); }
std::vector<std::string> GpuLeases::troubles() const { return knobs_->troubles(); }

}  // namespace heliostat::lease
