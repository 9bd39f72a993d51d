#include "heliostat/forecasting/forecast/auto_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heliostat/forecasting/forecast/testing/simple_models.h"

namespace heliostat::forecast {
namespace {

using namespace std::chrono_literals;
using signal::Kind;
using signal::Missing;
using ::testing::AllOf;
using testing::At;
using ::testing::HasSubstr;
using testing::HistoryOf;
using ::testing::Not;
using testing::Wandering;

double Turn(std::size_t hour) { return 2 * std::numbers::pi * static_cast<double>(hour % 24) / 24; }

AutoModel Fitted(const History& past, std::size_t steps) {
  AutoModel model;
  const Status fitted = model.Fit(past, steps);
  EXPECT_TRUE(fitted) << fitted.error().Line();
  return model;
}

// Fits and predicts; the answer must be complete and finite.
Prediction Ask(const History& past, std::size_t steps = 24) {
  auto prediction = Fitted(past, steps).Predict(past, steps);
  EXPECT_TRUE(prediction) << prediction.error().Line();
  if (!prediction) return {};
  EXPECT_EQ(prediction->values.size(), steps);
  for (const double value : prediction->values) EXPECT_TRUE(std::isfinite(value)) << prediction->reason;
  EXPECT_FALSE(prediction->reason.empty());
  return *prediction;
}

History Carbon(std::size_t hours, std::uint64_t seed = 1) { return HistoryOf(Wandering(hours, seed)); }

// The intensity of wind (20 g), gas (500 g) and coal (900 g).
History CarbonWithSources(std::size_t hours) {
  const auto wind = Wandering(hours, 2, 0.1), gas = Wandering(hours, 3, 0.02);
  std::vector<double> coal(hours, 150), intensity;
  for (std::size_t t = 0; t < hours; ++t) {
    intensity.push_back((20 * wind[t] + 500 * gas[t] + 900 * coal[t]) / (wind[t] + gas[t] + coal[t]));
  }
  History history = HistoryOf(intensity);
  for (const auto& [name, values] : {std::pair{"wind", wind}, {"gas", gas}, {"coal", coal}}) {
    auto source = HistoryOf(values, 1h, Kind::kPower).target;
    source.name = name;
    history.sources.push_back(source);
  }
  return history;
}

// Solar plants: no power from 18:00 to 6:00, clouds by day.
History Solar(std::size_t hours, Kind kind = Kind::kPower) {
  RandomStream random(4);
  double cloud = 0;
  std::vector<double> values;
  for (std::size_t t = 0; t < hours; ++t) {
    cloud = 0.95 * cloud + random.Normal(0, 0.08);
    values.push_back(std::max(0.0, -std::cos(Turn(t))) * std::exp(-std::abs(cloud)));
  }
  return HistoryOf(values, 1h, kind);
}

History With(History past, const std::function<double(std::size_t, double)>& change) {
  auto values = past.target.series.values();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = change(i, values[i]);
  past.target.series = *signal::StepSeries::Make(past.target.series.start(), past.step(), std::move(values));
  return past;
}

TEST(AutoModelTest, DoesAsMuchAsItsHistoryAllowsAndSaysSo) {
  const auto brief = Ask(Carbon(5));
  EXPECT_EQ(brief.answered_by, "persistence");
  EXPECT_THAT(brief.reason, HasSubstr("0.2 d of history: too short for a daily pattern, which needs 4 d"));

  const History two_days = Carbon(48);
  const auto yesterday = Ask(two_days);
  EXPECT_EQ(yesterday.answered_by, "yesterday");
  EXPECT_THAT(yesterday.reason, HasSubstr("2.0 d of history"));
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_NEAR(yesterday.values[i], two_days.target.series.values()[24 + i], 1e-9);
  }

  const auto pattern = Ask(Carbon(10 * 24));
  EXPECT_EQ(pattern.answered_by, "auto");
  EXPECT_THAT(pattern.reason, AllOf(HasSubstr("10 d of history"), HasSubstr("pattern 50 %"),
                                    HasSubstr("regressions need 28 d"), Not(HasSubstr("recent"))));

  const auto recent = Ask(CarbonWithSources(40 * 24));
  EXPECT_THAT(recent.reason,
              AllOf(HasSubstr("recent"), HasSubstr("calendar and mix need 120 d"), Not(HasSubstr("calendar 0"))));

