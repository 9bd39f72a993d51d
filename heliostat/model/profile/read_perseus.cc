#include "heliostat/model/profile/read_perseus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "heliostat/model/profile/cells.h"

namespace heliostat::profile {
namespace {

constexpr std::array<std::string_view, 5> kStageColumns{"stage", "instruction", "frequency", "time", "energy"};
constexpr std::array<std::string_view, 5> kLimitColumns{"model_name", "batch_size", "power_limit_0", "time", "energy"};
constexpr std::array<std::string_view, 6> kFrontierColumns{"gpu",         "model",         "n_gpus",
                                                           "iter_time_s", "iter_energy_j", "mean_sm_freq_mhz"};
constexpr int kMostStages = 1024;

struct Named {
  std::string model;
  std::string gpu;
};

// "stage_profile_gpt3-175b_a100_sxm_bf16": the model, then the GPU.
Result<Named> NamesOf(const Source& source) {
  constexpr std::string_view kStart = "stage_profile_";
  const std::string stem = StemOf(source.file);
  const std::size_t model_end = stem.find('_', kStart.size());
  if (stem.starts_with(kStart) && model_end != std::string::npos && model_end > kStart.size()) {
    const std::size_t gpu_end = std::min(stem.find('_', model_end + 1), stem.size());
    if (gpu_end > model_end + 1) {
      return Named{stem.substr(kStart.size(), model_end - kStart.size()),
                   source.GpuOr(stem.substr(model_end + 1, gpu_end - model_end - 1))};
    }
  }
  return Fail(ErrorCode::kInvalidArgument, source.file, "does not name the model and the GPU",
              "a name such as stage_profile_gpt3-175b_a100.csv");
}

struct Effort {
  double seconds = 0.0;
  double joules = 0.0;
};

// All stages at one clock: the slowest stage determines the speed.
Measurement PipelineAt(const Named& named, double mhz, const std::map<int, Effort>& stages) {
  double slowest = 0.0;
  double watts = 0.0;
  for (const auto& [stage, effort] : stages) {
    slowest = std::max(slowest, effort.seconds);
    watts += effort.joules / effort.seconds;
  }
  Measurement row{.model = named.model, .gpu = named.gpu};
  row.workers = static_cast<int>(stages.size());
  row.knob.core_mhz = mhz;
  row.per_s = 1.0 / slowest;
  row.power = Watts{watts};
  return row;
}

Result<std::vector<Measurement>> ReadStages(const Source& source) {
  const auto named = NamesOf(source);
  if (!named) return Propagate(named);
  scenario::CsvTable table = source.Table(kStageColumns);
  std::map<double, std::map<int, Effort>> clocks;
  std::map<int, bool> seen;
  while (table.NextRow()) {
    const int stage = table.Whole("stage");
    const double mhz = PositiveNumber(table, "frequency");
    const Effort part{PositiveNumber(table, "time"), PositiveNumber(table, "energy")};
    if (stage < 0 || stage >= kMostStages) {
      table.Stop(Fail(ErrorCode::kInvalidArgument, table.where(), fmt::format("stage is {}", stage),
                      fmt::format("0 to {}", kMostStages - 1)));
    }
    if (!table.status()) continue;
    Effort& sum = clocks[mhz][stage];
    sum.seconds += part.seconds;
    sum.joules += part.joules;
    seen[stage] = true;
  }
  if (!table.status()) return Propagate(table.status());
  std::vector<Measurement> rows;
  for (const auto& [mhz, stages] : clocks) {
    if (stages.size() != seen.size()) {
      return Fail(ErrorCode::kInvalidArgument, source.file, fmt::format("a stage was not measured at {} MHz", mhz),
                  "every stage at every clock");
    }
    rows.push_back(PipelineAt(*named, mhz, stages));
  }
  return rows;
}

// power_limit_0, power_limit_1 and so on: one for each GPU.
std::vector<std::string> LimitColumnsOf(const scenario::CsvTable& table) {
  std::vector<std::string> columns;
  for (std::string next = "power_limit_0"; table.HasColumn(next);
       next = fmt::format("power_limit_{}", columns.size())) {
    columns.push_back(next);
  }
  return columns;
}

Result<std::vector<Measurement>> ReadLimits(const Source& source) {
  const auto gpu = source.GpuOfFile();
  if (!gpu) return Propagate(gpu);
  scenario::CsvTable table = source.Table(kLimitColumns);
  const std::vector<std::string> columns = LimitColumnsOf(table);
  std::vector<Measurement> rows;
  while (table.NextRow()) {
    Measurement row{.model = table.Text("model_name"), .gpu = *gpu};
    row.line = table.line();
    row.workers = static_cast<int>(columns.size());
    row.batch = PositiveWhole(table, "batch_size");
    const double limit = PositiveNumber(table, "power_limit_0");
    for (const std::string& other : columns) {
      if (table.Number(other) == limit) continue;
      table.Stop(Fail(ErrorCode::kInvalidArgument, table.where(), fmt::format("{} differs from power_limit_0", other),
                      "one limit for all GPUs"));
    }
    row.knob.power_limit_w = limit;
    const double seconds = PositiveNumber(table, "time");
    row.per_s = row.batch / seconds;
    row.power = Watts{PositiveNumber(table, "energy") / seconds};
    if (!table.status()) continue;
    rows.push_back(std::move(row));
  }
  if (!table.status()) return Propagate(table.status());
  return rows;
}

Result<std::vector<Measurement>> ReadFrontier(const Source& source) {
  scenario::CsvTable table = source.Table(kFrontierColumns);
  std::vector<Measurement> rows;
  while (table.NextRow()) {
    Measurement row{.model = table.Text("model"), .gpu = source.GpuOr(table.Text("gpu"))};
    row.line = table.line();
    row.workers = PositiveWhole(table, "n_gpus");
    row.knob.core_mhz = PositiveNumber(table, "mean_sm_freq_mhz");
    const double seconds = PositiveNumber(table, "iter_time_s");
    row.per_s = 1.0 / seconds;
    row.power = Watts{PositiveNumber(table, "iter_energy_j") / seconds};
    if (!table.status()) continue;
    rows.push_back(std::move(row));
  }
  if (!table.status()) return Propagate(table.status());
  return rows;
}

}  // namespace

Result<std::vector<Measurement>> ReadPerseus(const Source& source) {
  if (source.header().find("instruction") != std::string_view::npos) return ReadStages(source);
  if (source.header().find("power_limit_0") != std::string_view::npos) return ReadLimits(source);
  return ReadFrontier(source);
}

}  // namespace heliostat::profile
