// The history published with Chase (in the form of WattTime): one location, the forecast in `value`, the measurement in
// `hist`, the step in minutes in `duration`.
#include <fmt/format.h>

#include "heliostat/base/io/number.h"
#include "heliostat/signals/signal_files/readers.h"

namespace heliostat::signal_files {
namespace {

bool IsChase(const Input& input) {
  return input.header.size() >= 4 && input.header[0] == "location" && input.header[1] == "timestamp" &&
         input.header[2] == "duration" && input.header[3] == "value";
}

Result<SignalTable> ReadChase(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "chase");
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCarbonIntensity;
  meaning.unit = signal::Unit::kGramsPerKwh;
  meaning.source = "WattTime";
  meaning.scope = signal::Scope::kMarginal;
  meaning.basis = signal::Basis::kDirect;
  const std::string location = input.first_row.empty() ? "" : input.first_row[0];
  meaning.zone = input.options.zone.empty() ? location : input.options.zone;
  meaning.nature = signal::Nature::kForecast;
  draft.AddColumn(3, input.header[3], meaning);
  meaning.nature = signal::Nature::kMeasured;
  if (input.header.size() > 4) {
    draft.AddColumn(4, input.header[4], meaning);
    draft.SetPrimary(1);
  }
  const auto minutes = input.first_row.size() > 2 ? io::ParseInteger(input.first_row[2]) : std::nullopt;
  const Duration step = std::chrono::minutes{minutes.value_or(0)};
  auto table = ReadRows(
      csv, draft,
      [&](const io::CsvReader& row) -> Result<std::optional<Instant>> {
        if (row.cell(0) != location || row.cell(2) != input.first_row[2]) {
          return Fail(ErrorCode::kInvalidArgument, row.where(), "location or duration differs from the first row",
                      "one location and one step per file");
        }
        return UtcCell(row, 1);
      },
      step > Duration{0} ? std::optional<Duration>(step) : std::nullopt);
  if (table && table->columns[0].signal.series.step() != step) {
    return Fail(ErrorCode::kInvalidArgument, input.file,
                fmt::format("rows are {} apart but their duration is {} min",
                            FormatDuration(table->columns[0].signal.series.step()), Printable(input.first_row[2], 20)),
                "both must agree");
  }
  return table;
}

}  // namespace

const Reader kChase{
    {"chase", "Chase's history: location,timestamp,duration,value (forecast),hist (measured)"}, IsChase, ReadChase};

}  // namespace heliostat::signal_files
