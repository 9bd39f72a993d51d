#include "heliostat/node/level_control/speed_profile.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "heliostat/node/level_control/concave_fit.h"
#include "heliostat/node/level_control/testing/made_program.h"

namespace heliostat::level_control {
namespace {

using testing::LimitLevels;
using testing::MadeProgram;

SpeedProfile Empty() { return {"resnet50 128 A40", Knob::kPowerLimit, LimitLevels()}; }

Merit EnergyMerit() {
  return {[](double speed, Watts power) { return power.value / speed; }, 0.5};
}

// Everything tried until Next() has no wish left.
int LearnAll(SpeedProfile& profile, MadeProgram& program, const Merit& merit) {
  int tries = 0;
  while (const auto level = profile.Next(merit)) {
    profile.AddStretch(program.Run(*level, profile.StretchFor(*level)));
    if (++tries > 1000) break;
  }
  return tries;
}

TEST(ConcaveFitTest, WhatIsConcaveIsKept) {
  const std::vector<double> x{100, 150, 200, 250, 300};
  const std::vector<double> y{0.5, 0.8, 0.95, 0.99, 1.0};
  const std::vector<double> even(5, 1.0);
  const auto fitted = FitRisingConcave(x, y, even);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(fitted[i], y[i], 1e-9);
}

RC_GTEST_PROP(ConcaveFitTest, AnyNoiseIsFittedByARisingConcaveCurveThatNoOtherBeats, ()) {
  const int count = *rc::gen::inRange(2, 12);
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> weights;
  for (int i = 0; i < count; ++i) {
    x.push_back((x.empty() ? 100.0 : x.back()) + *rc::gen::inRange(1, 50));
    y.push_back(0.01 * *rc::gen::inRange(1, 200));
    weights.push_back(0.1 * *rc::gen::inRange(1, 100));
  }
  const auto fitted = FitRisingConcave(x, y, weights);
  const auto error = [&](const std::vector<double>& values) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += weights[i] * (values[i] - y[i]) * (values[i] - y[i]);
    return sum;
  };
  double before = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double slope = (fitted[i] - fitted[i - 1]) / (x[i] - x[i - 1]);
    RC_ASSERT(slope >= -1e-9);
    RC_ASSERT(slope <= before + 1e-9);
    before = slope;
  }
  // A small step towards any other such curve makes it no better.
  const double kink = x[static_cast<std::size_t>(*rc::gen::inRange(0, count))];
  for (const double scale : {0.0, 0.5, 1.5}) {
    std::vector<double> other = fitted;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double hinge = std::min(x[i], kink) / x.back();
      other[i] += 0.001 * (scale * hinge - (scale == 0.0 ? 0.5 * fitted[i] : 0.0));
    }
    RC_ASSERT(error(other) >= error(fitted) - 1e-9);
  }
}

RC_GTEST_PROP(ConcaveFitTest, RisingValuesRiseAndKeepTheirMean, ()) {
  const auto whole = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100)));
  const std::vector<double> y(whole.begin(), whole.end());
  const auto fitted = FitRising(y, std::vector<double>(y.size(), 1.0));
  RC_ASSERT(std::is_sorted(fitted.begin(), fitted.end()));
  double sum = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += fitted[i] - y[i];
  RC_ASSERT(std::abs(sum) < 1e-6);
}

RC_GTEST_PROP(SpeedProfileTest, WhateverTheNoiseSpeedRisesEverLessAndPowerRises, ()) {
  SpeedProfile profile = Empty();
  const int count = *rc::gen::inRange(1, 25);
  for (int i = 0; i < count; ++i) {
    const double level = LimitLevels()[static_cast<std::size_t>(*rc::gen::inRange(0, 41))];
    const double seconds = *rc::gen::inRange(5, 200);
    profile.AddStretch(
        {level, Seconds{seconds}, 0.1 * *rc::gen::inRange(1, 9000), Joules{seconds * *rc::gen::inRange(50, 350)}});
  }
  const auto options = profile.Options();
  RC_ASSERT(!options.empty());
  for (std::size_t i = 1; i < options.size(); ++i) {
    const double scale = options.back().speed;
    RC_ASSERT(options[i].speed >= options[i - 1].speed - 1e-9 * scale);
    RC_ASSERT(options[i].power >= options[i - 1].power - Watts{1e-9});
    if (i < 2) continue;
    // Levels are evenly spaced.
    RC_ASSERT(options[i].speed - options[i - 1].speed <= options[i - 1].speed - options[i - 2].speed + 1e-8 * scale);
  }
}

