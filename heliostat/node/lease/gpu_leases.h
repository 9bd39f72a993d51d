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

// What GpuLeases::Open() does about leases that have not ended.
enum class OpenPurpose {
  kServe,    // puts them in force again
  kLook,     // turns no knob for them: the caller only reads, or ends leases
  kRestore,  // puts their knobs back too, as GpuLeases::PutBack() does
};

struct OpenOptions {
  OpenPurpose purpose = OpenPurpose::kServe;
  // The bases of knobs that the driver cannot read. Without an entry, such a knob counts as being at its default.
  std::map<device::Knob, device::Setting> bases;
};

// The leases of one GPU, and the only class that turns its knobs.
//
// The rules:
// - Where a knob stood before its first lease (its base) is on disk before the card is touched. When the last lease on
//   it ends, the knob goes back to the base: not to the default, not to the maximum.
// - Several leases on one knob: the lowest wins (the lower limit, the lower top clock; then the older lease), so that
//   every owner has at least the saving it asked for. When one ends, the knob moves to the lowest of the rest.
// - A knob that does not stand where this class put it was turned by another program. It is left alone: every lease on
//   it becomes kOverridden until it ends, nothing is written or restored, and a warning is logged. The next lease takes
//   the present value as a new base. Exception: a knob that Open() finds at its base is turned again, because a crash
//   may have kept the last write off the journal.
// - A write that was begun and not seen to end (a crash, a lost card) may have left the knob anywhere. Until the knob
//   is put right, any value counts as written by this class. Going back to the base is not journalled first. So a knob
//   that is found at its base was put there, and one that is found elsewhere was turned since.
// - A reloaded driver (the energy counter fell, or the machine booted) has put every knob at its default. That does not
//   count as another program: leases in force are applied again, and a base that is not the default is restored.
//   Without an energy counter a reload cannot be detected; there only a boot counts.
// - A boot ends every lease. A card that a boot did not reset and that stands where this class put it is restored too.
// - NVML cannot read locked clocks. Their base is the one in OpenOptions, or else "not locked", and changes by other
//   programs are not noticed. Open() writes what the journal holds about them once more, unless there was a boot, which
//   unlocks clocks.
// - Nothing is written to a card that already stands where it should.
// - What fails (a lost card, no permission) stays owed: it is on disk and in owed(), and Tick() tries it again, first
//   after one second and then with growing delays of up to one minute.
// - A full or read-only disk does not prevent a knob from going back to its base. It prevents a knob from moving to the
//   setting of another lease, because that setting must be on disk first: the knob stays lower meanwhile, and is owed.
// - A damaged journal is kept beside the new one (io::Journal::KeepDamaged()). What can be read of it is restored. As
//   long as that file exists there are no new leases, because the present setting may not be where the knob stood
//   before its lease.
//
// Not thread-safe. A call lasts as long as the driver takes. At most one object may use a journal at a time; the caller
// ensures that, with Folder.
class GpuLeases {
 public:
  // Receives lines for the log, each without a line end.
  using Say = std::function<void(LogLevel, const std::string& line)>;

  struct Grant {
    Lease lease;
    device::Applied applied;  // what the card did; for a lease that is outdone, the present setting
  };

  // A knob that is not where it should be, and why.
  struct Owed {
    device::Setting setting;
    std::string why;
  };

  // Reads the journal and restores the state that it describes: leases whose owner lives and that have not expired are
  // in force again, if that is the purpose; every other knob goes back to its base. `gpu` and `machine` must outlive
  // the object. An error only where nothing can be known: the file cannot be read, or is of another GPU or a later
  // version. A journal that cannot be written or is damaged is none (see troubles()), nor is a card that does not
  // answer (its settings are owed).
  static Result<GpuLeases> Open(const std::string& journal_path, device::Gpu& gpu, const Machine& machine, Say say,
                                const OpenOptions& options = {});
  GpuLeases(GpuLeases&&) noexcept;
  GpuLeases& operator=(GpuLeases&&) noexcept;
  ~GpuLeases();

  // On failure there is no lease and the knob goes back to where it stood (or that is owed). A setting that cannot be
  // journalled is not applied: that is a failure too. A setting that the driver clamps is granted, and the grant shows
  // it; one that the driver ignores is a failure. When the process dies before this returns, the journal may hold a
  // lease whose id no caller received; the death of its owner or its expiry ends it.
  Result<Grant> Take(const LeaseRequest& request);
  // The lease expires `ttl` from now. kNotFound for an unknown or ended lease.
  Result<Lease> Renew(std::string_view id, std::chrono::seconds ttl);
  // kNotFound for an unknown or ended lease. A card that cannot be put back is no error here: the lease has ended, and
  // the base is owed.
  Status Release(std::string_view id, LeaseEnd why);
  // To be called about once per second: ends leases that expired or whose owner died, checks whether other programs
  // turned the knobs, and tries again what is owed.
  void Tick();
  // Puts every knob at its base, as the agent does before it stops. Leases stay in the journal: the next Open() puts
  // those in force again whose owner still lives. Afterwards no knob is turned: Take() fails and Tick() does nothing.
  // Returns the first failure, after trying all knobs.
  Status PutBack();

  std::vector<Lease> leases() const;  // oldest first
  std::vector<Owed> owed() const;     // at most one per knob
  // Why there are no new leases, one line per reason: the journal cannot be written, or was damaged.
  std::vector<std::string> troubles() const;

 private:
  class JournalledKnobs;
  explicit GpuLeases(std::unique_ptr<JournalledKnobs> knobs);
  std::unique_ptr<JournalledKnobs> knobs_;
};

}  // namespace heliostat::lease
