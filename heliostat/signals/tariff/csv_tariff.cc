#include "heliostat/signals/tariff/csv_tariff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "heliostat/base/io/csv.h"
#include "heliostat/base/io/number.h"
#include "heliostat/signals/tariff/rate.h"
#include "heliostat/signals/tariff/utility.h"

namespace heliostat::tariff {
namespace {

// The columns that every such table has, in addition to the charge and optional ones.
constexpr std::array<std::string_view, 9> kNeeded{"utility",  "type",          "month_start", "month_end", "hour_start",
                                                  "hour_end", "weekday_start", "weekday_end", "units"};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// The current row, with access by column name.
class Row {
 public:
  Row(const io::CsvReader& csv, const std::vector<std::string>& header) : csv_(csv), header_(header) {}

  // Empty when there is no such column.
  std::string_view Cell(std::string_view column) const {
    const auto found = std::ranges::find(header_, column);
    return found == header_.end() ? std::string_view() : csv_.cell(static_cast<std::size_t>(found - header_.begin()));
  }
  std::string where() const { return csv_.where(); }
  tl::unexpected<Error> Refuse(std::string_view column, std::string allowed) const {
    return Fail(ErrorCode::kInvalidArgument, where(), fmt::format("{} is '{}'", column, Printable(Cell(column), 40)),
                std::move(allowed));
  }
  Result<unsigned> Whole(std::string_view column, unsigned least, unsigned most) const {
    const auto number = io::ParseInteger(Cell(column));
    if (number && *number >= static_cast<int>(least) && *number <= static_cast<int>(most)) {
      return static_cast<unsigned>(*number);
    }
    return Refuse(column, fmt::format("must be a whole number from {} to {}", least, most));
  }
  Result<double> Number(std::string_view column) const {
    if (const auto number = io::ParseNumber(Cell(column))) return *number;
    return Refuse(column, "must be a number");
  }

 private:
  const io::CsvReader& csv_;
  const std::vector<std::string>& header_;
};

// "$/kWh", "EUR/month": the currency, and the unit in lower case.
struct Units {
  Currency currency;
  std::string per;
};

Result<Units> ReadUnits(const Row& row) {
  const std::string_view text = row.Cell("units");
  const auto slash = text.find('/');
  const std::string_view money = text.substr(0, slash);
  std::optional<Currency> currency = Currency::Parse(money);
  if (money == "$") currency = Currency::Usd();
  if (money == "€") currency = Currency::Eur();
  if (money == "£") currency = Currency::Parse("GBP");
  if (slash == std::string_view::npos || !currency) return row.Refuse("units", "money per unit such as $/kWh");
  return Units{*currency, Lower(text.substr(slash + 1))};
}

// A table with two charge columns has the same number in both for electricity.
Result<double> ReadCharge(const Row& row) {
  std::string_view column = "charge";
  if (row.Cell(column).empty()) {
    column = "charge (metric)";
    if (!row.Cell("charge (imperial)").empty() && row.Cell("charge (imperial)") != row.Cell(column)) {
      return row.Refuse(column, "must equal the imperial charge: the kWh is the unit of both");
    }
  }
  const auto number = row.Number(column);
  if (!number) return Propagate(number);
  return CheckedRate(*number, row.where());
}

Result<Window> ReadWindow(const Row& row) {
  const auto first_month = row.Whole("month_start", 1, 12);
  if (!first_month) return Propagate(first_month);
  const auto last_month = row.Whole("month_end", *first_month, 12);
  if (!last_month) return Propagate(last_month);
  const auto first_day = row.Whole("weekday_start", 0, 6);
  if (!first_day) return Propagate(first_day);
  const auto last_day = row.Whole("weekday_end", *first_day, 6);
  if (!last_day) return Propagate(last_day);
  const auto first_hour = row.Number("hour_start");
  if (!first_hour) return Propagate(first_hour);
  const auto last_hour = row.Number("hour_end");
  if (!last_hour) return Propagate(last_hour);
  const auto from = HourOfDay(*first_hour, row.where());
  if (!from) return Propagate(from);
  const auto to = HourOfDay(*last_hour, row.where());
  if (!to) return Propagate(to);
  if (*to <= *from) return row.Refuse("hour_end", "must be after hour_start");
  Weekdays weekdays;
  for (unsigned day = *first_day; day <= *last_day; ++day) weekdays.set(day);
  return Window{SeasonOfMonths(*first_month, *last_month), weekdays, *from, *to};
}

bool SameWindow(const Window& a, const Window& b) {
  return a.season.first == b.season.first && a.season.last == b.season.last && a.weekdays == b.weekdays &&
         a.from == b.from && a.to == b.to;
}

class Builder {
 public:
  explicit Builder(Tariff& tariff) : tariff_(tariff) {}

  Status Add(const Row& row) {
    const std::string utility = Lower(row.Cell("utility"));
    if (utility == "gas") {
      ++gas_rows_;
      return {};
    }
    if (utility != "electric") return row.Refuse("utility", "must be electric or gas");
    const auto units = ReadUnits(row);
    if (!units) return Propagate(units);
    if (currency_ && *currency_ != units->currency) return row.Refuse("units", "one currency per table");
    currency_ = units->currency;
    const auto charge = ReadCharge(row);
    if (!charge) return Propagate(charge);
    const std::string type = Lower(row.Cell("type"));
    if (type == "customer") return AddCustomer(row, *units, *charge);
    const auto window = ReadWindow(row);
    if (!window) return Propagate(window);
    if (type == "energy") return AddEnergy(row, *units, *charge, *window);
    if (type == "demand") return AddDemand(row, *units, *charge, *window);
    if (type != "export") return row.Refuse("type", "must be customer, energy, demand or export");
    ++export_rows_;
    return {};
  }

