#include "heliostat/ui/report/cluster_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Instant kBegun{std::chrono::seconds{1'794'996'000}};

// Two hours in which one job of two moves.
ClusterPast Morning() {
  ClusterPast past;
  past.cluster = "lab <1>";
  past.version = "slurm 22.05.8";
  past.mode = "shadow";
  past.policy = "wait-awhile";
  past.currency = "EUR";
  past.begun = kBegun;
  past.looked = kBegun + Duration{7200};
  past.used = {KilowattHours(20), Grams{8000}, 4};
  past.comparison = {past.used,
                     {KilowattHours(19), Grams{6500}, 3.5},
                     {KilowattHours(1), Grams{100}, 0.1},
                     {1400, 1000, 1800},
                     {0.4, 0.2, 0.6},
                     2,
                     1,
                     1};
  for (int s = 0; s < 8; ++s) {
    const Instant begin = kBegun + s * Duration{900};
    past.slots.push_back({{begin, begin + Duration{900}},
                          {KilowattHours(2.5), Grams{1000}, 0.5},
                          ClusterPast::Used{KilowattHours(s < 4 ? 1.5 : 3.3), Grams{800}, 0.4},
                          4,
                          2.0,
                          400.0 - 20 * s,
                          0.2,
                          {}});
  }
  past.jobs_moved = 1;
  past.moved = {{"17", "train", "ann", kBegun, kBegun + Duration{3600}, Grams{1500}, 0.5},
                {"18", "a<b", "bob", kBegun, {}, {}, {}}};
  past.late = {{"17", "train", "ann", "slack 50 %", Duration{900}}};
  past.users = {{"ann", 1, {KilowattHours(4), Grams{2000}, 1}}, {"", 3, {KilowattHours(6), Grams{3000}, 1}}};
  past.groups = {{"a100", "A100", 2, 8, Watts{300}, Watts{50}, Watts{330}, 0.2, true, KilowattHours(20)}};
  return past;
}

TEST(ClusterPageTest, BeginsWithTheRangeOfTheSaving) {
  const auto page = ClusterPage(Morning(), {"heliostat 1", "heliostat cluster report"});
  ASSERT_TRUE(page) << page.error().Line();
  EXPECT_EQ(XmlCheck::Problem(*page), "");
  EXPECT_THAT(*page, HasSubstr("wait-awhile would have saved 12 to 22 % of the carbon."));
  EXPECT_THAT(*page, HasSubstr("has done already, and 1 job to start"));
  EXPECT_THAT(*page, HasSubstr("still waits"));
  EXPECT_THAT(*page, HasSubstr("all others"));
  EXPECT_THAT(*page, Not(HasSubstr("a<b")));
}

TEST(ClusterPageTest, SaysWhatASavingIsWorth) {
  EXPECT_EQ(SavingClause({15, 12, 18}, 100, "carbon"), "would have saved 12 to 18 % of the carbon");
  EXPECT_EQ(SavingClause({2, 1, 3}, 100, "cost"), "would have saved 1.0 to 3.0 % of the cost");
  EXPECT_EQ(SavingClause({-15, -18, -12}, 100, "carbon"), "would have added 12 to 18 % to the carbon");
  EXPECT_EQ(SavingClause({2, -3, 8}, 100, "carbon"),
            "would have changed the carbon by 3.0 % more to 8.0 % less: too little to tell");
  EXPECT_EQ(SavingClause({0, 0, 0}, 100, "carbon"), "would have changed nothing in the carbon");
}

TEST(ClusterPageTest, ComparesNothingWithoutAShadow) {
  ClusterPast past = Morning();
  past.mode = "observe";
  past.comparison.reset();
  for (ClusterPast::Slot& slot : past.slots) {
    slot.would_have_been.reset();
    slot.gpus_would_have_been.reset();
  }
  const auto page = ClusterPage(past, {});
  ASSERT_TRUE(page) << page.error().Line();
  EXPECT_EQ(XmlCheck::Problem(*page), "");
  EXPECT_THAT(*page, HasSubstr("mode observe compares it with nothing"));
  EXPECT_THAT(*page, Not(HasSubstr("would have been")));
  EXPECT_THAT(*page, Not(HasSubstr("moved")));
}

TEST(ClusterPageTest, SaysThatItKnowsNothingYet) {
  ClusterPast past;
  past.comparison = ClusterPast::Comparison{};
  const auto page = ClusterPage(past, {});
  ASSERT_TRUE(page) << page.error().Line();
  EXPECT_THAT(*page, HasSubstr("is unknown: there is no carbon intensity and no price"));
  EXPECT_THAT(*page, HasSubstr("has not looked long enough"));
}

}  // namespace
}  // namespace heliostat::report
