// Files of CarbonCast: hourly carbon intensity with its generation mix, and 96-hour forecasts. Dates have three forms.
#include <fmt/format.h>

#include <algorithm>

#include <array>

#include "heliostat/signals/signal_files/readers.h"

namespace heliostat::signal_files {
namespace {

constexpr double kAny = std::numeric_limits<double>::max();

std::optional<std::size_t> IndexOf(const Input& input, std::string_view name) {
  for (std::size_t i = 0; i < input.header.size(); ++i) {
    if (input.header[i] == name) return i;
  }
  return std::nullopt;
}

Result<std::optional<Instant>> TimeCell(const io::CsvReader& csv, std::size_t index) {
  const std::string_view text = csv.cell(index);
  if (const auto american = ParseAmericanTime(text)) return Instant{american->local.time_since_epoch()};
  if (!ParseIsoTime(text)) return NotATime(csv, text, "2020-01-01 00:00:00 or 01/01/2020 00:00:00, UTC");
  return UtcCell(csv, index);
}

// "CISO_lifecycle_emissions.csv": the name of the file contains zone and basis.
signal::Meaning CarbonMeaning(const Input& input) {
  const std::string name = BaseName(input.file);
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCarbonIntensity;
  meaning.unit = signal::Unit::kGramsPerKwh;
  meaning.source = "CarbonCast";
  meaning.nature = signal::Nature::kMeasured;
  meaning.scope = signal::Scope::kAverage;
  meaning.zone = !input.options.zone.empty() ? input.options.zone : name.substr(0, name.find('_'));
  meaning.basis = ContainsWord(name, "lifecycle") ? signal::Basis::kLifecycle
                  : ContainsWord(name, "direct")  ? signal::Basis::kDirect
                                                  : signal::Basis::kUnknown;
  return meaning;
}

// Sources that files of CarbonCast name; any other column is read as MW with a note.
constexpr std::array<std::string_view, 12> kSources{"coal",       "nat_gas", "nuclear", "oil",
                                                    "hydro",      "solar",   "wind",    "biomass",
                                                    "geothermal", "other",   "unknown", "hydro_storage"};

bool IsCarbonCast(const Input& input) { return IndexOf(input, "UTC time") && IndexOf(input, "carbon_intensity"); }

Result<SignalTable> ReadCarbonCast(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "carboncast");
  const signal::Meaning carbon = CarbonMeaning(input);
  const std::size_t time = *IndexOf(input, "UTC time");
  const std::size_t intensity = *IndexOf(input, "carbon_intensity");
  draft.AddColumn(intensity, "carbon_intensity", carbon);
  // The German columns are sums of four quarter-hours of MW; this does not affect the intensity.
  const bool sums_quarters = carbon.zone == "DE";
  if (sums_quarters) draft.Note("DE: source columns are sums of four 15-minute MW values; divided by 4");
  for (std::size_t i = 0; i < input.header.size(); ++i) {
    const std::string& name = input.header[i];
    if (i == time || i == intensity || name.empty()) continue;
    if (std::ranges::find(kSources, name) == kSources.end()) {
      draft.Note(fmt::format("column '{}' is not a known source of generation; read as MW", Printable(name, 60)));
    }
    signal::Meaning source = carbon;
    source.kind = signal::Kind::kPower;
    source.unit = signal::Unit::kMegawatt;
    source.basis = signal::Basis::kUnknown;
    source.scope = signal::Scope::kUnknown;
    // Pumping and own use of plants make a source negative.
    draft.AddColumn(i, name, std::move(source), -kAny, kAny);
    if (sums_quarters) draft.DivideLast(4);
  }
  return ReadRows(csv, draft, [time](const io::CsvReader& row) { return TimeCell(row, time); });
}

std::optional<std::size_t> IndexOfPrefix(const Input& input, std::string_view prefix) {
  for (std::size_t i = 0; i < input.header.size(); ++i) {
    if (input.header[i].starts_with(prefix)) return i;
  }
  return std::nullopt;
}

bool IsCarbonCastForecast(const Input& input) {
  return IndexOf(input, "UTC time") && IndexOfPrefix(input, "forecasted_carbon_intensity");
}

constexpr Duration kHour{3600};

// One issue of the forecast: consecutive hours, of which the first is the time of issue.
struct Block {
  std::size_t first_row;
  std::size_t rows;
  Instant issued;
  std::int64_t line;
};

// Adds the row to the block that it continues, or begins a new block.
Status AddToBlocks(std::vector<Block>& blocks, const io::CsvReader& csv, Instant t, std::size_t row) {
  const Instant expected =
      blocks.empty() ? t : blocks.back().issued + kHour * static_cast<std::int64_t>(blocks.back().rows);
  if (!blocks.empty() && t == expected) {
    ++blocks.back().rows;
    return {};
  }
  if (t > expected) {
    return Fail(ErrorCode::kInvalidArgument, csv.where(),
                fmt::format("jumps from {} to {}", FormatInstant(expected - kHour), FormatInstant(t)),
                "hours of a forecast must be consecutive");
  }
  blocks.push_back({row, 1, t, csv.line()});
  return {};
}

// Some published files have a block with the date of the block before it. Both blocks contain the measured values of
// their hours: if those of the second match a shift by one day, its label is wrong and is corrected.
bool IsLabelledADayEarly(const Block& before, const Block& block, const std::vector<double>& actual) {
  constexpr std::size_t kDay = 24;
  if (block.issued != before.issued || before.rows <= kDay || actual.empty()) return false;
  const std::size_t shared = std::min(before.rows - kDay, block.rows);
  for (std::size_t i = 0; i < shared; ++i) {
    if (actual[before.first_row + kDay + i] != actual[block.first_row + i]) return false;
  }
  return true;
}

Status PutBlocksInOrder(std::vector<Block>& blocks, const std::vector<double>& actual, Draft& draft) {
  for (std::size_t b = 1; b < blocks.size(); ++b) {
    if (blocks[b].issued > blocks[b - 1].issued) continue;
    if (!IsLabelledADayEarly(blocks[b - 1], blocks[b], actual)) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("{}:{}", draft.file(), blocks[b].line),
                  fmt::format("a forecast from {} follows one from {}", FormatInstant(blocks[b].issued),
                              FormatInstant(blocks[b - 1].issued)),
                  "forecasts must be in the order of their issue");
    }
    blocks[b].issued += std::chrono::days{1};
    draft.Note(
        fmt::format("the forecast at line {} has the date of the one before; its measured values are those of "
                    "{}; read with that date",
                    blocks[b].line, FormatInstant(blocks[b].issued)));
  }
  return {};
}

