#include "heliostat/node/training_run/training_session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heliostat/base/io/testing/scratch.h"
#include "heliostat/node/ledger/run.h"
#include "heliostat/node/training_run/testing/scripted.h"

namespace heliostat::training_run {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

const Instant kStart = ParseInstant("2023-06-01T00:00:00Z", "").value();

// By equation 6 with eta 0.5 and a highest intensity of 500 g: 700 W when clean, 500 W at 500 g, 300 W when filthy.
constexpr double kClean = 50.0;
constexpr double kDirty = 500.0;
constexpr double kFilthy = 1500.0;
const std::vector<level_control::LevelOption> kOptions{
    {300, 0.7, Watts{300}}, {500, 0.92, Watts{500}}, {700, 1.0, Watts{650}}};

// A program under Chase on a modelled H200, every level of which is known.
struct Stage {
  Stage() {
    options.command = {"train"};
    options.period = Duration(60);
    settings.period = options.period;
    settings.eta = 0.5;
    settings.most_power = Watts{700};
    settings.highest_cost = level_control::CostPerJoule({}, GramsPerKwh(kDirty), 0.0);
    program.steps_per_s = [this] { return 5.0 * SpeedAt(actuator.level()); };
  }
  static double SpeedAt(double level) {
    for (const level_control::LevelOption& option : kOptions) {
      if (option.level >= level) return option.speed;
    }
    return 1.0;
  }

  ledger::Run Follow(KnobActuator& its_hand) {
    auto controller = profile ? level_control::Controller::Make(settings, *profile)
                              : level_control::Controller::MakeKnown(settings, kOptions);
    EXPECT_TRUE(controller) << controller.error().Line();
    ledger::Begin begin;
    begin.start = clock.Now();
    begin.command = options.command;
    begin.gpus = {{gpu.identity().uuid, gpu.identity().name}};
    begin.default_level = 700.0;
    if (price) begin.currency = Currency::Eur();
    auto writer = ledger::Writer::Create(scratch.folder() / "runs", begin);
    EXPECT_TRUE(writer) << writer.error().Line();
    ScriptedSource carbon("grid", intensity);
    carbon.highest = kDirty;
    carbon.knows = knows_signal;
    TrainingSession session({&options, &carbon, price ? &*price : nullptr, {&gpu}, &its_hand, &clock},
                            *std::move(controller), *std::move(writer),
                            *StepTracker::Make("", ProcessEnvironment(), clock));
    session.Follow(program);
    if (session.controller().profile() != nullptr) learned = session.controller().profile()->Options();
    return session.writer().run();
  }
  ledger::Run Follow() { return Follow(actuator); }
  // From `at` on, in grams; before it, what was so far.
  void Then(Duration at, double per_kwh) {
    intensity = [before = intensity, at, per_kwh](Instant now) {
      return now < kStart + at ? before(now) : live_signal::SignalSource::Value{per_kwh};
    };
  }

