#include "heliostat/forecasting/forecast/backtest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/forecasting/forecast/testing/simple_models.h"

namespace heliostat::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;
using ::testing::AllOf;
using testing::At;
using testing::CandidateOfType;
using testing::Drift;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HistoryOf;
using testing::Saying;
using testing::Wandering;
using testing::Yesterday;

const Instant kStart = At("2021-01-01");

BacktestSchedule Daily(int first_day, int last_day, Duration horizon) {
  return {kStart + days{first_day}, kStart + days{last_day}, days{1}, horizon, std::nullopt, std::nullopt};
}

// The arguments that a model got, per call.
struct Log {
  std::vector<Interval> fits;
  std::vector<Interval> predictions;
};

class Logging : public Yesterday {
 public:
  explicit Logging(Log& log) : log_(log) {}
  Status Fit(const History& past, std::size_t steps) override {
    log_.fits.push_back(past.target.series.span());
    return Yesterday::Fit(past, steps);
  }
  Result<Prediction> Predict(const History& past, std::size_t steps) const override {
    log_.predictions.push_back(past.target.series.span());
    return Yesterday::Predict(past, steps);
  }

 private:
  Log& log_;
};

Candidate LoggingCandidate(Log& log, std::optional<Duration> train = std::nullopt,
                           std::optional<Duration> refit = std::nullopt) {
  return {{"logging", "", train, refit},
          [&log](const History&) -> Result<std::unique_ptr<Forecaster>> { return std::make_unique<Logging>(log); }};
}

Candidate SayingCandidate(Saying::Words words) {
  return {{"saying", "", std::nullopt, std::nullopt},
          [words](const History&) -> Result<std::unique_ptr<Forecaster>> { return std::make_unique<Saying>(words); }};
}

TEST(OriginsTest, BothEndsCountAndTheWholeHorizonMustBeThere) {
  const History all = HistoryOf(std::vector<double>(24 * 10, 1.0));
  EXPECT_THAT(OriginsOf(Daily(2, 4, days{1}), all), ElementsAre(kStart + days{2}, kStart + days{3}, kStart + days{4}));
  EXPECT_THAT(OriginsOf(Daily(7, 20, days{2}), all), ElementsAre(kStart + days{7}, kStart + days{8}));
  EXPECT_THAT(OriginsOf(Daily(-3, 1, days{1}), all), ElementsAre(kStart + days{1}));
}

TEST(OriginsTest, NothingIsForecastBeforeSomethingIsKnown) {
  std::vector<double> values(24 * 10, 1.0);
  std::fill(values.begin(), values.begin() + 24 * 3, signal::Missing());
  EXPECT_EQ(OriginsOf(Daily(1, 9, days{1}), HistoryOf(values)).front(), kStart + days{4});
  EXPECT_TRUE(OriginsOf(Daily(1, 9, days{1}), HistoryOf(std::vector<double>(240, signal::Missing()))).empty());
}

TEST(BacktestTest, RefusesAScheduleThatDoesNotFitTheSeriesInOneLine) {
  const History all = HistoryOf(Wandering(24 * 30, 1));
  const auto line = [&](auto change) {
    BacktestSchedule schedule = Daily(20, 25, days{1});
    change(schedule);
    const auto result = Backtest(all, schedule, {CandidateOfType<Yesterday>("yesterday")}, nullptr);
    return result ? std::string() : result.error().Line();
  };
  EXPECT_EQ(line([](BacktestSchedule&) {}), "");
  EXPECT_THAT(line([](BacktestSchedule& s) { s.horizon = std::chrono::minutes{90}; }), HasSubstr("horizon"));
  EXPECT_THAT(line([](BacktestSchedule& s) { s.horizon = Duration{0}; }), HasSubstr("horizon"));
  EXPECT_THAT(line([](BacktestSchedule& s) { s.every = std::chrono::minutes{45}; }), HasSubstr("distance of origins"));
  EXPECT_THAT(line([](BacktestSchedule& s) { s.train = std::chrono::minutes{45}; }), HasSubstr("training window"));
  EXPECT_THAT(line([](BacktestSchedule& s) { s.first += std::chrono::minutes{20}; }), HasSubstr("first origin"));
  EXPECT_THAT(line([](BacktestSchedule& s) { s.first = s.last = kStart + days{30}; }),
              AllOf(HasSubstr("no origin"), HasSubstr("2021-01-31")));
}

