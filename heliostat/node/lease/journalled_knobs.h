#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/lease/gpu_leases.h"
#include "heliostat/node/lease/knob_watch.h"
#include "heliostat/node/lease/lease_table.h"

namespace heliostat::lease {

// A journal with more bytes than this is compacted: rewritten with only what still holds.
inline constexpr std::uint64_t kCompactAbove = 256UL << 10U;

// The names of the fault points (FaultPoint()) that one kind of write to the card passes.
struct Steps {
  std::string_view journalled;
  std::string_view applied;
  std::string_view recorded;
};
inline constexpr Steps kTakeSteps{"take-journalled", "take-applied", "take-recorded"};
inline constexpr Steps kReleaseSteps{"release-journalled", "release-restored", "release-recorded"};
inline constexpr Steps kRecoverSteps{"recover-journalled", "recover-applied", "recover-recorded"};
inline constexpr Steps kPutBackSteps{"putback-journalled", "putback-applied", "putback-recorded"};
inline constexpr Steps kUndoSteps{"undo-journalled", "undo-applied", "undo-recorded"};

// The implementation of GpuLeases: the table of leases and knobs, the journal that holds it on disk, and the code that
// turns the knobs. The table changes first and is written afterwards. After a failed write, writing the whole table
// brings everything to disk. Not thread-safe.
class GpuLeases::JournalledKnobs {
 public:
  JournalledKnobs(io::Journal journal, device::Gpu& gpu, const Machine& machine, Say say, OpenOptions options);

  // Replays the records and restores the state that they describe.
  Status Recover(const io::Journal::Found& found, OpenPurpose purpose);
  Result<Grant> Take(const LeaseRequest& request);
  Result<Lease> Renew(std::string_view id, std::chrono::seconds ttl);
  Status Release(std::string_view id, LeaseEnd why);
  void Tick();
  Status PutBack();
  std::vector<Lease> leases() const;
  std::vector<Owed> owed() const;
  std::vector<std::string> troubles() const;

 private:
  using Records = std::vector<io::Json>;
  struct Trouble {
    std::string why;
    std::chrono::seconds delay{0};
    std::chrono::seconds due{0};  // since boot
  };

  // Rules, in gpu_leases.cc.
  Status CheckRequest(const LeaseRequest& request) const;
  KeptLease MakeEntry(const LeaseRequest& request, std::uint64_t number, const LeasedKnob& leased) const;
  // Reads where the knob stands. Enters it into the table, with the present value as its base, where it is new or was
  // turned by another program.
  Result<KnobWatch::KnobState> TakeUp(device::Knob knob);
  // Writes a new lease to table and journal. Returns whether the card has to be turned for it. A failure changes
  // nothing.
  Result<bool> Enter(std::uint64_t number, const LeaseRequest& request, const KnobWatch::KnobState& seen);
  std::optional<LeaseEnd> EndOf(const KeptLease& entry) const;
  // Removes ended leases from the table. Returns the records of that for the journal, by knob.
  std::map<device::Knob, Records> EndFinishedLeases();
  // These two repair what a damaged or edited journal, or new firmware of the card, may lead to: leases without their
  // knob, and settings that the card does not support.
  void RebuildLostKnobs();
  void DropUnsupported();
  // Marks knobs that a crash or a reloaded driver may have changed since the journal was written.
  void MarkUncertainKnobs(OpenPurpose purpose);
  // Brings every knob to where the table and the purpose want it.
  void RestoreTable(OpenPurpose purpose);
  // Notes whether a knob with leases stands where it should, and does not turn it. Writes `news` to the journal.
  void LookAt(device::Knob knob, Records news);
  // Detects a reloaded driver by its energy counter; locked clocks cannot be read, so they do not show it.
  void WatchCounter();
  Status PutBack(device::Knob knob);

  // Turning knobs, in journalled_knobs.cc.
  // The lease that decides where a knob stands: the lowest, then the oldest. nullptr when there is none.
  const Lease* Winner(device::Knob knob) const;
  // Where a knob should be: at the winner's setting, or at its base.
  device::Setting Aim(device::Knob knob) const;
  // Brings a knob to where it should be; what fails is owed. Writes `news` to the journal in either case.
  Status Settle(device::Knob knob, const Steps& steps, Records news = {});
  Status Bring(device::Knob knob, const KnobWatch::KnobState& seen, const Steps& steps, Records news);
  Status Restore(device::Knob knob, const KnobWatch::KnobState& seen, const Steps& steps, Records news);
  void MarkOverridden(device::Knob knob, const device::Setting& at, Records news);
  // Marks `wanted` as pending. Returns false, and marks it as done instead, when the knob stands there already.
  bool Prepare(LeasedKnob& leased, const KnobWatch::KnobState& seen, const device::Setting& wanted);
  // Writes the pending setting, which must be in the journal, to the card.
  Result<device::Applied> Turn(device::Knob knob, const Steps& steps);
  // Puts the card at the base, without a journal record before.
  Status TurnToBase(device::Knob knob, const KnobWatch::KnobState& seen, const Steps& steps);
  bool IsRefused(const device::Applied& applied, device::Knob knob) const;

  // The records are on disk when this returns success. After a failure the next call writes the whole table instead.
  Status Write(const Records& news);
  // The same for what the card has done already: a failure is logged, and the next Write() repairs it.
  void Note(const Records& news);
  // Writes the whole table anew; keeps the journal before that, if it was damaged.
  Status Compact();
  // An error while a damaged journal is kept: nobody has looked at the card since.
  Status CheckTrust() const;

  tl::unexpected<Error> RetryLater(device::Knob knob, const Error& error);
  void ClearTrouble(device::Knob knob);
  LeaseState StateOf(const Lease& lease) const;
  Lease WithState(const Lease& lease) const;
  void LogForGpu(LogLevel level, const std::string& line) const;

  io::Journal journal_;
  device::Gpu* gpu_;
  const Machine* machine_;
  Say say_;
  LeaseTable table_;
  KnobWatch watch_;
  std::map<device::Knob, Trouble> troubles_;
  bool is_behind_ = false;   // the journal lacks something that the table has
  bool is_damaged_ = false;  // the journal is damaged and not kept yet
  std::string journal_trouble_;
  std::uint64_t compact_above_ = kCompactAbove;
  std::chrono::seconds counter_noted_{0};  // since boot
  bool is_put_back_ = false;               // put back: nothing is turned any more
};

}  // namespace heliostat::lease
