#include "heliostat/base/core/home_path.h"

#include <gtest/gtest.h>

#include <map>

namespace heliostat {
namespace {

using Variables = std::map<std::string, std::string>;

Result<std::string> PathIn(const Variables& variables, HomeFolder folder = HomeFolder::kCache,
                           const char* name = "signals.db") {
  return HomePath({"signal store", "HELIOSTAT_STORE", folder, name}, [&](const std::string& variable) {
    const auto found = variables.find(variable);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(HomePathTest, PrefersTheMostExplicit) {
  EXPECT_EQ(*PathIn({{"HELIOSTAT_STORE", "here.db"}, {"XDG_CACHE_HOME", "/c"}, {"HOME", "/h"}}), "here.db");
  EXPECT_EQ(*PathIn({{"HELIOSTAT_STORE", ""}, {"XDG_CACHE_HOME", "/c"}, {"HOME", "/h"}}), "/c/heliostat/signals.db");
  EXPECT_EQ(*PathIn({{"XDG_CACHE_HOME", ""}, {"HOME", "/h"}}), "/h/.cache/heliostat/signals.db");
  EXPECT_EQ(*PathIn({{"XDG_CACHE_HOME", "not/absolute"}, {"HOME", "/h"}}), "/h/.cache/heliostat/signals.db");
}

TEST(HomePathTest, EveryKindHasItsFolder) {
  const Variables all{{"XDG_CACHE_HOME", "/c"}, {"XDG_DATA_HOME", "/d"}, {"XDG_STATE_HOME", "/s"}, {"HOME", "/h"}};
  const Variables home{{"HOME", "/h"}};
  EXPECT_EQ(*PathIn(all, HomeFolder::kData, "runs"), "/d/heliostat/runs");
  EXPECT_EQ(*PathIn(home, HomeFolder::kData, "runs"), "/h/.local/share/heliostat/runs");
  EXPECT_EQ(*PathIn(all, HomeFolder::kState, ""), "/s/heliostat");
  EXPECT_EQ(*PathIn(home, HomeFolder::kState, ""), "/h/.local/state/heliostat");
  EXPECT_EQ(*PathIn(home, HomeFolder::kConfig, "config.toml"), "/h/.config/heliostat/config.toml");
}

TEST(HomePathTest, WithoutAHomeNoKindHasAPlace) {
  for (const HomeFolder folder : {HomeFolder::kCache, HomeFolder::kData, HomeFolder::kState}) {
    for (const Variables& variables : {Variables{}, {{"HOME", ""}}, {{"HOME", "relative"}}}) {
      const auto path = PathIn(variables, folder);
      ASSERT_FALSE(path);
      EXPECT_EQ(path.error().Line(),
                "signal store: has no path: HOME is not set; set HOME, or HELIOSTAT_STORE to a path");
    }
    EXPECT_EQ(*PathIn({{"HELIOSTAT_STORE", "here"}}, folder), "here");
  }
}

TEST(HomePathTest, AKindsFolderMovesNoOtherKind) {
  const Variables variables{{"XDG_CACHE_HOME", "/c"}, {"HOME", "/h"}};
  EXPECT_EQ(*PathIn(variables, HomeFolder::kCache, "x"), "/c/heliostat/x");
  EXPECT_EQ(*PathIn(variables, HomeFolder::kData, "x"), "/h/.local/share/heliostat/x");
  EXPECT_EQ(*PathIn(variables, HomeFolder::kState, "x"), "/h/.local/state/heliostat/x");
}

TEST(HomePathTest, AnAbsoluteFolderNeedsNoHome) {
  EXPECT_EQ(*PathIn({{"XDG_STATE_HOME", "/s"}}, HomeFolder::kState, "agent"), "/s/heliostat/agent");
  EXPECT_EQ(PathIn({{"XDG_STATE_HOME", "s"}}, HomeFolder::kState, "agent").error().code, ErrorCode::kNotFound);
}

TEST(EnvironmentTest, TheProcessesOwnIsReadBothWays) {
  const Environment environment = ProcessEnvironment();
  EXPECT_EQ(environment("HELIOSTAT_A_VARIABLE_THAT_IS_NOT_SET"), std::nullopt);
  ::setenv("HELIOSTAT_AN_EMPTY_VARIABLE", "", 1);
  EXPECT_EQ(environment("HELIOSTAT_AN_EMPTY_VARIABLE"), std::nullopt) << "empty counts as not set";
  ::unsetenv("HELIOSTAT_AN_EMPTY_VARIABLE");
  for (const std::string& variable : ProcessVariables()) {
    const std::size_t equals = variable.find('=');
    ASSERT_NE(equals, std::string::npos);
    const std::string value = variable.substr(equals + 1);
    EXPECT_EQ(environment(variable.substr(0, equals)), value.empty() ? std::nullopt : std::optional(value));
  }
}

}  // namespace
}  // namespace heliostat
