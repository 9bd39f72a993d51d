#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/log.h"
#include "heliostat/base/io/journal.h"
#include "heliostat/node/device/gpu.h"
#include "heliostat/node/lease/lease.h"

namespace heliostat::lease {

// The leases of one GPU, and the one place that turns its knobs.
//
// The rules:
// - Where a knob stood before its first lease (its base) is on disk before the card is touched. When the last lease on
//   it ends, the knob goes back to the base: not to the default, not to the maximum.
// - Several leases on one knob: the lowest wins (the lower limit, the lower top clock; then the older lease), so that
//   every owner has at least the saving it asked for. When one ends, the knob moves to the lowest of the rest.
// - A knob that does not stand where we put it was turned by somebody else. It is theirs: every lease on it becomes
//   kOverridden for the rest of its life, nothing is written, nothing is restored, and a warning says so. The next
//   lease starts from there as from a new base. One that Open() finds at its base is turned again: what we did last may
//   not have come on record.
// - A write that was begun and not seen to end (a crash, a lost card) may have left the knob anywhere: until it is put
//   right, where it stands counts as ours. Going back to the base needs no such word on disk before, so that a knob
//   that is found at its base was put there, and one that is found elsewhere was turned since.
// - A driver that was loaded anew (the energy counter fell, or the machine booted) has put every knob at its default.
//   That is not somebody else: living leases are applied again, and a base that is not the default is restored. A card
//   without an energy counter cannot tell; there only a boot counts.
// - A boot ends every lease. A card that a boot did not reset and that stands where we put it is restored too.
// - NVML cannot tell where clocks are locked. Their base is taken to be "not locked", and what others do to them is not
//   noticed. What is on record of them is done once more by Open(), unless there was a boot, which unlocks.
// - Nothing is written to a card that already stands where it should.
// - What fails (a lost card, no permission) stays owed: on disk, in owed(), and tried again by Tick(), after a second
//   and then ever less often, down to once a minute.
// - A disk that is full keeps nobody from going back to the base. It keeps a knob from moving to another lease's wish,
//   which the disk has to know of first: it stays lower meanwhile, and is owed.
//
// Not thread-safe; calls last as long as the driver takes. One book a journal: whoever opens them sees to that.
class GpuLeases {
 public:
  // Warnings and news for the log, one line each.
  using Say = std::function<void(LogLevel, const std::string& line)>;

  struct Grant {
    Lease lease;
    device::Applied applied;  // what the card did; for a lease that is outdone, what stands
  };

  // A knob that is not where it should be, and why.
  struct Owed {
    device::Setting setting;
    std::string why;
  };

  // Reads the journal and makes good what it tells: leases whose owner lives and that have not run out are in force
  // again; all else goes back to its base. `gpu` and `machine` outlive the book. An unreadable journal is an error; a
  // card that does not answer is not (it is owed).
  static Result<GpuLeases> Open(const std::string& journal_path, device::Gpu& gpu, const Machine& machine, Say say);
  GpuLeases(GpuLeases&&) noexcept;
  GpuLeases& operator=(GpuLeases&&) noexcept;
  ~GpuLeases();

  // On failure the card stands where it stood and there is no lease. A failure to write the journal is one: what cannot
  // be put on record is not done. A driver that clamps is no failure (the grant tells), one that ignores is. When the
  // process dies before this returns, there may be a lease that nobody knows of; its owner's death or its time ends it.
  Result<Grant> Take(const LeaseRequest& request);
  // Counted from now.
  Result<Lease> Renew(std::string_view id, std::chrono::seconds ttl);
  // kNotFound for one that is not there. A card that cannot be put back is no error here: the lease is over, the rest
  // owed.
  Status Release(std::string_view id, LeaseEnd why);
  // Once a second or so: ends what ran out and whose owner died, looks for other hands on the knobs, tries again what
  // is owed.
  void Tick();
  // Puts every knob at its base, as the agent does before it goes away. Leases stay in the journal: the next Open() has
  // those in force again whose owner still lives. Nothing is turned after it: no lease is granted, Tick() rests.
  Status PutBack();

  std::vector<Lease> leases() const;
  std::vector<Owed> owed() const;

 private:
  class JournalledKnobs;
  explicit GpuLeases(std::unique_ptr<JournalledKnobs> knobs);
  std::unique_ptr<JournalledKnobs> knobs_;
};

}  // namespace heliostat::lease
