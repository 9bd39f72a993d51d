// The contract of every model, tested for all models of Models().

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/random.h"
#include "heliostat/forecasting/forecast/forecaster.h"
#include "heliostat/forecasting/forecast/testing/histories.h"

namespace heliostat::forecast {
namespace {

using namespace std::chrono_literals;
using namespace std::chrono;
using signal::Missing;
using ::testing::HasSubstr;

constexpr std::size_t kSteps = 48;
// Eight days that include a leap day.
constexpr Instant kLeap = sys_days{February / 22 / 2024};

// A history of the kind of the test, with a forecast of another that repeats the value of the day before: some models
// need one.
template <typename... Values>
History HistoryOf(Instant start, Duration step, const Values&... values) {
  History past = testing::HistoryOf(start, step, values...);
  const auto& known = past.target.series.values();
  std::vector<double> said(known.begin(), known.begin() + 24h / step);
  said.insert(said.end(), known.begin(), known.end());
  signal::Meaning meaning;
  meaning.lead = 24h;
  past.issued.push_back({{"said", meaning, *signal::StepSeries::Make(start, step, std::move(said))}, {}});
  return past;
}

// A daily wave with noise, around `level`.
History Wave(Instant start, std::size_t count, double level = 400) {
  RandomStream random(7);
  return HistoryOf(start, 1h, count, [&](std::size_t i) {
    return level + 100 * std::sin(static_cast<double>(i) * 0.2618) + random.Normal(0, 5);
  });
}

History With(const History& past, const std::function<double(std::size_t, double)>& change) {
  const auto& series = past.target.series;
  return HistoryOf(series.start(), series.step(), series.size(),
                   [&](std::size_t i) { return change(i, series.values()[i]); });
}

class ForecasterContractTest : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<Forecaster> New() { return *MakeForecaster(GetParam()); }

  // The part of `past` on which a backtest fits the model.
  static History Window(const History& past) {
    const auto train = FindModel(GetParam())->train;
    return train ? *Newest(past, *train) : past;
  }

  static std::unique_ptr<Forecaster> Fitted(const History& past) {
    auto model = New();
    const Status fitted = model->Fit(Window(past), kSteps);
    EXPECT_TRUE(fitted) << fitted.error().Line();
    return model;
  }

