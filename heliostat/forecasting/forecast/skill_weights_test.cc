#include "heliostat/forecasting/forecast/skill_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>

#include "heliostat/base/core/random.h"

namespace heliostat::forecast {
namespace {

using std::chrono::hours;

constexpr std::size_t kLeads = 24;

// The errors of two forecasters, for any number of forecasts.
struct Errors {
  ErrorRecord own{ErrorScale::kAbsolute, 1000};
  ErrorRecord other{ErrorScale::kAbsolute, 1000};
};

// `err` gives the errors of both at a lead.
Errors Made(std::size_t forecasts, const std::function<std::pair<double, double>(std::size_t lead)>& err) {
  Errors errors;
  for (std::size_t k = 0; k < forecasts; ++k) {
    std::vector<double> own(kLeads), other(kLeads);
    for (std::size_t lead = 0; lead < kLeads; ++lead) std::tie(own[lead], other[lead]) = err(lead);
    const Instant origin = Instant{} + hours{24 * static_cast<int>(k)};
    const std::vector<double> none(kLeads, 0.0);
    errors.own.Add(origin, none, own);
    errors.other.Add(origin, none, other);
  }
  return errors;
}

SkillWeights Learned(const Errors& errors, std::size_t widest = 3) {
  return SkillWeights::Learn(errors.own, errors.other, kLeads, widest);
}

TEST(SkillWeightsTest, FollowAPerfectProvider) {
  RandomStream random(1);
  const auto weights = Learned(Made(60, [&](std::size_t) { return std::pair{random.Normal(0, 5), 0.0}; }));
  for (std::size_t lead = 0; lead < kLeads; ++lead) {
    EXPECT_EQ(weights.WeightAt(lead), 1);
    EXPECT_EQ(weights.Merge(lead, 300, 200), 200);
  }
  EXPECT_EQ(weights.learned_from(), 60U);
}

TEST(SkillWeightsTest, LeaveAUselessProviderOut) {
  RandomStream random(2);
  const auto perfect_own = Learned(Made(60, [&](std::size_t) { return std::pair{0.0, random.Normal(0, 5)}; }));
  // The other has our forecast with additional errors.
  const auto echo = Learned(Made(60, [&](std::size_t) {
    const double own = random.Normal(0, 5);
    return std::pair{own, own + random.Normal(0, 20)};
  }));
  for (std::size_t lead = 0; lead < kLeads; ++lead) {
    EXPECT_EQ(perfect_own.WeightAt(lead), 0);
    EXPECT_NEAR(echo.WeightAt(lead), 0, 0.1);
  }
}

TEST(SkillWeightsTest, ShareEvenlyBetweenEqualsThatErrApart) {
  RandomStream random(3);
  const auto weights = Learned(Made(400, [&](std::size_t) {
    return std::pair{random.Normal(0, 5), random.Normal(0, 5)};
  }));
  for (std::size_t lead = 0; lead < kLeads; ++lead) EXPECT_NEAR(weights.WeightAt(lead), 0.5, 0.1);
}

TEST(SkillWeightsTest, FollowSkillFromLeadToLead) {
  RandomStream random(4);
  const auto weights = Learned(Made(90, [&](std::size_t lead) {
    return std::pair{random.Normal(0, 1 + static_cast<double>(lead)), random.Normal(0, 8)};
  }));
  EXPECT_LT(weights.WeightAt(0), 0.1);
  EXPECT_GT(weights.WeightAt(kLeads - 1), 0.8);
}

RC_GTEST_PROP(SkillWeightsTest, NeverErrMoreThanTheBetterOfBoth, ()) {
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>());
  const auto part = [] { return *rc::gen::inRange(-30, 31) / 10.0; };
  const double own_bias = part(), own_common = part(), own_alone = part();
  const double other_bias = part(), other_common = part(), other_alone = part();
  const Errors errors = Made(30, [&](std::size_t) {
    const double common = random.Normal(0, 1);
    return std::pair{own_bias + own_common * common + own_alone * random.Normal(0, 1),
                     other_bias + other_common * common + other_alone * random.Normal(0, 1)};
  });
  const auto weights = Learned(errors, 0);
  for (std::size_t lead = 0; lead < kLeads; ++lead) {
    const auto own = errors.own.AtLead(lead), other = errors.other.AtLead(lead);
    double own_sum = 0, other_sum = 0, merged_sum = 0, mean = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      own_sum += own[i] * own[i];
      other_sum += other[i] * other[i];
      // The forecasts are minus the errors when the actual value is zero.
      merged_sum += std::pow(weights.Merge(lead, -own[i], -other[i]), 2);
      mean += other[i] / static_cast<double>(own.size());
    }
    RC_ASSERT(merged_sum <= std::min(own_sum, other_sum) + 1e-9);
    RC_ASSERT(std::abs(weights.CorrectionAt(lead) - mean) < 1e-9);
  }
}

