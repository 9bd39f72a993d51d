#include "heliostat/signals/provider/testing/provider_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heliostat::provider::testing {
namespace {

std::string NumberText(const std::optional<double>& value, double factor = 1) {
  if (!value) return "null";
  return std::isnan(*value) ? "NaN" : fmt::format("{}", *value * factor);
}

std::string Joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ",\n")); }

std::string MinuteText(Instant t) { return FormatInstant(t).substr(0, 16) + "Z"; }

auto NesoBody(AnswerRole role) {
  return [role](const std::vector<Point>& points, Instant /*issued*/, const Departure& departure) {
    std::vector<std::string> rows;
    for (const auto& [begin, value] : points) {
      const std::string text = NumberText(value, departure.other_unit ? 1000 : 1);
      // The field of the other role holds a different value, which must not be used.
      rows.push_back(fmt::format(
          R"({{"from": "{}", "to": "{}", "intensity": {{"forecast": {}, "actual": {}, "index": "moderate"}}}})",
          MinuteText(begin), MinuteText(begin + Duration{1800}), role == AnswerRole::kForecast ? text : "77",
          role == AnswerRole::kMeasured ? text : "77"));
    }
    return fmt::format(R"({{"data": [{}]}})", Joined(rows));
  };
}

auto ElectricityMapsBody(AnswerRole role) {
  return [role](const std::vector<Point>& points, Instant issued, const Departure& departure) {
    std::vector<std::string> rows;
    for (const auto& [begin, value] : points) {
      const std::string extra = role == AnswerRole::kForecast ? "" : R"(, "emissionFactorType": "lifecycle",
          "isEstimated": false, "estimationMethod": null)";
      rows.push_back(fmt::format(R"({{"carbonIntensity": {}, "datetime": "{}.000Z"{}}})",
                                 NumberText(value, departure.other_unit ? 1e-3 : 1), FormatInstant(begin).substr(0, 19),
                                 extra));
    }
    return fmt::format(R"({{"zone": "{}", "{}": [{}], "updatedAt": "{}.123Z", "temporalGranularity": "hourly"}})",
                       departure.other_zone ? "FR" : "DE", role == AnswerRole::kForecast ? "forecast" : "history",
                       Joined(rows), FormatInstant(issued).substr(0, 19));
  };
}

std::string WattTimeBody(const std::vector<Point>& points, Instant issued, const Departure& departure) {
  std::vector<std::string> rows;
  for (const auto& [begin, value] : points) {
    rows.push_back(fmt::format(R"({{"point_time": "{}+00:00", "value": {}}})", FormatInstant(begin).substr(0, 19),
                               NumberText(value, 1000 / 453.59237)));
  }
  return fmt::format(
      R"({{"data": [{}], "meta": {{"data_point_period_seconds": 300, "region": "{}", "warnings": [],
      "signal_type": "co2_moer", "model": {{"date": "2023-03-01"}}, "units": "{}",
      "generated_at_period_seconds": 300, "generated_at": "{}+00:00"}}}})",
      Joined(rows), departure.other_zone ? "PJM_DC" : "CAISO_NORTH",
      departure.other_unit ? "kg_co2_per_mwh" : "lbs_co2_per_mwh", FormatInstant(issued).substr(0, 19));
}

std::string EnergyChartsBody(const std::vector<Point>& points, Instant /*issued*/, const Departure& departure) {
  std::vector<std::string> times;
  std::vector<std::string> prices;
  for (const auto& [begin, value] : points) {
    times.push_back(std::to_string(begin.time_since_epoch().count()));
    prices.push_back(NumberText(value));
  }
  return fmt::format(
      R"({{"license_info": "CC BY 4.0", "unix_seconds": [{}], "price": [{}], "unit": "{}", "deprecated": false}})",
      Joined(times), Joined(prices), departure.other_unit ? "ct / kWh" : "EUR / MWh");
}

std::string EntsoePeriod(Instant start, Instant end, const std::string& points) {
  return fmt::format(
      "<Period><timeInterval><start>{}</start><end>{}</end></timeInterval><resolution>PT60M</resolution>"
      "{}</Period>\n",
      MinuteText(start), MinuteText(end), points);
}

std::string EntsoePoint(std::int64_t position, double value) {
  return fmt::format("<Point><position>{}</position><price.amount>{}</price.amount></Point>", position,
                     std::isnan(value) ? "NaN" : fmt::format("{}", value));
}

