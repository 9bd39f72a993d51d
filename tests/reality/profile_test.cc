// Errors of curves fitted to published sweeps of GPUs, and of predictions for models left out on a GPU. Skipped without
// the measurements. The figures in docs/models/profiles.md are this test's output with HELIOSTAT_PRINT_STATISTICS=1.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/base/io/file.h"
#include "heliostat/model/profile/leave_one_out.h"
#include "heliostat/model/profile/library.h"
#include "heliostat/model/profile/read.h"
#include "heliostat/model/profile/sweep.h"

namespace heliostat::profile {
namespace {

const std::vector<std::string> kZeus{"zeus/summary_power_a40.csv", "zeus/summary_power_v100.csv"};
const std::vector<std::string> kGavel{"gavel/isolated_throughputs_k80_p100_v100.csv"};
const std::vector<std::string> kPerseus{"perseus/stage_profile_gpt3-175b_a100_sxm_bf16.csv",
                                        "perseus/stage_profile_bloom_a100_sxm_bf16.csv"};
const std::vector<std::string> kRtx{"consumer_rtx/rtx3090_rtx4090_llm_powercap_sweep.csv"};
const std::vector<std::string> kMlEnergy{"mlenergy/mlenergy_v2_inference_A100_H100.csv"};

class RealProfiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(Folder())) GTEST_SKIP() << testing::kNoData << Folder();
  }
  static std::filesystem::path Folder() { return testing::DataFolder() / "gpu"; }

  static std::vector<Measurement> Read(const std::vector<std::string>& files) {
    std::vector<Measurement> all;
    for (const std::string& file : files) {
      const auto text = io::ReadFile((Folder() / file).string());
      EXPECT_TRUE(text) << file;
      if (!text) continue;
      const auto rows = ReadMeasurements(*text, file);
      EXPECT_TRUE(rows) << (rows ? "" : rows.error().Line());
      if (rows) all.insert(all.end(), rows->begin(), rows->end());
    }
    return all;
  }
};

template <typename... Args>
void Tell(fmt::format_string<Args...> format, Args&&... args) {
  if (std::getenv("HELIOSTAT_PRINT_STATISTICS") != nullptr) fmt::print(format, std::forward<Args>(args)...);
}

struct FitErrors {
  double draw = 0.0;
  double time = 0.0;
  double worst_time = 0.0;
  std::size_t sweeps = 0;
};

FitErrors ErrorsOf(const std::vector<Measurement>& rows, const std::string& gpu) {
  FitErrors errors;
  for (const Sweep& sweep : SweepsOf(rows)) {
    const SweepFit fit = FitSweep(sweep);
    if (sweep.gpu != gpu || (!fit.limit && !fit.power)) continue;
    const double draw = fit.limit ? fit.limit->draw_mape : fit.power->mape;
    const double time = fit.limit ? fit.limit->time_mape : fit.time->mape;
    errors.draw += draw;
    errors.time += time;
    errors.worst_time = std::max(errors.worst_time, time);
    ++errors.sweeps;
  }
  errors.draw /= static_cast<double>(errors.sweeps);
  errors.time /= static_cast<double>(errors.sweeps);
  Tell("fit {:8} {:3} sweeps: draw {:.2f} %, time {:.2f} %, worst time {:.2f} %\n", gpu, errors.sweeps,
       100 * errors.draw, 100 * errors.time, 100 * errors.worst_time);
  return errors;
}

TEST_F(RealProfiles, CurvesFitSweepsOfLimitsAndClocks) {
  const auto zeus = Read(kZeus);
  const FitErrors a40 = ErrorsOf(zeus, "A40");
  EXPECT_EQ(a40.sweeps, 53U);
  EXPECT_LT(a40.draw, 0.010);
  EXPECT_LT(a40.time, 0.030);
  const FitErrors v100 = ErrorsOf(zeus, "V100");
  EXPECT_LT(v100.draw, 0.013);
  EXPECT_LT(v100.time, 0.015);
  const FitErrors a100 = ErrorsOf(Read(kPerseus), "A100");
  EXPECT_LT(a100.draw, 0.016);
  EXPECT_LT(a100.time, 0.008);
  const auto rtx = Read(kRtx);
  EXPECT_LT(ErrorsOf(rtx, "RTX4090").time, 0.005);
  EXPECT_LT(ErrorsOf(rtx, "RTX3090").time, 0.020);
}

