#include "heliostat/model/profile/read_zeus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "heliostat/model/profile/cells.h"

namespace heliostat::profile {
namespace {

constexpr std::array<std::string_view, 7> kColumns{"dataset",     "network",        "batch_size",   "optimizer",
                                                   "power_limit", "time_per_epoch", "average_power"};

struct Dataset {
  std::string_view name;
  double samples;
};
// Samples of one epoch: training images, SQuAD 1.1 questions, utterances of LibriSpeech's 960 hours, MovieLens' ratings
// without each user's last one and with four negatives for each, tweets.
constexpr std::array<Dataset, 6> kDatasets{{
    {"cifar100", 50'000},
    {"imagenet", 1'281'167},
    {"librispeech", 281'241},
    {"movielens-1m", 4'970'845},
    {"sentiment140", 1'600'000},
    {"squad", 87'599},
}};

double SamplesOf(scenario::CsvTable& table, std::string_view dataset) {
  const auto found = std::ranges::find(kDatasets, dataset, &Dataset::name);
  if (found != kDatasets.end()) return found->samples;
  std::string known;
  for (const Dataset& entry : kDatasets) known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.name);
  table.Stop(Fail(ErrorCode::kInvalidArgument, table.where(),
                  fmt::format("dataset '{}' has no known size", Printable(dataset, 40)), "one of " + known));
  return 1.0;
}

// A model with its batch and optimizer, and its speed at the highest limit.
struct Run {
  std::vector<Measurement> rows;
  double top_speed() const {
    const auto top = std::ranges::max_element(
        rows, {}, [](const Measurement& row) { return std::pair(row.knob.power_limit_w.value_or(0.0), row.per_s); });
    return top->per_s;
  }
};
using ModelBatch = std::pair<std::string, int>;

std::vector<Measurement> FasterOptimizers(const std::map<ModelBatch, std::map<std::string, Run>>& runs) {
  std::vector<Measurement> rows;
  for (const auto& [key, optimizers] : runs) {
    const auto best =
        std::ranges::max_element(optimizers, {}, [](const auto& entry) { return entry.second.top_speed(); });
    rows.insert(rows.end(), best->second.rows.begin(), best->second.rows.end());
  }
  return rows;
}

}  // namespace

Result<std::vector<Measurement>> ReadZeus(const Source& source) {
  const auto gpu = source.GpuOfFile();
  if (!gpu) return Propagate(gpu);
  scenario::CsvTable table = source.Table(kColumns);
  std::map<ModelBatch, std::map<std::string, Run>> runs;
  while (table.NextRow()) {
    const std::string dataset = table.Text("dataset");
    Measurement row{.model = table.Text("network") + "-" + dataset, .gpu = *gpu};
    row.workers = source.options.workers.value_or(1);
    row.line = table.line();
    row.batch = PositiveWhole(table, "batch_size");
    row.knob.power_limit_w = PositiveNumber(table, "power_limit");
    row.per_s = SamplesOf(table, dataset) / PositiveNumber(table, "time_per_epoch");
    row.power = Watts{PositiveNumber(table, "average_power")};
    const std::string optimizer = table.Text("optimizer");
    if (!table.status()) continue;
    runs[{row.model, row.batch}][optimizer].rows.push_back(std::move(row));
  }
  if (!table.status()) return Propagate(table.status());
  return FasterOptimizers(runs);
}

}  // namespace heliostat::profile
