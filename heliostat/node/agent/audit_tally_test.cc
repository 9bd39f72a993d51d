#include "heliostat/node/agent/audit_tally.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::agent {
namespace {

RC_GTEST_PROP(AuditTallyTest, EveryLineIsWrittenOrCountedAndFewAreWritten, ()) {
  AuditTally tally;
  std::map<uid_t, std::uint64_t> asked;
  std::map<uid_t, std::uint64_t> written;
  for (const int uid : *rc::gen::container<std::vector<int>>(500, rc::gen::inRange(1000, 1004))) {
    ++asked[static_cast<uid_t>(uid)];
    written[static_cast<uid_t>(uid)] += tally.TakeLine(static_cast<uid_t>(uid)) ? 1 : 0;
  }
  for (const auto& [uid, counts] : tally.Take()) {
    RC_ASSERT(counts.unlisted + written[uid] == asked[uid]);
    asked.erase(uid);
  }
  for (const auto& [uid, count] : asked) RC_ASSERT(written[uid] == count);
  for (const auto& [uid, count] : written) RC_ASSERT(count <= static_cast<std::uint64_t>(AuditTally::kMostLines));
  RC_ASSERT(tally.Take().empty());
}

TEST(AuditTallyTest, UsersBeyondTheMostShareOneEntryAndRootIsAlwaysListed) {
  AuditTally tally;
  constexpr uid_t kUsers = 3 * AuditTally::kMostUsers;
  for (uid_t uid = 1; uid <= kUsers; ++uid) tally.Add(uid, {1, 2, 0, 0});
  tally.Add(0, {1, 5, 0, 0});
  const auto all = tally.Take();
  EXPECT_LE(all.size(), AuditTally::kMostUsers + 2);
  EXPECT_EQ(all.front().first, 0U);
  EXPECT_EQ(all.front().second.reads, 5U);
  EXPECT_EQ(all.back().first, AuditTally::kOthers);
  EXPECT_EQ(all.back().second.reads, 2U * (kUsers - AuditTally::kMostUsers));
}

}  // namespace
}  // namespace heliostat::agent
