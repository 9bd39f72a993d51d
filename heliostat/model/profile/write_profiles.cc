#include "heliostat/model/profile/write_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

namespace heliostat::profile {
namespace {

// A CSV cell, in quotes where needed.
std::string Cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string Cell(const std::optional<double>& number) {
  return number ? fmt::format("{:.6g}", *number) : std::string();
}

// Empty for an error that is not stated.
std::string Percent(double error) { return error > 0.0 ? fmt::format("{:.3g}", 100.0 * error) : std::string(); }

void AppendRow(std::string& text, const Measurement& row) {
  const std::string name = fmt::format("{},{}", Cell(row.model), Cell(row.gpu));
  const std::string knob = fmt::format("{},{}", Cell(row.knob.core_mhz), Cell(row.knob.power_limit_w));
  const std::string origin =
      fmt::format("{},{},{}", NameOf(row.origin), Percent(row.speed_error), Percent(row.power_error));
  const auto out = std::back_inserter(text);
  if (row.is_training) {
    fmt::format_to(out, "{},{},{},{:.6g},{:.6g},{},{}\n", name, row.workers, knob, row.per_s, row.power->value,
                   row.batch, origin);
  } else {
    fmt::format_to(out, "{},{},{},{:.6g},{:.6g},{:.6g},{}\n", name, knob, row.batch, row.latency->count() * 1e3,
                   row.per_s, row.power->value, origin);
  }
}

Status RefuseRows(std::span<const Measurement> rows) {
  const auto is_training = [](const Measurement& row) { return row.is_training; };
  const auto has_power = [](const Measurement& row) { return row.power.has_value(); };
  if (rows.empty())
    return Fail(ErrorCode::kInvalidArgument, "profile table", "there is nothing to write", "one row at least");
  if (!std::ranges::all_of(rows, is_training) && std::ranges::any_of(rows, is_training)) {
    return Fail(ErrorCode::kInvalidArgument, "profile table", "training and serving need separate tables",
                "files of one of them");
  }
  if (!std::ranges::all_of(rows, has_power)) {
    return Fail(ErrorCode::kInvalidArgument, "profile table",
                "the measurements are speeds without power, so there is no profile to write",
                "leave it out, or use files with power");
  }
  return {};
}

}  // namespace

int BatchOf(std::span<const Measurement> rows, const std::string& model) {
  // By batch: GPUs with their best speed.
  std::map<int, std::map<std::string, double>> batches;
  for (const Measurement& row : rows) {
    if (row.model != model) continue;
    double& best = batches[row.batch][row.gpu];
    best = std::max(best, row.per_s);
  }
  int chosen = 1;
  std::pair<std::size_t, double> best{0, 0.0};
  for (const auto& [batch, speeds] : batches) {
    double mean = 0.0;
    for (const auto& [gpu, speed] : speeds) mean += std::log(speed) / static_cast<double>(speeds.size());
    const std::pair<std::size_t, double> here{speeds.size(), mean};
    if (best.first == 0 || here > best) {
      best = here;
      chosen = batch;
    }
  }
  return chosen;
}

Result<ProfileTable> ToProfileTable(std::span<const Measurement> rows, std::optional<int> batch) {
  if (const auto bad = RefuseRows(rows); !bad) return Propagate(bad);
  ProfileTable table{.is_training = rows.front().is_training, .text = {}};
  table.text = table.is_training ? "model,gpu,workers,core_mhz,power_limit_w,samples_per_s,power_w,batch"
                                 : "model,gpu,core_mhz,power_limit_w,batch,latency_ms,requests_per_s,power_w";
  table.text += ",source,speed_error_percent,power_error_percent\n";
  std::map<std::string, int> batch_of;
  for (const Measurement& row : rows) {
    if (batch || !table.is_training || batch_of.contains(row.model)) continue;
    batch_of[row.model] = BatchOf(rows, row.model);
  }
  for (const Measurement& row : rows) {
    const bool is_other_batch = batch ? row.batch != *batch : table.is_training && row.batch != batch_of.at(row.model);
    const bool is_too_wide = !row.is_training && row.workers > 1;
    if (is_other_batch || is_too_wide) {
      ++table.left_out;
    } else {
      AppendRow(table.text, row);
      ++table.rows;
    }
  }
  if (table.rows > 0) return table;
  return Fail(ErrorCode::kInvalidArgument, batch ? "batch" : "profile table", "no row is left to write",
              batch ? "a batch that was measured" : "measurements on one GPU");
}

}  // namespace heliostat::profile
