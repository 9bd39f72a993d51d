// Properties of every entry of the built-in library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heliostat/model/profile/carry_over.h"
#include "heliostat/model/profile/library.h"

namespace heliostat::profile {
namespace {

using ::testing::SizeIs;

constexpr std::array kOne{1};
constexpr std::array kKnobs{Knob::kPowerLimit, Knob::kCoreClock};

double SettingOf(const scenario::TrainingPoint& point) {
  return point.knob.power_limit_w ? *point.knob.power_limit_w : point.knob.core_mhz.value_or(0.0);
}

TEST(LibraryLaws, GpusHaveFactsThatFitTogether) {
  std::set<std::string_view> names;
  for (const GpuFacts& gpu : AllGpuFacts()) {
    SCOPED_TRACE(std::string(gpu.name));
    EXPECT_TRUE(names.insert(gpu.name).second);
    EXPECT_EQ(FindGpuFacts(gpu.name), &gpu);
    EXPECT_LT(0.0, gpu.lowest_limit_w);
    EXPECT_LT(gpu.lowest_limit_w, gpu.highest_limit_w);
    EXPECT_LT(0.0, gpu.lowest_mhz);
    EXPECT_LT(gpu.lowest_mhz, gpu.highest_mhz);
    EXPECT_LE(gpu.fp32_tflops, gpu.half_tflops);
    EXPECT_GT(gpu.static_share, 0.0);
    EXPECT_LT(gpu.static_share, 1.0);
    EXPECT_GT(gpu.exponent, 0.0);
    EXPECT_LT(gpu.idle_w, gpu.lowest_limit_w);
    EXPECT_LT(gpu.node_sleep_w, gpu.node_base_w);
    EXPECT_GT(gpu.wake_minutes, 0);
  }
  EXPECT_EQ(FindGpuFacts("a40"), nullptr);
  EXPECT_EQ(FindGpuFacts(""), nullptr);
}

TEST(LibraryLaws, ModelsHaveSharesAndNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const TrainingModelFacts& model : AllTrainingModels()) {
    EXPECT_TRUE(names.insert(model.name).second) << model.name;
    EXPECT_GE(model.memory_share, 0.0) << model.name;
    EXPECT_LE(model.memory_share, 1.0) << model.name;
    EXPECT_GE(model.fixed_time, 0.0) << model.name;
    EXPECT_LE(model.fixed_time, 1.0) << model.name;
    EXPECT_GT(model.kappa, 0.0) << model.name;
    EXPECT_LE(model.kappa, 1.0) << model.name;
  }
  names.clear();
  for (const InferenceModelFacts& model : AllInferenceModels()) {
    EXPECT_TRUE(names.insert(model.name).second) << model.name;
    EXPECT_GE(model.overlap, 1.0) << model.name;
    EXPECT_GE(model.fixed_time, 0.0) << model.name;
    EXPECT_LE(model.fixed_time, 1.0) << model.name;
  }
}

TEST(LibraryLaws, EveryRowIsOfAModelAndAGpuThatTheLibraryHasAndStandsOnce) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const TrainingFacts& row : AllTrainingFacts()) {
    EXPECT_TRUE(seen.insert({row.model, row.gpu}).second) << row.model << " " << row.gpu;
    EXPECT_THAT(TrainingModels(), ::testing::Contains(row.model));
    ASSERT_NE(FindGpuFacts(row.gpu), nullptr) << row.gpu;
    EXPECT_NE(row.origin, Origin::kPredicted) << "what is in the table was measured";
    EXPECT_FALSE(row.source.empty());
  }
  seen.clear();
  for (const InferenceFacts& row : AllInferenceFacts()) {
    EXPECT_TRUE(seen.insert({row.model, row.gpu}).second) << row.model << " " << row.gpu;
    EXPECT_THAT(InferenceModels(), ::testing::Contains(row.model));
    ASSERT_NE(FindGpuFacts(row.gpu), nullptr) << row.gpu;
    EXPECT_LE(row.base_w, row.full_w);
  }
}