  ManualClock clock{kStart};
  device_model::SimulatedGpu gpu{*device_model::FindCardModel("H200"), 0};
  ScriptedProgram program{clock, gpu};
  ScriptedActuator actuator{clock, gpu};
  std::function<live_signal::SignalSource::Value(Instant)> intensity = [](Instant) {
    return live_signal::SignalSource::Value{kClean};
  };
  std::function<bool()> knows_signal = [] { return true; };
  std::optional<ScriptedSource> price;
  RunOptions options;
  level_control::Settings settings;
  std::optional<level_control::SpeedProfile> profile;
  std::vector<level_control::LevelOption> learned;
  io::Scratch scratch;
};

std::vector<std::string> TextsOf(const std::vector<ledger::Note>& notes) {
  std::vector<std::string> texts;
  texts.reserve(notes.size());
  for (const ledger::Note& note : notes) texts.push_back(note.text);
  return texts;
}

TEST(SessionTest, DecidesEveryPeriod) {
  Stage stage;
  const ledger::Run run = stage.Follow();
  ASSERT_THAT(run.periods, SizeIs(10));
  for (std::size_t i = 0; i < run.periods.size(); ++i) {
    EXPECT_EQ(run.periods[i].decision, static_cast<int>(i));
    EXPECT_EQ(run.periods[i].start, kStart + Duration(60) * static_cast<int>(i));
  }
}

TEST(SessionTest, ALongPeriodIsPutOnRecordInPartsOfAMinute) {
  Stage stage;
  stage.options.period = stage.settings.period = Duration(1800);
  const ledger::Run run = stage.Follow();
  ASSERT_GE(run.periods.size(), 10U);
  for (const ledger::Period& period : run.periods) {
    EXPECT_EQ(period.decision, 0);
    EXPECT_LE(period.elapsed, Seconds(60.2));
  }
}

TEST(SessionTest, UntilASignalIsKnownTheProgramRunsAtItsDefaultAndIsMeasured) {
  Stage stage;
  stage.Then(Duration(0), kFilthy);
  stage.knows_signal = [&] { return stage.clock.Now() >= kStart + Duration(150); };
  const Joules before = *stage.gpu.Energy();
  const ledger::Run run = stage.Follow();
  EXPECT_THAT(TextsOf(run.notes),
              ::testing::ElementsAre(HasSubstr("no value is known yet"), HasSubstr("is known now")));
  Seconds unknown{};
  Joules energy;
  for (const ledger::Period& period : run.periods) {
    EXPECT_EQ(period.level, period.start >= kStart + Duration(150) ? 300.0 : 700.0);
    if (!period.carbon_g_per_kwh) unknown += period.elapsed;
    energy += period.total_energy();
  }
  EXPECT_NEAR(unknown.count(), 120.0, 31.0) << "the part in which it becomes known is charged";
  EXPECT_NEAR(energy.value, (*stage.gpu.Energy() - before).value, 1.0);
}

TEST(SessionTest, AClockThatIsSetLosesNoEnergy) {
  for (const Duration step : {Duration(-7200), Duration(7200), Duration(400 * 86400)}) {
    Stage stage;
    const Joules before = *stage.gpu.Energy();
    bool is_set = false;
    stage.intensity = [&](Instant now) {
      if (now >= kStart + Duration(90) && !std::exchange(is_set, true)) stage.clock.Set(stage.clock.Now() + step);
      return live_signal::SignalSource::Value{kClean};
    };
    const ledger::Run run = stage.Follow();
    Joules energy;
    Seconds elapsed{};
    for (const ledger::Period& period : run.periods) {
      EXPECT_LE(period.end - period.start, Duration(63)) << step.count();
      energy += period.total_energy();
      elapsed += period.elapsed;
    }
    EXPECT_NEAR(energy.value, (*stage.gpu.Energy() - before).value, 1.0) << step.count();
    EXPECT_NEAR(elapsed.count(), 600.0, 0.2);
    EXPECT_THAT(TextsOf(run.notes), ::testing::Contains(HasSubstr("the clock was set")));
  }
}

// Whatever the signal does and whenever the program ends, nothing is lost between two parts, nor counted twice.
RC_GTEST_PROP(SessionTest, PartsSumToTheWhole, ()) {
  Stage stage;
  stage.program.ends_after = std::chrono::milliseconds(*rc::gen::inRange(1, 200'000));
  for (int jumps = *rc::gen::inRange(0, 4); jumps > 0; --jumps) {
    stage.Then(Duration(*rc::gen::inRange(1, 200)), *rc::gen::element(kClean, kDirty, kFilthy));
  }
  const Joules before = *stage.gpu.Energy();
  const ledger::Run run = stage.Follow();
  Joules energy;
  Seconds elapsed{};
  double steps = 0.0;
  Instant at = kStart;
  for (const ledger::Period& period : run.periods) {
    RC_ASSERT(period.start == at);
    at = period.end;
    energy += period.total_energy();
    elapsed += period.elapsed;
    steps += period.steps;
    RC_ASSERT(period.aside <= period.elapsed);
    RC_ASSERT(period.carbon_g_per_kwh == stage.intensity(period.start).number);
  }
  const double used = (*stage.gpu.Energy() - before).value;
  RC_ASSERT(std::abs(energy.value - used) <= 1e-6 * (1.0 + used));
  RC_ASSERT(std::abs((elapsed - Seconds(stage.program.ends_after)).count()) <= 1e-3);
  RC_ASSERT(steps == stage.program.steps());
}

TEST(SessionTest, AJumpOfTheSignalIsMetWithinSecondsAndOnce) {
  Stage stage;
  stage.options.period = stage.settings.period = Duration(1800);
  stage.Then(130s, kFilthy);
  const ledger::Run run = stage.Follow();
  ASSERT_THAT(stage.actuator.turned, SizeIs(2));
  EXPECT_TRUE(stage.actuator.turned[0].is_default);
  EXPECT_EQ(stage.actuator.turned[0].at, kStart);
  EXPECT_EQ(stage.actuator.turned[1].level, 300.0);
  EXPECT_GE(stage.actuator.turned[1].at, kStart + 130s);
  EXPECT_LE(stage.actuator.turned[1].at, kStart + 135s);
  EXPECT_EQ(run.periods.back().decision, 1);
}

TEST(SessionTest, AMoveThatChangesNoLevelWaitsForThePeriodsEnd) {
  Stage stage;
  stage.options.period = stage.settings.period = Duration(300);
  stage.Then(100s, 1.04 * kClean);
  stage.Then(200s, 2.0 * kClean);
  const ledger::Run run = stage.Follow();
  EXPECT_THAT(stage.actuator.turned, SizeIs(1)) << "a level that stands is not turned again";
  EXPECT_EQ(run.periods.back().decision, 1);
}

TEST(SessionTest, TheProgramsEndEndsTheLoopAtOnceAndTheKnobGoesBack) {
  for (const auto length : {1ms, 50ms, 100ms, 77'777ms}) {
    Stage stage;
    stage.intensity = [](Instant) { return live_signal::SignalSource::Value{kFilthy}; };
    stage.program.ends_after = length;
    const Clock::Time begin = stage.clock.Steady();
    (void)stage.Follow();
    EXPECT_EQ(stage.clock.Steady() - begin, length) << "no wait outlasts the program";
    EXPECT_EQ(stage.actuator.releases, 1);
    EXPECT_EQ(stage.gpu.Stands(Knob::kPowerLimit)->limit(), Watts{700});
  }
}

TEST(SessionTest, OutputNeverWaitsLongerThanATenthOfASecond) {
  Stage stage;
  (void)stage.Follow();
  EXPECT_LE(stage.program.longest_poll(), 100ms);
}

TEST(SessionTest, ASilentSourceIsToldOnceAndItsFallbackIsCharged) {
  Stage stage;
  stage.intensity = [](Instant now) -> live_signal::SignalSource::Value {
    const Duration passed = now - kStart;
    if (passed < 120s || passed >= 480s) return {kClean};
    if (passed < 180s) return {kDirty, signal::Freshness::kForecast, passed - 120s};
    if (passed < 300s) return {kDirty, signal::Freshness::kStale, passed - 120s};
    return {kFilthy, signal::Freshness::kClimatology, passed - 120s};
  };
  const ledger::Run run = stage.Follow();
  const auto texts = TextsOf(run.notes);
  ASSERT_THAT(texts, SizeIs(3)) << fmt::format("{}", fmt::join(texts, "\n"));
  EXPECT_THAT(texts[0], HasSubstr(ledger::TextOf(signal::Freshness::kStale, 60s)));
  EXPECT_THAT(texts[1], HasSubstr(ledger::TextOf(signal::Freshness::kClimatology, 180s)));
  EXPECT_THAT(texts[2], HasSubstr("is back"));
  for (const ledger::Period& period : run.periods) {
    const live_signal::SignalSource::Value said = stage.intensity(period.start);
    EXPECT_EQ(period.carbon_g_per_kwh, said.number);
    EXPECT_EQ(period.freshness, said.freshness);
    EXPECT_EQ(period.signal_age, said.age);
  }
  EXPECT_GE(run.periods.back().decision, 9) << "decisions never wait for a source";
  EXPECT_EQ(stage.actuator.turned.back().level, 700.0);
}

TEST(SessionTest, AKnobThatCannotBeTurnedLeavesTheDefaultAndIsTriedAgain) {
  Stage stage;
  stage.intensity = [&stage](Instant now) {
    stage.actuator.failure =
        now < kStart + 150s ? std::optional(Error{ErrorCode::kUnavailable, "agent", "is gone", ""}) : std::nullopt;
    return live_signal::SignalSource::Value{kFilthy};
  };
  const ledger::Run run = stage.Follow();
  ASSERT_THAT(stage.actuator.turned, SizeIs(4)) << "at 0, 60 and 120 s in vain, at 180 s for good";
  EXPECT_THAT(TextsOf(run.notes), ::testing::ElementsAre("not turned: agent: is gone")) << "told once";
  for (const ledger::Period& period : run.periods) {
    const bool was_turned = period.start >= kStart + 180s;
    EXPECT_EQ(period.level, was_turned ? 300.0 : 700.0);
    EXPECT_EQ(period.why.find("could not be turned") == std::string::npos, was_turned) << period.why;
  }
}

TEST(SessionTest, AnotherProgramsSettingIsToldOnceAndTurnedBackAtTheNextDecision) {
  Stage stage;
  stage.intensity = [](Instant) { return live_signal::SignalSource::Value{kDirty}; };
  stage.actuator.is_there = [&stage] { return stage.clock.Now() < kStart + 70s || stage.actuator.turned.size() > 1; };
  const ledger::Run run = stage.Follow();
  ASSERT_THAT(stage.actuator.turned, SizeIs(2));
  EXPECT_EQ(stage.actuator.turned[1].at, kStart + 120s);
  EXPECT_EQ(stage.actuator.turned[1].level, 500.0);
  ASSERT_THAT(run.notes, SizeIs(1));
  EXPECT_THAT(run.notes[0].text, HasSubstr("does not stand at 500 W"));
}

TEST(SessionTest, ADryRunDecidesAndAccountsAndTurnsNothing) {
  Stage stage;
  stage.options.is_dry = true;
  stage.intensity = [](Instant) { return live_signal::SignalSource::Value{kFilthy}; };
  DryActuator shadow;
  const ledger::Run run = stage.Follow(shadow);
  EXPECT_EQ(stage.gpu.writes(), 0);
  ASSERT_THAT(run.periods, SizeIs(10));
  for (const ledger::Period& period : run.periods) {
    EXPECT_EQ(period.level, 700.0);
    EXPECT_THAT(period.why, StartsWith("shadow, not turned to 300 W"));
    EXPECT_GT(period.total_energy(), Joules{0});
  }
}

// By a deadline that can be kept the program is done; the later it is, the less power is drawn.
TEST(SessionTest, DeadlinesAreKeptAndTimeToSpareSavesPower) {
  double last_w = 1e9;
  for (const Duration deadline : {610s, 700s, 840s}) {
    Stage stage;
    stage.program.ends_after = 2h;
    stage.program.total_steps = 600;  // seconds at the default level
    stage.options.total_steps = 600.0;
    stage.options.deadline = stage.settings.deadline = kStart + deadline;
    stage.options.mode = stage.settings.mode = level_control::Mode::kBudget;
    stage.program.steps_per_s = [&stage] { return Stage::SpeedAt(stage.actuator.level()); };
    const ledger::Run run = stage.Follow();
    EXPECT_EQ(stage.program.steps(), 600);
    EXPECT_LE(Seconds(stage.program.lived()), Seconds(deadline) + Seconds(2.0)) << deadline.count();
    const double mean_w = stage.gpu.Energy()->value / Seconds(stage.program.lived()).count();
    EXPECT_LT(mean_w, last_w) << deadline.count();
    last_w = mean_w;
  }
}

TEST(SessionTest, ADeadlineThatCannotBeKeptIsRunForAtTheFastestLevel) {
  Stage stage;
  stage.intensity = [](Instant) { return live_signal::SignalSource::Value{kFilthy}; };
  stage.program.ends_after = 2h;
  stage.program.total_steps = 600;
  stage.options.total_steps = 600.0;
  stage.program.steps_per_s = [&stage] { return Stage::SpeedAt(stage.actuator.level()); };
  stage.options.deadline = stage.settings.deadline = kStart + 300s;
  stage.options.mode = stage.settings.mode = level_control::Mode::kBudget;
  const ledger::Run run = stage.Follow();
  for (const ledger::Period& period : run.periods) EXPECT_EQ(period.level, 700.0);
  EXPECT_THAT(run.periods.front().why, HasSubstr("cannot be kept"));
}

TEST(SessionTest, APriceIsChargedBesideTheCarbon) {
  Stage stage;
  stage.price.emplace("market",
                      [](Instant now) { return live_signal::SignalSource::Value{now < kStart + 300s ? 0.1 : 0.3}; });
  const ledger::Run run = stage.Follow();
  for (const ledger::Period& period : run.periods) {
    EXPECT_EQ(period.price_per_kwh, period.start < kStart + 300s ? 0.1 : 0.3);
    EXPECT_EQ(period.carbon_g_per_kwh, kClean);
  }
}

// A stage on which nothing is known at first.
struct LearningStage : Stage {
  LearningStage() {
    settings.levels = {300, 500, 700};
    settings.probing = {.wanted_error = 0.005, .shortest = Duration(10), .longest = Duration(20), .share = 0.2};
    profile.emplace("train", Knob::kPowerLimit, settings.levels, settings.probing);
    intensity = [](Instant) { return live_signal::SignalSource::Value{kDirty}; };
    program.ends_after = 20min;
  }
  void ExpectRightSpeeds() const {
    ASSERT_FALSE(learned.empty());
    for (const level_control::LevelOption& option : learned) {
      EXPECT_NEAR(option.speed, 5.0 * SpeedAt(option.level), 0.05) << option.level;
    }
  }
};

TEST(SessionTest, SpeedsAreLearnedWhileItTrains) {
  LearningStage stage;
  const ledger::Run run = stage.Follow();
  stage.ExpectRightSpeeds();
  EXPECT_GE(stage.learned.size(), 2U);
  EXPECT_TRUE(std::ranges::any_of(run.periods, &ledger::Period::is_probe));
  EXPECT_FALSE(run.periods.back().is_probe) << "learning ends";
  EXPECT_TRUE(run.periods.back().at_default) << "what is known is on record";
}

TEST(SessionTest, ACardThatSettlesAfterATurnTeachesNothingMeanwhile) {
  LearningStage stage;
  stage.program.ends_after = 60s;  // before much else is learned
  stage.program.steps_per_s = [&stage] {
    const bool is_settling = !stage.actuator.turned.empty() && stage.clock.Now() < stage.actuator.turned.back().at + 2s;
    return (is_settling ? 4.0 : 5.0) * Stage::SpeedAt(stage.actuator.level());
  };
  (void)stage.Follow();
  stage.ExpectRightSpeeds();
}

TEST(SessionTest, WhatCouldNotBeTurnedTeachesNothing) {
  LearningStage stage;
  stage.actuator.failure = Error{ErrorCode::kPermissionDenied, "GPU 0", "may not be set", ""};
  (void)stage.Follow();
  for (const level_control::LevelOption& option : stage.learned) EXPECT_EQ(option.level, 700.0) << "never stood there";
}

TEST(SessionTest, ACardThatAnotherProgramTurnedTeachesNothingMeanwhile) {
  LearningStage stage;
  // For five seconds of each half minute.
  const auto is_ours = [&stage] { return (stage.clock.Now() - kStart).count() % 30 < 25; };
  stage.actuator.is_there = is_ours;
  stage.program.steps_per_s = [&stage, is_ours] {
    return (is_ours() ? 5.0 : 4.0) * Stage::SpeedAt(stage.actuator.level());
  };
  (void)stage.Follow();
  stage.ExpectRightSpeeds();
}

}  // namespace
}  // namespace heliostat::training_run
