#include "heliostat/forecasting/auto_parts/baseline.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "heliostat/forecasting/auto_parts/testing/frames.h"

namespace heliostat::auto_parts {
namespace {

using testing::FrameOf;
using testing::Wandering;

constexpr std::size_t kHours = 50 * 24, kSteps = 60;
const ZoneCalendar kNowhere = ZoneCalendar::Of("");

Frame TwoColumns() { return FrameOf({Wandering(kHours, 1), Wandering(kHours, 2)}, 1); }

TEST(BaselineTest, TheExpectedAndTheRestAreTheValue) {
  const Frame frame = TwoColumns();
  const auto model = CalendarModel::Fit(frame, kNowhere);
  for (const auto kind : {BaselineKind::kCalendar, BaselineKind::kRecent}) {
    const auto baselines = MakeBaselines(kind, frame, model, kNowhere, kSteps);
    ASSERT_EQ(baselines.size(), 2U);
    for (std::size_t c = 0; c < 2; ++c) {
      for (const std::size_t origin : {24UL, 500UL, kHours - kSteps}) {
        for (std::size_t lead = 0; lead < kSteps; ++lead) {
          EXPECT_NEAR(baselines[c].Expected(origin, lead) + baselines[c].Rest(origin, lead),
                      frame.columns[c][origin + lead], 1e-12);
        }
      }
    }
  }
}

TEST(BaselineTest, ReachesAHorizonPastTheEnd) {
  const Frame frame = TwoColumns();
  const auto model = CalendarModel::Fit(frame, kNowhere);
  const auto recent = MakeBaselines(BaselineKind::kRecent, frame, model, kNowhere, kSteps);
  const auto by_calendar = MakeBaselines(BaselineKind::kCalendar, frame, model, kNowhere, kSteps);
  const auto expected = model.Expected(frame, kNowhere, kHours, kSteps);
  for (std::size_t lead = 0; lead < kSteps; ++lead) {
    EXPECT_TRUE(std::isfinite(recent[0].Expected(kHours, lead)));
    EXPECT_NEAR(by_calendar[0].Expected(kHours, lead), expected.Row(lead)[0], 1e-12);
  }
  EXPECT_EQ(by_calendar[0].Anomaly(77), frame.columns[0][77] - by_calendar[0].usual[77]);
}

TEST(BaselineTest, RecentDaysCountMore) {
  // The level steps up: after a week half of the step is expected, after many weeks all of it.
  const auto step = testing::Values(80 * 24, [](std::size_t i) { return i < 40 * 24 ? 0.0 : 1.0; });
  const Frame frame = FrameOf({step});
  const auto flat = CalendarModel::Fit(FrameOf({std::vector<double>(480, 0.0)}), kNowhere);
  const auto baseline = MakeBaselines(BaselineKind::kRecent, frame, flat, kNowhere, 24)[0];
  EXPECT_EQ(baseline.Expected(40 * 24, 5), 0);
  EXPECT_NEAR(baseline.Expected(47 * 24, 5), 0.5, 1e-9);
  EXPECT_NEAR(baseline.Expected(80 * 24, 5), 1, 0.02);
}

RC_GTEST_PROP(BaselineLaw, AnExpectationNeverSeesItsFuture, ()) {
  const auto kind = *rc::gen::element(BaselineKind::kCalendar, BaselineKind::kRecent);
  const auto origin = *rc::gen::inRange<std::size_t>(24, kHours + 1);
  const Frame frame = TwoColumns();
  const auto model = CalendarModel::Fit(FrameOf({Wandering(400, 3), Wandering(400, 4)}, 1), kNowhere);
  Frame other = frame;
  for (auto& column : other.columns) {
    for (std::size_t t = origin; t < kHours; ++t) column[t] = 1e3 - column[t];
  }
  const auto one = MakeBaselines(kind, frame, model, kNowhere, kSteps);
  const auto two = MakeBaselines(kind, other, model, kNowhere, kSteps);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t lead = 0; lead < kSteps; ++lead) {
      RC_ASSERT(one[c].Expected(origin, lead) == two[c].Expected(origin, lead));
    }
    for (std::size_t lag = 1; lag <= 24; ++lag) RC_ASSERT(one[c].Anomaly(origin - lag) == two[c].Anomaly(origin - lag));
  }
}

}  // namespace
}  // namespace heliostat::auto_parts
