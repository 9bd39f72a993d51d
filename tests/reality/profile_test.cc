// Errors of curves fitted to published sweeps of GPUs, and of predictions for models left out on a GPU. Skipped without
// the measurements. The figures in docs/models/profiles.md are this test's output with HELIOSTAT_PRINT_STATISTICS=1.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/base/io/file.h"
#include "heliostat/model/profile/leave_one_out.h"
#include "heliostat/model/profile/library.h"
#include "heliostat/model/profile/read.h"
#include "heliostat/model/profile/sweep.h"
#include "heliostat/model/profile/worker_scaling.h"
#include "heliostat/model/scenario/csv_table.h"

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

// Speed-ups in one server: Gavel's K80 and P100, Pollux' T4. Gavel's V100 rows come from several machines: two are up
// to 3.1 times as fast as one.
std::vector<SpeedUp> MeasuredSpeedUps(const std::vector<Measurement>& gavel, const std::filesystem::path& pollux) {
  std::vector<SpeedUp> found;
  std::map<std::tuple<std::string, std::string, int>, double> alone;
  for (const Measurement& row : gavel) {
    if (row.workers == 1) alone[{row.model, row.gpu, row.batch}] = row.per_s;
  }
  for (const Measurement& row : gavel) {
    const auto one = alone.find({row.model, row.gpu, row.batch});
    if (row.workers == 1 || row.gpu == "V100" || one == alone.end()) continue;
    found.push_back({row.model, row.batch / one->second, row.workers, row.per_s / one->second});
  }
  for (const std::string model : {"bert", "cifar10", "deepspeech2", "imagenet", "ncf", "yolov3"}) {
    const auto text = io::ReadFile((pollux / (model + "_placements.csv")).string());
    EXPECT_TRUE(text) << model;
    constexpr std::array<std::string_view, 3> kColumns{"placement", "local_bsz", "step_time"};
    scenario::CsvTable table(*text, model, kColumns);
    std::map<int, std::map<int, double>> steps;  // seconds, by batch and workers
    while (table.NextRow()) {
      // One digit: all workers in one server.
      const int placement = table.Whole("placement");
      if (placement <= 4) steps[table.Whole("local_bsz")][placement] = table.Number("step_time");
    }
    for (const auto& [batch, by_workers] : steps) {
      for (const auto& [workers, seconds] : by_workers) {
        if (workers == 1 || !by_workers.contains(1)) continue;
        found.push_back({model, by_workers.at(1), workers, workers * by_workers.at(1) / seconds});
      }
    }
  }
  return found;
}

// The mean relative error of speed-ups of each model, by a rule that was fitted without it.
double LeftOutError(const std::vector<SpeedUp>& all, bool uses_step) {
  std::set<std::string> models;
  for (const SpeedUp& one : all) models.insert(one.model);
  double sum = 0.0;
  for (const std::string& model : models) {
    std::vector<SpeedUp> others;
    std::ranges::copy_if(all, std::back_inserter(others), [&](const SpeedUp& one) { return one.model != model; });
    const ScalingRule rule = FitScalingRule(others, uses_step);
    double own = 0.0;
    double count = 0.0;
    for (const SpeedUp& one : all) {
      if (one.model != model) continue;
      own += std::abs(std::pow(one.workers, rule.KappaAt(one.step_s)) / one.times - 1.0);
      count += 1.0;
    }
    Tell("  {} left out, {}: {:.1f} % of {} speed-ups\n", model, uses_step ? "by step" : "without step",
         100 * own / count, count);
    sum += own;
  }
  return sum / static_cast<double>(all.size());
}

TEST_F(RealProfiles, SpeedsOfMoreWorkersFollowTheScalingRuleOfOtherModels) {
  const auto speed_ups = MeasuredSpeedUps(Read(kGavel), testing::DataFolder() / "jobs" / "pollux" / "profiles");
  EXPECT_EQ(speed_ups.size(), 273U);
  for (const auto& [uses_step, built_in, most] :
       {std::tuple(true, kByStep, 0.19), std::tuple(false, kWithoutStep, 0.24)}) {
    const ScalingRule rule = FitScalingRule(speed_ups, uses_step);
    const double error = LeftOutError(speed_ups, uses_step);
    Tell("scaling: kappa {:.3f} + {:.4f} ln(step), error of kappa {:.3f}; left out {:.1f} %\n", rule.kappa,
         rule.per_ln_step, rule.error, 100 * error);
    EXPECT_NEAR(rule.kappa, built_in.kappa, 0.001);
    EXPECT_NEAR(rule.per_ln_step, built_in.per_ln_step, 0.0001);
    EXPECT_NEAR(rule.error, built_in.error, 0.005);
    EXPECT_LT(error, most);
  }
}