  const auto calendar = Ask(Carbon(130 * 24), 12);
  EXPECT_THAT(calendar.reason, AllOf(HasSubstr(", calendar "), HasSubstr("43 past forecasts"),
                                     HasSubstr("no generation by source"), HasSubstr("seasons need 300 d")));

  const auto mix = Ask(CarbonWithSources(130 * 24), 12);
  EXPECT_THAT(mix.reason, AllOf(HasSubstr(", calendar "), HasSubstr(", mix "), HasSubstr("3 sources")));
}

TEST(AutoModelTest, TakesOneValueAndLessThanAnHour) {
  for (const double value : Ask(HistoryOf({321.5})).values) EXPECT_NEAR(value, 321.5, 1e-9);
  for (const double value : Ask(HistoryOf({300, Missing(), 330}, 5min)).values) EXPECT_NEAR(value, 330, 1e-9);
  for (const double value : Ask(HistoryOf({Missing(), 330, Missing()})).values) EXPECT_NEAR(value, 330, 1e-9);
}

TEST(AutoModelTest, TakesHolesAndASilentFeed) {
  for (const std::size_t days : {3U, 10U, 45U}) {
    const std::size_t hours = 24 * days;
    const History whole = With(Carbon(hours), [](std::size_t i, double) { return 300 + 100 * std::sin(Turn(i)); });
    const History holed = With(whole, [&](std::size_t i, double value) {
      const bool blocks = i % 100 < 9 && i > 24;
      return blocks || i + 6 >= hours ? Missing() : value;
    });
    const auto values = Ask(holed).values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], 300 + 100 * std::sin(Turn(hours + i)), 20) << days << " d, " << i;
    }
  }
}

TEST(AutoModelTest, ASilentFeedOfFineStepsDoesNotStartFromAnOldValue) {
  // Steps of five minutes with the newest six hours unknown: values that were high then are low now.
  const auto wave = [](std::size_t i) {
    return 300 + 200 * std::sin(2 * std::numbers::pi * static_cast<double>(i) / 288);
  };
  std::vector<double> values;
  for (std::size_t i = 0; i < 10 * 288 + 144; ++i) values.push_back(wave(i));
  std::fill(values.end() - 72, values.end(), Missing());
  const std::size_t origin = values.size();
  const auto prediction = Ask(HistoryOf(std::move(values), 5min), 24);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_NEAR(prediction.values[i], wave(origin + i), i < 18 ? 10 : 30) << i;
}

TEST(AutoModelTest, KnowsNoOddDays) {
  // A leap day and both clock changes are in the history: in UTC, repeating days continue to repeat.
  for (const char* start : {"2024-02-10", "2024-03-10", "2024-10-10"}) {
    History past = HistoryOf(std::vector<double>(40 * 24, 1), 1h, Kind::kPower, At(start));
    past = With(past, [](std::size_t i, double) { return 50 + 20 * std::sin(Turn(i)); });
    past.target.meaning.zone = "DE";
    const auto values = Ask(past, 48).values;
    for (std::size_t i = 0; i < 48; ++i) EXPECT_NEAR(values[i], 50 + 20 * std::sin(Turn(i)), 0.5) << start;
  }
}

TEST(AutoModelTest, KeepsAConstantConstantHoweverLong) {
  for (const Kind kind : {Kind::kCarbonIntensity, Kind::kPower, Kind::kPrice}) {
    for (const std::size_t days : {1U, 6U, 35U, 125U}) {
      const auto prediction = Ask(HistoryOf(std::vector<double>(24 * days, 73.25), 1h, kind));
      for (const double value : prediction.values) EXPECT_NEAR(value, 73.25, 1e-6);
    }
  }
  for (const double value : Ask(HistoryOf(std::vector<double>(24 * 35, 0.0))).values) EXPECT_EQ(value, 0);
}

TEST(AutoModelTest, HasNoSunAtNightAndNothingBelowZero) {
  for (const Kind kind : {Kind::kPower, Kind::kCapacityFactor}) {
    for (const std::size_t days : {5U, 12U, 35U, 125U}) {
      const auto values = Ask(Solar(24 * days, kind), 48).values;
      double most = 0;
      for (std::size_t i = 0; i < 48; ++i) {
        EXPECT_GE(values[i], 0);
        EXPECT_LE(values[i], 1.2);
        const std::size_t hour = i % 24;
        if (hour < 5 || hour > 19) {
          EXPECT_EQ(values[i], 0) << days << " d, hour " << hour;
        }
        most = std::max(most, values[i]);
      }
      EXPECT_GT(most, 0.3) << "but there is a day";
    }
  }
}