TEST(SpeedProfileTest, MeasuredLevelsAreMetAndTheErrorShrinksWithMeasuring) {
  SpeedProfile profile = Empty();
  MadeProgram program(0.02);
  for (const double level : {175.0, 225.0, 300.0}) profile.AddStretch(program.Run(level, Duration{100}));
  for (const double level : {175.0, 225.0, 300.0}) {
    EXPECT_NEAR(profile.At(level)->speed, program.SpeedAt(level), 0.02 * program.SpeedAt(level));
    EXPECT_NEAR(profile.At(level)->power.value, program.PowerAt(level), 0.02 * program.PowerAt(level));
  }
  EXPECT_FALSE(profile.At(170.0));
  const double between = profile.At(200.0)->speed_error;
  EXPECT_GT(between, profile.At(225.0)->speed_error) << "not measured there";
  EXPECT_LE(std::abs(profile.At(200.0)->speed - program.SpeedAt(200.0)), 3.0 * between);
  profile.AddStretch(program.Run(200.0, Duration{100}));
  EXPECT_LT(profile.At(200.0)->speed_error, between);
}

TEST(SpeedProfileTest, SpreadLevelsAreTriedFirstTheDefaultBeforeAll) {
  SpeedProfile profile = Empty();
  MadeProgram program(0.02);
  std::vector<double> tried;
  for (int i = 0; i < 3; ++i) {
    tried.push_back(*profile.Next(EnergyMerit()));
    profile.AddStretch(program.Run(tried.back(), Duration{60}));
  }
  EXPECT_EQ(tried.front(), 300.0);
  EXPECT_GT(tried[1], tried[2]);
  EXPECT_GT(tried[2], 150.0);
}

RC_GTEST_PROP(SpeedProfileTest, TryingEndsNearTheBestLevel, ()) {
  MadeProgram program(0.001 * *rc::gen::inRange(1, 100), *rc::gen::inRange(1, 1000));
  SpeedProfile profile = Empty();
  const int tries = LearnAll(profile, program, EnergyMerit());
  RC_ASSERT(tries <= 3 * 41);
  const auto energy = [&program](double level) { return program.PowerAt(level) / program.SpeedAt(level); };
  const auto options = profile.Options();
  const auto chosen =
      std::ranges::min_element(options, {}, [](const LevelOption& o) { return o.power.value / o.speed; });
  const auto levels = LimitLevels();
  const double least = energy(*std::ranges::min_element(levels, {}, energy));
  RC_ASSERT(energy(chosen->level) <= 1.04 * least);
}

TEST(SpeedProfileTest, NothingMoreIsTriedWhereTheChoiceIsClear) {
  SpeedProfile profile = Empty();
  MadeProgram program(0.01);
  // Only time counts: the default is best whatever else there is.
  const Merit time{[](double speed, Watts) { return 1.0 / speed; }, 0.005};
  const int tries = LearnAll(profile, program, time);
  EXPECT_LE(tries, 8);
}

TEST(SpeedProfileTest, NoisyStepsAreMeasuredForLonger) {
  const auto length = [](double noise) {
    SpeedProfile profile = Empty();
    MadeProgram program(noise);
    for (int i = 0; i < 30; ++i) profile.AddStretch(program.Run(300.0, Duration{60}));
    return profile.StretchFor(300.0);
  };
  EXPECT_LT(length(0.01), length(0.3));
}

TEST(SpeedProfileTest, AProgramThatWaitsForInputIsRecognised) {
  SpeedProfile profile = Empty();
  SpeedProfile waiting = Empty();
  MadeProgram program(0.02);
  for (const double level : {300.0, 235.0, 165.0}) {
    profile.AddStretch(program.Run(level, Duration{60}));
    SteadySpell stretch = program.Run(300.0, Duration{60});
    stretch.level = level;
    waiting.AddStretch(stretch);
  }
  EXPECT_FALSE(profile.IsInputBound());
  EXPECT_TRUE(waiting.IsInputBound());
}

TEST(SpeedProfileTest, DriftBeginsItAnewAndOneOddStretchDoesNot) {
  SpeedProfile profile = Empty();
  MadeProgram program(0.02);
  LearnAll(profile, program, EnergyMerit());
  SteadySpell odd = program.Run(300.0, Duration{60});
  odd.steps *= 0.7;
  profile.AddStretch(odd);
  profile.AddStretch(program.Run(300.0, Duration{60}));
  EXPECT_EQ(profile.drifts(), 0);
  for (int i = 0; i < 3; ++i) {
    odd = program.Run(300.0, Duration{60});
    odd.steps *= 0.7;
    profile.AddStretch(odd);
  }
  EXPECT_EQ(profile.drifts(), 1);
  EXPECT_NEAR(profile.At(300.0)->speed, 0.7 * program.SpeedAt(300.0), 0.05 * program.SpeedAt(300.0));
  EXPECT_TRUE(profile.Next(EnergyMerit())) << "the other levels are of another program now";
}