TEST(BacktestTest, ScoresAnExampleDoneByHand) {
  // Day d has the value 100 + 10 d: yesterday is 10 below on the first day of the horizon, 20 on the second.
  std::vector<double> values;
  for (int hour = 0; hour < 24 * 8; ++hour) values.push_back(100 + 10 * (hour / 24));
  const auto result =
      Backtest(HistoryOf(values), Daily(5, 7, days{2}), {CandidateOfType<Yesterday>("yesterday")}, nullptr);
  ASSERT_TRUE(result) << result.error().Line();
  ASSERT_EQ(result->origins.size(), 2U);
  const auto& model = result->models[0];
  EXPECT_EQ(model.score.count, 96U);
  EXPECT_DOUBLE_EQ(model.score.mae, 15);
  EXPECT_DOUBLE_EQ(model.score.bias, -15);
  EXPECT_NEAR(model.by_day[0].mape_percent, 100 * (10.0 / 150 + 10.0 / 160) / 2, 1e-9);
  EXPECT_NEAR(model.by_day[1].mape_percent, 100 * (20.0 / 160 + 20.0 / 170) / 2, 1e-9);
  EXPECT_NEAR(model.score.skill_percent, 0, 1e-9);
  EXPECT_THAT(model.answered, ElementsAre("yesterday: 2 of 2"));
}

TEST(BacktestTest, ScoresByLeadAndByDayAddUpToTheWhole) {
  auto values = Wandering(24 * 100, 2);
  values[24 * 95 + 5] = signal::Missing();
  const auto result = Backtest(HistoryOf(values), Daily(80, 99, hours{60}), {CandidateOfType<Drift>("drift")}, nullptr);
  ASSERT_TRUE(result);
  const auto& model = result->models[0];
  ASSERT_EQ(model.by_lead.size(), 60U);
  ASSERT_EQ(model.by_day.size(), 3U);
  for (const auto* parts : {&model.by_lead, &model.by_day}) {
    double absolute = 0;
    std::size_t count = 0;
    for (const auto& part : *parts) {
      absolute += part.mae * static_cast<double>(part.count);
      count += part.count;
    }
    EXPECT_EQ(count, model.score.count);
    EXPECT_NEAR(absolute / static_cast<double>(count), model.score.mae, 1e-9);
  }
  EXPECT_EQ(model.score.count, result->origins.size() * 60 - 3) << "the missing hour was asked for three times";
}

// A forecast up to an origin does not depend on later values.
TEST(BacktestTest, NeitherForecastsNorBandsPeekAtWhatIsNotKnownYet) {
  const auto values = Wandering(24 * 90, 3);
  const BacktestSchedule schedule = Daily(60, 80, hours{96});
  const std::vector<Candidate> models{CandidateOfType<Yesterday>("yesterday"),
                                      CandidateOfType<Drift>("drift", days{20}, days{7})};
  const auto real = Backtest(HistoryOf(values), schedule, models, nullptr);
  ASSERT_TRUE(real);
  for (const std::size_t k : {0U, 1U, 5U, 20U}) {
    auto other = values;
    RandomStream random(k);
    const auto from = static_cast<std::size_t>((real->origins[k] - kStart) / hours{1});
    for (std::size_t i = from; i < other.size(); ++i) other[i] = random.Uniform(1, 5000);
    const auto changed = Backtest(HistoryOf(other), schedule, models, nullptr);
    ASSERT_TRUE(changed);
    for (std::size_t m = 0; m < models.size(); ++m) {
      for (std::size_t i = 0; i <= k; ++i) {
        const auto& a = real->models[m].forecasts[i];
        const auto& b = changed->models[m].forecasts[i];
        ASSERT_EQ(a.prediction.values, b.prediction.values) << "origin " << i << " of future from " << k;
        ASSERT_EQ(a.bands.size(), b.bands.size());
        for (std::size_t l = 0; l < a.bands.size(); ++l) {
          ASSERT_EQ(a.bands[l].lower, b.bands[l].lower) << "origin " << i << " of future from " << k;
          ASSERT_EQ(a.bands[l].upper, b.bands[l].upper) << "origin " << i << " of future from " << k;
        }
      }
    }
  }
}

TEST(BacktestTest, BandsLearnFromAForecastBeforeItsHorizonIsOver) {
  auto values = Wandering(24 * 90, 4, 0.01);
  const BacktestSchedule schedule = Daily(60, 70, hours{96});
  const auto calm = Backtest(HistoryOf(values), schedule, {CandidateOfType<Yesterday>("yesterday")}, nullptr);
  for (std::size_t i = 24 * 62; i < 24 * 63; ++i) values[i] *= 3;
  const auto shaken = Backtest(HistoryOf(values), schedule, {CandidateOfType<Yesterday>("yesterday")}, nullptr);
  const auto width = [](const auto& result, std::size_t origin) {
    const auto& issued = result->models[0].forecasts[origin];
    return issued.bands[2].upper[90] / issued.prediction.values[90];
  };
  EXPECT_EQ(width(shaken, 2), width(calm, 2));
  EXPECT_GT(width(shaken, 3), width(calm, 3)) << "one day of the four is known";
}