Result<SignalTable> ReadCarbonCastForecast(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "carboncast-forecast");
  const std::size_t time = *IndexOf(input, "UTC time");
  signal::Meaning meaning = CarbonMeaning(input);
  const auto actual = IndexOfPrefix(input, "actual_carbon_intensity");
  if (actual) {
    draft.AddColumn(*actual, input.header[*actual], meaning);
    draft.SetPrimary(1);
  }
  meaning.nature = signal::Nature::kForecast;
  const std::size_t forecast = *IndexOfPrefix(input, "forecasted_carbon_intensity");
  draft.AddColumn(forecast, input.header[forecast], meaning);

  std::vector<Block> blocks;
  for (std::size_t row = 0; csv.NextRow(); ++row) {
    const auto t = TimeCell(csv, time);
    if (!t) return Propagate(t);
    if ((**t).time_since_epoch() % kHour != Duration{0}) return NotATime(csv, csv.cell(time), "whole hours");
    if (const auto bad = AddToBlocks(blocks, csv, **t, row); !bad) return Propagate(bad);
    if (!draft.AddCells(csv)) return Propagate(draft.status());
  }
  const auto ordered = PutBlocksInOrder(blocks, actual ? draft.cells(0) : std::vector<double>(), draft);
  if (!ordered) return Propagate(ordered);
  std::vector<Instant> issued;
  std::vector<Instant> target;
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      issued.push_back(block.issued);
      target.push_back(block.issued + kHour * static_cast<std::int64_t>(i));
    }
  }
  return draft.FinishRuns(csv, issued, target, kHour);
}

}  // namespace

const Reader kCarbonCast{
    {"carboncast", "CarbonCast: hourly carbon intensity and generation by source"}, IsCarbonCast, ReadCarbonCast};
const Reader kCarbonCastForecast{{"carboncast-forecast", "CarbonCast: daily forecasts, with the actual values"},
                                 IsCarbonCastForecast,
                                 ReadCarbonCastForecast};

}  // namespace heliostat::signal_files
