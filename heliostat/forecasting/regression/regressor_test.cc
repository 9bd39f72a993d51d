#include "heliostat/forecasting/regression/regressor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/forecasting/regression/testing/chase_values.h"

namespace heliostat::regression {
namespace {

using testing::ChaseValues;
using testing::ReadChaseValues;

struct Rows {
  std::vector<Features> rows;
  std::vector<double> values;
};

// Rows [first, last) of the trace, each with the actual value before it.
Rows RowsOf(const ChaseValues& trace, std::size_t first, std::size_t last) {
  Rows rows;
  for (std::size_t i = first; i < last; ++i) {
    // The last value of the file before the first, as in the published code of Chase.
    const double previous = i > 0 ? trace.values[i - 1] : trace.values.back();
    rows.rows.push_back(FeaturesOf(trace.start + std::chrono::minutes{30} * static_cast<int>(i), previous));
    rows.values.push_back(trace.values[i]);
  }
  return rows;
}

// The error of one-step forecasts over the rows, in percent.
double MeanError(const Regressor& regressor, const Rows& rows) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    sum += std::abs(regressor.Predict(rows.rows[i]) / rows.values[i] - 1);
  }
  return 100 * sum / static_cast<double>(rows.rows.size());
}

std::unique_ptr<Regressor> Fitted(std::string_view name, const Rows& rows) {
  auto regressor = *MakeRegressor(name);
  EXPECT_TRUE(regressor->Fit(rows.rows, rows.values));
  return regressor;
}

TEST(SvrTest, FindsTheSolutionOfAnIndependentSolver) {
  const auto trace = ReadChaseValues();
  if (!trace) GTEST_SKIP() << heliostat::testing::kNoData << "carbon/chase";
  ASSERT_EQ(trace->values.size(), 167U);
  const auto svr = Fitted("svr", RowsOf(*trace, 12, 60));
  const std::vector<double> solved{613.45, 611.66, 609.90, 610.12, 613.60};
  for (std::size_t i = 0; i < solved.size(); ++i) {
    EXPECT_NEAR(svr->Predict(RowsOf(*trace, 60 + i, 61 + i).rows[0]), solved[i], 0.02);
  }
}

TEST(SvrTest, ErrsAsScikitLearnsDoesInChasesSetting) {
  const auto trace = ReadChaseValues();
  if (!trace) GTEST_SKIP() << heliostat::testing::kNoData << "carbon/chase";
  EXPECT_NEAR(MeanError(*Fitted("svr", RowsOf(*trace, 0, 48)), RowsOf(*trace, 48, 167)), 1.4077, 0.005);
}

struct Peer {
  const char* name;
  double error_percent;  // of scikit-learn on the same data
  double tolerance;      // random draws and ties differ between the libraries
};

class RegressorPeerTest : public ::testing::TestWithParam<Peer> {};

TEST_P(RegressorPeerTest, ErrsAsMuchAsThatOfScikitLearn) {
  const auto trace = ReadChaseValues();
  if (!trace) GTEST_SKIP() << heliostat::testing::kNoData << "carbon/chase";
  const auto regressor = Fitted(GetParam().name, RowsOf(*trace, 1, 48));
  EXPECT_NEAR(MeanError(*regressor, RowsOf(*trace, 48, 167)), GetParam().error_percent, GetParam().tolerance);
}

INSTANTIATE_TEST_SUITE_P(Chase, RegressorPeerTest,
                         ::testing::Values(Peer{"linear", 1.3986, 0.001}, Peer{"gradient-boosting", 2.04, 0.4},
                                           Peer{"adaboost", 2.22, 0.4}, Peer{"random-forest", 1.92, 0.4}));

// Rows on a plane, which linear regression fits exactly and trees fit in steps.
Rows Plane(std::size_t count, double offset, double scale) {
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = static_cast<double>(i) * 0.13;
    const double previous = 20 * std::sin(static_cast<double>(i) * 0.7);
    rows.rows.push_back({std::sin(angle), std::cos(angle), previous});
    rows.values.push_back(offset + scale * (3 * std::sin(angle) - 2 * std::cos(angle) + 0.5 * previous));
  }
  return rows;
}

TEST(LinearTest, FindsAPlaneExactly) {
  const auto linear = Fitted("linear", Plane(40, 300, 1));
  const Rows unseen = Plane(200, 300, 1);
  for (std::size_t i = 0; i < unseen.rows.size(); ++i) {
    EXPECT_NEAR(linear->Predict(unseen.rows[i]), unseen.values[i], 1e-9);
  }
}