TEST(SkillWeightsTest, TakeOutWhatTheProviderIsAlwaysOffBy) {
  RandomStream random(5);
  const auto weights = Learned(Made(60, [&](std::size_t) { return std::pair{random.Normal(0, 5), -50.0}; }));
  EXPECT_NEAR(weights.Merge(10, 300, 250), 200, 1e-9);
}

TEST(SkillWeightsTest, TakeOutAFactorWhereErrorsAreRelative) {
  RandomStream random(6);
  Errors errors{ErrorRecord(ErrorScale::kRelative, 100), ErrorRecord(ErrorScale::kRelative, 100)};
  for (int k = 0; k < 60; ++k) {
    const double actual = random.Uniform(50, 500);
    const std::vector<double> own{actual * random.Uniform(0.8, 1.2)}, other{1.2 * actual};
    errors.own.Add(Instant{} + hours{k}, own, std::vector<double>{actual});
    errors.other.Add(Instant{} + hours{k}, other, std::vector<double>{actual});
  }
  const auto weights = SkillWeights::Learn(errors.own, errors.other, 1, 0);
  EXPECT_NEAR(weights.Merge(0, 300, 240), 200, 1e-6);
  EXPECT_TRUE(std::isfinite(weights.Merge(0, 300, 0))) << "zero has no logarithm";
}

TEST(SkillWeightsTest, StayNearAHalfWithLittleToGoBy) {
  const Errors none;
  EXPECT_EQ(Learned(none).WeightAt(5), 0.5);
  EXPECT_EQ(Learned(none).Merge(5, 100, 200), 150);
  const auto once = Learned(Made(1, [](std::size_t) { return std::pair{5.0, 0.0}; }));
  EXPECT_GT(once.WeightAt(5), 0.5);
  EXPECT_LT(once.WeightAt(5), 0.6);
}

TEST(SkillWeightsTest, KeepOursWhereTheProviderIsSilent) { EXPECT_EQ(Learned({}).Merge(0, 123, std::nan("")), 123); }

TEST(SkillWeightsTest, ComeBackAsTheyWereSaved) {
  RandomStream random(7);
  const auto weights = Learned(Made(40, [&](std::size_t) {
    return std::pair{random.Normal(1, 5), random.Normal(2, 4)};
  }));
  const auto loaded = SkillWeights::Load(*io::Json::Parse(weights.Save().Dump(), "saved"));
  ASSERT_TRUE(loaded) << loaded.error().Line();
  for (std::size_t lead = 0; lead < 2 * kLeads; ++lead) {
    EXPECT_EQ(loaded->Merge(lead, 10, 20), weights.Merge(lead, 10, 20));
  }
  EXPECT_EQ(loaded->Save().Dump(), weights.Save().Dump());
}

TEST(SkillWeightsTest, RefuseNonsense) {
  const io::Json good = Learned({}).Save();
  for (const char* key : {"relative", "learned_from", "weights", "corrections"}) {
    io::Json bad = good;
    EXPECT_FALSE(SkillWeights::Load(bad.Set(key, "x"))) << key;
  }
  EXPECT_FALSE(SkillWeights::Load({}));
  const ErrorRecord none(ErrorScale::kAbsolute, 1);
  const io::Json two = SkillWeights::Learn(none, none, 2, 0).Save();
  io::Json uneven = good;
  uneven.Set("weights", *two.Find("weights"));
  EXPECT_FALSE(SkillWeights::Load(uneven));
}

}  // namespace
}  // namespace heliostat::forecast
