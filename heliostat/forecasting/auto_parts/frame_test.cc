#include "heliostat/forecasting/auto_parts/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/forecasting/auto_parts/testing/frames.h"

namespace heliostat::auto_parts {
namespace {

using namespace std::chrono_literals;
using signal::Missing;
using testing::GridOf;
using ::testing::HasSubstr;
using testing::kStart;
using testing::SignalOf;
using testing::Turn;
using testing::Values;

std::vector<double> Wave(std::size_t hours) {
  return Values(hours, [](std::size_t i) { return 300 + 100 * std::sin(Turn(i)); });
}

Frame LaidFrame(const signal::Signal& target, std::span<const signal::Signal> sources = {}) {
  return *FrameRecipe::Of(target, sources)->Lay(target, sources);
}

void ExpectSame(const Frame& one, const Frame& two) {
  EXPECT_EQ(one.start, two.start);
  EXPECT_EQ(one.step, two.step);
  EXPECT_EQ(one.day, two.day);
  EXPECT_EQ(one.size, two.size);
  EXPECT_EQ(one.columns, two.columns);
  EXPECT_EQ(one.signs, two.signs);
  EXPECT_EQ(one.powers, two.powers);
}

TEST(FrameTest, HoldsTheTargetOnItsScale) {
  const auto target = SignalOf(Wave(72));
  const Frame frame = LaidFrame(target);
  EXPECT_EQ(frame.start, kStart);
  EXPECT_EQ(frame.size, 72U);
  EXPECT_EQ(frame.day, 24U);
  EXPECT_EQ(frame.days(), 3);
  ASSERT_EQ(frame.columns.size(), 1U);
  for (std::size_t t = 0; t < 72; ++t) EXPECT_EQ(frame.columns[0][t], std::log(target.series.values()[t]));
  EXPECT_EQ(frame.TimeOf(73), kStart + 73h);
}

TEST(FrameTest, ClosesEveryGap) {
  auto values = Wave(40 * 24);
  const auto known = values;
  const auto blank = [&](std::size_t first, std::size_t last) {
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(first), values.begin() + static_cast<std::ptrdiff_t>(last),
              Missing());
  };
  blank(0, 30);                             // the first day and more
  blank(100, 102);                          // short
  blank(400, 500);                          // days
  blank(values.size() - 6, values.size());  // a feed without recent values
  const Frame frame = LaidFrame(SignalOf(values));
  ASSERT_EQ(frame.size, values.size());
  for (std::size_t t = 0; t < values.size(); ++t) {
    EXPECT_NEAR(std::exp(frame.columns[0][t]), known[t], 10) << "days are all alike, so a good guess is near, at " << t;
  }
}

TEST(FrameTest, IsHourlyForAnythingFinerAndEndsWithTheHistory) {
  for (const auto& [step, minutes] : {std::pair{Duration{30min}, 0}, {Duration{30min}, 20}, {Duration{5min}, 35}}) {
    const auto parts = static_cast<std::size_t>(1h / step);
    const std::size_t count = parts * 50 + 1;  // and one more than whole hours
    const auto target = SignalOf(Values(count, [](std::size_t i) { return 100 + static_cast<double>(i); }), step,
                                 signal::Kind::kPower, "target", kStart + std::chrono::minutes{minutes});
    const Frame frame = LaidFrame(target);
    EXPECT_EQ(frame.step, Duration{1h});
    EXPECT_EQ(frame.size, 50U);
    EXPECT_EQ(frame.TimeOf(frame.size), target.series.end());
    double mean = 0;
    for (std::size_t i = count - parts; i < count; ++i) mean += target.series.values()[i] / static_cast<double>(parts);
    EXPECT_NEAR(frame.columns[0].back(), std::sqrt(mean), 1e-9);
  }
}

TEST(FrameTest, KeepsCoarseAndOddSteps) {
  EXPECT_EQ(LaidFrame(SignalOf(Wave(40), 6h)).day, 4U);
  EXPECT_EQ(LaidFrame(SignalOf(Wave(40), 24h)).day, 1U);
  EXPECT_EQ(LaidFrame(SignalOf(Wave(40), 168h)).day, 1U);
  EXPECT_EQ(LaidFrame(SignalOf(Wave(40), 45min)).day, 32U);
}

TEST(FrameTest, CountsHoursInSteps) {
  const Frame hourly = LaidFrame(SignalOf(Wave(40)));
  EXPECT_EQ(hourly.Hours(3), 3U);
  EXPECT_EQ(hourly.Hours(336), 336U);
  const Frame daily = LaidFrame(SignalOf(Wave(40), 24h));
  EXPECT_EQ(daily.Hours(3), 1U);
  EXPECT_EQ(daily.Hours(336), 14U);
}

TEST(FrameTest, TakesLessThanAnHourAsItIs) {
  const Frame frame = LaidFrame(SignalOf({100, 110, 120}, 5min));
  EXPECT_EQ(frame.size, 3U);
  EXPECT_EQ(frame.step, Duration{5min});
}

TEST(RecipeTest, SaysSoWhenNothingIsKnown) {
  const auto nothing = SignalOf(std::vector<double>(48, Missing()));
  ASSERT_FALSE(FrameRecipe::Of(nothing, {}));
  EXPECT_THAT(FrameRecipe::Of(nothing, {}).error().Line(), HasSubstr("has no known value"));
  EXPECT_FALSE(FrameRecipe::Of(SignalOf(Wave(48)), {})->Lay(nothing, {}));
}

TEST(RecipeTest, RefusesAnotherStep) {
  const auto recipe = FrameRecipe::Of(SignalOf(Wave(48), 30min), {});
  const auto frame = recipe->Lay(SignalOf(Wave(48), 1h), {});
  ASSERT_FALSE(frame);
  EXPECT_THAT(frame.error().Line(), HasSubstr("must be that of the model, " + FormatDuration(30min)));
}

TEST(RecipeTest, KnowsTheMixByItsSources) {
  const auto grid = GridOf(60 * 24, 1);
  const auto recipe = *FrameRecipe::Of(grid.intensity, grid.sources);
  ASSERT_TRUE(recipe.has_mix());
  EXPECT_THAT(recipe.about_mix(), HasSubstr("3 sources"));
  const Frame frame = *recipe.Lay(grid.intensity, grid.sources);
  EXPECT_EQ(frame.signs, recipe.signs());
  EXPECT_EQ(frame.powers, recipe.powers());
  EXPECT_EQ(frame.signs, 4U) << "three shares and the demand";
  EXPECT_EQ(frame.powers, 3U);
  ASSERT_EQ(frame.columns.size(), 8U);
  for (const std::size_t t : {0U, 77U, 1000U}) {
    EXPECT_NEAR(frame.columns[1][t] + frame.columns[2][t] + frame.columns[3][t], 1, 1e-12);
    const std::vector<double> powers{frame.columns[5][t], frame.columns[6][t], frame.columns[7][t]};
    EXPECT_NEAR(*recipe.Intensity(powers) / grid.intensity.series.values()[t], 1, 1e-3);
  }
  EXPECT_FALSE(recipe.Intensity(std::vector<double>{-1, 0, -2})) << "nothing runs";
}

TEST(RecipeTest, RefusesTheMixWhenSourcesDoNotExplainTheIntensity) {
  const auto grid = GridOf(60 * 24, 1);
  auto imported = grid.intensity.series.values();
  for (std::size_t t = 0; t < imported.size(); ++t) imported[t] *= t / 12 % 2 == 0 ? 0.7 : 1.4;
  const auto target = SignalOf(imported);
  const auto recipe = *FrameRecipe::Of(target, grid.sources);
  EXPECT_FALSE(recipe.has_mix());
  EXPECT_THAT(recipe.about_mix(), HasSubstr("explain the intensity only with an error of"));
  // Their shares are signs nevertheless.
  EXPECT_EQ(recipe.Lay(target, grid.sources)->signs, 4U);
  EXPECT_EQ(recipe.Lay(target, grid.sources)->powers, 0U);
}

TEST(RecipeTest, LeavesOutWhatIsMostlyUnknownOrSomewhereElse) {
  auto grid = GridOf(60 * 24, 1);
  auto holed = grid.sources[2].series.values();
  for (std::size_t t = 0; t < holed.size(); t += 4) holed[t] = Missing();
  grid.sources.push_back(SignalOf(holed, 1h, signal::Kind::kPower, "holed"));
  grid.sources.push_back(SignalOf(holed, 1h, signal::Kind::kPower, "later", kStart + 1h));
  grid.sources.push_back(SignalOf(Wave(60 * 48), 30min, signal::Kind::kPower, "finer"));
  const auto recipe = *FrameRecipe::Of(grid.intensity, grid.sources);
  EXPECT_EQ(recipe.powers(), 3U);
  EXPECT_EQ(recipe.signs(), 4U);
}

TEST(RecipeTest, UsesNoSourcesBesideWhatIsNoIntensity) {
  const auto grid = GridOf(30 * 24, 1);
  auto price = grid.intensity;
  price.meaning.kind = signal::Kind::kPrice;
  EXPECT_EQ(FrameRecipe::Of(price, grid.sources)->signs(), 0U);
  EXPECT_EQ(FrameRecipe::Of(grid.intensity, std::span(grid.sources).first(1))->signs(), 0U);
}

TEST(RecipeTest, WantsTheSameSourcesAgain) {
  const auto grid = GridOf(60 * 24, 1);
  const auto recipe = *FrameRecipe::Of(grid.intensity, grid.sources);
  const auto frame = recipe.Lay(grid.intensity, std::span(grid.sources).first(2));
  ASSERT_FALSE(frame);
  EXPECT_THAT(frame.error().Line(), HasSubstr("generation of 'coal' is missing"));
}

TEST(RecipeTest, LaysASourceThatWentSilentForWeeks) {
  // A fifth of two months is missing, but half of the newest values: the fitted model must still answer.
  const auto grid = GridOf(60 * 24, 1);
  auto values = grid.sources[0].series.values();
  std::fill(values.end() - 11 * 24, values.end(), Missing());
  auto sources = grid.sources;
  sources[0] = SignalOf(values, 1h, signal::Kind::kPower, "wind");
  const auto recipe = *FrameRecipe::Of(grid.intensity, sources);
  EXPECT_EQ(recipe.powers(), 3U);
  const Interval newest{kStart + 24h * 40, kStart + 24h * 60};
  for (auto& source : sources) source.series = *source.series.Slice(newest);
  signal::Signal target = grid.intensity;
  target.series = *target.series.Slice(newest);
  const auto frame = recipe.Lay(target, sources);
  ASSERT_TRUE(frame) << frame.error().Line();
  EXPECT_EQ(frame->powers, 3U);
}

TEST(RecipeTest, ASourceThatCameLaterIsNotCounted) {
  const auto grid = GridOf(60 * 24, 1);
  const auto recipe = *FrameRecipe::Of(grid.intensity, grid.sources);
  auto more = grid.sources;
  more.insert(more.begin(), SignalOf(Wave(60 * 24), 1h, signal::Kind::kPower, "storage"));
  ExpectSame(*recipe.Lay(grid.intensity, more), *recipe.Lay(grid.intensity, grid.sources));
}

TEST(RecipeTest, ALoadedOneLaysTheSameFrame) {
  const auto grid = GridOf(60 * 24, 1, 0.02);
  const auto recipe = *FrameRecipe::Of(grid.intensity, grid.sources);
  const io::Json saved = recipe.Save();
  const auto loaded = FrameRecipe::Load(*io::Json::Parse(saved.Dump(), "saved.json"));
  ASSERT_TRUE(loaded) << loaded.error().Line();
  ExpectSame(*loaded->Lay(grid.intensity, grid.sources), *recipe.Lay(grid.intensity, grid.sources));
  EXPECT_EQ(loaded->Intensity(std::vector<double>{1, 1, 1}), recipe.Intensity(std::vector<double>{1, 1, 1}));
  EXPECT_EQ(loaded->about_mix(), recipe.about_mix());
  EXPECT_EQ(loaded->Save().Dump(), saved.Dump());

  const auto broken = [&](const char* key, const io::Json& value) {
    io::Json changed = saved;
    return FrameRecipe::Load(changed.Set(key, value));
  };
  EXPECT_FALSE(broken("fine_step_s", 0));
  EXPECT_FALSE(broken("fine_step_s", -3600));
  EXPECT_FALSE(broken("fine_step_s", 7200)) << "coarser than the step of frames";
  EXPECT_FALSE(broken("step_s", 0));
  EXPECT_FALSE(broken("sources", 3));
  EXPECT_FALSE(broken("sources", io::Json{io::Json::Array{}})) << "a demand of no sources";
  EXPECT_FALSE(broken("space", "x"));
  EXPECT_FALSE(FrameRecipe::Load(io::Json{}));
}

}  // namespace
}  // namespace heliostat::auto_parts
