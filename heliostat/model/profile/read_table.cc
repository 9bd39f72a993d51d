#include "heliostat/model/profile/read_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heliostat/model/profile/cells.h"

namespace heliostat::profile {
namespace {

using scenario::CsvTable;

// The column of one quantity.
struct Place {
  std::string column;  // empty: the table has none

  explicit operator bool() const { return !column.empty(); }
};

// Finds columns in the header. The first failure is in status().
class Places {
 public:
  Places(const Source& source, const CsvTable& table) : source_(source), table_(table), status_(table.status()) {}

  Place Find(const std::string& named, std::string_view usual, std::string_view option) {
    if (named.empty()) return {table_.HasColumn(usual) ? std::string(usual) : std::string()};
    if (!table_.HasColumn(named)) {
      Refuse(fmt::format("there is no column '{}', which option '{}' names", Printable(named, 40), option));
    }
    return {named};
  }
  // A column that must be there, unless the user has given its value for the whole file with option `value`.
  Place Need(const std::string& named, std::string_view usual, std::string_view option, std::string_view value = "",
             bool is_given = false) {
    Place place = Find(named, usual, option);
    if (!place && !is_given) {
      Refuse(fmt::format("there is no column '{}'; name it with option '{}'{}", usual, option,
                         value.empty() ? "" : fmt::format(", or say it with option '{}'", value)));
    }
    return place;
  }
  const Status& status() const { return status_; }

 private:
  void Refuse(std::string what) {
    if (!status_) return;
    status_ = Fail(ErrorCode::kInvalidArgument, source_.file + ":1", std::move(what),
                   fmt::format("the columns are {}", Printable(Header(), 200)));
  }
  std::string_view Header() const {
    const std::string_view line = source_.header();
    return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
  }

  const Source& source_;
  const CsvTable& table_;
  Status status_;
};

std::optional<double> OptionalPositive(CsvTable& table, const Place& place) {
  if (!place || !table.OptionalNumber(place.column)) return std::nullopt;
  return PositiveNumber(table, place.column);
}

double OptionalPercent(CsvTable& table, std::string_view column) {
  const auto percent = table.HasColumn(column) ? table.OptionalNumber(column) : std::nullopt;
  if (!percent) return 0.0;
  if (*percent >= 0.0 && *percent <= 1e6) return *percent / 100.0;
  table.Stop(
      Fail(ErrorCode::kInvalidArgument, table.where(), fmt::format("{} is {}", column, *percent), "must be 0 or more"));
  return 0.0;
}

// A program that was held for a part of the time says nothing about a setting of its GPU. Such rows are for runs.
bool IsPaced(CsvTable& table) {
  const auto pace = table.HasColumn("pace") ? table.OptionalNumber("pace") : std::nullopt;
  return pace.value_or(1.0) < 1.0;
}

Origin OriginOf(CsvTable& table) {
  const std::string name = table.TextOrNone("source");
  return kOrigins.Find(name).value_or(Origin::kMeasured);
}

}  // namespace

Result<std::vector<Measurement>> ReadTable(const Source& source) {
  const ReadOptions& options = source.options;
  const TableColumns& named = options.columns;
  const std::array<std::string_view, 16> numbers{
      named.limit,   named.clock,     named.throughput, named.power,          named.workers, named.batch,
      named.latency, "power_limit_w", "core_mhz",       "samples_per_s",      "power_w",     "workers",
      "batch",       "latency_ms",    "requests_per_s", "speed_error_percent"};
  CsvTable table = source.Table({}, numbers);
  Places places(source, table);
  const Place latency = places.Find(named.latency, "latency_ms", "latency-column");
  const bool is_training = !latency;
  const Place model = places.Need(named.model, "model", "model-column", "model", !options.model.empty());
  const Place gpu = places.Need(named.gpu, "gpu", "gpu-column", "gpu", !options.gpu.empty());
  const Place speed =
      places.Need(named.throughput, is_training ? "samples_per_s" : "requests_per_s", "throughput-column");
  const Place power = places.Need(named.power, "power_w", "power-column");
  const Place workers =
      places.Need(named.workers, "workers", "workers-column", "workers", options.workers.has_value() || !is_training);
  const Place limit = places.Find(named.limit, "power_limit_w", "limit-column");
  const Place clock = places.Find(named.clock, "core_mhz", "clock-column");
  const Place batch = places.Find(named.batch, "batch", "batch-column");
  if (!places.status()) return Propagate(places.status());
  std::vector<Measurement> rows;
  while (table.NextRow()) {
    Measurement row{.model = model ? table.Text(model.column) : options.model,
                    .gpu = source.GpuOr(gpu ? table.Text(gpu.column) : ""),
                    .is_training = is_training};
    row.line = table.line();
    row.workers = workers ? PositiveWhole(table, workers.column) : options.workers.value_or(1);
    const bool has_batch = batch && !table.TextOrNone(batch.column).empty();
    row.batch = has_batch ? PositiveWhole(table, batch.column) : 1;
    row.knob = {.core_mhz = OptionalPositive(table, clock), .power_limit_w = OptionalPositive(table, limit)};
    row.per_s = PositiveNumber(table, speed.column);
    row.power = Watts{PositiveNumber(table, power.column)};
    if (latency) row.latency = Seconds{PositiveNumber(table, latency.column) / 1e3};
    row.origin = OriginOf(table);
    row.speed_error = OptionalPercent(table, "speed_error_percent");
    row.power_error = OptionalPercent(table, "power_error_percent");
    if (!table.status() || IsPaced(table)) continue;
    rows.push_back(std::move(row));
  }
  if (!table.status()) return Propagate(table.status());
  return rows;
}

}  // namespace heliostat::profile