TEST(BacktestTest, FitsAtTheFirstOriginAndWheneverTheTimeIsOver) {
  Log log;
  BacktestSchedule schedule = Daily(100, 120, days{1});
  schedule.refit = days{7};
  ASSERT_TRUE(Backtest(HistoryOf(Wandering(24 * 130, 5)), schedule, {LoggingCandidate(log)}, nullptr));
  std::vector<Instant> scored;
  for (const auto& fit : log.fits) {
    EXPECT_EQ(fit.begin, kStart) << "all there is";
    if (fit.end >= schedule.first) scored.push_back(fit.end);
  }
  EXPECT_THAT(scored, ElementsAre(kStart + days{100}, kStart + days{107}, kStart + days{114}));
}

TEST(BacktestTest, WithoutAnyOtherWordFitsAtEveryOrigin) {
  Log log;
  const auto result =
      Backtest(HistoryOf(Wandering(24 * 130, 5)), Daily(100, 120, days{1}), {LoggingCandidate(log)}, nullptr);
  EXPECT_EQ(log.fits.size(), log.predictions.size());
  EXPECT_EQ(result->models[0].refit, Duration{0});
}

TEST(BacktestTest, FitSeesTheTrainingWindowAndPredictTheWholePast) {
  for (const bool is_asked : {true, false}) {
    Log log;
    BacktestSchedule schedule = Daily(100, 110, days{1});
    if (is_asked) schedule.train = days{14};
    const auto result = Backtest(HistoryOf(Wandering(24 * 130, 6)), schedule,
                                 {LoggingCandidate(log, is_asked ? days{50} : days{14})}, nullptr);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->models[0].train, Duration{days{14}});
    for (const auto& fit : log.fits) EXPECT_EQ(fit.length(), Duration{days{14}});
    for (const auto& prediction : log.predictions) EXPECT_EQ(prediction.begin, kStart);
  }
}

TEST(BacktestTest, RehearsesAtTheSameTimeOfDayAndSlowModelsWithFewFits) {
  Log log;
  BacktestSchedule schedule = Daily(300, 301, days{1});
  schedule.first += hours{5};
  schedule.last += hours{5};
  ASSERT_TRUE(
      Backtest(HistoryOf(Wandering(24 * 310, 7)), schedule, {LoggingCandidate(log, std::nullopt, days{1})}, nullptr));
  EXPECT_EQ(log.predictions.size(), 90U + 2U);
  EXPECT_EQ(log.fits.size(), 3U + 2U);
  for (const auto& prediction : log.predictions) EXPECT_EQ((prediction.end - kStart) % days{1}, hours{5});
}

TEST(BacktestTest, RehearsalsOfFrequentForecastsVisitEveryTimeOfDay) {
  Log log;
  const BacktestSchedule schedule{kStart + days{150}, kStart + days{150}, hours{1},
                                  hours{6},           std::nullopt,       std::nullopt};
  ASSERT_TRUE(Backtest(HistoryOf(Wandering(24 * 160, 8)), schedule, {LoggingCandidate(log)}, nullptr));
  EXPECT_LE(log.predictions.size(), 201U);
  std::vector<int> seen(24, 0);
  for (const auto& prediction : log.predictions)
    ++seen[static_cast<std::size_t>((prediction.end - kStart) / hours{1}) % 24];
  EXPECT_GE(*std::ranges::min_element(seen), 5);
}

TEST(BacktestTest, ThereAreBandsEvenWithoutAnyRehearsal) {
  Log log;
  const auto result = Backtest(HistoryOf(Wandering(24 * 8, 9)), Daily(3, 3, days{4}), {LoggingCandidate(log)}, nullptr);
  ASSERT_TRUE(result) << result.error().Line();
  EXPECT_EQ(log.predictions.size(), 1U);
  ASSERT_EQ(result->models[0].forecasts[0].bands.size(), kBandLevels.size());
  const auto& band = result->models[0].forecasts[0].bands[2];
  for (std::size_t i = 0; i < 96; ++i) EXPECT_LT(band.lower[i], band.upper[i]);
}