  // Fits, predicts, and checks the contract of every answer.
  static std::vector<double> Ask(const History& past, std::size_t steps = kSteps) {
    const auto prediction = Fitted(past)->Predict(past, steps);
    EXPECT_TRUE(prediction) << prediction.error().Line();
    if (!prediction) return {};
    EXPECT_EQ(prediction->values.size(), steps);
    EXPECT_TRUE(
        std::all_of(prediction->values.begin(), prediction->values.end(), [](double v) { return std::isfinite(v); }));
    EXPECT_FALSE(prediction->answered_by.empty());
    return prediction->values;
  }
};

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const ModelInfo& model : Models()) names.emplace_back(model.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Models, ForecasterContractTest, ::testing::ValuesIn(Names()), [](const auto& model) {
  std::string name = model.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(ForecasterContractTest, AnswersAsManyStepsAsAsked) {
  const History past = Wave(kLeap, 240);
  const auto longest = Ask(past, kSteps);
  for (const std::size_t steps : {0, 1, 7}) {
    const auto values = Ask(past, steps);
    EXPECT_TRUE(std::equal(values.begin(), values.end(), longest.begin())) << "the first " << steps;
  }
}

TEST_P(ForecasterContractTest, IsTheSameEveryTime) {
  const History past = Wave(kLeap, 240);
  EXPECT_EQ(Ask(past), Ask(past));
  const auto model = Fitted(past);
  EXPECT_EQ(model->Predict(past, kSteps)->values, model->Predict(past, kSteps)->values);
}

TEST_P(ForecasterContractTest, ForgetsAnEarlierFit) {
  const History past = Wave(kLeap, 240);
  auto model = Fitted(Wave(kLeap, 300, 90));
  ASSERT_TRUE(model->Fit(Window(past), kSteps));
  EXPECT_EQ(model->Predict(past, kSteps)->values, Ask(past));
}

TEST_P(ForecasterContractTest, PredictsTheSameOnceLoaded) {
  const History past = Wave(kLeap, 240);
  const auto model = Fitted(past);
  const std::string text = model->Save().Dump();
  auto loaded = New();
  const Status status = loaded->Load(*io::Json::Parse(text, "saved.json"));
  ASSERT_TRUE(status) << status.error().Line();
  EXPECT_EQ(loaded->Predict(past, kSteps)->values, model->Predict(past, kSteps)->values);
  EXPECT_EQ(loaded->Save().Dump(), text);
}

TEST_P(ForecasterContractTest, RefusesToLoadNonsense) {
  for (const char* text : {"null", "[]", "{}", "3", R"("x")", R"({"model": 3})", R"({"model": "another"})"}) {
    EXPECT_FALSE(New()->Load(*io::Json::Parse(text, "saved.json"))) << text;
  }
  // The state of another model.
  const auto other = *MakeForecaster(GetParam() == "linear" ? "svr" : "linear");
  ASSERT_TRUE(other->Fit(Wave(kLeap, 240), kSteps));
  EXPECT_FALSE(New()->Load(other->Save()));
}

TEST_P(ForecasterContractTest, DoesNotSeePastTheOrigin) {
  const History all = Wave(kLeap, 288);
  const Instant origin = kLeap + 240h;
  const History scrambled = With(all, [&](std::size_t i, double value) { return i < 240 ? value : 1e5 - value; });
  EXPECT_EQ(Ask(*Before(all, origin)), Ask(*Before(scrambled, origin)));
}

TEST_P(ForecasterContractTest, KeepsAConstantConstant) {
  for (const double level : {0.0, 1.0, 421.5, 1e6}) {
    const History past = HistoryOf(kLeap, 1h, std::vector<double>(240, level));
    for (const double value : Ask(past)) EXPECT_NEAR(value, level, 1e-9 * std::max(1.0, level));
  }
}

TEST_P(ForecasterContractTest, TakesZerosAndNegativeValues) {
  Ask(With(Wave(kLeap, 240), [](std::size_t i, double value) { return i % 24 < 8 ? 0 : value; }));
  Ask(Wave(kLeap, 240, -20));
}

TEST_P(ForecasterContractTest, TakesGaps) {
  RandomStream random(3);
  const History holed =
      With(Wave(kLeap, 240), [&](std::size_t, double value) { return random.Chance(0.2) ? Missing() : value; });
  for (const double value : Ask(holed)) EXPECT_NEAR(value, 400, 400);
}

TEST_P(ForecasterContractTest, TakesASilentFeed) {
  // The newest value missing, then the newest six.
  for (const std::size_t silent : {1U, 6U}) {
    const History stale =
        With(Wave(kLeap, 240), [&](std::size_t i, double value) { return i + silent >= 240 ? Missing() : value; });
    for (const double value : Ask(stale)) EXPECT_NEAR(value, 400, 400);
  }
}

TEST_P(ForecasterContractTest, FollowsNewValuesWithoutANewFit) {
  const History all = Wave(kLeap, 264);
  const auto model = Fitted(*Before(all, kLeap + 240h));
  const auto prediction = model->Predict(all, kSteps);
  ASSERT_TRUE(prediction) << prediction.error().Line();
  EXPECT_EQ(prediction->values.size(), kSteps);
}

TEST_P(ForecasterContractTest, NeedsADayAndNoMore) {
  if (GetParam() == "last-week") {
    EXPECT_FALSE(New()->Fit(Wave(kLeap, 24), kSteps));
    Ask(Wave(kLeap, 168));
    return;
  }
  Ask(Wave(kLeap, 24));
}

TEST_P(ForecasterContractTest, TreatsEveryDayAlike) {
  // 29 February and the nights of the European clock changes: in UTC nothing changes, so the answers are those of any
  // week of the year.
  const auto plain = Ask(Wave(sys_days{January / 11 / 2024}, 240));
  for (const auto day : {February / 22 / 2024, March / 28 / 2024, October / 24 / 2024}) {
    const auto values = Ask(Wave(sys_days{day}, 240));
    EXPECT_EQ(values, plain) << "history from " << FormatInstant(Instant{sys_days{day}});
  }
}

TEST_P(ForecasterContractTest, SaysSoWhenNothingIsKnown) {
  const Status fitted = New()->Fit(HistoryOf(kLeap, 1h, std::vector<double>(240, Missing())), kSteps);
  ASSERT_FALSE(fitted);
  EXPECT_EQ(ExitStatus(fitted.error().code), 2);
  EXPECT_THAT(fitted.error().Line(), HasSubstr("known value"));
  const auto model = Fitted(Wave(kLeap, 240));
  const auto prediction = model->Predict(HistoryOf(kLeap, 1h, std::vector<double>(240, Missing())), 3);
  EXPECT_EQ(prediction.has_value(), GetParam() == "climatology") << "the only one that needs no newest value";
}

TEST_P(ForecasterContractTest, FitsOtherSteps) {
  for (const Duration step : {Duration{5min}, Duration{30min}, Duration{3h}}) {
    const auto a_day = static_cast<std::size_t>(24h / step);
    const History past = HistoryOf(kLeap, step, 8 * a_day, [&](std::size_t i) {
      return 50 + 5 * std::sin(6.283 * static_cast<double>(i % a_day) / static_cast<double>(a_day));
    });
    for (const double value : Ask(past)) EXPECT_NEAR(value, 50, 10);
  }
}

TEST(ModelsTest, AreFoundByName) {
  for (const ModelInfo& model : Models()) {
    EXPECT_EQ(FindModel(model.name)->description, model.description);
    EXPECT_EQ((*MakeForecaster(model.name))->Save().Find("model")->Text().value(), model.name);
  }
}

TEST(ModelsTest, SuggestTheNearestName) {
  for (const auto& [typed, meant] : {std::pair{"yesteday", "yesterday"},
                                     {"svm", "svr"},
                                     {"random_forest", "random-forest"},
                                     {"lastweek", "last-week"},
                                     {"Persistence", "persistence"}}) {
    const auto found = FindModel(typed);
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().Line(), HasSubstr(std::string("did you mean ") + meant + "?"));
    EXPECT_THAT(found.error().Line(), HasSubstr("climatology, svr, linear"));
  }
  EXPECT_FALSE(FindModel(""));
  EXPECT_FALSE(MakeForecaster(std::string(100000, 'a')));
}

TEST(ModelsTest, FitChasesOnADay) {
  EXPECT_EQ(FindModel("svr")->train, Duration{24h});
  EXPECT_EQ(FindModel("random-forest")->refit, std::nullopt);
  EXPECT_EQ(FindModel("yesterday")->train, std::nullopt);
}

}  // namespace
}  // namespace heliostat::forecast
