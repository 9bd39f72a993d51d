#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"
#include "heliostat/node/device/setting.h"
#include "heliostat/node/lease/lease.h"

namespace heliostat::lease {

// A knob that has leases, or that still has to go back to its base. Power limits are numbers here, the default one too,
// so that equal limits compare as equal.
struct LeasedKnob {
  device::Setting base;                    // where it goes back to
  device::Setting asked;                   // our last write that ended; the base when there was none
  device::Setting stands;                  // where that write left the knob; drivers may clamp
  std::optional<device::Setting> pending;  // a write that was begun and may or may not have reached the card
  std::string boot;                        // the boot that all this belongs to
  bool is_settled = false;                 // seen there since the journal was opened; not on disk
  std::optional<std::int64_t> counter_mj;  // energy counter when it was last read
  bool is_reloaded = false;                // the counter was seen to fall since, and the knob is not put right yet
  friend bool operator==(const LeasedKnob&, const LeasedKnob&) = default;
};

// A lease in the table.
struct KeptLease {
  Lease lease;
  std::string boot;  // in which it was granted
};

// All that GpuLeases has on disk, and the records it is written as. Each record holds everything about one knob or one
// lease, so that the last record counts and the next one makes up for a lost one. Not thread-safe.
class LeaseTable {
 public:
  // By number, which is by age: numbers only grow.
  using Entries = std::map<std::uint64_t, KeptLease>;

  explicit LeaseTable(std::string gpu);

  // Applies one record of the journal. kUnsupported for a journal of another GPU or a later version; kCorrupt for an
  // invalid record, which changes nothing.
  Status Replay(const io::Json& record);
  // The records that turn an empty table into this one.
  std::vector<io::Json> Snapshot() const;

  // A number that no lease has had. A number that was not written to the journal may be returned again after a crash.
  std::uint64_t NextNumber() { return next_++; }
  std::string IdOf(std::uint64_t number) const;
  // Absent for an id that IdOf() cannot have made.
  std::optional<std::uint64_t> NumberOf(std::string_view id) const;

  io::Json KnobRecord(device::Knob knob) const;
  static io::Json FreeRecord(device::Knob knob);
  io::Json LeaseRecord(std::uint64_t number) const;
  io::Json EndRecord(std::uint64_t number, LeaseEnd why) const;

  std::map<device::Knob, LeasedKnob> knobs;
  Entries entries;

 private:
  Status ReplayHeader(const io::Json& record);
  Status ReplayKnob(const io::Json& record);
  Status ReplayLease(const io::Json& record);

  std::string gpu_;
  std::string prefix_;
  std::uint64_t next_ = 1;
};

}  // namespace heliostat::lease
