#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "heliostat/base/io/json.h"

namespace heliostat::agent {

// What a user did that has no line of its own in the audit log.
struct AuditCounts {
  std::uint64_t connections = 0;
  std::uint64_t reads = 0;
  std::uint64_t limited = 0;   // beyond the allowed rate
  std::uint64_t unlisted = 0;  // beyond the allowed number of lines

  bool is_zero() const { return connections == 0 && reads == 0 && limited == 0 && unlisted == 0; }
};
io::Json Describe(const AuditCounts& counts);

// Counts per user within a minute, so that no user can fill the disk of the audit log: whatever a user without rights
// does adds at most kMostLines lines and one line of counts per minute. Not thread-safe.
class AuditTally {
 public:
  static constexpr int kMostLines = 60;
  // Further users share one entry, kOthers: a user may have many ids (user namespaces).
  static constexpr std::size_t kMostUsers = 256;
  static constexpr uid_t kOthers = static_cast<uid_t>(-1);

  void Add(uid_t uid, const AuditCounts& counts);
  // Takes one of the user's lines of this minute. False when there is none left; then the line is counted as unlisted.
  bool TakeLine(uid_t uid);
  // Ends the minute. Returns the counts of each user that has any.
  std::vector<std::pair<uid_t, AuditCounts>> Take();

 private:
  struct Entry {
    AuditCounts counts;
    int lines = 0;
  };
  Entry& EntryOf(uid_t uid);

  std::map<uid_t, Entry> entries_;
};

}  // namespace heliostat::agent