TEST(LibraryLaws, NoCardDrawsMoreThanItsHighestLimitNorTrainsOnLessThanAtRest) {
  for (const LibraryEntry& entry : LibraryEntries()) {
    const GpuFacts& gpu = *FindGpuFacts(entry.gpu);
    SCOPED_TRACE(std::string(entry.model) + " on " + std::string(entry.gpu));
    EXPECT_LE(entry.power_w, gpu.highest_limit_w);
    for (const Margin margin : {Margin::kNone, Margin::kErrorBar}) {
      if (!entry.is_training) {
        for (const auto& point : InferencePoints(entry.model, entry.gpu, 4, kBatches, margin)) {
          EXPECT_LE(point.power.value, gpu.highest_limit_w * (1 + 1e-5));
          EXPECT_GT(point.power.value, 0.0);
        }
        continue;
      }
      for (const Knob knob : kKnobs) {
        for (const auto& point : TrainingPoints(entry.model, entry.gpu, knob, 4, kWorkerCounts, margin)) {
          EXPECT_LE(point.power.value, gpu.highest_limit_w * point.workers * (1 + 1e-5));
          EXPECT_GE(point.power.value, gpu.idle_w * point.workers);
        }
      }
    }
  }
}

TEST(LibraryLaws, SettingsSpanTheCardsRangeInWholeNumbers) {
  for (const GpuFacts& gpu : AllGpuFacts()) {
    for (const Knob knob : kKnobs) {
      const bool is_limit = knob == Knob::kPowerLimit;
      for (const int steps : {2, 3, 7}) {
        const auto points = TrainingPoints("resnet50", gpu.name, knob, steps, kOne);
        ASSERT_THAT(points, SizeIs(steps));
        EXPECT_EQ(SettingOf(points.front()), is_limit ? gpu.lowest_limit_w : gpu.lowest_mhz);
        EXPECT_EQ(SettingOf(points.back()), is_limit ? gpu.highest_limit_w : gpu.highest_mhz);
        for (const auto& point : points) EXPECT_EQ(SettingOf(point), std::round(SettingOf(point)));
      }
      const auto top = TrainingPoints("resnet50", gpu.name, knob, 1, kOne);
      ASSERT_THAT(top, SizeIs(1));
      EXPECT_EQ(SettingOf(top[0]), is_limit ? gpu.highest_limit_w : gpu.highest_mhz);
    }
  }
}

// The list, the points and the curves are three views of one table.
TEST(LibraryLaws, ListCurvesAndPointsAgreeAtTheTopSetting) {
  for (const LibraryEntry& entry : LibraryEntries()) {
    if (!entry.is_training) continue;
    SCOPED_TRACE(std::string(entry.model) + " on " + std::string(entry.gpu));
    const auto curves = CurvesOf(entry.model, entry.gpu);
    ASSERT_TRUE(curves);
    EXPECT_EQ(curves->samples_per_s, entry.speed_per_s);
    EXPECT_NEAR(curves->clock.top_w(), entry.power_w, 1e-9 * entry.power_w);
    EXPECT_NEAR(curves->time.At(1.0), 1.0, 1e-12);
    const auto top = TrainingPoints(entry.model, entry.gpu, Knob::kCoreClock, 1, kOne, Margin::kNone);
    EXPECT_NEAR(top[0].samples_per_s / entry.speed_per_s, 1.0, 1e-5);
    EXPECT_NEAR(top[0].power.value / entry.power_w, 1.0, 1e-5);
  }
  EXPECT_FALSE(CurvesOf("no-net", "A40"));
  EXPECT_FALSE(CurvesOf("resnet50", "TPU"));
}

TEST(LibraryLaws, ServingFasterClocksAnswersSoonerAndDrawsMore) {
  for (const auto gpu : LibraryGpus()) {
    for (const auto model : InferenceModels()) {
      const auto points = InferencePoints(model, gpu, 6, kOne);
      ASSERT_THAT(points, SizeIs(6));
      for (std::size_t i = 1; i < points.size(); ++i) {
        EXPECT_LE(points[i].latency, points[i - 1].latency) << model << " " << gpu;
        EXPECT_GE(points[i].requests_per_s, points[i - 1].requests_per_s) << model << " " << gpu;
        // A GPU that is done sooner waits longer for the host, which may outweigh a small step of the clock.
        EXPECT_GE(points[i].power, 0.999 * points[i - 1].power) << model << " " << gpu;
      }
      EXPECT_GT(points.back().power, points.front().power) << model << " " << gpu;
    }
  }
}

