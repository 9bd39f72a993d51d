#include "heliostat/node/agent/audit_tally.h"

namespace heliostat::agent {

io::Json Describe(const AuditCounts& counts) {
  io::Json json;
  json.Set("connections", static_cast<std::int64_t>(counts.connections));
  json.Set("reads", static_cast<std::int64_t>(counts.reads));
  json.Set("limited", static_cast<std::int64_t>(counts.limited));
  json.Set("unlisted", static_cast<std::int64_t>(counts.unlisted));
  return json;
}

AuditTally::Entry& AuditTally::EntryOf(uid_t uid) {
  // Root is always listed: the others must not hide what it does.
  const bool is_crowded = uid != 0 && entries_.size() >= kMostUsers && entries_.count(uid) == 0;
  return entries_[is_crowded ? kOthers : uid];
}

void AuditTally::Add(uid_t uid, const AuditCounts& counts) {
  AuditCounts& sum = EntryOf(uid).counts;
  sum.connections += counts.connections;
  sum.reads += counts.reads;
  sum.limited += counts.limited;
  sum.unlisted += counts.unlisted;
}

bool AuditTally::TakeLine(uid_t uid) {
  Entry& entry = EntryOf(uid);
  if (entry.lines < kMostLines) {
    ++entry.lines;
    return true;
  }
  ++entry.counts.unlisted;
  return false;
}

std::vector<std::pair<uid_t, AuditCounts>> AuditTally::Take() {
  std::vector<std::pair<uid_t, AuditCounts>> all;
  for (const auto& [uid, entry] : entries_) {
    if (!entry.counts.is_zero()) all.emplace_back(uid, entry.counts);
  }
  entries_.clear();
  return all;
}

}  // namespace heliostat::agent
