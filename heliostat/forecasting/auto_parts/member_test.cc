#include "heliostat/forecasting/auto_parts/member.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/forecasting/auto_parts/origin_features.h"
#include "heliostat/forecasting/auto_parts/testing/frames.h"

namespace heliostat::auto_parts {
namespace {

using testing::GridOf;
using testing::IsWeekend;
using testing::SignalOf;
using testing::Turn;
using testing::Values;
using testing::Wandering;

constexpr std::size_t kSteps = 30;
constexpr MemberKind kAll[] = {MemberKind::kYesterday, MemberKind::kPattern, MemberKind::kRecent, MemberKind::kCalendar,
                               MemberKind::kMix};

// Everything that members use of a grid, with its owners.
struct Stage {
  FrameRecipe recipe;
  Frame frame;
  CalendarModel model;
  Scene scene;

  explicit Stage(const signal::Signal& target, std::span<const signal::Signal> sources = {})
      : recipe(*FrameRecipe::Of(target, sources)),
        frame(*recipe.Lay(target, sources)),
        model(CalendarModel::Fit(frame, recipe.calendar())),
        scene(LayScene(recipe, frame, model, kSteps)) {}
  explicit Stage(const testing::Grid& grid) : Stage(grid.intensity, grid.sources) {}

  std::vector<double> Ask(MemberKind kind, std::size_t steps = kSteps) const {
    return Member::Fit(kind, scene, frame.size, kSteps).Predict(scene, frame.size, steps);
  }
};

signal::Signal Power(std::vector<double> values) {
  return SignalOf(std::move(values), std::chrono::hours{1}, signal::Kind::kPower);
}

// A daily and weekly pattern that repeats exactly, on the scale of the members.
double Periodic(std::size_t i) {
  return 3 + std::sin(Turn(i)) + 0.4 * std::cos(3 * Turn(i)) - (IsWeekend(i) ? 0.5 : 0);
}

TEST(MemberTest, EachAnswersAsManyStepsAsAsked) {
  const Stage stage(GridOf(50 * 24, 3));
  ASSERT_TRUE(stage.recipe.has_mix());
  for (const MemberKind kind : kAll) {
    const auto longest = stage.Ask(kind);
    ASSERT_EQ(longest.size(), kSteps) << NameOf(kind);
    for (const double value : longest) EXPECT_TRUE(std::isfinite(value)) << NameOf(kind);
    const auto first = stage.Ask(kind, 7);
    EXPECT_EQ(first, std::vector<double>(longest.begin(), longest.begin() + 7)) << NameOf(kind);
  }
}

TEST(MemberTest, NeverSeesPastTheOriginNorLearnsPastTheFit) {
  const testing::Grid grid = GridOf(60 * 24, 4);
  const std::size_t origin = 55 * 24 + 5;
  const auto scrambled = [&](const signal::Signal& signal) {
    auto values = signal.series.values();
    for (std::size_t t = origin; t < values.size(); ++t) values[t] = 3 * values[values.size() - 1 - (t - origin)];
    return SignalOf(values, signal.series.step(), signal.meaning.kind, signal.name);
  };
  testing::Grid other{scrambled(grid.intensity), {}};
  for (const auto& source : grid.sources) other.sources.push_back(scrambled(source));
  // One recipe and one calendar, as in a rehearsal: only the rows differ.
  const auto recipe = *FrameRecipe::Of(grid.intensity, grid.sources);
  const Frame frame = *recipe.Lay(grid.intensity, grid.sources), changed = *recipe.Lay(other.intensity, other.sources);
  const auto model = CalendarModel::Fit(frame, recipe.calendar());
  const Scene one = LayScene(recipe, frame, model, kSteps), two = LayScene(recipe, changed, model, kSteps);
  for (const MemberKind kind : kAll) {
    const auto values = Member::Fit(kind, one, origin, kSteps).Predict(one, origin, kSteps);
    EXPECT_EQ(values, Member::Fit(kind, two, origin, kSteps).Predict(two, origin, kSteps)) << NameOf(kind);
  }
}

TEST(MemberTest, YesterdayIsYesterday) {
  const Stage stage(Power(Values(200, [](std::size_t i) { return static_cast<double>(i * i); })));
  const auto values = stage.Ask(MemberKind::kYesterday);
  for (std::size_t lead = 0; lead < kSteps; ++lead) {
    EXPECT_EQ(values[lead], stage.frame.columns[0][200 - 24 + lead % 24]);
  }
}

TEST(MemberTest, ThePatternStartsFromThePresentAndFadesIntoRecentDays) {
  auto values = Values(60 * 24, [](std::size_t i) { return std::pow(3 + std::sin(Turn(i)), 2); });
  RandomStream random(8);
  double level = 0;
  for (double& value : values) value *= std::exp(level = 0.9 * level + random.Normal(0, 0.05));
  for (std::size_t t = values.size() - 3; t < values.size(); ++t) values[t] *= 1.5;
  const Stage stage(Power(values));
  const auto pattern = stage.Ask(MemberKind::kPattern);
  const auto& recent = stage.scene.by_recent[0];
  const double now = recent.Anomaly(stage.frame.size - 1);
  ASSERT_GT(now, 0.2);
  double left = now;
  for (std::size_t lead = 0; lead < kSteps; ++lead) {
    const double above = pattern[lead] - recent.Expected(stage.frame.size, lead);
    EXPECT_LT(above, left);
    EXPECT_GT(above, 0);
    left = above;
  }
  EXPECT_LT(left, 0.2 * now);
}

TEST(MemberTest, RegressionsAreNearlyExactOnWhatRepeats) {
  const Stage stage(Power(Values(70 * 24, [](std::size_t i) { return std::pow(Periodic(i), 2); })));
  for (const MemberKind kind : {MemberKind::kRecent, MemberKind::kCalendar}) {
    const auto values = stage.Ask(kind);
    for (std::size_t lead = 0; lead < kSteps; ++lead) {
      EXPECT_NEAR(values[lead], Periodic(70 * 24 + lead), 0.05) << NameOf(kind) << ' ' << lead;
    }
  }
}

TEST(MemberTest, TheMixForesightIsAnIntensityOfItsSources) {
  const Stage stage(GridOf(60 * 24, 5));
  for (const double value : stage.Ask(MemberKind::kMix)) {
    const double intensity = stage.recipe.space().From(value);
    EXPECT_GT(intensity, 20);
    EXPECT_LT(intensity, 900);
  }
}

TEST(MemberTest, ARegressionNeedsRowsToLearnFrom) {
  const Stage stage(Power(Wandering(60 * 24, 1, 0.1)));
  const std::size_t first = OriginFeatures::FirstOrigin(stage.frame);
  for (const MemberKind kind : {MemberKind::kRecent, MemberKind::kCalendar, MemberKind::kMix}) {
    EXPECT_TRUE(Member::CanLearn(kind, stage.frame, first + kSteps, kSteps));
    EXPECT_FALSE(Member::CanLearn(kind, stage.frame, first + kSteps - 1, kSteps));
    EXPECT_FALSE(Member::CanLearn(kind, stage.frame, 3, kSteps));
  }
  EXPECT_TRUE(Member::CanLearn(MemberKind::kPattern, stage.frame, 24, 1000));
  // With one row it predicts that row.
  const auto member = Member::Fit(MemberKind::kRecent, stage.scene, first + kSteps, kSteps);
  for (const double value : member.Predict(stage.scene, first, kSteps)) EXPECT_TRUE(std::isfinite(value));
}

TEST(MemberTest, ComesBackBitForBit) {
  const Stage stage(GridOf(50 * 24, 6));
  for (const MemberKind kind : kAll) {
    const auto member = Member::Fit(kind, stage.scene, stage.frame.size, kSteps);
    const auto loaded = Member::Load(*io::Json::Parse(member.Save().Dump(), "saved.json"));
    ASSERT_TRUE(loaded) << loaded.error().Line();
    EXPECT_EQ(loaded->kind(), kind);
    EXPECT_EQ(loaded->Predict(stage.scene, stage.frame.size, kSteps),
              member.Predict(stage.scene, stage.frame.size, kSteps));
    EXPECT_TRUE(loaded->Suits(stage.recipe, false, kSteps));
  }
}

TEST(MemberTest, RefusesWhatItDidNotSave) {
  const Stage stage(GridOf(50 * 24, 6)), plain(Power(Wandering(50 * 24, 1)));
  const auto recent = Member::Fit(MemberKind::kRecent, stage.scene, stage.frame.size, kSteps);
  EXPECT_FALSE(recent.Suits(stage.recipe, true, kSteps));
  EXPECT_FALSE(recent.Suits(stage.recipe, false, kSteps + 1));
  EXPECT_FALSE(recent.Suits(plain.recipe, false, kSteps));
  EXPECT_FALSE(Member::Fit(MemberKind::kMix, stage.scene, stage.frame.size, kSteps).Suits(plain.recipe, false, kSteps));

  const io::Json saved = recent.Save();
  const auto broken = [&](const char* key, const io::Json& value) {
    io::Json changed = saved;
    return Member::Load(changed.Set(key, value));
  };
  EXPECT_FALSE(broken("kind", "pattern")) << "a pattern has no regression";
  EXPECT_FALSE(broken("kind", "oracle"));
  EXPECT_FALSE(broken("fading", 1.5));
  EXPECT_FALSE(broken("fading", -0.1));
  EXPECT_FALSE(broken("ridge", nullptr));
  EXPECT_FALSE(broken("ridge", "x"));
  EXPECT_FALSE(Member::Load(io::Json{}));
}

}  // namespace
}  // namespace heliostat::auto_parts
