#include "heliostat/node/training_run/level_survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/node/training_run/measure.h"
#include "heliostat/node/training_run/testing/scripted.h"

namespace heliostat::training_run {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<double> kLevels{200, 300, 450, 600, 700};

// A program on a modelled H200, measured at several limits.
struct Stage {
  Stage() {
    program.ends_after = 30min;
    program.steps_per_s = [this] { return SpeedAt(actuator.level()) * drift(); };
  }
  static double SpeedAt(double level) { return 40.0 * std::sqrt(level / 700.0); }
  double PowerAt(double level) {
    const device_model::CardModel& card = *device_model::FindCardModel("H200");
    return device_model::PointAt(card, device_model::LoadOf("resnet50", card),
                                 device::Setting::PowerLimit(Watts{level}), device::Setting::Default(Knob::kCoreClock))
        .power_w;
  }
  void Follow(LevelSurvey& survey) {
    RunMeter meter({&gpu}, *StepTracker::Make("", ProcessEnvironment(), clock), LevelSurvey::Grain(Knob::kPowerLimit),
                   clock, [](const std::string&) {});
    survey.Follow(program, meter, actuator, clock);
  }
  LevelSurvey Survey(Duration time = 300s) { return LevelSurvey({.levels = kLevels, .time = time}, {}); }

  ManualClock clock{ParseInstant("2023-06-01T00:00:00Z", "").value()};
  device_model::SimulatedGpu gpu{*device_model::FindCardModel("H200"), 0};
  ScriptedProgram program{clock, gpu};
  ScriptedActuator actuator{clock, gpu};
  std::function<double()> drift = [] { return 1.0; };
};

TEST(LevelSurveyTest, TheMeasuredCurveHoldsTheTrueOneWithinItsErrors) {
  Stage stage;
  std::vector<Duration> left;
  LevelSurvey survey({.levels = kLevels, .time = 300s, .wanted_error = 0.0},
                     [&](const LevelSurvey& so_far, const MeasuredLevel&) { left.push_back(so_far.left()); });
  stage.Follow(survey);
  EXPECT_TRUE(survey.is_complete());
  EXPECT_EQ(left.back(), Duration(0)) << "nothing is left after the last visit";
  EXPECT_TRUE(std::ranges::is_sorted(left, std::greater<>()));
  const auto levels = survey.tally().All();
  ASSERT_THAT(levels, SizeIs(kLevels.size()));
  for (const MeasuredLevel& one : levels) {
    const double truth = Stage::SpeedAt(one.level);
    EXPECT_LE(std::abs(one.steps_per_s - truth), one.error * truth) << one.level << " W, " << one.error;
    EXPECT_LT(one.error, 0.01);
    EXPECT_NEAR(one.power.value, stage.PowerAt(one.level), 0.01 * stage.PowerAt(one.level)) << one.level;
    EXPECT_GE(one.visits, 2);
  }
  EXPECT_THAT(survey.missing(), IsEmpty());
  EXPECT_LE(Seconds(stage.program.lived()), Seconds(310));
  EXPECT_EQ(stage.gpu.Stands(Knob::kPowerLimit)->limit(), Watts{700});
}

TEST(LevelSurveyTest, ADriftShowsInTheErrorsAndDoesNotBendTheCurve) {
  Stage stage;
  // A tenth slower in five minutes.
  stage.drift = [&] { return 1.0 - 0.1 * std::min(Seconds(stage.program.lived()).count() / 300.0, 1.0); };
  LevelSurvey survey = stage.Survey();
  stage.Follow(survey);
  for (const MeasuredLevel& one : survey.tally().All()) {
    const double truth = 0.95 * Stage::SpeedAt(one.level);
    EXPECT_NEAR(one.steps_per_s / truth, 1.0, 0.03) << one.level;
    EXPECT_GT(one.error, 0.01);
    EXPECT_LE(std::abs(one.steps_per_s - truth), one.error * truth) << one.level;
  }
}

TEST(LevelSurveyTest, AProgramThatEndsEarlyLeavesWhatWasMeasuredAndAnotherGoesOn) {
  Stage stage;
  stage.program.ends_after = 40s;
  LevelSurvey survey = stage.Survey();
  stage.Follow(survey);
  EXPECT_FALSE(survey.is_complete());
  const auto first = survey.tally().All();
  EXPECT_EQ(first.back().level, 700.0) << "the default comes first";
  EXPECT_EQ(first.size() + survey.missing().size(), kLevels.size());
  EXPECT_GE(survey.missing().size(), 1U);
  EXPECT_EQ(stage.actuator.releases, 1);

  Stage again;
  again.Follow(survey);
  EXPECT_TRUE(survey.is_complete());
  EXPECT_THAT(survey.missing(), IsEmpty());
}

TEST(LevelSurveyTest, ALevelThatCannotBeSetIsMissing) {
  Stage stage;
  stage.actuator.failure = Error{ErrorCode::kPermissionDenied, "GPU", "no", ""};
  LevelSurvey survey = stage.Survey();
  stage.Follow(survey);
  EXPECT_TRUE(survey.tally().empty());
  EXPECT_THAT(survey.missing(), SizeIs(kLevels.size()));
  EXPECT_LT(stage.program.lived(), 30min);
}

TEST(LevelSurveyTest, AVisitThatAnotherProgramDisturbsDoesNotCount) {
  Stage stage;
  stage.actuator.is_there = [&] { return stage.actuator.level() != 450.0; };
  LevelSurvey survey = stage.Survey();
  stage.Follow(survey);
  EXPECT_THAT(survey.missing(), ElementsAre(450.0));
}

TEST(LevelSurveyTest, LevelsAreSpreadOverTheCardsRangeAndTheDefaultIsAmongThem) {
  std::vector<double> all;
  for (int i = 0; i <= 20; ++i) all.push_back(200 + 25 * i);
  MeasureOptions options;
  options.level_count = 3;
  EXPECT_THAT(*LevelsToMeasure(options, all), ElementsAre(200, 450, 700));
  options.level_count = 1;
  EXPECT_THAT(*LevelsToMeasure(options, all), ElementsAre(700));
  options.levels = {650, 300, 300};
  EXPECT_THAT(*LevelsToMeasure(options, all), ElementsAre(300, 650, 700));
  options.levels = {100};
  EXPECT_EQ(LevelsToMeasure(options, all).error().where, "level");
  options.levels.clear();
  options.level_count = 21;
  options.time = 60s;
  EXPECT_EQ(LevelsToMeasure(options, all).error().where, "time");
}

}  // namespace
}  // namespace heliostat::training_run
