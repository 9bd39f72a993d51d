// Half-hours of Great Britain: measured intensity, the national forecast at several leads ("fc_4h"), and the generation
// mix in percent.
#include <algorithm>
#include <array>

#include "heliostat/base/io/number.h"
#include "heliostat/signals/signal_files/readers.h"

namespace heliostat::signal_files {
namespace {

// "fc_0.5h" -> 30 min.
std::optional<Duration> LeadOf(std::string_view name) {
  if (!name.starts_with("fc_") || !name.ends_with("h")) return std::nullopt;
  const auto hours = io::ParseNumber(name.substr(3, name.size() - 4));
  if (!hours || *hours < 0 || *hours > 10000) return std::nullopt;
  return Duration{static_cast<std::int64_t>(*hours * 3600)};
}

// A column of another name would be read as a share in percent.
bool IsKnownColumn(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMix{"biomass", "coal",  "imports", "gas",     "nuclear", "other",
                                                  "hydro",   "solar", "wind",    "storage", "oil",     "wind_emb"};
  return name.starts_with("fc_") || std::ranges::find(kMix, name) != kMix.end();
}

bool IsNeso(const Input& input) {
  return input.header.size() >= 2 && input.header[0] == "utc" && input.header[1] == "actual" &&
         std::all_of(input.header.begin() + 2, input.header.end(), IsKnownColumn);
}

Result<SignalTable> ReadNeso(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "neso");
  signal::Meaning carbon;
  carbon.kind = signal::Kind::kCarbonIntensity;
  carbon.unit = signal::Unit::kGramsPerKwh;
  carbon.zone = input.options.zone.empty() ? "GB" : input.options.zone;
  carbon.source = "NESO";
  carbon.basis = signal::Basis::kDirect;
  carbon.scope = signal::Scope::kAverage;
  carbon.nature = signal::Nature::kMeasured;
  for (std::size_t i = 1; i < input.header.size(); ++i) {
    signal::Meaning meaning = carbon;
    if (const auto lead = LeadOf(input.header[i])) {
      meaning.nature = signal::Nature::kForecast;
      meaning.lead = lead;
    } else if (i > 1) {
      meaning.kind = signal::Kind::kShare;
      meaning.unit = signal::Unit::kPercent;
      meaning.basis = signal::Basis::kUnknown;
      meaning.scope = signal::Scope::kUnknown;
    }
    draft.AddColumn(i, input.header[i], std::move(meaning));
  }
  return ReadRows(csv, draft, [](const io::CsvReader& row) { return UtcCell(row, 0); });
}

}  // namespace

const Reader kNeso{
    {"neso", "NESO: Great Britain in half-hours, intensity, forecasts at several leads, mix"}, IsNeso, ReadNeso};

}  // namespace heliostat::signal_files
