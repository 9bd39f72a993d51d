#include "heliostat/ui/experiments/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heliostat/base/core/hash.h"
#include "heliostat/base/core/nearest.h"
#include "heliostat/base/io/file.h"
#include "heliostat/signals/signal/fill.h"
#include "heliostat/signals/signal_files/read.h"
#include "heliostat/signals/synthetic/generate.h"
#include "heliostat/ui/experiments/case.h"

namespace heliostat::experiments {
namespace {

constexpr const char* kCarbonFile = "carbon/electricitymaps/em_2023_2024_lca.csv";
constexpr const char* kPriceFile = "price/wholesale/price_utc_2023_2024.csv";
constexpr const char* kAmericanWindFile = "renewable/rts_gmlc/REAL_TIME_wind.csv";
constexpr const char* kEuropeanWindFile = "renewable/kelmarsh/2019_wind_kelmarsh2.csv";

enum class Wind { kBuiltIn, kAmerican, kEuropean };

struct RealPlace {
  const char* name;
  const char* zone;  // the built-in zone with the same kind of grid, or the nearest sun
  Wind wind;
};
constexpr std::array<RealPlace, 8> kRealPlaces{{
    {"KR", "island", Wind::kBuiltIn},
    {"DE-LU", "mixed-import", Wind::kEuropean},
    {"US-CAL-CISO", "duck-curve", Wind::kAmerican},
    {"US-TEX-ERCO", "wind-heavy", Wind::kAmerican},
    {"US-MIDA-PJM", "thermal-mix", Wind::kAmerican},
    {"AU-NSW", "solar-heavy", Wind::kBuiltIn},
    {"CA-ON", "nuclear", Wind::kBuiltIn},
    {"GB", "mixed-import", Wind::kEuropean},
}};

Result<signal_files::SignalTable> Read(const std::string& folder, const char* name, StudyPlaces& world) {
  const std::string path = folder + "/" + name;
  const auto text = io::ReadFile(path);
  if (!text) return Propagate(text);
  world.fingerprint = Hash64(*text, world.fingerprint);
  return signal_files::ReadSignalText(*text, path);
}

// Fills gaps with the values of the day before: a few hours at clock changes, and one day of DE-LU.
std::optional<signal::Signal> ColumnOf(const signal_files::SignalTable& table, const std::string& name) {
  for (const signal_files::SignalColumn& column : table.columns) {
    if (column.signal.name != name && column.signal.meaning.zone != name) continue;
    signal::Signal signal = column.signal;
    signal.series = signal::Fill(signal::Fill(signal.series, signal::FillRule::kYesterday), signal::FillRule::kTypical);
    return signal;
  }
  return std::nullopt;
}

std::optional<signal::Signal> HourlyWind(const signal_files::SignalTable& table) {
  if (table.columns.empty()) return std::nullopt;
  signal::Signal signal = table.columns[table.primary].signal;
  const auto hourly = signal.series.Resample(Duration{3600}, signal.series.start());
  if (!hourly) return std::nullopt;
  signal.series = signal::Fill(*hourly, signal::FillRule::kYesterday);
  return signal;
}

}  // namespace

Result<const Place*> StudyPlaces::Find(const std::string& name) const {
  std::vector<std::string_view> names;
  for (const Place& place : places) {
    if (place.name == name) return &place;
    names.push_back(place.name);
  }
  return Fail(ErrorCode::kNotFound, "place", fmt::format("'{}' is not known", Printable(name, 40)), OneOf(name, names));
}

StudyPlaces BuiltInWorld() {
  StudyPlaces world;
  for (const synthetic::ZoneFacts& zone : synthetic::Zones()) {
    world.places.push_back({std::string(zone.name), std::string(zone.name)});
  }
  world.about = "nine built-in zones: generated series, fitted to real grids";
  return world;
}

Result<StudyPlaces> RealWorld(const std::string& folder) {
  StudyPlaces world;
  world.is_real = true;
  world.about =
      "eight zones of Electricity Maps (2024, life cycle), wholesale prices of seven of them, wind of RTS-GMLC and "
      "Kelmarsh; solar power, and all signals that were not measured, from the built-in zones";
  const auto carbon = Read(folder, kCarbonFile, world);
  if (!carbon) return Propagate(carbon);
  const auto price = Read(folder, kPriceFile, world);
  if (!price) return Propagate(price);
  const auto american = Read(folder, kAmericanWindFile, world);
  if (!american) return Propagate(american);
  const auto european = Read(folder, kEuropeanWindFile, world);
  if (!european) return Propagate(european);
  for (const RealPlace& real : kRealPlaces) {
    Place place{real.name, real.zone, ColumnOf(*carbon, real.name), ColumnOf(*price, real.name)};
    if (!place.carbon) {
      return Fail(ErrorCode::kNotFound, folder + "/" + kCarbonFile, fmt::format("has no column '{}'", real.name),
                  "the file of the public data set, unchanged");
    }
    if (real.wind == Wind::kAmerican) place.wind = HourlyWind(*american);
    if (real.wind == Wind::kEuropean) place.wind = HourlyWind(*european);
    world.places.push_back(std::move(place));
  }
  return world;
}

}  // namespace heliostat::experiments