std::string EntsoeBody(const std::vector<Point>& points, Instant /*issued*/, const Departure& departure) {
  constexpr Duration kHour{3600};
  std::string on_grid;
  std::string off_grid;
  const Instant start = points.empty() ? Instant{} : std::ranges::min(points, {}, &Point::begin).begin;
  const Instant end = points.empty() ? Instant{} : std::ranges::max(points, {}, &Point::begin).begin + kHour;
  for (const auto& [begin, value] : points) {
    if (!value) continue;
    if ((begin - start) % kHour == Duration{0}) {
      on_grid += EntsoePoint((begin - start) / kHour + 1, *value);
    } else {
      off_grid += EntsoePeriod(begin, begin + kHour, EntsoePoint(1, *value));
    }
  }
  const std::string whole = points.empty() ? "" : EntsoePeriod(start, start + (end - start) / kHour * kHour, on_grid);
  const std::string eic = departure.other_zone ? "10YFR-RTE------C" : "10Y1001A1001A82H";
  return fmt::format(R"(<?xml version="1.0" encoding="utf-8"?>
<Publication_MarketDocument xmlns="urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3">
<mRID>1</mRID><type>A44</type><TimeSeries><mRID>1</mRID><auction.type>A01</auction.type>
<in_Domain.mRID codingScheme="A01">{0}</in_Domain.mRID><out_Domain.mRID codingScheme="A01">{0}</out_Domain.mRID>
<currency_Unit.name>EUR</currency_Unit.name><price_Measure_Unit.name>{1}</price_Measure_Unit.name>
<curveType>A01</curveType>
{2}{3}</TimeSeries></Publication_MarketDocument>)",
                     eic, departure.other_unit ? "KWH" : "MWH", whole, off_grid);
}

// Coal and wind in the shares that result in the intensity.
std::string EiaBody(const std::vector<Point>& points, Instant /*issued*/, const Departure& departure) {
  std::vector<std::string> rows;
  const auto add = [&](Instant begin, std::string_view fuel, const std::string& value) {
    const Instant end = begin + Duration{3600};
    const bool is_whole = std::chrono::floor<std::chrono::hours>(end) == end;
    rows.push_back(fmt::format(R"({{"period": "{}", "respondent": "{}", "respondent-name": "California",
        "fueltype": "{}", "type-name": "-", "value": {}, "value-units": "{}"}})",
                               FormatInstant(end).substr(0, is_whole ? 13 : 20), departure.other_zone ? "PJM" : "CISO",
                               fuel, value, departure.other_unit ? "gigawatthours" : "megawatthours"));
  };
  for (const auto& [begin, value] : points) {
    const double coal = value ? (*value - 11) / (820 - 11) : 0;
    const std::string coal_text = NumberText(coal, 1000);
    add(begin, "COL", value ? '"' + coal_text + '"' : "null");
    add(begin, "WND", fmt::format("\"{}\"", std::isnan(coal) ? 1000.0 : (1 - coal) * 1000));
  }
  return fmt::format(R"({{"response": {{"total": "{}", "dateFormat": "YYYY-MM-DD\"T\"HH24", "frequency": "hourly",
      "data": [{}]}}, "request": {{}}, "apiVersion": "2.1.8"}})",
                     rows.size(), Joined(rows));
}

}  // namespace

std::vector<ProviderCase> AllProviderCases() {
  using signal::Kind;
  const std::map<std::string, std::string> watttime_keys{{"HELIOSTAT_WATTTIME_USER", "u5er-s3cret"},
                                                         {"HELIOSTAT_WATTTIME_PASSWORD", "pa55-s3cret"}};
  std::vector<ProviderCase> cases;
  for (const AnswerRole role : {AnswerRole::kMeasured, AnswerRole::kForecast}) {
    cases.push_back(
        {"neso", role, Kind::kCarbonIntensity, "GB", Duration{1800}, {}, /*says_zone=*/false, NesoBody(role)});
    cases.push_back({"electricity-maps",
                     role,
                     Kind::kCarbonIntensity,
                     "DE",
                     Duration{3600},
                     {{"HELIOSTAT_ELECTRICITYMAPS_TOKEN", "em-s3cret"}},
                     true,
                     ElectricityMapsBody(role)});
    cases.push_back(
        {"watttime", role, Kind::kCarbonIntensity, "CAISO_NORTH", Duration{300}, watttime_keys, true, WattTimeBody});
    cases.push_back(
        {"energy-charts", role, Kind::kPrice, "DE-LU", Duration{900}, {}, /*says_zone=*/false, EnergyChartsBody});
    cases.push_back({"entsoe",
                     role,
                     Kind::kPrice,
                     "DE-LU",
                     Duration{3600},
                     {{"HELIOSTAT_ENTSOE_TOKEN", "entsoe-s3cret"}},
                     true,
                     EntsoeBody});
  }
  cases.push_back({"eia",
                   AnswerRole::kMeasured,
                   Kind::kCarbonIntensity,
                   "CISO",
                   Duration{3600},
                   {{"HELIOSTAT_EIA_KEY", "eia-s3cret"}},
                   true,
                   EiaBody});
  return cases;
}

std::string NameOf(const ProviderCase& provider_case) {
  std::string name = provider_case.name;
  std::ranges::replace(name, '-', '_');
  return name + (provider_case.role == AnswerRole::kMeasured ? "_measured" : "_forecast");
}

void PrintTo(const ProviderCase& provider_case, std::ostream* out) { *out << NameOf(provider_case); }

}  // namespace heliostat::provider::testing
