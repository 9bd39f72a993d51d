#include "heliostat/forecasting/forecast/bands.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "heliostat/forecasting/forecast/testing/simple_models.h"

namespace heliostat::forecast {
namespace {

using testing::At;

constexpr double kOpen = std::numeric_limits<double>::infinity();
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

ValueLimits Open(std::size_t steps) { return {std::vector<double>(steps, -kOpen), std::vector<double>(steps, kOpen)}; }

// Correlated error paths: each step keeps the share `memory` of the last one, and errors grow with the lead.
ErrorRecord Paths(std::size_t paths, std::size_t leads, double memory, std::uint64_t seed,
                  ErrorScale scale = ErrorScale::kAbsolute) {
  RandomStream random(seed);
  ErrorRecord record(scale, paths);
  for (std::size_t i = 0; i < paths; ++i) {
    std::vector<double> actual(leads);
    double z = random.Normal();
    for (std::size_t lead = 0; lead < leads; ++lead) {
      if (lead > 0) z = memory * z + std::sqrt(1 - memory * memory) * random.Normal();
      const double error = z * std::sqrt(1.0 + static_cast<double>(lead));
      actual[lead] = scale == ErrorScale::kAbsolute ? 100 + error : 100 * std::exp(0.05 * error);
    }
    record.Add(At("2021-01-01") + std::chrono::days{i}, std::vector<double>(leads, 100.0), actual);
  }
  return record;
}

double Correlation(const std::vector<std::vector<double>>& rows, std::size_t a, std::size_t b) {
  double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
  for (const auto& row : rows) {
    sum_a += row[a];
    sum_b += row[b];
  }
  const auto n = static_cast<double>(rows.size());
  for (const auto& row : rows) {
    aa += (row[a] - sum_a / n) * (row[a] - sum_a / n);
    bb += (row[b] - sum_b / n) * (row[b] - sum_b / n);
    ab += (row[a] - sum_a / n) * (row[b] - sum_b / n);
  }
  return ab / std::sqrt(aa * bb);
}

TEST(BandsTest, CoverTheNextValueAsOftenAsTheySay) {
  constexpr std::size_t kLeads = 6;
  std::array<double, kBandLevels.size()> covered{};
  double count = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto record = Paths(40, kLeads, 0.8, seed);
    const auto next = Paths(1, kLeads, 0.8, 1000 + seed);
    const auto bands = MakeBands(record, {}, std::vector<double>(kLeads, 100.0), Open(kLeads));
    for (std::size_t lead = 0; lead < kLeads; ++lead) {
      const double actual = 100 + next.AtLead(lead)[0];
      for (std::size_t i = 0; i < bands.size(); ++i) {
        if (bands[i].lower[lead] <= actual && actual <= bands[i].upper[lead]) covered[i] += 1;
      }
      count += 1;
    }
  }
  for (std::size_t i = 0; i < kBandLevels.size(); ++i) EXPECT_NEAR(covered[i] / count, kBandLevels[i], 0.04);
}

TEST(BandsTest, AreNestedAndInsideTheLimitsWhateverTheKeeperAsks) {
  RandomStream random(1);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto record = Paths(1 + random.Below(50), 1 + random.Below(8), 0.5, seed);
    CoverageKeeper keeper;
    for (const double level : kBandLevels) keeper.Observe(level, random.Uniform(), random.Uniform(0, 20));
    const std::size_t steps = 1 + random.Below(12);
    ValueLimits limits{std::vector<double>(steps, 98.0), std::vector<double>(steps, 101.0)};
    limits.highest[0] = 98;
    const auto bands = MakeBands(record, keeper, std::vector<double>(steps, 100.0), limits);
    ASSERT_EQ(bands.size(), kBandLevels.size());
    for (std::size_t lead = 0; lead < steps; ++lead) {
      for (std::size_t i = 0; i < bands.size(); ++i) {
        EXPECT_LE(bands[i].lower[lead], bands[i].upper[lead]);
        EXPECT_GE(bands[i].lower[lead], limits.lowest[lead]);
        EXPECT_LE(bands[i].upper[lead], limits.highest[lead]);
        if (i == 0) continue;
        EXPECT_LE(bands[i].lower[lead], bands[i - 1].lower[lead]);
        EXPECT_GE(bands[i].upper[lead], bands[i - 1].upper[lead]);
      }
    }
  }
}

