#include "heliostat/forecasting/auto_parts/origin_features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/forecasting/auto_parts/testing/frames.h"

namespace heliostat::auto_parts {
namespace {

using testing::FrameOf;
using testing::Wandering;

constexpr std::size_t kHours = 20 * 24;
const ZoneCalendar kNowhere = ZoneCalendar::Of("");

Frame FrameWith(std::size_t signs, std::size_t powers) {
  std::vector<std::vector<double>> columns;
  for (std::size_t c = 0; c < 1 + signs + powers; ++c) columns.push_back(Wandering(kHours, c));
  return FrameOf(std::move(columns), signs, powers);
}

std::vector<Baseline> BaselinesOf(const Frame& frame) {
  const auto model = CalendarModel::Fit(FrameWith(frame.signs, frame.powers), kNowhere);
  return MakeBaselines(BaselineKind::kRecent, frame, model, kNowhere, 24);
}

TEST(OriginFeaturesTest, WritesAsManyAsItSays) {
  for (const std::size_t signs : {0U, 1U, 3U}) {
    for (const std::size_t powers : {0U, 2U}) {
      const Frame frame = FrameWith(signs, powers);
      const auto baselines = BaselinesOf(frame);
      for (const bool seasons : {false, true}) {
        for (const bool with_powers : {false, true}) {
          const OriginFeatures features(frame, kNowhere, baselines, seasons, with_powers);
          std::vector<double> row(features.size() + 10, NAN);
          features.Fill(kHours, row);
          for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(std::isfinite(row[i]), i < features.size()) << i;
          EXPECT_EQ(features.size(), OriginFeatures::Count(signs, with_powers ? powers : 0, seasons));
        }
      }
    }
  }
}

TEST(OriginFeaturesTest, BeginWithTheNewestAnomalies) {
  const Frame frame = FrameWith(1, 0);
  const auto baselines = BaselinesOf(frame);
  const OriginFeatures features(frame, kNowhere, baselines, false, false);
  std::vector<double> row(features.size());
  features.Fill(400, row);
  for (std::size_t lag = 1; lag <= 12; ++lag) EXPECT_EQ(row[lag - 1], baselines[0].Anomaly(400 - lag));
  double mean = 0;
  for (std::size_t t = 400 - 24; t < 400; ++t) mean += baselines[0].Anomaly(t) / 24;
  EXPECT_NEAR(row[12], mean, 1e-12);
  EXPECT_EQ(row[16], baselines[1].Anomaly(399));
}

TEST(OriginFeaturesTest, NeverSeeWhatComesAfterTheOrigin) {
  const Frame frame = FrameWith(2, 2);
  RandomStream random(9);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const std::size_t first = OriginFeatures::FirstOrigin(frame);
    const std::size_t origin = first + random.Below(kHours - first + 1);
    Frame other = frame;
    for (auto& column : other.columns) {
      for (std::size_t t = origin; t < kHours; ++t) column[t] = 1e3 - column[t];
    }
    const auto one = BaselinesOf(frame), two = BaselinesOf(other);
    for (const bool powers : {false, true}) {
      const OriginFeatures before(frame, kNowhere, one, true, powers), after(other, kNowhere, two, true, powers);
      std::vector<double> row(before.size()), other_row(after.size());
      before.Fill(origin, row);
      after.Fill(origin, other_row);
      EXPECT_EQ(row, other_row) << "origin " << origin;
    }
  }
}

TEST(OriginFeaturesTest, TheFirstOriginHasTwoWeeksBehindIt) {
  EXPECT_EQ(OriginFeatures::FirstOrigin(FrameWith(0, 0)), 14U * 24 + 12);
}

}  // namespace
}  // namespace heliostat::auto_parts
