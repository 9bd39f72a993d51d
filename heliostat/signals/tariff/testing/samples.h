#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

namespace heliostat::tariff::testing {

// Invented tariffs in the three formats.

// Summer is June to September; winter includes the end of the year.
inline constexpr const char* kAcn = R"({
  "name": "SCE Sample", "effective": "2021-3-1",
  "schedule": [
    {"id": "Summer-Weekday", "effective_start": "06-01", "effective_end": "9-30", "dow_mask": "WEEKDAYS",
     "times": [0, 8.5, 20], "tariffs": [0.1, 0.4, 0.2], "demand_charge": 12.5},
    {"id": "Summer-Weekend", "effective_start": "06-01", "effective_end": "9-30", "dow_mask": "WEEKENDS",
     "times": [0], "tariffs": [0.1], "demand_charge": 12.5},
    {"id": "Winter", "effective_start": "10-01", "effective_end": "5-31", "dow_mask": "ALL",
     "times": [0, 16, 21], "tariffs": [0.05, 0.3, 0.05], "demand_charge": 0}
  ]})";

inline constexpr const char* kCsvHeader =
    "utility,type,name,basic_charge_limit,assessed,month_start,month_end,hour_start,hour_end,weekday_start,weekday_end,"
    "charge,units\n";
inline const std::string kCsv = std::string(kCsvHeader) +
                                "electric,customer,,,,,,,,,,100.5,$/month\n"
                                "electric,demand,peak,0,monthly,5,10,12,18,0,4,21,$/kW\n"
                                "electric,demand,shoulder,0,monthly,5,10,8.5,12,0,4,6,$/kW\n"
                                "electric,demand,shoulder,0,monthly,5,10,18,21.5,0,4,6,$/kW\n"
                                "electric,energy,,0,,5,10,0,8.5,0,4,0.08,$/kWh\n"
                                "electric,energy,,0,,5,10,8.5,24,0,4,0.16,$/KWh\n"
                                "electric,energy,,0,,5,10,0,24,5,6,0.08,$/kWh\n"
                                "electric,energy,,0,,1,4,0,24,0,6,0.09,$/kWh\n"
                                "electric,energy,,0,,11,12,0,24,0,6,0.07,$/kWh\n"
                                "electric,energy,,500,,11,12,0,24,0,6,0.11,$/kWh\n"
                                "electric,export,,0,,1,12,0,24,0,6,1,$/kWh\n"
                                "gas,energy,,0,,1,12,0,24,0,6,0.5,$/therm\n";

// A table of 12 x 24 numbers, each `period(month from 1, hour)`.
template <typename Period>
std::string UrdbTable(Period period) {
  std::string text = "[";
  for (int month = 1; month <= 12; ++month) {
    text += month == 1 ? "[" : ",[";
    for (int hour = 0; hour < 24; ++hour) text += fmt::format("{}{}", hour == 0 ? "" : ",", period(month, hour));
    text += "]";
  }
  return text + "]";
}

// May to October has a peak from 14 to 19 on working days; two tiers off peak.
inline std::string Urdb(const std::string& weekday, const std::string& weekend) {
  return fmt::format(R"({{"items": [{{"name": "General Sample", "utility": "Detroit Edison Co",
    "startdate": 1577836800, "enddate": 1609459199, "fixedchargefirstmeter": 2, "fixedchargeunits": "$/month",
    "energyratestructure": [[{{"rate": 0.1, "adj": 0.02, "max": 500, "unit": "kWh"}}, {{"rate": 0.15}}],
                            [{{"rate": 0.25, "sell": 0.1}}]],
    "energyweekdayschedule": {}, "energyweekendschedule": {},
    "flatdemandstructure": [[{{"rate": 0}}], [{{"rate": 9.5, "adj": 0.5}}]],
    "flatdemandmonths": [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0]}}]}})",
                     weekday, weekend);
}
inline std::string Urdb() {
  return Urdb(
      UrdbTable([](int month, int hour) { return month >= 5 && month <= 10 && hour >= 14 && hour < 19 ? 1 : 0; }),
      UrdbTable([](int, int) { return 0; }));
}

}  // namespace heliostat::tariff::testing