TEST(BacktestTest, BandsOfAHalfYearCoverWhatTheySay) {
  const auto result = Backtest(HistoryOf(Wandering(24 * 400, 10)), Daily(200, 395, hours{48}),
                               {CandidateOfType<Yesterday>("yesterday"), CandidateOfType<Drift>("drift")}, nullptr);
  ASSERT_TRUE(result);
  for (const auto& model : result->models) {
    for (std::size_t i = 0; i < kBandLevels.size(); ++i) {
      EXPECT_NEAR(model.score.coverage_percent[i], 100 * kBandLevels[i], 3) << model.name;
    }
  }
}

TEST(BacktestTest, BandsFollowErrorsThatGrow) {
  RandomStream random(18);
  std::vector<double> values;
  for (int hour = 0; hour < 24 * 500; ++hour) {
    values.push_back(random.Normal(0, 1 + std::max(0, hour - 24 * 200) / (24 * 60.0)));
  }
  const auto result = Backtest(HistoryOf(values, hours{1}, signal::Kind::kPrice), Daily(200, 498, days{1}),
                               {CandidateOfType<Yesterday>("yesterday")}, nullptr);
  ASSERT_TRUE(result);
  for (std::size_t i = 0; i < kBandLevels.size(); ++i) {
    EXPECT_NEAR(result->models[0].score.coverage_percent[i], 100 * kBandLevels[i], 2);
  }
}

TEST(BacktestTest, NightsOfTheSunDoNotCountAsCovered) {
  RandomStream random(11);
  std::vector<double> sun;
  for (int hour = 0; hour < 24 * 200; ++hour) {
    const double height = std::sin(3.141592653589793 * (hour % 24 - 6) / 12);
    sun.push_back(height > 1e-9 ? 1000 * height * random.Uniform(0.3, 1) : 0.0);
  }
  const auto result = Backtest(HistoryOf(sun, hours{1}, signal::Kind::kPower), Daily(120, 198, days{1}),
                               {CandidateOfType<Yesterday>("yesterday")}, nullptr);
  ASSERT_TRUE(result);
  const auto& model = result->models[0];
  EXPECT_TRUE(model.by_lead[0].coverage_percent.empty()) << "midnight";
  EXPECT_NEAR(model.by_lead[12].coverage_percent[0], 50, 15) << "noon";
  EXPECT_GT(model.score.zeros, 0U);
}

TEST(BacktestTest, WhatAModelCannotDoIsSaidWithItsNameAndTheOrigin) {
  const History all = HistoryOf(Wandering(24 * 40, 12));
  const auto line = [&](const Candidate& candidate) {
    const auto result = Backtest(all, Daily(30, 35, days{1}), {candidate}, nullptr);
    return result ? std::string() : result.error().Line();
  };
  EXPECT_THAT(line(SayingCandidate([](const History&, std::size_t) -> Result<Prediction> {
                return Fail(ErrorCode::kInvalidArgument, "saying", "has no words");
              })),
              AllOf(HasSubstr("model saying at 2021-01-31"), HasSubstr("no words")));
  EXPECT_THAT(line(SayingCandidate([](const History&, std::size_t steps) -> Result<Prediction> {
                return Prediction{std::vector<double>(steps - 1, 1.0), "", ""};
              })),
              HasSubstr("23 values"));
  EXPECT_THAT(line(SayingCandidate([](const History&, std::size_t steps) -> Result<Prediction> {
                return Prediction{std::vector<double>(steps, signal::Missing()), "", ""};
              })),
              HasSubstr("not a number"));
}

TEST(BacktestTest, ForecastsAreHeldInsideTheLimits) {
  const auto below = SayingCandidate([](const History&, std::size_t steps) -> Result<Prediction> {
    return Prediction{std::vector<double>(steps, -5.0), "", ""};
  });
  const auto result = Backtest(HistoryOf(Wandering(24 * 40, 13)), Daily(30, 31, days{1}), {below}, nullptr);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->models[0].forecasts[0].prediction.values, std::vector<double>(24, 0.0));
  EXPECT_THAT(result->models[0].answered, ElementsAre("saying: 2 of 2"));
}

TEST(BacktestTest, ProgressGrowsAndEndsAtOne) {
  std::vector<double> shares;
  const std::vector<Candidate> models{CandidateOfType<Yesterday>("yesterday"), CandidateOfType<Drift>("drift")};
  ASSERT_TRUE(Backtest(HistoryOf(Wandering(24 * 60, 14)), Daily(40, 50, days{1}), models,
                       [&](double share) { shares.push_back(share); }));
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_DOUBLE_EQ(shares.back(), 1);
}

}  // namespace
}  // namespace heliostat::forecast
