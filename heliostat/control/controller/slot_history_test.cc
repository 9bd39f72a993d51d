#include "heliostat/control/controller/slot_history.h"

#include <gtest/gtest.h>

namespace heliostat::controller {
namespace {

constexpr Instant kBegin{std::chrono::seconds{1'794'996'000}};  // 10:00, the begin of a slot
constexpr Duration kStep{900};

account::Balance Energy(double joules) {
  account::Balance balance;
  balance.it = Joules{joules};
  return balance;
}

SlotHistory::Totals Totals(double was, std::optional<double> would, double gpus) {
  SlotHistory::Totals totals{kBegin, Energy(was), {}, gpus, {}};
  if (!would) return totals;
  totals.would_have_been = Energy(*would);
  totals.gpus_would_have_been = gpus / 2;
  return totals;
}

class SlotHistoryTest : public ::testing::Test {
 protected:
  // Looks at this time after the begin, with these totals of the slots that have ended.
  std::optional<PastSlot> Look(std::int64_t seconds, const SlotHistory::Totals& closed) {
    const Instant now = kBegin + Duration{seconds};
    return history_.Look(now, Instant{kStep * (now.time_since_epoch() / kStep)}, closed, signals_);
  }
  SignalOutlook signals_{{}, 1.0, kStep};
  SlotHistory history_;
};

TEST_F(SlotHistoryTest, GivesEachSlotWhatItUsed) {
  EXPECT_FALSE(Look(0, Totals(0, 0, 4)));
  EXPECT_FALSE(Look(450, Totals(0, 0, 8)));
  const auto first = Look(900, Totals(1000, 600, 0));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->span, (Interval{kBegin, kBegin + kStep}));
  EXPECT_DOUBLE_EQ(first->was.it.value, 1000);
  EXPECT_DOUBLE_EQ(first->would_have_been->it.value, 600);
  EXPECT_DOUBLE_EQ(first->gpus_was, 6);
  EXPECT_DOUBLE_EQ(*first->gpus_would_have_been, 3);
  EXPECT_FALSE(first->carbon);
  const auto second = Look(1810, Totals(1500, 1600, 0));
  ASSERT_TRUE(second);
  EXPECT_DOUBLE_EQ(second->was.it.value, 500);
  EXPECT_DOUBLE_EQ(second->would_have_been->it.value, 1000);
}

TEST_F(SlotHistoryTest, MakesOneSlotOfAGap) {
  Look(60, Totals(0, {}, 0));
  const auto slot = Look(3000, Totals(700, {}, 0));
  ASSERT_TRUE(slot);
  EXPECT_EQ(slot->span, (Interval{kBegin, kBegin + 3 * kStep}));
  EXPECT_DOUBLE_EQ(slot->was.it.value, 700);
  EXPECT_FALSE(slot->would_have_been);
}

TEST_F(SlotHistoryTest, BeginsAnewWithAShadow) {
  Look(60, Totals(0, {}, 0));
  EXPECT_FALSE(Look(1000, Totals(0, 0, 0)));
  const auto slot = Look(1900, Totals(50, 40, 0));
  ASSERT_TRUE(slot);
  EXPECT_DOUBLE_EQ(slot->was.it.value, 50);
}

TEST_F(SlotHistoryTest, GoesOnAfterARestart) {
  Look(0, Totals(0, 0, 4));
  Look(1000, Totals(1000, 600, 8));
  SlotHistory restored;
  ASSERT_TRUE(restored.Restore(*io::Json::Parse(history_.Keep().Line(), "kept")));
  const auto expected = Look(1800, Totals(1300, 900, 0));
  std::swap(history_, restored);
  const auto slot = Look(1800, Totals(1300, 900, 0));
  ASSERT_TRUE(slot && expected);
  EXPECT_EQ(slot->span, expected->span);
  EXPECT_DOUBLE_EQ(slot->was.it.value, 300);
  EXPECT_DOUBLE_EQ(slot->gpus_was, expected->gpus_was);
  EXPECT_DOUBLE_EQ(*slot->gpus_would_have_been, *expected->gpus_would_have_been);
}

TEST_F(SlotHistoryTest, ShowsThePresentSlotSoFar) {
  EXPECT_FALSE(history_.Present(Totals(0, 0, 0), signals_));
  Look(0, Totals(0, 0, 4));
  Look(300, Totals(0, 0, 4));
  const auto present = history_.Present(Totals(120, 100, 0), signals_);
  ASSERT_TRUE(present);
  EXPECT_EQ(present->span.length(), Duration{300});
  EXPECT_DOUBLE_EQ(present->was.it.value, 120);
  EXPECT_DOUBLE_EQ(present->gpus_was, 4);
}

}  // namespace
}  // namespace heliostat::controller