TEST(AutoModelTest, LetsPricesCrossZeroButNoIntensity) {
  const History price = With(HistoryOf(Wandering(40 * 24, 6), 1h, Kind::kPrice),
                             [](std::size_t i, double value) { return value - 310 + 60 * std::sin(Turn(i)); });
  const auto prices = Ask(price, 48).values;
  EXPECT_LT(*std::ranges::min_element(prices), 0);
  EXPECT_GT(*std::ranges::max_element(prices), 0);
  const History carbon =
      With(Carbon(40 * 24, 6), [](std::size_t i, double value) { return i % 24 < 8 ? 0 : std::max(0.0, value - 250); });
  for (const double value : Ask(carbon, 48).values) EXPECT_GE(value, 0);
}

TEST(AutoModelTest, StaysFiniteWhenAnIntensityFallsToZeroAfterTheFit) {
  const History all = With(Carbon(42 * 24), [](std::size_t i, double value) { return i > 41 * 24 ? 0 : value; });
  const auto model = Fitted(*Before(all, all.end() - 48h), 24);
  const auto prediction = model.Predict(all, 24);
  ASSERT_TRUE(prediction);
  for (const double value : prediction->values) EXPECT_TRUE(std::isfinite(value) && value >= 0 && value < 1e4);
}

TEST(AutoModelTest, AnswersAtEveryStep) {
  struct Steps {
    Duration step;
    std::size_t days;
    std::size_t ahead;
  };
  for (const auto& [step, days, ahead] : {Steps{5min, 12, 100},
                                          {5min, 30, 50},
                                          {30min, 35, 48},
                                          {6h, 29, 12},
                                          {6h, 45, 8},
                                          {24h, 29, 3},
                                          {24h, 45, 5},
                                          {24h, 130, 7},
                                          {168h, 40, 2}}) {
    const auto a_day = static_cast<double>(24h / step > 0 ? 24h / step : 1);
    std::vector<double> values;
    for (std::size_t i = 0; static_cast<double>(i) < a_day * static_cast<double>(days); ++i) {
      values.push_back(300 + 100 * std::sin(2 * std::numbers::pi * static_cast<double>(i) / a_day));
    }
    const std::size_t count = values.size();
    const auto prediction = Ask(HistoryOf(std::move(values), step), ahead);
    for (std::size_t i = 0; i < ahead; ++i) {
      const double actual = 300 + 100 * std::sin(2 * std::numbers::pi * static_cast<double>(count + i) / a_day);
      EXPECT_NEAR(prediction.values[i], actual, 15) << FormatDuration(step) << ' ' << days << " d, " << i;
    }
  }
}

TEST(AutoModelTest, AHorizonThatIsLongForItsHistoryIsLeftToThePattern) {
  const auto far = Ask(Carbon(30 * 24), 300);
  EXPECT_THAT(far.reason,
              AllOf(HasSubstr("pattern"), Not(HasSubstr("recent")), HasSubstr("regressions at this horizon")));
  // Less than a third of the history, but more than the time before the rehearsals.
  const auto week = Ask(Carbon(29 * 24), 168);
  EXPECT_THAT(week.reason, HasSubstr("regressions at this horizon"));
  EXPECT_THAT(Ask(Carbon(10 * 24), 480).reason, HasSubstr("pattern"));
  EXPECT_EQ(Ask(Carbon(30), 400).answered_by, "yesterday");
}

TEST(AutoModelTest, FewerStepsAreTheFirstOfMore) {
  for (const Duration step : {Duration{1h}, Duration{30min}}) {
    const History past = HistoryOf(Wandering(35 * 24 * static_cast<std::size_t>(1h / step), 1), step);
    const auto model = Fitted(past, 48);
    const auto longest = model.Predict(past, 48)->values;
    for (const std::size_t steps : {0U, 1U, 7U, 47U}) {
      const auto values = model.Predict(past, steps)->values;
      ASSERT_EQ(values.size(), steps);
      for (std::size_t i = 0; i < steps; ++i) EXPECT_EQ(values[i], longest[i]) << steps << ' ' << i;
    }
    EXPECT_FALSE(model.Predict(past, 50));
  }
}

