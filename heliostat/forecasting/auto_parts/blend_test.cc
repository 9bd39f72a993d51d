#include "heliostat/forecasting/auto_parts/blend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "heliostat/base/core/random.h"
#include "heliostat/signals/signal/step_series.h"

namespace heliostat::auto_parts {
namespace {

using signal::Missing;
using ::testing::Each;
using ::testing::ElementsAre;

constexpr std::size_t kDay = 4, kSteps = 10;  // two and a half days of lead

ValueSpace Absolute() {
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kPower;
  return ValueSpace::Of(meaning, {0, 100});
}

// Past forecasts of members whose errors are noise of these widths, around an actual value of 10.
std::vector<Rehearsed> Past(std::size_t count, const std::vector<double>& widths, double bias = 0) {
  RandomStream random(1);
  std::vector<Rehearsed> past(count);
  for (auto& one : past) {
    one.actual.assign(kSteps, 10);
    for (const double width : widths) {
      std::vector<double> forecast(kSteps);
      for (double& value : forecast) value = 10 + bias + random.Normal(0, width);
      one.by_member.push_back(forecast);
    }
  }
  return past;
}

double MeanError(const Blend& blend, const std::vector<Rehearsed>& past) {
  double sum = 0;
  for (const auto& one : past) {
    const auto mixed = blend.Mix(one.by_member);
    for (std::size_t i = 0; i < kSteps; ++i) sum += Absolute().Error(mixed[i], one.actual[i]);
  }
  return sum / static_cast<double>(past.size() * kSteps);
}

TEST(BlendTest, IsEvenWhileThereIsLittleToLearnFrom) {
  for (const auto& blend : {Blend::Even(2, kDay), Blend::Learn(Past(9, {0.1, 1}), 2, kDay, Absolute()),
                            Blend::Learn({}, 2, kDay, Absolute())}) {
    EXPECT_THAT(blend.WeightsOf(0), ElementsAre(0.5, 0.5));
    EXPECT_THAT(blend.WeightsOf(99), ElementsAre(0.5, 0.5));
    const std::vector<std::vector<double>> members{{1, 2, 3}, {3, 2, 5}};
    EXPECT_THAT(blend.Mix(members), ElementsAre(2, 2, 4));
  }
}

TEST(BlendTest, WeighsTheBetterMemberMore) {
  const auto blend = Blend::Learn(Past(40, {0.5, 0.25, 2}), 3, kDay, Absolute());
  for (std::size_t day = 0; day < 5; ++day) {
    const auto weights = blend.WeightsOf(day);
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
    EXPECT_GT(weights[1], 0.9);
    EXPECT_GT(weights[0], weights[2]);
    EXPECT_GE(weights[2], 0);
  }
}

TEST(BlendTest, WeighsEachDayOfLeadOnItsOwn) {
  auto past = Past(40, {0.2, 1});
  for (auto& one : past) {
    for (std::size_t lead = kDay; lead < kSteps; ++lead) std::swap(one.by_member[0][lead], one.by_member[1][lead]);
  }
  const auto blend = Blend::Learn(past, 2, kDay, Absolute());
  EXPECT_GT(blend.WeightsOf(0)[0], 0.9);
  EXPECT_LT(blend.WeightsOf(1)[0], 0.1);
  EXPECT_LT(blend.WeightsOf(2)[0], 0.1);
  // Leads without rehearsals have the weights of the last day with some.
  EXPECT_EQ(blend.WeightsOf(7)[0], blend.WeightsOf(2)[0]);
}

TEST(BlendTest, GivesAllToThoseThatNeverErred) {
  const auto blend = Blend::Learn(Past(20, {0, 1, 0}), 3, kDay, Absolute());
  EXPECT_THAT(blend.WeightsOf(0), ElementsAre(0.5, 0, 0.5));
  EXPECT_THAT(blend.Mix(Past(1, {0, 1, 0})[0].by_member), Each(10));
}

TEST(BlendTest, NeverLooksAtWhatIsNotKnown) {
  auto past = Past(40, {0.5, 1});
  auto other = past;
  RandomStream random(2);
  for (std::size_t i = 0; i < past.size(); ++i) {
    for (std::size_t lead = 0; lead < kSteps; ++lead) {
      if (!random.Chance(0.3)) continue;
      past[i].actual[lead] = other[i].actual[lead] = Missing();
      other[i].by_member[0][lead] = 1e6;
    }
  }
  const auto one = Blend::Learn(past, 2, kDay, Absolute()), two = Blend::Learn(other, 2, kDay, Absolute());
  EXPECT_EQ(one.Save().Dump(), two.Save().Dump());
  // A day of lead without known values has equal weights and no correction.
  for (auto& each : past) std::fill(each.actual.begin() + 2 * kDay, each.actual.end(), Missing());
  const auto blend = Blend::Learn(past, 2, kDay, Absolute());
  EXPECT_THAT(blend.WeightsOf(2), ElementsAre(0.5, 0.5));
  EXPECT_EQ(blend.Mix(std::vector(2, std::vector<double>(kSteps, 7.0)))[2 * kDay], 7);
}

TEST(BlendTest, CorrectsPartOfWhatIsAlwaysWrong) {
  for (const double bias : {-0.5, 0.5}) {
    const auto past = Past(60, {0.2, 0.2}, bias);
    const auto blend = Blend::Learn(past, 2, kDay, Absolute());
    const auto mixed = blend.Mix(std::vector(2, std::vector<double>(kSteps, 10 + bias)));
    for (const double value : mixed) EXPECT_NEAR(value, 10 + 0.8 * bias, 0.03);
    EXPECT_LT(MeanError(blend, past), MeanError(Blend::Even(2, kDay), past));
  }
}

TEST(BlendTest, ComesBackBitForBit) {
  const auto past = Past(30, {0.3, 0.4, 0.5}, 0.1);
  const auto blend = Blend::Learn(past, 3, kDay, Absolute());
  const io::Json saved = blend.Save();
  const auto loaded = Blend::Load(*io::Json::Parse(saved.Dump(), "saved.json"));
  ASSERT_TRUE(loaded) << loaded.error().Line();
  EXPECT_EQ(loaded->Mix(past[0].by_member), blend.Mix(past[0].by_member));

  const auto broken = [&](const char* key, const io::Json& value) {
    io::Json changed = saved;
    return Blend::Load(changed.Set(key, value));
  };
  EXPECT_FALSE(broken("day", 0));
  EXPECT_FALSE(broken("members", 0));
  EXPECT_FALSE(broken("members", -3));
  EXPECT_FALSE(broken("members", 2));
  EXPECT_FALSE(broken("weights", ""));
  EXPECT_FALSE(broken("corrections", ""));
  EXPECT_FALSE(Blend::Load(io::Json{}));
}

}  // namespace
}  // namespace heliostat::auto_parts
