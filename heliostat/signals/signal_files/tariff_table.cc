#include "heliostat/signals/signal_files/tariff_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/io/time_zone.h"
#include "heliostat/signals/tariff/expand.h"
#include "heliostat/signals/tariff/read.h"

namespace heliostat::signal_files {
namespace {

// The year in which the tariff takes effect; 2023, a common year, when the tariff has no date.
Interval DefaultSpan(const tariff::Tariff& tariff, SignalTable& table) {
  constexpr std::chrono::year kCommon{2023};
  const auto effective =
      tariff.effective_from ? std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(*tariff.effective_from)}
                            : std::chrono::year_month_day{kCommon / 1 / 1};
  const auto year = effective.year();
  table.notes.push_back(
      fmt::format("expanded over {}; set option 'start' and option 'end' for another span", static_cast<int>(year)));
  return {Instant{std::chrono::sys_days{year / 1 / 1}},
          Instant{std::chrono::sys_days{(year + std::chrono::years{1}) / 1 / 1}}};
}

}  // namespace

bool IsTariffWanted(std::string_view text, const ReadOptions& options) {
  if (!options.format.empty()) return std::ranges::count(kTariffFormats, options.format, &FormatFacts::name) > 0;
  return tariff::LooksLikeTariff(text);
}

Result<SignalTable> ReadTariffTable(std::string_view text, const std::string& file, const ReadOptions& options) {
  auto tariff = tariff::ReadTariff(text, file, options.tariff);
  if (!tariff) return Propagate(tariff);
  if (!options.format.empty() && tariff->format != options.format) {
    return Fail(ErrorCode::kInvalidArgument, file, fmt::format("has the format {}", tariff->format),
                fmt::format("must be {}", options.format));
  }
  std::optional<io::TimeZone> zone;
  if (!options.time_zone.empty()) {
    auto found = io::TimeZone::Find(options.time_zone);
    if (!found) return Propagate(found);
    zone = std::move(*found);
  }
  if (const auto currency = Currency::Parse(options.currency)) tariff->currency = *currency;
  SignalTable table;
  table.file = file;
  table.format = tariff->format;
  const Interval span = options.span ? *options.span : DefaultSpan(*tariff, table);
  auto signal = tariff::Expand(*tariff, span, zone);
  if (!signal) return Propagate(signal);
  if (!options.zone.empty()) signal->meaning.zone = options.zone;
  table.notes.insert(table.notes.end(), signal->meaning.notes.begin(), signal->meaning.notes.end());
  signal->meaning.notes.clear();
  const auto cells = signal::Summarize(signal->series.values());
  table.rows = signal->series.size();
  table.columns.push_back({std::move(*signal), cells, {}});
  table.tariff = std::move(*tariff);
  return table;
}

}  // namespace heliostat::signal_files
