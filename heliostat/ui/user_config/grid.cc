#include "heliostat/ui/user_config/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "heliostat/base/core/nearest.h"
#include "heliostat/base/io/file.h"
#include "heliostat/signals/provider/registry.h"
#include "heliostat/signals/synthetic/generate.h"

namespace heliostat::user_config {
namespace {

namespace fs = std::filesystem;

// Countries, and Australian states, in which one grid supplies all of a time zone, by the names of Electricity Maps.
// Small islands with a grid of their own (Corsica, the Scillies) count to the mainland. Left out: countries with
// several price or control areas (Denmark, India, Italy, Japan, Norway, Sweden, the United States), and time zones that
// several countries use (Europe/Belgrade).
constexpr std::array kZones = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"Africa/Johannesburg", "ZA"},
    {"Africa/Nairobi", "KE"},
    {"America/Bogota", "CO"},
    {"America/Costa_Rica", "CR"},
    {"America/Guatemala", "GT"},
    {"America/Lima", "PE"},
    {"America/Managua", "NI"},
    {"America/Montevideo", "UY"},
    {"America/Panama", "PA"},
    {"America/Tegucigalpa", "HN"},
    {"Asia/Baku", "AZ"},
    {"Asia/Bangkok", "TH"},
    {"Asia/Hong_Kong", "HK"},
    {"Asia/Jerusalem", "IL"},
    {"Asia/Nicosia", "CY"},
    {"Asia/Seoul", "KR"},
    {"Asia/Singapore", "SG"},
    {"Asia/Taipei", "TW"},
    {"Asia/Tbilisi", "GE"},
    {"Asia/Yerevan", "AM"},
    {"Atlantic/Reykjavik", "IS"},
    {"Australia/Adelaide", "AU-SA"},
    {"Australia/Brisbane", "AU-QLD"},
    {"Australia/Canberra", "AU-NSW"},
    {"Australia/Hobart", "AU-TAS"},
    {"Australia/Melbourne", "AU-VIC"},
    {"Australia/Sydney", "AU-NSW"},
    {"Europe/Amsterdam", "NL"},
    {"Europe/Athens", "GR"},
    {"Europe/Belfast", "GB-NIR"},
    {"Europe/Berlin", "DE"},
    {"Europe/Bratislava", "SK"},
    {"Europe/Brussels", "BE"},
    {"Europe/Bucharest", "RO"},
    {"Europe/Budapest", "HU"},
    {"Europe/Chisinau", "MD"},
    {"Europe/Dublin", "IE"},
    {"Europe/Helsinki", "FI"},
    {"Europe/Istanbul", "TR"},
    {"Europe/Kiev", "UA"},
    {"Europe/Kyiv", "UA"},
    {"Europe/Lisbon", "PT"},
    {"Europe/Ljubljana", "SI"},
    {"Europe/London", "GB"},
    {"Europe/Luxembourg", "LU"},
    {"Europe/Madrid", "ES"},
    {"Europe/Malta", "MT"},
    {"Europe/Paris", "FR"},
    {"Europe/Podgorica", "ME"},
    {"Europe/Prague", "CZ"},
    {"Europe/Riga", "LV"},
    {"Europe/Sarajevo", "BA"},
    {"Europe/Skopje", "MK"},
    {"Europe/Sofia", "BG"},
    {"Europe/Tallinn", "EE"},
    {"Europe/Tirane", "AL"},
    {"Europe/Vienna", "AT"},
    {"Europe/Vilnius", "LT"},
    {"Europe/Warsaw", "PL"},
    {"Europe/Zagreb", "HR"},
    {"Europe/Zurich", "CH"},
    {"Pacific/Auckland", "NZ"},
});

bool HasKeys(std::string_view name, const Environment& environment) {
  const auto is_set = [&](const std::string& variable) {
    const auto value = environment(variable);
    return value && !value->empty();
  };
  for (const provider::ProviderFacts& facts : provider::ProviderList()) {
    if (facts.name != name) continue;
    return std::ranges::all_of(facts.keys, [&](std::string_view key) {
      return is_set(std::string(key)) || is_set(std::string(key) + "_FILE");
    });
  }
  return false;
}