TEST(BandsTest, RelativeErrorsScaleWithTheForecastAndNeverCrossZero) {
  const auto record = Paths(60, 3, 0.5, 3, ErrorScale::kRelative);
  const auto low = MakeBands(record, {}, std::vector<double>{10, 10, 10}, Open(3));
  const auto high = MakeBands(record, {}, std::vector<double>{500, 500, 500}, Open(3));
  for (std::size_t i = 0; i < low.size(); ++i) {
    for (std::size_t lead = 0; lead < 3; ++lead) {
      EXPECT_GT(low[i].lower[lead], 0);
      EXPECT_NEAR(high[i].upper[lead], 50 * low[i].upper[lead], 1e-9 * high[i].upper[lead]);
    }
  }
}

TEST(BandsTest, LeadsBeyondTheRecordGrowWiderAndNeverNarrower) {
  const auto bands = MakeBands(Paths(60, 4, 0.5, 4), {}, std::vector<double>(16, 100.0), Open(16));
  for (const auto& band : bands) {
    for (std::size_t lead = 4; lead < 16; ++lead) {
      EXPECT_GT(band.upper[lead] - band.lower[lead], band.upper[lead - 1] - band.lower[lead - 1]);
    }
    EXPECT_NEAR(band.upper[15] - band.lower[15], 2 * (band.upper[3] - band.lower[3]), 1e-9);
  }
}

TEST(BandsTest, AHandfulOfErrorsMakesABandAndNoneMakesNone) {
  EXPECT_EQ(MakeBands(Paths(2, 3, 0.5, 5), {}, std::vector<double>(3, 100.0), Open(3)).size(), kBandLevels.size());
  EXPECT_TRUE(MakeBands(ErrorRecord(ErrorScale::kAbsolute, 9), {}, std::vector<double>{1}, Open(1)).empty());
  ErrorRecord unknown(ErrorScale::kAbsolute, 9);
  unknown.Add(At("2021-01-01"), std::vector<double>{1}, std::vector<double>{kUnknown});
  EXPECT_TRUE(MakeBands(unknown, {}, std::vector<double>{1}, Open(1)).empty());
}

// Errors that grow to five times their size: quantiles of the past alone cannot follow.
double CoverageUnderDrift(double level, bool is_kept) {
  RandomStream random(11);
  ErrorRecord record(ErrorScale::kAbsolute, 90);
  CoverageKeeper keeper;
  const auto limits = Open(24);
  double covered = 0;
  double count = 0;
  for (int day = 0; day < 400; ++day) {
    const double spread = day < 90 ? 1 : 1 + 4 * (day - 90) / 310.0;
    std::vector<double> actual(24);
    for (double& value : actual) value = random.Normal(0, spread);
    const std::vector<double> forecast(24, 0.0);
    if (day >= 90) {
      const auto bands = MakeBands(record, is_kept ? keeper : CoverageKeeper(), forecast, limits);
      for (const auto& band : bands) {
        double inside = 0;
        for (std::size_t i = 0; i < 24; ++i) inside += band.lower[i] <= actual[i] && actual[i] <= band.upper[i];
        keeper.Observe(band.level, inside / 24, 1);
        if (band.level != level) continue;
        covered += inside;
        count += 24;
      }
    }
    record.Add(At("2021-01-01") + std::chrono::days{day}, forecast, actual);
  }
  return covered / count;
}

TEST(CoverageKeeperTest, KeepsCoverageWhileErrorsDriftAndWithoutItTheyAreNotCovered) {
  for (const double level : kBandLevels) EXPECT_NEAR(CoverageUnderDrift(level, true), level, 0.02) << level;
  for (const double level : kBandLevels) EXPECT_LT(CoverageUnderDrift(level, false), level - 0.02) << level;
}

