#include "heliostat/ui/user_config/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

namespace heliostat::user_config {
namespace {

Grid GridWith(const std::map<std::string, std::string>& variables, const std::string& zone = "",
              const std::string& provider = "") {
  const Environment environment = [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  return ChooseGrid(Config::Read(environment, {}).value(), environment, zone, provider);
}

TEST(GridTest, AnOptionIsStrongerThanTheConfigurationAndThatThanTheTimeZone) {
  const std::map<std::string, std::string> variables{{"TZ", "Europe/London"}, {"HELIOSTAT_ZONE", "solar-heavy"}};
  EXPECT_EQ(GridWith(variables, "GB").provider, "neso");
  EXPECT_EQ(GridWith(variables).from, "HELIOSTAT_ZONE");
  EXPECT_TRUE(GridWith(variables).is_built_in);
  EXPECT_EQ(GridWith({{"TZ", ":Europe/London"}}).zone, "GB");
  EXPECT_EQ(GridWith({{"TZ", "/usr/share/zoneinfo/Europe/London"}}).from, "time zone Europe/London");
  EXPECT_EQ(GridWith({{"TZ", "Europe/London"}, {"HELIOSTAT_TIME_ZONE", "Europe/Paris"}}).zone, "FR");
}

TEST(GridTest, ATimeZoneOfSeveralZonesNamesNone) {
  for (const char* const name : {"America/New_York", "Europe/Rome", "Asia/Tokyo", "UTC", "no such"}) {
    const Grid grid = GridWith({{"TZ", name}});
    EXPECT_EQ(grid.zone, "") << name;
    EXPECT_EQ(grid.trouble, "no zone known; set one with: heliostat config set zone ZONE");
  }
}

TEST(GridTest, TheProviderFollowsFromZoneAndKeys) {
  EXPECT_EQ(GridWith({}, "GB-13").provider, "neso");
  EXPECT_EQ(GridWith({}, "DE").provider, "");
  EXPECT_THAT(GridWith({}, "DE").trouble, testing::HasSubstr("HELIOSTAT_ELECTRICITYMAPS_TOKEN"));
  EXPECT_EQ(GridWith({{"HELIOSTAT_ELECTRICITYMAPS_TOKEN", "k"}}, "DE").provider, "electricity-maps");
  EXPECT_EQ(GridWith({{"HELIOSTAT_ELECTRICITYMAPS_TOKEN", ""}}, "DE").provider, "");
  EXPECT_EQ(GridWith({{"HELIOSTAT_EIA_KEY_FILE", "/k"}}, "CISO").provider, "eia");
  EXPECT_EQ(GridWith({}, "duck-curv").trouble, "'duck-curv' is not a zone; did you mean the built-in zone duck-curve?");
  EXPECT_THAT(GridWith({}, "CISO").trouble, testing::HasSubstr("HELIOSTAT_EIA_KEY"));
  EXPECT_EQ(GridWith({}, "DE", "watttime").provider, "watttime");
  EXPECT_EQ(GridWith({{"HELIOSTAT_PROVIDER", "watttime"}}, "DE").provider, "watttime");
}

// The zones of grids are those of the country that IANA gives for the time zone, or parts of it.
TEST(GridTest, EveryTimeZoneOfTheTableIsOfTheCountryOfItsZone) {
  std::ifstream table("/usr/share/zoneinfo/zone.tab");
  if (!table) GTEST_SKIP() << "this machine has no zone.tab";
  std::map<std::string, std::string, std::less<>> countries;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream cells(line);
    std::string country, place, name;
    cells >> country >> place >> name;
    countries[name] = country;
  }
  std::size_t known = 0;
  for (const auto& [time_zone, zone] : TimeZonesOfOneZone()) {
    EXPECT_EQ(ZoneOfTimeZone(time_zone), zone);
    const auto found = countries.find(time_zone);
    if (found == countries.end()) continue;  // an old name, such as Europe/Kiev
    ++known;
    EXPECT_EQ(found->second, zone.substr(0, 2)) << time_zone;
  }
  EXPECT_GE(known + 5, TimeZonesOfOneZone().size());
  EXPECT_EQ(ZoneOfTimeZone(""), "");
}

}  // namespace
}  // namespace heliostat::user_config
