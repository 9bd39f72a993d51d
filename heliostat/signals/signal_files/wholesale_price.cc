// Hourly market prices as published: "Datetime,Price (EUR/MWh)". Times are in the local clock of the market or have an
// offset; the name of the file contains the zone.
#include <fmt/format.h>

#include "heliostat/base/io/time_zone.h"
#include "heliostat/signals/signal_files/price_market.h"
#include "heliostat/signals/signal_files/readers.h"

namespace heliostat::signal_files {
namespace {

// "Price (EUR/MWh)" -> "EUR/MWh"; empty when there is nothing in brackets.
std::string_view Bracketed(std::string_view header) {
  const auto open = header.find('(');
  const auto close = header.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return header.substr(open + 1, close - open - 1);
}

// "AU-NSW_2023.csv" and "ZA_eskom_megaflex_hourly_2023.csv": the part before the first underscore.
std::string ZoneOf(const Input& input) {
  if (!input.options.zone.empty()) return input.options.zone;
  const std::string name = BaseName(input.file);
  return name.substr(0, name.find_first_of("_."));
}

Result<signal::Meaning> PriceMeaning(const Input& input, const std::optional<Market>& market, Draft& draft) {
  const std::string_view header = Bracketed(input.header[1]);
  const auto unit = signal::UnitInName(header);
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kPrice;
  meaning.zone = ZoneOf(input);
  meaning.source = market ? std::string(market->name) : "wholesale market";
  meaning.nature = meaning.zone == "ZA" ? signal::Nature::kTariff : signal::Nature::kMeasured;
  if (!unit || unit->kind != signal::Kind::kPrice || !unit->currency) {
    return Fail(ErrorCode::kInvalidArgument, input.file + ":1",
                fmt::format("price unit '{}' is not known", Printable(header, 40)), "such as EUR/MWh or USD/kWh");
  }
  meaning.unit = unit->unit;
  meaning.currency = unit->currency;
  // Published files of the Australian market name the wrong currency. Elsewhere the header counts: some markets publish
  // prices in euros beside those in their own currency.
  const bool market_differs = market && market->has_month_seams && market->currency != unit->currency->code();
  // The user's word counts where it confirms the header or the market.
  if (input.options.currency == unit->currency->code()) return meaning;
  if (market_differs) {
    meaning.currency = Currency::Parse(market->currency);
    draft.Note(fmt::format("the header names {}, but {} settles in {}: read as {}", unit->currency->code(),
                           meaning.zone, market->currency, market->currency));
  }
  const auto currency = CurrencyOf(meaning.currency, input.options, input.file);
  if (!currency) return Propagate(currency);
  return meaning;
}

Result<io::TimeZone> ClockOf(const Input& input, const std::optional<Market>& market, Draft& draft) {
  if (!input.options.time_zone.empty()) return io::TimeZone::Find(input.options.time_zone);
  if (market) {
    if (!market->clock_is_verified) {
      draft.Note(fmt::format("times are read as {}, the clock of the market; set option 'time-zone' for another",
                             market->clock));
    }
    return io::TimeZone::Find(market->clock);
  }
  draft.Note(
      fmt::format("the clock of zone '{}' is not known: times are read as UTC; set option 'time-zone' for another",
                  Printable(ZoneOf(input), 40)));
  return io::TimeZone::Utc();
}

// Converts local hours on days when clocks change: drops an hour that does not exist, and gives an hour that occurs
// twice first to the earlier instant, then to the later one.
class LocalHours {
 public:
  LocalHours(io::TimeZone zone, const Draft& draft) : zone_(std::move(zone)), draft_(draft) {}

  std::optional<Instant> ToUtc(std::chrono::local_seconds local) const {
    const auto reading = zone_.ToUtc(local);
    const bool first_is_taken = reading.second && !draft_.axis().empty() && draft_.axis().last() >= *reading.first;
    return first_is_taken ? reading.second : reading.first;
  }
  const std::string& name() const { return zone_.name(); }

 private:
  io::TimeZone zone_;
  const Draft& draft_;
};

bool IsFirstHourOfMonth(std::chrono::local_seconds local) {
  const auto day = std::chrono::floor<std::chrono::days>(local);
  return local == day && std::chrono::year_month_day{day}.day() == std::chrono::day{1};
}

bool IsWholesalePrice(const Input& input) {
  return input.header.size() == 2 && input.header[0] == "Datetime" && input.header[1].starts_with("Price");
}

Result<SignalTable> ReadWholesalePrice(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "wholesale-price");
  const auto market = FindMarket(ZoneOf(input));
  auto meaning = PriceMeaning(input, market, draft);
  if (!meaning) return Propagate(meaning);
  const auto zone = ClockOf(input, market, draft);
  if (!zone) return Propagate(zone);
  const LocalHours clock(*zone, draft);
  const bool has_offset = !input.first_row.empty() && [&] {
    const auto time = ParseIsoTime(input.first_row[0]);
    return time && time->utc_offset;
  }();
  meaning->time_base = has_offset ? "offset in the file" : clock.name();
  if (market && market->has_month_seams) {
    meaning->time_base += ", labels end 5-minute intervals";
    meaning->notes.push_back("hourly means of interval-ending labels: each hour begins 5 minutes early");
  }
  draft.AddColumn(1, "price", *meaning);
  draft.ConvertLast(*signal::UnitInName(Bracketed(input.header[1])));
  if (has_offset && !input.options.time_zone.empty())
    draft.Note("its times state their zone: option 'time-zone' is not used");
  std::size_t repeats = 0;
  std::size_t skipped = 0;
  auto table = ReadRows(csv, draft, [&](const io::CsvReader& row) -> Result<std::optional<Instant>> {
    const auto time = ParseIsoTime(row.cell(0));
    if (!time) return NotATime(row, row.cell(0), "2023-01-01 00:00:00");
    if (time->utc_offset) return Instant{time->local.time_since_epoch()} - *time->utc_offset;
    const auto t = clock.ToUtc(time->local);
    if (!t) ++skipped;
    const bool is_repeat = t && market && market->has_month_seams && !draft.axis().empty() &&
                           *t == draft.axis().last() && IsFirstHourOfMonth(time->local);
    if (!is_repeat) return t;
    ++repeats;
    return std::optional<Instant>();
  });
  if (!table) return table;
  if (repeats > 0)
    table->notes.push_back(fmt::format(
        "{} first hours of a month are repeated, each with a part of the hour; the first is kept", repeats));
  if (skipped > 0)
    table->notes.push_back(
        fmt::format("{} hours that {} skips (clocks go forward) are dropped", skipped, clock.name()));
  return table;
}

}  // namespace

const Reader kWholesalePrice{{"wholesale-price", "hourly market prices: Datetime,Price (CUR/MWh), local time"},
                             IsWholesalePrice,
                             ReadWholesalePrice};

}  // namespace heliostat::signal_files
