#include "heliostat/model/profile/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "heliostat/model/profile/carry_over.h"

namespace heliostat::profile {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::array kOne{1};

TEST(Library, EveryModelIsThereOnEveryGpu) {
  EXPECT_THAT(LibraryGpus(), ::testing::ElementsAre("A40", "V100", "A100", "H100", "H200", "RTX4090"));
  EXPECT_THAT(LibraryEntries(), SizeIs(LibraryGpus().size() * (TrainingModels().size() + InferenceModels().size())));
  for (const LibraryEntry& entry : LibraryEntries()) {
    SCOPED_TRACE(std::string(entry.model) + " on " + std::string(entry.gpu));
    EXPECT_GT(entry.speed_per_s, 0.0);
    EXPECT_GT(entry.power_w, 0.0);
    EXPECT_GT(entry.speed_error, 0.0);
    EXPECT_GT(entry.power_error, 0.0);
    EXPECT_FALSE(entry.source.empty());
  }
}

TEST(Library, UnknownNamesHaveNoPoints) {
  EXPECT_THAT(TrainingPoints("resnet50", "TPU", Knob::kPowerLimit, 3), IsEmpty());
  EXPECT_THAT(TrainingPoints("no-net", "A40", Knob::kPowerLimit, 3), IsEmpty());
  EXPECT_THAT(InferencePoints("no-net", "A40", 3), IsEmpty());
}

TEST(Library, PointsAreSuchAsScenariosTake) {
  scenario::Scenario scenario;
  scenario.name = "library";
  scenario.slots = 2;
  scenario.carbon.assign(2, GramsPerKwh(300));
  scenario.renewable.assign(2, Watts{0});
  for (const auto gpu : LibraryGpus()) {
    scenario.groups.push_back(GroupOf(gpu, 2, 4));
    for (const auto model : TrainingModels()) {
      for (const auto knob : {Knob::kPowerLimit, Knob::kCoreClock}) {
        for (const auto& point : TrainingPoints(model, gpu, knob, 5)) {
          scenario.training.Add(std::string(model), std::string(gpu), point);
        }
      }
    }
    for (const auto model : InferenceModels()) {
      for (const auto& point : InferencePoints(model, gpu, 4)) {
        scenario.inference.Add(std::string(model), std::string(gpu), point);
      }
    }
  }
  const auto valid = Validate(scenario);
  EXPECT_TRUE(valid.has_value()) << (valid ? "" : valid.error().Line());
}

TEST(Library, AHigherSettingIsNeverSlowerNorThriftier) {
  for (const auto gpu : LibraryGpus()) {
    for (const auto model : TrainingModels()) {
      for (const auto knob : {Knob::kPowerLimit, Knob::kCoreClock}) {
        const auto points = TrainingPoints(model, gpu, knob, 9, kOne);
        ASSERT_THAT(points, SizeIs(9));
        for (std::size_t i = 1; i < points.size(); ++i) {
          EXPECT_GE(points[i].samples_per_s, points[i - 1].samples_per_s) << model << " " << gpu;
          EXPECT_GE(points[i].power, points[i - 1].power) << model << " " << gpu;
        }
      }
    }
  }
}

TEST(Library, MoreWorkersAreFasterButNotInProportion) {
  for (const auto model : TrainingModels()) {
    const auto points = TrainingPoints(model, "A100", Knob::kPowerLimit, 1);
    ASSERT_THAT(points, SizeIs(kWorkerCounts.size()));
    for (std::size_t i = 1; i < points.size(); ++i) {
      EXPECT_GT(points[i].samples_per_s, points[0].samples_per_s);
      EXPECT_LT(points[i].samples_per_s, points[0].samples_per_s * points[i].workers);
      EXPECT_NEAR(points[i].power.value, points[0].power.value * points[i].workers, 0.01 * points[i].power.value);
    }
  }
}

TEST(Library, ALargerBatchTakesLongerButServesMore) {
  for (const auto gpu : LibraryGpus()) {
    for (const auto model : InferenceModels()) {
      const auto points = InferencePoints(model, gpu, 1);
      ASSERT_THAT(points, SizeIs(kBatches.size()));
      for (std::size_t i = 1; i < points.size(); ++i) {
        EXPECT_GE(points[i].latency, points[i - 1].latency) << model << " " << gpu;
        EXPECT_GT(points[i].requests_per_s, points[i - 1].requests_per_s) << model << " " << gpu;
        EXPECT_GE(points[i].power, points[i - 1].power) << model << " " << gpu;
      }
    }
  }
}

TEST(Library, ADoubtfulEntryIsPlannedSlowerAndHungrierAMeasuredOneAsItIs) {
  std::vector<Origin> seen;
  for (const LibraryEntry& entry : LibraryEntries()) {
    if (!entry.is_training) continue;
    const auto likely = TrainingPoints(entry.model, entry.gpu, Knob::kCoreClock, 2, kOne, Margin::kNone);
    const auto safe = TrainingPoints(entry.model, entry.gpu, Knob::kCoreClock, 2, kOne, Margin::kErrorBar);
    seen.push_back(entry.origin);
    if (entry.origin == Origin::kMeasured) {
      EXPECT_EQ(safe, likely);
      continue;
    }
    EXPECT_NEAR(safe[0].samples_per_s * (1.0 + entry.speed_error) / likely[0].samples_per_s, 1.0, 1e-4);
    EXPECT_GT(safe[0].power, likely[0].power);
  }
  EXPECT_THAT(seen, Contains(Origin::kMeasured));
  EXPECT_THAT(seen, Contains(Origin::kPredicted));
}

// Published: a V100 at 150 W runs ResNet-50 at 0.85 of its full speed, an A40 at 0.61; at 200 W an A40 draws 178 W.
TEST(Library, ResNetFollowsItsPublishedLimits) {
  const auto at = [](std::string_view gpu, int steps, std::size_t i) {
    return TrainingPoints("resnet50", gpu, Knob::kPowerLimit, steps, kOne)[i];
  };
  EXPECT_NEAR(at("V100", 4, 1).samples_per_s / at("V100", 4, 3).samples_per_s, 0.847, 0.02);
  EXPECT_NEAR(at("A40", 5, 1).samples_per_s / at("A40", 5, 4).samples_per_s, 0.608, 0.03);
  EXPECT_NEAR(at("A40", 5, 2).power.value, 178, 3);
}

// Measured on an H200: images per second, watts, and milliseconds per batch.
TEST(Library, ServingOnAnH200IsAsMeasured) {
  constexpr std::array kBatch{1, 64, 256};
  const auto points = InferencePoints("resnet50", "H200", 1, kBatch, Margin::kNone);
  EXPECT_NEAR(points[0].latency.count() * 1e3, 5.10, 0.1);
  EXPECT_NEAR(points[1].requests_per_s, 10'179, 400);
  EXPECT_NEAR(points[1].power.value, 425, 35);
  EXPECT_NEAR(points[2].requests_per_s, 16'793, 400);
}

TEST(CarryOver, MemorySharesExplainTheSpeedsOnA40AndV100) {
  const GpuFacts& a40 = *FindGpuFacts("A40");
  const GpuFacts& v100 = *FindGpuFacts("V100");
  for (const TrainingModelFacts& model : AllTrainingModels()) {
    const TrainingFacts from = TrainingFactsFor(model, a40);
    const TrainingFacts to = TrainingFactsFor(model, v100);
    if (from.origin != Origin::kMeasured || model.fixed_time >= 1.0) continue;
    EXPECT_NEAR(from.samples_per_s * SpeedRatio(a40, v100, model.precision, model.memory_share) / to.samples_per_s, 1.0,
                0.06)
        << model.name;
  }
}

TEST(CarryOver, ThereAndBackIsWhereItBegan) {
  for (const GpuFacts& a : AllGpuFacts()) {
    for (const GpuFacts& b : AllGpuFacts()) {
      EXPECT_NEAR(SpeedRatio(a, b, Precision::kHalf, 0.3) * SpeedRatio(b, a, Precision::kHalf, 0.3), 1.0, 1e-12);
    }
  }
}

}  // namespace
}  // namespace heliostat::profile
