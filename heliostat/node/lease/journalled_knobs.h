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

// A journal longer than this is written anew, with what still holds only.
inline constexpr std::uint64_t kCompactAbove = 256UL << 10U;

// The names of the fault points that one kind of turn passes.
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

// What a book consists of: the ledger, the journal that has it on disk, and the hand that turns the knobs. The ledger
// is changed first, then written; so whatever is not on disk yet is there as soon as the whole ledger is.
class GpuLeases::JournalledKnobs {
 public:
  JournalledKnobs(io::Journal journal, device::Gpu& gpu, const Machine& machine, Say say);

  // Makes good what the records tell.
  Status Recover(const io::Journal::Found& found);
  Result<Grant> Take(const LeaseRequest& request);
  Result<Lease> Renew(std::string_view id, std::chrono::seconds ttl);
  Status Release(std::string_view id, LeaseEnd why);
  void Tick();
  Status PutBack();
  std::vector<Lease> leases() const;
  std::vector<Owed> owed() const;

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
  // Where the knob stands and on which page; a new page where there is none.
  Result<KnobWatch::KnobState> TakeUp(device::Knob knob);
  // Puts a new lease on record: whether the card has to be turned for it. On failure nothing is different.
  Result<bool> Enter(std::uint64_t number, const LeaseRequest& request, const KnobWatch::KnobState& seen);
  std::optional<LeaseEnd> EndOf(const KeptLease& entry) const;
  // Takes leases that are over out of the ledger: the records of that, by knob.
  std::map<device::Knob, Records> EndFinishedLeases();
  // What a journal may tell after damage, another card's firmware, or an editor.
  void RebuildLostKnobs();
  void DropUnsupported();
  // What may have happened to the card while nobody looked.
  void MarkUncertainKnobs();
  // Looks for a new driver, of which locked clocks show nothing.
  void WatchCounter();
  Status PutBack(device::Knob knob);

  // The hand, in journalled_knobs.cc.
  // The lease that has its way on a knob; nothing when there is none left.
  const Lease* Winner(device::Knob knob) const;
  // Where a knob should be.
  device::Setting Aim(device::Knob knob) const;
  // Brings a knob to where it should be, or owes it. `news` goes to disk with that, whatever comes of it.
  Status Settle(device::Knob knob, const Steps& steps, Records news = {});
  Status Bring(device::Knob knob, const KnobWatch::KnobState& seen, const Steps& steps, Records news);
  Status Restore(device::Knob knob, const KnobWatch::KnobState& seen, const Steps& steps, Records news);
  void MarkOverridden(device::Knob knob, const device::Setting& at, Records news);
  // Notes in the page that it will be turned to `wanted`. False, and noted as done, when it stands there already.
  bool Prepare(LeasedKnob& leased, const KnobWatch::KnobState& seen, const device::Setting& wanted);
  // Turns what was prepared and written down.
  Result<device::Applied> Turn(device::Knob knob, const Steps& steps);
  // The card at the base, without a word on disk before: a knob that stands there was never anywhere else.
  Status TurnToBase(device::Knob knob, const KnobWatch::KnobState& seen, const Steps& steps);
  bool IsRefused(const device::Applied& applied, device::Knob knob) const;

  // On disk when it returns. After a failure nothing goes by until the whole ledger is written.
  Status Write(const Records& news);
  // The same for what is done already: a failure is told, and made good later.
  void Note(const Records& news);
  Status Compact();

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
  bool is_behind_ = false;  // the disk does not have all that the ledger has
  std::string journal_trouble_;
  std::uint64_t compact_above_ = kCompactAbove;
  std::chrono::seconds counter_noted_{0};  // since boot
  bool is_put_back_ = false;               // put back: nothing is turned any more
};

}  // namespace heliostat::lease
