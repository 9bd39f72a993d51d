#include "heliostat/node/level_control/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heliostat/node/level_control/testing/made_options.h"
#include "heliostat/node/level_control/testing/made_program.h"

namespace heliostat::level_control {
namespace {

using testing::A40Options;
using testing::AnyOptions;
using testing::AnySlots;
using ::testing::HasSubstr;
using testing::LimitLevels;
using testing::MadeProgram;
using testing::PacedOptions;

Settings BudgetOf(double slowdown) {
  Settings settings;
  settings.mode = Mode::kBudget;
  settings.max_slowdown = slowdown;
  return settings;
}

Settings EtaOf(double eta) {
  Settings settings;
  settings.eta = eta;
  settings.most_power = Watts{300};
  settings.highest_cost = GramsPerKwh(750).value;
  return settings;
}

// A program of known length under a controller, with whole periods of foreseen costs.
struct Ran {
  double seconds = 0.0;
  double cost = 0.0;
  bool is_feasible = true;
  int decisions = 0;
};
Ran RunKnown(Controller controller, const std::vector<LevelOption>& options, std::vector<Slot> slots, double work) {
  Ran ran;
  double done = 0.0;
  slots = Extended(std::move(slots), Seconds{20.0 * work / options.back().speed});
  std::size_t slot = 0;
  double used = 0.0;  // of the slot
  while (work - done > 1e-9 * work && ran.decisions < 100000) {
    Situation situation;
    situation.now = Instant{Duration{static_cast<std::int64_t>(ran.seconds)}};
    situation.ahead.assign(slots.begin() + static_cast<std::ptrdiff_t>(slot), slots.end());
    situation.ahead.front().length -= Seconds{used};
    situation.progress = {Seconds{ran.seconds}, done, work - done};
    const LevelDecision decision = controller.Decide(situation);
    ++ran.decisions;
    ran.is_feasible &= decision.is_feasible;
    const double left_of_slot = slots[slot].length.count() - used;
    const double time =
        std::min({static_cast<double>(decision.hold.count()), left_of_slot, (work - done) / decision.speed});
    ran.seconds += time;
    ran.cost += time * decision.power.value * slots[slot].cost_per_joule;
    done += time * decision.speed;
    used += time;
    if (used < slots[slot].length.count() - 1e-6) continue;
    ++slot;
    used = 0.0;
  }
  return ran;
}

RC_GTEST_PROP(ControllerTest, ABudgetIsKeptWhereTheProfileIsRight, ()) {
  const auto options = *AnyOptions();
  const auto slots = *AnySlots();
  const double work = 3600.0 * *rc::gen::inRange(1, 12) * options.back().speed;
  const double slowdown = 0.005 * *rc::gen::inRange(0, 60);
  const Ran ran = RunKnown(*Controller::MakeKnown(BudgetOf(slowdown), options), options, slots, work);
  const double usual = work / options.back().speed;
  RC_ASSERT(ran.is_feasible);
  RC_ASSERT(ran.seconds <= usual * (1.0 + slowdown) * (1.0 + 1e-6));
  // What it was planned to cost, but for whole seconds and minutes.
  const double planned = PlanWithin(options, slots, work, Seconds{usual * (1.0 + slowdown)}).cost;
  RC_ASSERT(ran.cost >= planned * (1.0 - 1e-6));
  const double constant = RunKnown(*Controller::MakeKnown(BudgetOf(0.0), options), options, slots, work).cost;
  RC_ASSERT(ran.cost <= constant * (1.0 + 0.002));
}

TEST(ControllerTest, ADeadlineIsKeptAndAnImpossibleOneIsSaidAloud) {
  const auto options = A40Options();
  Settings settings;
  settings.mode = Mode::kBudget;
  settings.deadline = Instant{Duration{40000}};
  const std::vector<Slot> slots{{Seconds{1800.0}, 1e-4}, {Seconds{1800.0}, 3e-4}};
  const Ran ran = RunKnown(*Controller::MakeKnown(settings, options), options, slots, 38000.0);
  EXPECT_LE(ran.seconds, 40000.5);
  EXPECT_GT(ran.seconds, 39000.0);
  Controller late = *Controller::MakeKnown(settings, options);
  const LevelDecision decision = late.Decide({Instant{Duration{39000}}, slots, {Seconds{39000}, 1000.0, 20000.0}, {}});
  EXPECT_FALSE(decision.is_feasible);
  EXPECT_EQ(decision.level.value, 300);
  EXPECT_THAT(decision.why, HasSubstr("cannot be kept"));
}

TEST(ControllerTest, TimeThatGoesAsideIsMissingBeforeADeadline) {
  Settings settings;
  settings.mode = Mode::kBudget;
  settings.deadline = Instant{Duration{10000}};
  Controller controller = *Controller::MakeKnown(settings, A40Options());
  const std::vector<Slot> ahead(10, {Seconds{1800.0}, 1e-4});
  const auto at = [&](double aside_share) {
    return controller.Decide({Instant{}, ahead, {Seconds{0}, 0.0, 8000.0, aside_share}, {}});
  };
  EXPECT_LT(at(0.0).level.value, 300.0);
  EXPECT_TRUE(at(0.18).is_feasible);
  EXPECT_GT(at(0.18).level.value, at(0.0).level.value);
  EXPECT_FALSE(at(0.5).is_feasible);
}

TEST(ControllerTest, WithoutAnEndTheSlowdownIsKeptOverWhatIsForeseen) {
  const auto options = A40Options();
  Controller controller = *Controller::MakeKnown(BudgetOf(0.05), options);
  double done = 0.0;
  double seconds = 0.0;
  for (int period = 0; period < 96; ++period) {
    std::vector<Slot> ahead;
    for (int i = 0; i < 48; ++i) ahead.push_back({Seconds{1800.0}, (period + i) % 48 < 24 ? 1e-4 : 2e-4});
    double used = 0.0;
    while (used < 1800.0) {
      const LevelDecision decision = controller.Decide(
          {Instant{Duration{static_cast<std::int64_t>(seconds)}}, ahead, {Seconds{seconds}, done, std::nullopt}, {}});
      const double time = std::min(static_cast<double>(decision.hold.count()), 1800.0 - used);
      used += time;
      seconds += time;
      done += time * decision.speed;
      ahead.front().length -= Seconds{time};
    }
  }
  EXPECT_LE(seconds / done, 1.051);
  EXPECT_GE(seconds / done, 1.03);
}

TEST(ControllerTest, EtaFollowsTheSignalAndSaysWhy) {
  Controller controller = *Controller::MakeKnown(EtaOf(0.3), A40Options());
  const auto at = [&controller](double carbon) {
    return controller.Decide({Instant{}, {{Seconds{1800}, GramsPerKwh(carbon).value}}, {}, {}});
  };
  EXPECT_EQ(at(200).level.value, 300);
  const LevelDecision dirty = at(620);
  EXPECT_EQ(dirty.level.value, 225);
  EXPECT_EQ(dirty.hold, Duration{1800});
  EXPECT_NEAR(dirty.saving, 1.0 - 198.0 / 0.968 / 244.0, 1e-9);
  EXPECT_THAT(dirty.why, HasSubstr("620 g/kWh"));
  EXPECT_THAT(dirty.why, HasSubstr("225 W"));
  EXPECT_FALSE(dirty.is_probe);
  // Decided at 620: 640 changes nothing, 200 does.
  EXPECT_FALSE(controller.IsJump(GramsPerKwh(640).value));
  EXPECT_TRUE(controller.IsJump(GramsPerKwh(200).value));
}

TEST(ControllerTest, PaceIsNotHeldBackWhereThatCostsMore) {
  Settings settings = EtaOf(0.9);
  settings.knob = Knob::kPace;
  Controller controller = *Controller::MakeKnown(settings, PacedOptions());
  const LevelDecision decision = controller.Decide({Instant{}, {{Seconds{1800}, GramsPerKwh(700).value}}, {}, {}});
  EXPECT_EQ(decision.level.value, 1.0);
  EXPECT_THAT(decision.why, HasSubstr("more energy, not less"));
}

// A day of an unknown program, whose profile is learned while it runs.
struct Day {
  double seconds = 0.0;
  double done = 0.0;
  double joules = 0.0;
  int probes = 0;
  LevelDecision last;
  double probing = 0.0;  // s at levels that were tried to learn
  double probing_loss = 0.0;
};
Day LearnForADay(const Settings& settings, double noise) {
  Controller controller = *Controller::Make(settings, SpeedProfile("made", Knob::kPowerLimit, settings.levels));
  MadeProgram program(noise);
  Day day;
  std::vector<SteadySpell> news;
  const double work = 86400.0 * program.SpeedAt(300.0);
  while (work - day.done > 1.0) {
    std::vector<Slot> ahead(60, {Seconds{1800}, GramsPerKwh(620).value});
    day.last = controller.Decide({Instant{Duration{static_cast<std::int64_t>(day.seconds)}},
                                  ahead,
                                  {Seconds{day.seconds}, day.done, work - day.done},
                                  news});
    day.probes += day.last.is_probe ? 1 : 0;
    const double rest = (work - day.done) / program.SpeedAt(day.last.level.value);
    const SteadySpell stretch = program.Run(
        day.last.level.value, std::min(day.last.hold, Duration{static_cast<std::int64_t>(std::ceil(rest))}));
    day.seconds += stretch.duration.count();
    if (day.last.is_probe) day.probing += stretch.duration.count();
    day.done += stretch.steps;
    day.joules += stretch.energy.value;
    news = {stretch};
  }
  day.probing_loss = controller.probing_loss().count();
  return day;
}

TEST(ControllerTest, LearningCostsLessThanTwoPercentOfADayAndPays) {
  Settings settings = EtaOf(0.5);
  settings.levels = LimitLevels();
  for (const double noise : {0.01, 0.1, 0.5}) {
    const Day day = LearnForADay(settings, noise);
    EXPECT_GE(day.probes, 3);
    EXPECT_LE(day.probing_loss, 0.02 * 86400.0);
    EXPECT_LE(day.probing, 0.02 * day.seconds);
    EXPECT_FALSE(day.last.is_probe);
    EXPECT_LT(day.joules, 0.9 * 250.0 * 86400.0);
  }
}

TEST(ControllerTest, ABudgetIsKeptWhileLearning) {
  Settings settings = BudgetOf(0.025);
  settings.levels = LimitLevels();
  const Day day = LearnForADay(settings, 0.02);
  EXPECT_LE(day.seconds, 1.026 * 86400.0);
  EXPECT_LT(day.joules, 0.95 * 250.0 * 86400.0);
}

TEST(ControllerTest, ShortRunsAreNotSpentOnLearning) {
  Settings settings = EtaOf(0.5);
  settings.levels = LimitLevels();
  Controller controller = *Controller::Make(settings, SpeedProfile("made", Knob::kPowerLimit, settings.levels));
  MadeProgram program(0.05);
  const std::vector<Slot> ahead{{Seconds{1800}, GramsPerKwh(620).value}};
  const double work = 60.0 * program.SpeedAt(300.0);
  EXPECT_EQ(controller.Decide({Instant{}, ahead, {Seconds{0}, 0.0, work}, {}}).level.value, 300.0);
  const SteadySpell first = program.Run(300.0, Duration{20});
  const LevelDecision next =
      controller.Decide({Instant{}, ahead, {Seconds{20}, first.steps, work - first.steps}, {first}});
  EXPECT_FALSE(next.is_probe);
  EXPECT_EQ(next.level.value, 300.0);
}

TEST(ControllerTest, ASlotThatHoldsAChangeIsNoJumpUntilItComes) {
  Controller controller = *Controller::MakeKnown(EtaOf(0.5), A40Options());
  // The mean of a dirty rest of this hour and a clean beginning of the next.
  const std::vector<Slot> ahead{{Seconds{1800}, GramsPerKwh(300).value}};
  const double dirty = GramsPerKwh(500).value;
  (void)controller.Decide({Instant{}, ahead, {}, {}, dirty});
  EXPECT_FALSE(controller.IsJump(dirty));
  EXPECT_TRUE(controller.IsJump(GramsPerKwh(20).value));
}

TEST(ControllerTest, WithoutAForecastNothingIsTurned) {
  Controller controller = *Controller::MakeKnown(EtaOf(0.9), A40Options());
  const LevelDecision decision = controller.Decide({Instant{}, {}, {}, {}});
  EXPECT_EQ(decision.level.value, 300);
  EXPECT_THAT(decision.why, HasSubstr("default"));
}

TEST(ControllerTest, BadSettingsAreRefused) {
  const auto options = A40Options();
  EXPECT_FALSE(Controller::MakeKnown(EtaOf(1.5), options));
  Settings nothing;
  nothing.mode = Mode::kBudget;
  EXPECT_FALSE(Controller::MakeKnown(nothing, options));
  EXPECT_FALSE(Controller::MakeKnown(BudgetOf(-0.1), options));
  EXPECT_FALSE(Controller::MakeKnown(EtaOf(0.5), {}));
  EXPECT_FALSE(Controller::MakeKnown(EtaOf(0.5), {options[1], options[0]}));
}

}  // namespace
}  // namespace heliostat::level_control