TEST(LinearTest, TakesTheLeastNormWhenFeaturesSayTheSame) {
  // The value before is always twice the sine: several planes fit, one has the least norm.
  Rows rows;
  for (int i = 0; i < 24; ++i) {
    const double angle = i * 0.26;
    rows.rows.push_back({std::sin(angle), std::cos(angle), 2 * std::sin(angle)});
    rows.values.push_back(5 * std::sin(angle));
  }
  const auto linear = Fitted("linear", rows);
  EXPECT_NEAR(linear->Predict({1, 0, 0}) - linear->Predict({0, 0, 0}), 1, 1e-9);
  EXPECT_NEAR(linear->Predict({0, 0, 1}) - linear->Predict({0, 0, 0}), 2, 1e-9);
}

class TreesTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Regressor, TreesTest, ::testing::Values("gradient-boosting", "adaboost", "random-forest"));

TEST_P(TreesTest, AnswerInsideWhatTheySaw) {
  const Rows rows = Plane(60, 300, 1);
  const auto trees = Fitted(GetParam(), rows);
  const auto [lowest, highest] = std::minmax_element(rows.values.begin(), rows.values.end());
  for (double previous = -1000; previous <= 1000; previous += 10) {
    const double value = trees->Predict({0.5, -0.5, previous});
    EXPECT_GE(value, *lowest - 1);
    EXPECT_LE(value, *highest + 1);
  }
}

TEST_P(TreesTest, FollowShiftAndUnitOfTheValues) {
  const Rows plain = Plane(60, 0, 1);
  const auto trees = Fitted(GetParam(), plain);
  const auto tiny = Fitted(GetParam(), Plane(60, 1000, 1e-3));
  for (const Features& row : plain.rows) EXPECT_NEAR(tiny->Predict(row), 1000 + 1e-3 * trees->Predict(row), 1e-3);
}

TEST_P(TreesTest, LeaveLittleOfWhatTheyLearned) {
  const Rows rows = Plane(60, 300, 1);
  const auto trees = Fitted(GetParam(), rows);
  EXPECT_LT(MeanError(*trees, rows), 0.8);  // the mean alone: 2.4
}

TEST(AdaboostTest, StopsAtAPerfectFit) {
  // One threshold is sufficient: one tree is perfect and more would change nothing.
  Rows rows;
  for (int i = 0; i < 32; ++i) {
    rows.rows.push_back({0, 1, i < 16 ? 1.0 : 9.0});
    rows.values.push_back(i < 16 ? 100 : 200);
  }
  const auto adaboost = Fitted("adaboost", rows);
  EXPECT_EQ((*(*adaboost->Save().Get("members"))->Elements())->size(), 1U);
  EXPECT_NEAR(adaboost->Predict({0, 1, 2}), 100, 1e-4);
  EXPECT_NEAR(adaboost->Predict({0, 1, 8}), 200, 1e-4);
}

class RegressorLoadTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Regressor, RegressorLoadTest,
                         ::testing::Values("svr", "linear", "gradient-boosting", "adaboost", "random-forest"));

TEST_P(RegressorLoadTest, RefusesNonsenseAndKeepsWhatItKnew) {
  const auto regressor = Fitted(GetParam(), Plane(40, 300, 1));
  const double before = regressor->Predict({0, 1, 5});
  for (const char* text :
       {"null", "[]", "{}", "7", R"({"rho": "a"})", R"({"rho": 1, "coefficients": [1, 2], "vectors": [1]})",
        R"({"intercept": 1, "slopes": [1, 2]})", R"({"intercept": null, "slopes": [1, 2, 3]})",
        R"({"base": 1, "scale": 1, "trees": [7]})", R"({"base": 1, "scale": 1, "trees": ["0:leaf"]})",
        R"({"weights": [], "members": []})", R"({"weights": [-1], "members": [{"base": 1, "scale": 0, "trees": []}]})",
        R"({"weights": [1], "members": [{"base": 1, "scale": 0, "trees": ["x"]}]})"}) {
    EXPECT_FALSE(regressor->Load(*io::Json::Parse(text, "saved"))) << text;
    EXPECT_EQ(regressor->Predict({0, 1, 5}), before) << text;
  }
}

TEST(RegressorTest, IsRefusedByAnUnknownName) {
  const auto made = MakeRegressor("svm");
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().Line(), ::testing::HasSubstr("svr, linear"));
}

}  // namespace
}  // namespace heliostat::regression