// A speed-up of two workers gives a kappa, which predicts the others.
TEST_F(RealProfiles, TwoNumbersOfWorkersPredictMore) {
  const auto speed_ups = MeasuredSpeedUps(Read(kGavel), testing::DataFolder() / "jobs" / "pollux" / "profiles");
  std::map<std::pair<std::string, double>, double> kappa_of;
  for (const SpeedUp& one : speed_ups) {
    if (one.workers == 2) kappa_of[{one.model, one.step_s}] = std::clamp(std::log2(one.times), 0.1, 1.0);
  }
  std::vector<double> errors;
  double sum = 0.0;
  for (const SpeedUp& one : speed_ups) {
    const auto kappa = kappa_of.find({one.model, one.step_s});
    if (one.workers == 2 || kappa == kappa_of.end()) continue;
    errors.push_back(std::abs(kappa->second - std::log(one.times) / std::log(one.workers)));
    sum += std::abs(std::pow(one.workers, kappa->second) / one.times - 1.0);
  }
  std::ranges::sort(errors);
  const double error = errors[errors.size() * 4 / 5];
  Tell("own kappa from one and two workers: error {:.3f}; {:.1f} % of {} speed-ups\n", error,
       100 * sum / static_cast<double>(errors.size()), errors.size());
  EXPECT_NEAR(error, kOwnKappaError, 0.005);
}

// Watts of one GPU and seconds of a window, by power limit.
std::map<int, std::pair<double, double>> Windows(const std::filesystem::path& file, int gpus) {
  const auto text = io::ReadFile(file.string());
  EXPECT_TRUE(text) << file;
  constexpr std::array<std::string_view, 2> kColumns{"window_name", "elapsed_time"};
  scenario::CsvTable table(*text, file.string(), kColumns);
  std::map<int, std::pair<double, double>> windows;
  while (table.NextRow()) {
    const std::string name = table.Text("window_name");
    double joules = 0.0;
    for (int gpu = 0; gpu < gpus; ++gpu) joules += table.Number(fmt::format("gpu{}_energy", gpu));
    const double seconds = table.Number("elapsed_time");
    windows[std::stoi(name.substr(name.rfind('_') + 1))] = {joules / seconds / gpus, seconds};
  }
  return windows;
}

TEST_F(RealProfiles, AWaitingWorkerDrawsTheBuiltInShareOfABusyOne) {
  struct Point {
    std::string model;
    double share;  // power of a worker, relative to one alone
    double busy;   // speed of a worker, relative to one alone
  };
  std::vector<Point> points;
  for (const auto& [gpu, model, gpus, name] :
       {std::tuple("A40", "resnet18", 4, "0,1,2,3"), std::tuple("A40", "resnet50", 4, "0,1,2,3"),
        std::tuple("V100", "resnet18", 2, "0,1"), std::tuple("V100", "resnet50", 2, "0,1")}) {
    const auto folder = Folder() / "zeus" / "profile_windows";
    const auto alone = Windows(folder / fmt::format("{}+{}+gpu0.csv", gpu, model), 1);
    for (const auto& [limit, together] : Windows(folder / fmt::format("{}+{}+gpu{}.csv", gpu, model, name), gpus)) {
      const auto& [watts, seconds] = alone.at(limit);
      points.push_back({model, together.first / watts, seconds / together.second / gpus});
    }
  }
  const auto error = [](double waiting, const Point& point) {
    return std::abs((waiting + (1.0 - waiting) * point.busy) / point.share - 1.0);
  };
  const auto fit = [&](const std::string& without) {
    std::pair<double, double> best{HUGE_VAL, 0.0};
    for (double waiting = 0.0; waiting <= 1.0; waiting += 0.01) {
      double sum = 0.0;
      for (const Point& point : points) sum += point.model == without ? 0.0 : error(waiting, point);
      best = std::min(best, {sum, waiting});
    }
    return best.second;
  };
  EXPECT_NEAR(fit(""), kWaitingPower, 0.005);
  double sum = 0.0;
  for (const Point& point : points) sum += error(fit(point.model), point);
  Tell("power of a waiting worker: {:.2f}; left out {:.1f} % of {} points\n", fit(""),
       100 * sum / static_cast<double>(points.size()), points.size());
  EXPECT_LT(sum / static_cast<double>(points.size()), 0.25);
}

// No row of the public files is refused.
TEST_F(RealProfiles, PublicMeasurementsPassTheChecks) {
  for (const auto& files : {kZeus, kGavel, kPerseus, kRtx, kMlEnergy}) EXPECT_FALSE(Read(files).empty());
  EXPECT_FALSE(Read({"perseus/zeus_global_powerlimit_A100.csv", "perseus/frontier_measured_A100.csv",
                     "mlenergy/mlenergy_v3_inference_H100.csv"})
                   .empty());
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