TEST(AutoModelTest, SaysTheSameOnceLoaded) {
  for (const auto& past : {Carbon(5), Carbon(10 * 24), CarbonWithSources(125 * 24), Solar(40 * 24)}) {
    const auto model = Fitted(past, 12);
    const std::string text = model.Save().Dump();
    AutoModel loaded;
    const Status status = loaded.Load(*io::Json::Parse(text, "saved.json"));
    ASSERT_TRUE(status) << status.error().Line();
    const auto one = model.Predict(past, 12), two = loaded.Predict(past, 12);
    EXPECT_EQ(one->values, two->values);
    EXPECT_EQ(one->reason, two->reason);
    EXPECT_EQ(loaded.Save().Dump(), text);
  }
}

TEST(AutoModelTest, RefusesPartsThatDoNotFitTogether) {
  const io::Json saved = Fitted(Carbon(40 * 24), 12).Save();
  const io::Json with_sources = Fitted(CarbonWithSources(125 * 24), 12).Save();
  ASSERT_TRUE(AutoModel().Load(saved));
  const auto broken = [&](const char* key, const io::Json& value) {
    io::Json changed = saved;
    return AutoModel().Load(changed.Set(key, value));
  };
  EXPECT_FALSE(broken("version", 99));
  EXPECT_FALSE(broken("steps", 13));
  EXPECT_FALSE(broken("steps", -1));
  for (const char* key : {"recipe", "calendar", "blend", "members"}) {
    EXPECT_FALSE(broken(key, *with_sources.Find(key))) << key;
    EXPECT_FALSE(broken(key, 3)) << key;
  }
  EXPECT_FALSE(broken("members", io::Json{io::Json::Array{}}));
  EXPECT_FALSE(AutoModel().Predict(Carbon(48), 1)) << "neither fitted nor loaded";
  // A failed load leaves the model unchanged.
  AutoModel model = Fitted(Carbon(40 * 24), 12);
  ASSERT_FALSE(model.Load(io::Json{}));
  EXPECT_EQ(model.Save().Dump(), saved.Dump());
}

TEST(AutoModelTest, AShorterHistoryThanItWasFittedOnIsAnsweredByLess) {
  const History past = Carbon(40 * 24);
  const auto model = Fitted(past, 12);
  for (const auto& [length, by] : {std::pair{Duration{24h * 20}, "auto"},
                                   {Duration{24h * 10}, "yesterday"},
                                   {Duration{24h}, "yesterday"},
                                   {Duration{3h}, "persistence"}}) {
    const auto prediction = model.Predict(*Newest(past, length), 12);
    ASSERT_TRUE(prediction) << prediction.error().Line();
    EXPECT_EQ(prediction->answered_by, by) << FormatDuration(length);
    if (prediction->answered_by != "auto") {
      EXPECT_THAT(prediction->reason, HasSubstr("too short for what was fitted"));
    }
  }
}

TEST(AutoModelTest, AnswersThoughASourceWasSilentForAMonth) {
  History past = CarbonWithSources(170 * 24);
  auto values = past.sources[0].series.values();
  std::fill(values.end() - 30 * 24, values.end(), Missing());
  past.sources[0].series = *signal::StepSeries::Make(At("2021-01-01"), 1h, values);
  EXPECT_THAT(Ask(past, 12).reason, HasSubstr(", mix "));
}

TEST(AutoModelTest, IsBetterThanYesterdayOnALevelThatWanders) {
  const History all = Carbon(100 * 24, 7);
  double of_auto = 0, of_yesterday = 0;
  const auto& actual = all.target.series.values();
  const auto model = Fitted(*Before(all, all.end() - 24h * 30), 24);
  for (std::size_t origin = 70 * 24; origin + 24 <= actual.size(); origin += 24) {
    const auto values = model.Predict(*Before(all, all.target.series.TimeOf(origin)), 24)->values;
    for (std::size_t i = 0; i < 24; ++i) {
      of_auto += std::abs(values[i] - actual[origin + i]);
      of_yesterday += std::abs(actual[origin + i - 24] - actual[origin + i]);
    }
  }
  EXPECT_LT(of_auto, 0.9 * of_yesterday);
}

}  // namespace
}  // namespace heliostat::forecast
