#include "heliostat/model/profile/read_mlenergy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "heliostat/model/profile/cells.h"

namespace heliostat::profile {
namespace {

using scenario::CsvTable;

// A number above 0; nothing where a row has none.
std::optional<double> Amount(CsvTable& table, std::string_view column) {
  const auto value = table.OptionalNumber(column);
  return value && *value >= kSmallest && *value <= kLargest ? value : std::nullopt;
}

int Rounded(double value) { return static_cast<int>(std::clamp(std::round(value), 1.0, 1e9)); }

// Requests of a given length, `batch` at a time; each gets one token per `token_s`.
void SetLanguage(Measurement& row, double batch, double length, double token_s, double tokens_per_s) {
  row.batch = Rounded(batch);
  row.per_s = tokens_per_s / length;
  row.latency = Seconds{token_s * length};
}

void SetBatch(Measurement& row, double batch, double seconds) {
  row.batch = Rounded(batch);
  row.per_s = batch / seconds;
  row.latency = Seconds{seconds};
}

constexpr std::array<std::string_view, 11> kThird{"task",
                                                  "model_id",
                                                  "gpu_model",
                                                  "num_gpus",
                                                  "avg_output_len",
                                                  "avg_power_watts",
                                                  "max_num_seqs",
                                                  "median_itl_ms",
                                                  "output_throughput_tokens_per_sec",
                                                  "batch_latency_s",
                                                  "batch_size"};

std::optional<Measurement> ThirdRow(CsvTable& table, const Source& source) {
  Measurement row{.model = table.Text("model_id") + ":" + table.Text("task"),
                  .gpu = source.GpuOr(table.Text("gpu_model")),
                  .is_training = false};
  row.workers = PositiveWhole(table, "num_gpus");
  const auto watts = Amount(table, "avg_power_watts");
  const auto length = Amount(table, "avg_output_len");
  const auto sequences = Amount(table, "max_num_seqs");
  const auto token_ms = Amount(table, "median_itl_ms");
  const auto tokens = Amount(table, "output_throughput_tokens_per_sec");
  const auto seconds = Amount(table, "batch_latency_s");
  const auto batch = Amount(table, "batch_size");
  if (!watts) return std::nullopt;
  row.power = Watts{*watts};
  if (length && sequences && token_ms && tokens) {
    SetLanguage(row, *sequences, *length, *token_ms / 1e3, *tokens);
  } else if (seconds && batch) {
    SetBatch(row, *batch, *seconds);
  } else {
    return std::nullopt;
  }
  return row;
}

constexpr std::array<std::string_view, 12> kSecond{
    "task",       "Model", "GPU", "Energy/video (J)", "Energy/image (J)", "Batch latency (s)",
    "Batch size", "TP",    "PP",  "Energy/req (J)",   "Avg TPOT (s)",     "Token tput (tok/s)"};

std::optional<Measurement> SecondRow(CsvTable& table, const Source& source) {
  Measurement row{.model = table.Text("Model") + ":" + table.Text("task"),
                  .gpu = source.GpuOr(table.Text("GPU")),
                  .is_training = false};
  row.workers = Rounded(Amount(table, "TP").value_or(1.0) * Amount(table, "PP").value_or(1.0));
  const auto length = Amount(table, "Avg Output Tokens");
  const auto sequences = Amount(table, "Max BS (reqs)");
  const auto token_s = Amount(table, "Avg TPOT (s)");
  const auto tokens = Amount(table, "Token tput (tok/s)");
  const auto joules = Amount(table, "Energy/req (J)");
  const auto image = Amount(table, "Energy/image (J)");
  const auto of_item = image ? image : Amount(table, "Energy/video (J)");
  const auto seconds = Amount(table, "Batch latency (s)");
  const auto batch = Amount(table, "Batch size");
  if (length && sequences && token_s && tokens && joules) {
    SetLanguage(row, *sequences, *length, *token_s, *tokens);
    row.power = Watts{*joules * row.per_s};
  } else if (seconds && batch && of_item) {
    SetBatch(row, *batch, *seconds);
    row.power = Watts{*of_item * row.per_s};
  } else {
    return std::nullopt;
  }
  return row;
}

}  // namespace

Result<std::vector<Measurement>> ReadMlEnergy(const Source& source) {
  const bool is_second = source.header().find("Avg TPOT (s)") != std::string_view::npos;
  std::vector<std::string_view> columns(kThird.begin(), kThird.end());
  if (is_second) {
    columns.assign(kSecond.begin(), kSecond.end());
    columns.insert(columns.end(), {"Avg Output Tokens", "Max BS (reqs)"});
  }
  CsvTable table = source.Table(columns);
  std::vector<Measurement> rows;
  while (table.NextRow()) {
    auto row = is_second ? SecondRow(table, source) : ThirdRow(table, source);
    if (!table.status()) continue;
    if (!row) continue;
    row->line = table.line();
    rows.push_back(std::move(*row));
  }
  if (!table.status()) return Propagate(table.status());
  return rows;
}

}  // namespace heliostat::profile
