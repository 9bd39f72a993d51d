// Solar power per unit by city from Solcast. Labels mark the end of an interval: the value at 00:05 holds from 00:00.
#include <fmt/format.h>

#include "heliostat/base/io/number.h"
#include "heliostat/signals/signal_files/readers.h"

namespace heliostat::signal_files {
namespace {

constexpr Duration kStep{300};

signal::Meaning SunMeaning(const std::string& city, signal::Nature nature) {
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCapacityFactor;
  meaning.unit = signal::Unit::kPerUnit;
  meaning.zone = city;
  meaning.source = "Solcast";
  meaning.nature = nature;
  meaning.time_base = "UTC, interval ending";
  return meaning;
}

bool IsSolcastForecast(const Input& input) {
  return input.header.size() >= 3 && input.header[0] == "datetime" && input.header[1] == "period_end";
}

// Columns are named after cities, and their values are shares. Other tables begin with "datetime" too.
bool IsSolcast(const Input& input) {
  if (input.header.size() < 2 || input.header[0] != "datetime" || input.header[1] == "period_end") return false;
  for (std::size_t i = 1; i < input.header.size(); ++i) {
    if (signal::UnitInName(input.header[i]) || signal::KindInName(input.header[i]) != signal::Kind::kOther)
      return false;
    const auto value = i < input.first_row.size() ? io::ParseNumber(input.first_row[i]) : std::nullopt;
    if (value && *value > 1.5) return false;
  }
  return true;
}

// Only the rows show the step, and the labels must be moved back by it.
Result<SignalTable> ReadSolcast(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "solcast");
  for (std::size_t i = 1; i < input.header.size(); ++i) {
    draft.AddColumn(i, input.header[i], SunMeaning(input.header[i], signal::Nature::kMeasured));
  }
  Duration step = kStep;
  io::CsvReader ahead(csv.rest(), input.file);
  std::optional<Instant> first;
  while (ahead.NextRow()) {
    const auto time = ParseIsoTime(ahead.cell(0));
    if (!time) break;
    const Instant t{time->local.time_since_epoch()};
    if (first && t > *first) {
      step = t - *first;
      break;
    }
    first = t;
  }
  auto table = ReadRows(csv, draft, [&](const io::CsvReader& row) -> Result<std::optional<Instant>> {
    auto label = UtcCell(row, 0);
    if (label) **label -= step;
    return label;
  });
  if (table && table->columns[0].signal.series.step() != step) {
    return Fail(ErrorCode::kInvalidArgument, input.file + ":3",
                fmt::format("the first two rows are {} apart, most others {}", FormatDuration(step),
                            FormatDuration(table->columns[0].signal.series.step())),
                "the step must be even");
  }
  return table;
}

Result<SignalTable> ReadSolcastForecast(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "solcast-forecast");
  for (std::size_t i = 2; i < input.header.size(); ++i) {
    draft.AddColumn(i, input.header[i], SunMeaning(input.header[i], signal::Nature::kForecast));
  }
  std::vector<Instant> issued;
  std::vector<Instant> target;
  while (csv.NextRow()) {
    const auto issue = UtcCell(csv, 0);
    const auto end = UtcCell(csv, 1);
    if (!issue) return Propagate(issue);
    if (!end) return Propagate(end);
    const Instant begin = **end - kStep;
    const bool is_new = issued.empty() || **issue != issued.back();
    if (is_new ? !issued.empty() && **issue < issued.back() : begin != target.back() + kStep) {
      return Fail(
          ErrorCode::kInvalidArgument, csv.where(),
          is_new ? "an earlier forecast follows a later one" : "targets of one forecast are not 5 minutes apart",
          "forecasts in the order of their issue, targets in steps of 5 minutes");
    }
    if (begin < **issue || begin.time_since_epoch() % kStep != Duration{0}) {
      return Fail(ErrorCode::kInvalidArgument, csv.where(),
                  "period_end does not end a 5-minute interval after datetime",
                  "period_end must be a multiple of 5 minutes, at least 5 minutes after datetime");
    }
    issued.push_back(**issue);
    target.push_back(begin);
    if (!draft.AddCells(csv)) return Propagate(draft.status());
  }
  return draft.FinishRuns(csv, issued, target, kStep);
}

}  // namespace

const Reader kSolcast{
    {"solcast", "Solcast: solar power per unit by city, UTC, interval ending"}, IsSolcast, ReadSolcast};
const Reader kSolcastForecast{
    {"solcast-forecast", "Solcast: forecasts with issue and target time"}, IsSolcastForecast, ReadSolcastForecast};

}  // namespace heliostat::signal_files