TEST(CoverageKeeperTest, AsksForMoreAfterMissesForLessAfterNoneAndWithinBounds) {
  for (const double level : kBandLevels) {
    CoverageKeeper keeper;
    EXPECT_EQ(keeper.AskedLevel(level), level);
    keeper.Observe(level, 0.2, 1);
    EXPECT_GT(keeper.AskedLevel(level), level);
    for (int i = 0; i < 100; ++i) keeper.Observe(level, 0, 1);
    EXPECT_LE(keeper.AskedLevel(level), 0.995);
    for (int i = 0; i < 1000; ++i) keeper.Observe(level, 1, 1);
    EXPECT_GE(keeper.AskedLevel(level), 0.02);
    EXPECT_LT(keeper.AskedLevel(level), level);
  }
}

TEST(CoverageKeeperTest, EachLevelLearnsAlone) {
  CoverageKeeper keeper;
  keeper.Observe(0.8, 0, 1);
  EXPECT_EQ(keeper.AskedLevel(0.5), 0.5);
  EXPECT_EQ(keeper.AskedLevel(0.9), 0.9);
}

TEST(ScenariosTest, SpreadAsTheBandsDo) {
  const auto record = Paths(90, 12, 0.8, 21);
  const std::vector<double> prediction(12, 50.0);
  const auto bands = MakeBands(record, {}, prediction, Open(12));
  const auto scenarios = MakeScenarios(record, prediction, Open(12), 2000, RandomStream(1));
  for (std::size_t lead = 0; lead < 12; ++lead) {
    for (const auto& band : bands) {
      double inside = 0;
      for (const auto& path : scenarios) inside += band.lower[lead] <= path[lead] && path[lead] <= band.upper[lead];
      EXPECT_NEAR(inside / 2000, band.level, 0.03) << "lead " << lead;
    }
  }
}

TEST(ScenariosTest, HangTogetherOverTimeAsPastErrorsDid) {
  for (const double memory : {0.0, 0.6, 0.95}) {
    const auto record = Paths(150, 12, memory, 22);
    std::vector<std::vector<double>> past;
    for (const auto& row : record.rows()) past.push_back(row.errors);
    const auto scenarios = MakeScenarios(record, std::vector<double>(12, 50.0), Open(12), 2000, RandomStream(2));
    for (const std::size_t apart : {1U, 3U}) {
      for (std::size_t lead = apart; lead < 12; ++lead) {
        EXPECT_NEAR(Correlation(scenarios, lead - apart, lead), Correlation(past, lead - apart, lead), 0.12)
            << "memory " << memory << " lead " << lead;
      }
    }
  }
}

TEST(ScenariosTest, SameSeedSameFuturesAndOthersDiffer) {
  const auto record = Paths(50, 5, 0.7, 23);
  const std::vector<double> prediction(5, 50.0);
  const auto once = MakeScenarios(record, prediction, Open(5), 10, RandomStream(1));
  EXPECT_EQ(once, MakeScenarios(record, prediction, Open(5), 10, RandomStream(1)));
  EXPECT_NE(once, MakeScenarios(record, prediction, Open(5), 10, RandomStream(2)));
  EXPECT_NE(once[0], once[1]);
}

TEST(ScenariosTest, StayInsideTheLimitsAndWithoutErrorsAreThePrediction) {
  const auto record = Paths(50, 5, 0.7, 24);
  const std::vector<double> prediction(8, 50.0);
  const ValueLimits limits{std::vector<double>(8, 49.5), std::vector<double>(8, 50.5)};
  for (const auto& path : MakeScenarios(record, prediction, limits, 50, RandomStream(1))) {
    for (const double value : path) {
      EXPECT_GE(value, 49.5);
      EXPECT_LE(value, 50.5);
    }
  }
  const ErrorRecord none(ErrorScale::kAbsolute, 5);
  EXPECT_EQ(MakeScenarios(none, prediction, limits, 2, RandomStream(1)), (std::vector{prediction, prediction}));
}

}  // namespace
}  // namespace heliostat::forecast