  // Call after the last row.
  void Finish() {
    if (currency_) tariff_.currency = *currency_;
    if (gas_rows_ > 0) tariff_.notes.push_back(fmt::format("{} rows for gas are omitted", gas_rows_));
    if (export_rows_ > 0) {
      tariff_.notes.push_back(fmt::format("payments for exported energy are omitted ({} rows)", export_rows_));
    }
  }

 private:
  Status AddCustomer(const Row& row, const Units& units, double charge) {
    if (units.per != "month") return row.Refuse("units", "must be per month for a customer charge");
    tariff_.fixed_per_month = tariff_.fixed_per_month.value_or(0.0) + charge;
    return {};
  }

  // Rows of one window with rising limits are the tiers of one rate.
  Status AddEnergy(const Row& row, const Units& units, double charge, const Window& window) {
    if (units.per != "kwh") return row.Refuse("units", "must be per kWh for an energy charge");
    const auto limit = ReadLimit(row);
    if (!limit) return Propagate(limit);
    if (*limit == 0) {
      tariff_.rates.push_back({window, {Tier{charge, std::nullopt, "kWh"}}});
      return {};
    }
    const auto rate =
        std::ranges::find_if(tariff_.rates, [&](const EnergyRate& other) { return SameWindow(other.when, window); });
    if (rate == tariff_.rates.end()) {
      return Fail(ErrorCode::kInvalidArgument, row.where(), fmt::format("basic_charge_limit is {}", *limit),
                  "the row with limit 0 for the same months, days and hours must come first");
    }
    const double before = rate->tiers.size() > 1 ? *rate->tiers[rate->tiers.size() - 2].up_to : 0.0;
    if (*limit <= before) {
      return Fail(ErrorCode::kInvalidArgument, row.where(), fmt::format("basic_charge_limit is {}", *limit),
                  fmt::format("must be above {}, the limit of the row before", before));
    }
    rate->tiers.back().up_to = *limit;
    rate->tiers.push_back({charge, std::nullopt, "kWh"});
    return {};
  }

  static Result<double> ReadLimit(const Row& row) {
    for (const std::string_view column : {"basic_charge_limit", "basic_charge_limit (metric)"}) {
      if (!row.Cell(column).empty()) return row.Number(column);
    }
    return 0.0;
  }

  // Rows with the same name and charge are one charge on one peak.
  Status AddDemand(const Row& row, const Units& units, double charge, const Window& window) {
    if (units.per != "kw") return row.Refuse("units", "must be per kW for a demand charge");
    DemandCharge demand{
        std::string(row.Cell("name").empty() ? row.Cell("period") : row.Cell("name")), charge, {}, "monthly"};
    if (!row.Cell("assessed").empty()) demand.assessed = Lower(row.Cell("assessed"));
    const auto same = std::ranges::find_if(tariff_.demand, [&](const DemandCharge& other) {
      return !demand.name.empty() && other.name == demand.name && other.per_kw == charge &&
             other.assessed == demand.assessed;
    });
    DemandCharge& target = same == tariff_.demand.end() ? tariff_.demand.emplace_back(demand) : *same;
    target.when.push_back(window);
    return {};
  }

  Tariff& tariff_;
  std::optional<Currency> currency_;
  std::size_t gas_rows_ = 0;
  std::size_t export_rows_ = 0;
};

bool HasNeeded(const std::vector<std::string>& header) {
  const auto has = [&](std::string_view name) { return std::ranges::find(header, name) != header.end(); };
  return std::ranges::all_of(kNeeded, has) && (has("charge") || has("charge (metric)"));
}

std::string Stem(const std::string& file) {
  const auto slash = file.rfind('/');
  std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  return name.substr(0, name.rfind('.'));
}

}  // namespace

bool IsCsvTariffHeader(std::string_view line) {
  const auto has = [&](std::string_view name) { return line.find(name) != std::string_view::npos; };
  return has("month_start") && has("hour_start") && has("weekday_start");
}

Result<Tariff> ReadCsvTariff(std::string_view text, const std::string& file) {
  Tariff tariff;
  tariff.format = "csv-tariff";
  tariff.file = file;
  tariff.name = Stem(file);
  io::CsvReader csv(text, file);
  std::vector<std::string> header;
  if (csv.NextRow()) header = csv.texts();
  if (csv.status() && !HasNeeded(header)) {
    return Fail(ErrorCode::kInvalidArgument, file + ":1", "the header lacks a column of a tariff",
                fmt::format("must have {} and charge or charge (metric)", fmt::join(kNeeded, ", ")));
  }
  Builder builder(tariff);
  while (csv.NextRow()) {
    if (const Status added = builder.Add(Row(csv, header)); !added) return Propagate(added);
  }
  if (!csv.status()) return Propagate(csv.status());
  builder.Finish();
  AddTimeZone(tariff);
  return tariff;
}

}  // namespace heliostat::tariff