TEST(SpeedProfileTest, AnotherProgramOnAnEarlierProfileIsNoticedWhereverItIsMetFirst) {
  MadeProgram program(0.02);
  for (const double met : {300.0, 165.0, 210.0}) {
    SpeedProfile profile = Empty();
    for (const double level : {300.0, 235.0, 165.0}) profile.AddStretch(program.Run(level, Duration{60}));
    double level = met;
    for (int i = 0; i < 5 && profile.drifts() == 0; ++i) {
      SteadySpell slow = program.Run(level, Duration{60});
      slow.steps *= 0.5;
      profile.AddStretch(slow);
      level = profile.Next(EnergyMerit()).value_or(level);
    }
    EXPECT_EQ(profile.drifts(), 1) << met;
  }
}

TEST(SpeedProfileTest, TwoPacesTellTheRest) {
  SpeedProfile profile("resnet50 256 H200", Knob::kPace, {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0});
  EXPECT_EQ(profile.Next(EnergyMerit()), 1.0);
  profile.AddStretch({1.0, Seconds{60}, 60 * 18.4, Joules{60 * 637.0}});
  EXPECT_EQ(profile.Next(EnergyMerit()), 0.5);
  profile.AddStretch({0.5, Seconds{60}, 60 * 9.2, Joules{60 * 380.0}});
  EXPECT_FALSE(profile.Next(EnergyMerit()));
  ASSERT_EQ(profile.Options().size(), 8U);
  EXPECT_NEAR(profile.At(0.3)->speed, 0.3 * 18.4, 1e-6);
  EXPECT_NEAR(profile.At(0.3)->power.value, 277.2, 1e-6);
  EXPECT_GT(profile.At(0.3)->speed_error, profile.At(0.7)->speed_error);
}

TEST(SpeedProfileTest, WhatIsNotCleanTeachesNothing) {
  SpeedProfile profile = Empty();
  profile.AddStretch({300.0, Seconds{60}, 100.0, Joules{100.0}, false});
  profile.AddStretch({300.0, Seconds{60}, 0.0, Joules{100.0}});
  profile.AddStretch({300.0, Seconds{0}, 10.0, Joules{100.0}});
  EXPECT_TRUE(profile.Options().empty());
}

TEST(SpeedProfileTest, LevelsBelowTheKneeAreNotOffered) {
  SpeedProfile profile = Empty();
  // The A40's own collapse below 150 W.
  for (const auto& [level, speed, power] : std::vector<std::tuple<double, double, double>>{{100, 0.340, 115},
                                                                                           {125, 0.399, 125},
                                                                                           {150, 0.608, 144},
                                                                                           {175, 0.838, 161},
                                                                                           {200, 0.937, 179},
                                                                                           {300, 1, 244}}) {
    profile.AddStretch({level, Seconds{1000}, 100000 * speed, Joules{1000 * power}});
  }
  EXPECT_FALSE(profile.At(100.0));
  EXPECT_NEAR(profile.At(175.0)->speed, 83.8, 0.1);
  EXPECT_NEAR(profile.At(200.0)->speed, 93.7, 0.1);
}

TEST(SpeedProfileTest, SavedAndLoadedItSaysTheSame) {
  SpeedProfile profile = Empty();
  MadeProgram program(0.05);
  LearnAll(profile, program, EnergyMerit());
  const auto parsed = io::Json::Parse(profile.Save().Dump(), "profile.json");
  ASSERT_TRUE(parsed);
  SpeedProfile again = Empty();
  ASSERT_TRUE(again.Load(*parsed));
  EXPECT_EQ(again.Options(), profile.Options());
  EXPECT_EQ(again.Next(EnergyMerit()), 300.0) << "whether it still holds";
  again.AddStretch(program.Run(300.0, Duration{60}));
  EXPECT_FALSE(again.Next(EnergyMerit()));
  SpeedProfile lower("resnet50 128 A40", Knob::kPowerLimit, {100, 150, 200});
  ASSERT_TRUE(lower.Load(*parsed));
  EXPECT_LE(lower.Next(EnergyMerit()), 200.0) << "what lies above is not offered any more";
  SpeedProfile other("bert 32 A40", Knob::kPowerLimit, LimitLevels());
  EXPECT_FALSE(other.Load(*parsed));
  EXPECT_FALSE(other.Load(io::Json("text")));
}

}  // namespace
}  // namespace heliostat::level_control
