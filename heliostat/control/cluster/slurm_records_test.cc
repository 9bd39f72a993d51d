#include "heliostat/control/cluster/slurm_records.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "heliostat/control/cluster/testing/scripted_slurm.h"

namespace heliostat::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<JobRecord> Parse(std::string text) {
  const auto records = ParseRecords(testing::WithSeparator(std::move(text), "\x1f|"), "\x1f|");
  EXPECT_TRUE(records) << records.error().Line();
  return records ? *records : std::vector<JobRecord>{};
}

TEST(SlurmRecordsTest, ReadsWhatSlurmKeepsAsOneRecord) {
  const auto records = Parse(
      "17¦17¦N/A¦PENDING¦1¦1795020020¦1795027220¦N/A¦5:00¦-2147483645¦1¦0¦(null)¦\n"
      "8¦8_[5-7,19%2]¦N/A¦PENDING¦0¦1795020020¦N/A¦1795027220¦UNLIMITED¦0¦0¦0¦a\nb¦\n"
      "12¦8_4¦N/A¦RUNNING¦1¦1795020020¦1795020020¦N/A¦5:00¦0¦1¦2¦¦\n"
      "31¦31_2¦N/A¦PENDING¦1¦1795020020¦N/A¦N/A¦5:00¦0¦1¦0¦(null)¦\n"
      "40¦40+0¦40¦PENDING¦1¦1795020020¦N/A¦N/A¦5:00¦0¦1¦0¦(null)¦\n");
  ASSERT_THAT(records, SizeIs(5));
  EXPECT_EQ(records[0].nice, -2147483645);
  EXPECT_EQ(records[0].admin_comment, "");
  EXPECT_EQ(records[0].begin, Instant(Duration(1'795'027'220)));
  EXPECT_EQ(records[1].state, JobState::kHeld);
  EXPECT_THAT(records[1].elements, ElementsAre(5, 6, 7, 19));
  EXPECT_EQ(records[1].throttle, 2);
  EXPECT_FALSE(records[1].may_requeue);
  EXPECT_EQ(records[1].admin_comment, "a\nb");
  EXPECT_EQ(records[2].key.element, 4);
  EXPECT_EQ(records[2].key.number, 8);
  EXPECT_EQ(records[2].restarts, 2);
  // The last element that waits is still the record of the array.
  EXPECT_EQ(records[3].key.element, std::nullopt);
  EXPECT_THAT(records[3].elements, ElementsAre(2));
  EXPECT_EQ(records[3].throttle, std::nullopt);
  EXPECT_TRUE(records[4].is_heterogeneous);
}

TEST(SlurmRecordsTest, WhatCannotBeReadIsLeftOut) {
  EXPECT_THAT(Parse("x¦17¦N/A¦PENDING¦1¦1795020020¦N/A¦N/A¦5:00¦0¦1¦0¦¦\n"
                    "17¦17¦N/A¦PENDING¦1¦N/A¦N/A¦N/A¦5:00¦0¦1¦0¦¦\n"
                    "17¦17¦N/A¦PENDING¦1¦1795020020¦N/A¦N/A¦5:00¦zero¦1¦0¦¦\n"
                    "17¦17_[1-3,...]¦N/A¦PENDING¦1¦1795020020¦N/A¦N/A¦5:00¦0¦1¦0¦¦\n"
                    "17¦17_[1-3%x]¦N/A¦PENDING¦1¦1795020020¦N/A¦N/A¦5:00¦0¦1¦0¦¦\n"),
              IsEmpty());
  EXPECT_FALSE(ParseRecords("17|", "|"));
}

TEST(SlurmRecordsTest, ReadsIndicesWithSteps) {
  EXPECT_THAT(ParseElements("0,3-5,10-20:5"), ElementsAre(0, 3, 4, 5, 10, 15, 20));
  for (const std::string bad : {"", "3-", "-3", "3-1", "1,1", "5,3", "1-9:0", "1-999999999", "a", "1,,2"}) {
    EXPECT_THAT(ParseElements(bad), IsEmpty()) << bad;
  }
}

RC_GTEST_PROP(SlurmRecordsTest, IndicesAreReadBack, (const std::set<std::uint16_t>& indices)) {
  const std::vector<int> elements(indices.begin(), indices.end());
  RC_ASSERT(ParseElements(ElementsText(elements)) == elements);
}

TEST(SlurmRecordsTest, APinIsOursByItsNameAndItsUser) {
  const auto read = ParseReservations(
      "ReservationName=heliostat_night StartTime=1795020020 EndTime=1795027220 Duration=02:00:00 Nodes=gpu[1-2] "
      "NodeCnt=2 Users=carbon Groups=(null) State=ACTIVE\n"
      "ReservationName=heliostat_other StartTime=1795020020 EndTime=1795027220 Nodes=gpu3 Users=root State=ACTIVE\n"
      "ReservationName=weekly StartTime=1795020020 EndTime=1795027220 Nodes=(null) Users=carbon,root State=ACTIVE\n",
      "carbon");
  ASSERT_TRUE(read) << read.error().Line();
  EXPECT_THAT(read->pins, ElementsAre(Pin{"night", {"gpu1", "gpu2"}, Instant(Duration(1'795'027'220))}));
  ASSERT_THAT(read->others, SizeIs(2));
  EXPECT_EQ(read->others[0].name, "heliostat_other");
  EXPECT_THAT(read->others[1].nodes, IsEmpty());
  EXPECT_TRUE(ParseReservations("No reservations in the system\n", "carbon"));
  EXPECT_FALSE(ParseReservations("ReservationName=weekly StartTime=17950", "carbon"));
}

}  // namespace
}  // namespace heliostat::cluster
