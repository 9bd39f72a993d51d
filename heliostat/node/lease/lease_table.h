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

// A knob that is ours: somebody has a lease on it, or it is still owed its base. Limits are numbers here, the default
// one too, so that two that are the same compare the same.
struct LeasedKnob {
  device::Setting base;                    // where it goes back to
  device::Setting asked;                   // our last write that came to an end; the base when there was none
  device::Setting stands;                  // and where that left the knob, which may be elsewhere
  std::optional<device::Setting> pending;  // a write that was begun and may or may not have reached the card
  std::string boot;                        // during which all this was so
  bool is_settled = false;                 // seen there since this book was opened; not on disk
  std::optional<std::int64_t> counter_mj;  // of energy, when last looked at
  bool is_reloaded = false;                // the counter was seen to fall since, and the knob is not put right yet
  friend bool operator==(const LeasedKnob&, const LeasedKnob&) = default;
};

struct KeptLease {
  Lease lease;
  std::string boot;  // in which it was granted
};

// All that a book has on disk, and how it is written there: one record a page or lease with all that is known of it, so
// that the last one counts and a lost one is made good by the next.
class LeaseTable {
 public:
  // By age: numbers only grow.
  using Entries = std::map<std::uint64_t, KeptLease>;

  explicit LeaseTable(std::string gpu);

  // kUnsupported for a journal of another GPU or a later version, kCorrupt for a record that makes no sense (and
  // changes nothing).
  Status Replay(const io::Json& record);
  // The records that make an empty ledger this one.
  std::vector<io::Json> Snapshot() const;

  // A new number, never given before. What was given and not put on record may be given again after a crash.
  std::uint64_t NextNumber() { return next_++; }
  std::string IdOf(std::uint64_t number) const;
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
