#include "heliostat/ui/user_config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace heliostat::user_config {
namespace {

using Variables = std::map<std::string, std::string>;

Environment Having(const Variables& variables) {
  return [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

// Two files in a folder of their own.
class ConfigTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& path, const std::string& text) const { std::ofstream(path) << text; }

  std::string folder_ = testing::TempDir() + "config-" + testing::UnitTest::GetInstance()->current_test_info()->name();
  Files files_{folder_ + "/user.toml", folder_ + "/system.toml"};
};

TEST_F(ConfigTest, TheStrongestOriginWins) {
  Write(files_.system, "zone = \"FR\"\npue = 1.4\nknob = \"pace\"\n");
  Write(files_.user, "# mine\nzone = \"DE\"\npue = 1.2\n");
  const auto config = Config::Read(Having({{"HELIOSTAT_ZONE", "GB"}, {"HELIOSTAT_PUE", ""}}), files_);
  ASSERT_TRUE(config) << config.error().Line();
  EXPECT_EQ(config->text(Key::kZone), "GB");
  EXPECT_EQ(config->at(Key::kZone).where, "HELIOSTAT_ZONE");
  EXPECT_EQ(config->text(Key::kPue), "1.2");
  EXPECT_EQ(config->at(Key::kPue).where, files_.user + ":3");
  EXPECT_EQ(config->text(Key::kKnob), "pace");
  EXPECT_EQ(config->at(Key::kKnob).where, files_.system + ":3");
  EXPECT_EQ(config->text(Key::kEta), "0.5");
  EXPECT_EQ(config->at(Key::kEta).where, "default");
}

TEST_F(ConfigTest, RefusesWithTheLine) {
  const auto message = [&](const std::string& text) {
    Write(files_.user, text);
    const auto config = Config::Read(Having({}), files_);
    return config ? "accepted" : config.error().Line().substr(files_.user.size());
  };
  EXPECT_EQ(message("\nzome = \"DE\"\n").substr(0, 40), ":2: zome is not known; did you mean zone");
  EXPECT_EQ(message("pue = 9\n"), ":1: pue: '9' is not in the range; a number from 1 to 5");
  EXPECT_EQ(message("zone = true\n"), ":1: zone is true or false; must be text in quotes");
  EXPECT_EQ(message("carbon = \"de.csv\"\n"),
            ":1: carbon: 'de.csv' is not an absolute path; a path that begins with /");
  EXPECT_EQ(message("eta = 0.5\nmax_slowdown = \"2%\"\n"),
            ":2: eta is set too, at " + files_.user + ":1; either eta or max_slowdown");
  EXPECT_EQ(message("zone = \"D E\"\n"),
            ":1: zone: 'D E' is not a zone; letters, digits, - and _, such as DE or US-CAL-CISO");
  EXPECT_EQ(message("provider = \"nesso\"\n").substr(0, 58),
            ":1: provider: 'nesso' is not a provider; did you mean neso");
  EXPECT_EQ(message(""), "accepted");
}

TEST_F(ConfigTest, RefusesAVariableByItsName) {
  const auto config = Config::Read(Having({{"HELIOSTAT_ETA", "much"}}), files_);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().Line(), "HELIOSTAT_ETA: 'much' is not in the range; a number from 0 to 1");
  EXPECT_EQ(ExitStatus(config.error().code), 2);
}

TEST_F(ConfigTest, OfEtaAndSlowdownTheStrongerStays) {
  Write(files_.user, "max_slowdown = \"2.5%\"\n");
  EXPECT_EQ(Config::Read(Having({}), files_)->text(Key::kMaxSlowdown), "2.5%");
  EXPECT_EQ(Config::Read(Having({{"HELIOSTAT_ETA", "0.7"}}), files_)->text(Key::kMaxSlowdown), "");
  Write(files_.system, "eta = 0.2\n");
  EXPECT_EQ(Config::Read(Having({}), files_)->text(Key::kMaxSlowdown), "2.5%");
}

TEST_F(ConfigTest, LayersBelowSeeTheFilesAsVariables) {
  Write(files_.user, "runs = \"/data/runs\"\n");
  const Environment environment = Having({{"HOME", "/h"}, {"HELIOSTAT_RUNS", ""}});
  const auto config = Config::Read(environment, files_);
  ASSERT_TRUE(config);
  const Environment over = config->Over(environment);
  EXPECT_EQ(over("HELIOSTAT_RUNS"), "/data/runs");
  EXPECT_EQ(over("HOME"), "/h");
  EXPECT_EQ(over("HELIOSTAT_ETA"), std::nullopt) << "a default is no variable";
}

TEST_F(ConfigTest, KnowsWhereTheFilesAre) {
  EXPECT_EQ(FilesOf(Having({{"XDG_CONFIG_HOME", "/x"}, {"HOME", "/h"}})).user, "/x/heliostat/config.toml");
  EXPECT_EQ(FilesOf(Having({{"HOME", "/h"}})).user, "/h/.config/heliostat/config.toml");
  EXPECT_EQ(FilesOf(Having({{"HELIOSTAT_CONFIG", "/c.toml"}})).user, "/c.toml");
  EXPECT_EQ(FilesOf(Having({})).user, "");
  EXPECT_TRUE(Config::Read(Having({}))) << "no home is no error";
}

TEST(KeysTest, EveryKeyHasItsPlaceAndAValidDefault) {
  for (std::size_t i = 0; i < Keys().size(); ++i) {
    const KeyFacts& facts = Keys()[i];
    EXPECT_EQ(static_cast<std::size_t>(facts.key), i);
    EXPECT_EQ(KeyNamed(facts.name).value(), facts.key);
    if (!facts.fallback.empty()) EXPECT_TRUE(CheckValue(facts.key, facts.fallback, "")) << facts.name;
  }
  EXPECT_EQ(KeyNamed("max-slowdown").value(), Key::kMaxSlowdown);
  EXPECT_THAT(KeyNamed("zome").error().Line(), testing::HasSubstr("did you mean zone?"));
}

}  // namespace
}  // namespace heliostat::user_config