// Errors over all models, by GPU.
std::map<std::string, LeftOut> AllModels(const std::vector<Measurement>& rows, Knowledge knowledge) {
  std::map<std::string, LeftOut> found;
  for (const LeftOut& row : LeaveOneOut(rows, knowledge)) {
    if (!row.model.empty()) continue;
    found[row.gpu] = row;
    Tell(
        "left out {:10} {:5} {:4} points: speed {:.1f} %, median {:.1f} %, kept {:.0f} %; power {:.1f} %, kept {:.0f} "
        "%\n",
        knowledge == Knowledge::kNothing ? "model" : "batch", row.gpu, row.points, 100 * row.speed_mape,
        100 * row.speed_median, 100 * row.speed_kept, 100 * row.power_mape.value_or(0),
        100 * row.power_kept.value_or(0));
  }
  return found;
}

TEST_F(RealProfiles, ModelsLeftOutOnAGpuArePredictedThere) {
  const auto rows = Read(kZeus);
  auto model = AllModels(rows, Knowledge::kNothing);
  auto batch = AllModels(rows, Knowledge::kOtherBatches);
  for (const std::string gpu : {"A40", "V100"}) {
    EXPECT_LT(model[gpu].speed_mape, 0.30) << gpu;
    EXPECT_LT(*model[gpu].power_mape, 0.12) << gpu;
    EXPECT_GT(model[gpu].speed_kept, 0.75) << gpu;
    EXPECT_GT(*model[gpu].power_kept, 0.85) << gpu;
    EXPECT_LT(batch[gpu].speed_mape, 0.10) << gpu;
    EXPECT_LT(*batch[gpu].power_mape, 0.06) << gpu;
  }
}

// No other model predicts a recommender that runs on a V100 at half the speed of a P100.
TEST_F(RealProfiles, GavelsModelsArePredictedFromTheirSpeedsAlone) {
  const auto rows = Read(kGavel);
  auto model = AllModels(rows, Knowledge::kNothing);
  auto batch = AllModels(rows, Knowledge::kOtherBatches);
  for (const std::string gpu : {"K80", "P100", "V100"}) {
    EXPECT_LT(model[gpu].speed_mape, 0.60) << gpu;
    EXPECT_LT(model[gpu].speed_median, 0.36) << gpu;
    EXPECT_GT(model[gpu].speed_kept, 0.75) << gpu;
    EXPECT_LT(batch[gpu].speed_mape, 0.27) << gpu;
    EXPECT_FALSE(model[gpu].power_mape.has_value()) << gpu;
  }
}

TEST_F(RealProfiles, LanguageModelsArePredictedBetweenA100AndH100) {
  auto model = AllModels(Read(kMlEnergy), Knowledge::kNothing);
  for (const std::string gpu : {"A100", "H100"}) {
    EXPECT_LT(model[gpu].speed_mape, 0.20) << gpu;
    EXPECT_LT(*model[gpu].power_mape, 0.13) << gpu;
  }
}

// Compares the built-in figures with the sweeps that they were fitted to.
TEST_F(RealProfiles, TheLibraryIsWhatWasMeasured) {
  struct Pair {
    std::string_view library;
    std::string_view file;
    int batch;
  };
  constexpr Pair kPairs[] = {{"resnet50", "resnet50-imagenet", 256},
                             {"bert-base", "bert_base_uncased-squad", 32},
                             {"shufflenet", "shufflenetv2-cifar100", 1024},
                             {"deepspeech2", "deepspeech2-librispeech", 64},
                             {"ncf", "ncf-movielens-1m", 8192}};
  constexpr std::array kOne{1};
  for (const Sweep& sweep : SweepsOf(Read(kZeus))) {
    const auto pair = std::ranges::find_if(kPairs, [&](const Pair& candidate) {
      return candidate.file == sweep.workload.model && candidate.batch == sweep.workload.batch;
    });
    if (pair == std::end(kPairs)) continue;
    const auto points =
        TrainingPoints(pair->library, sweep.gpu, Knob::kPowerLimit, static_cast<int>(sweep.points.size()), kOne);
    ASSERT_EQ(points.size(), sweep.points.size());
    double speed = 0.0;
    double power = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(points[i].knob, sweep.points[i].knob);
      speed += std::abs(points[i].samples_per_s / sweep.points[i].per_s - 1.0) / static_cast<double>(points.size());
      power += std::abs(points[i].power / *sweep.points[i].power - 1.0) / static_cast<double>(points.size());
    }
    Tell("library {:12} {:5}: speed {:.1f} %, draw {:.1f} %\n", pair->library, sweep.gpu, 100 * speed, 100 * power);
    EXPECT_LT(speed, 0.06) << pair->library << " on " << sweep.gpu;
    EXPECT_LT(power, 0.03) << pair->library << " on " << sweep.gpu;
  }
}

}  // namespace
}  // namespace heliostat::profile