TEST(LibraryLaws, ARateIsTheBatchOverItsLatency) {
  for (const auto gpu : LibraryGpus()) {
    for (const auto model : InferenceModels()) {
      for (const auto& point : InferencePoints(model, gpu, 3)) {
        EXPECT_NEAR(point.requests_per_s * point.latency.count() / point.batch, 1.0, 2e-5) << model << " " << gpu;
      }
    }
  }
}

TEST(LibraryLaws, ADoubtfulServiceIsPlannedSlowerByItsBar) {
  int doubtful = 0;
  for (const LibraryEntry& entry : LibraryEntries()) {
    if (entry.is_training) continue;
    const auto likely = InferencePoints(entry.model, entry.gpu, 2, kBatches, Margin::kNone);
    const auto safe = InferencePoints(entry.model, entry.gpu, 2, kBatches, Margin::kErrorBar);
    const double bar = entry.origin == Origin::kMeasured ? 0.0 : entry.speed_error;
    doubtful += bar > 0.0 ? 1 : 0;
    for (std::size_t i = 0; i < likely.size(); ++i) {
      EXPECT_NEAR(safe[i].latency / likely[i].latency, 1.0 + bar, 1e-4) << entry.model << " " << entry.gpu;
      EXPECT_GE(safe[i].power, likely[i].power);
    }
  }
  EXPECT_GT(doubtful, 0);
}

TEST(LibraryLaws, WhatIsCarriedOverSaysSoAndHasWideBars) {
  for (const LibraryEntry& entry : LibraryEntries()) {
    const auto is_row = [&](const auto& row) { return row.model == entry.model && row.gpu == entry.gpu; };
    const bool has_row = entry.is_training ? std::ranges::any_of(AllTrainingFacts(), is_row)
                                           : std::ranges::any_of(AllInferenceFacts(), is_row);
    if (has_row) continue;
    EXPECT_EQ(entry.origin, Origin::kPredicted);
    EXPECT_GE(entry.speed_error, kCarriedSpeedError) << entry.model << " " << entry.gpu;
    EXPECT_GE(entry.power_error, kCarriedPowerError) << entry.model << " " << entry.gpu;
    EXPECT_THAT(std::string(entry.source), ::testing::HasSubstr("carried over"));
  }
  EXPECT_EQ(NameOf(Origin::kMeasured), "measured");
  EXPECT_EQ(NameOf(Origin::kTopOnly), "top-only");
  EXPECT_EQ(NameOf(Origin::kPredicted), "predicted");
}

TEST(LibraryLaws, CarriedSpeedsMoveWithTheGpusAndWaitersDoNot) {
  const GpuFacts& a100 = *FindGpuFacts("A100");
  const GpuFacts& h100 = *FindGpuFacts("H100");
  EXPECT_EQ(SpeedRatio(a100, a100, Precision::kSingle, 0.4), 1.0);
  EXPECT_NEAR(SpeedRatio(a100, h100, Precision::kHalf, 0.0), h100.half_tflops / a100.half_tflops, 1e-12);
  EXPECT_NEAR(SpeedRatio(a100, h100, Precision::kSingle, 0.0), h100.fp32_tflops / a100.fp32_tflops, 1e-12);
  EXPECT_NEAR(SpeedRatio(a100, h100, Precision::kHalf, 1.0), h100.memory_gb_s / a100.memory_gb_s, 1e-12);
}

TEST(LibraryLaws, AGroupHasItsCardsFactsInSiUnits) {
  for (const GpuFacts& gpu : AllGpuFacts()) {
    const scenario::Group group = GroupOf(gpu.name, 3, 4);
    EXPECT_EQ(group.gpu, gpu.name);
    EXPECT_EQ(group.gpus(), 12);
    EXPECT_EQ(group.gpu_idle, Watts{gpu.idle_w});
    EXPECT_DOUBLE_EQ(InKilowattHours(group.wake_energy) * 1e3, gpu.wake_wh);
    EXPECT_EQ(group.wake_time, std::chrono::minutes(gpu.wake_minutes));
    EXPECT_TRUE(std::ranges::none_of(group.name, [](char c) { return c >= 'A' && c <= 'Z'; }));
  }
}

TEST(LibraryLawsDeathTest, AGroupOfAnUnknownGpuIsAProgrammersError) {
  EXPECT_DEATH((void)GroupOf("TPU", 1, 1), "does not have this GPU");
}

}  // namespace
}  // namespace heliostat::profile