// The country code alone is no zone of EIA, whose names have three letters or more and no hyphen.
bool IsEiaName(std::string_view zone) {
  return zone.size() > 2 && std::ranges::all_of(zone, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string ProviderOf(const std::string& zone, const Environment& environment) {
  const bool is_region = zone.starts_with("GB-") && zone.find_first_not_of("0123456789", 3) == std::string::npos;
  if (zone == "GB" || is_region) return "neso";
  if (IsEiaName(zone) && HasKeys("eia", environment)) return "eia";
  if (!IsEiaName(zone) && HasKeys("electricity-maps", environment)) return "electricity-maps";
  return "";
}

std::string NoProvider(const std::string& zone) {
  std::vector<std::string_view> built_in;
  for (const synthetic::ZoneFacts& facts : synthetic::Zones()) built_in.push_back(facts.name);
  if (const auto meant = Nearest(zone, built_in); !meant.empty()) {
    return fmt::format("'{}' is not a zone; did you mean the built-in zone {}?", Printable(zone, 40), meant);
  }
  return fmt::format("no provider for zone {}: set {} to your key, or name a file: heliostat config set carbon FILE",
                     zone, IsEiaName(zone) ? "HELIOSTAT_EIA_KEY" : "HELIOSTAT_ELECTRICITYMAPS_TOKEN");
}

// "Europe/Berlin" of "/usr/share/zoneinfo/Europe/Berlin".
std::string BelowZoneinfo(std::string_view path) {
  constexpr std::string_view kFolder = "zoneinfo/";
  const auto at = path.find(kFolder);
  return at == std::string_view::npos ? "" : std::string(path.substr(at + kFolder.size()));
}

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> TimeZonesOfOneZone() { return kZones; }

std::string_view ZoneOfTimeZone(std::string_view time_zone) {
  const auto found = std::ranges::find(kZones, time_zone, &std::pair<std::string_view, std::string_view>::first);
  return found == kZones.end() ? std::string_view() : found->second;
}

std::string MachineTimeZone(const Environment& environment) {
  if (auto set = environment("TZ"); set && !set->empty()) {
    if (set->starts_with(':')) set->erase(0, 1);
    return set->starts_with('/') ? BelowZoneinfo(*set) : *set;
  }
  std::error_code failure;
  const fs::path link = fs::read_symlink("/etc/localtime", failure);
  if (!failure) return BelowZoneinfo(link.string());
  const auto text = io::ReadFile("/etc/timezone");
  return text ? text->substr(0, text->find_first_of(" \t\r\n")) : "";
}

Grid ChooseGrid(const Config& config, const Environment& environment, const std::string& zone,
                const std::string& provider) {
  Grid grid;
  grid.zone = zone;
  grid.from = "option 'zone'";
  if (grid.zone.empty()) {
    grid.zone = config.text(Key::kZone);
    grid.from = config.at(Key::kZone).where;
  }
  if (grid.zone.empty()) {
    const std::string& set = config.text(Key::kTimeZone);
    const std::string local = set.empty() ? MachineTimeZone(environment) : set;
    grid.zone = ZoneOfTimeZone(local);
    grid.from = "time zone " + Printable(local, 60);
  }
  if (grid.zone.empty()) {
    grid.from.clear();
    grid.trouble = "no zone known; set one with: heliostat config set zone ZONE";
    return grid;
  }
  grid.provider = provider.empty() ? config.text(Key::kProvider) : provider;
  if (!grid.provider.empty()) return grid;
  grid.is_built_in = synthetic::FindZone(grid.zone).has_value();
  if (grid.is_built_in) return grid;
  grid.provider = ProviderOf(grid.zone, environment);
  if (grid.provider.empty()) grid.trouble = NoProvider(grid.zone);
  return grid;
}

}  // namespace heliostat::user_config
