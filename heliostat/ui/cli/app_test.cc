#include "heliostat/ui/cli/app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "heliostat/ui/cli/environment_page.h"

namespace heliostat::cli {
namespace {

using ::testing::HasSubstr;

TEST(HelpTest, EveryCommandHasADescriptionAndAnExampleOfItself) {
  const auto pages = HelpPages();
  ASSERT_GT(pages.size(), 40U);
  for (const HelpPage& page : pages) {
    EXPECT_NE(page.about, "") << page.command;
    EXPECT_THAT(page.notes, HasSubstr("Example")) << page.command;
    EXPECT_THAT(page.notes, HasSubstr(page.command + (page.commands.empty() ? "" : " "))) << page.command;
  }
}

TEST(HelpTest, EveryOptionNamesItsUnitAndIsDescribed) {
  // Types of the parser, counts of values, values of flags, ranges of the parser.
  const std::regex foreign(R"(\b(TEXT|FLOAT|INT|UINT|BOOLEAN|REQUIRED)\b|\(\d+x\)|\{(true|false)\}| in \[)");
  for (const HelpPage& page : HelpPages()) {
    std::vector<HelpOption> all = page.arguments;
    for (const HelpGroup& group : page.groups) all.insert(all.end(), group.options.begin(), group.options.end());
    std::set<std::string> names;
    for (const HelpOption& option : all) {
      const std::string name = page.command + " " + option.names;
      EXPECT_TRUE(names.insert(option.names).second) << name << " is there twice";
      EXPECT_GT(option.about.size(), 3U) << name;
      EXPECT_FALSE(std::regex_search(option.names + " " + option.value + " " + option.about, foreign)) << name;
      // One default, said in one way.
      EXPECT_TRUE(option.default_value.empty() || option.about.find("default") == std::string::npos) << name;
      EXPECT_TRUE(std::islower(static_cast<unsigned char>(option.about.front())) == 0) << name;
      EXPECT_FALSE(option.about.ends_with('.')) << name;
    }
  }
}

TEST(HelpTest, LongCommandsHaveTheirOptionsInGroups) {
  for (const HelpPage& page : HelpPages()) {
    for (const HelpGroup& group : page.groups)
      EXPECT_LE(group.options.size(), 14U) << page.command << ": " << group.heading;
  }
}

TEST(HelpTest, HelpFitsTheTerminal) {
  for (const std::size_t width : {80, 120}) {
    for (const HelpPage& page : HelpPages()) {
      std::istringstream lines(TextOf(page, width));
      for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << page.command << ": " << line;
    }
  }
}

// The HELIOSTAT_ variables of the tables in a document, except those that are for development only.
std::set<std::string> ListedIn(const std::string& document) {
  std::ifstream file(std::string(HELIOSTAT_SOURCE_DIR "/docs/") + document);
  const std::regex variable("HELIOSTAT_[A-Z_<>]+");
  std::set<std::string> listed;
  for (std::string line; std::getline(file, line) && !line.starts_with("Development only");) {
    if (!line.starts_with("|")) continue;
    const std::string cells = line.substr(0, line.find('|', line.find('|', 1) + 1));
    for (std::sregex_iterator found(cells.begin(), cells.end(), variable), end; found != end; ++found) {
      listed.insert(found->str());
    }
  }
  return listed;
}

TEST(HelpTest, TheEnvironmentIsThatOfTheDocuments) {
  std::set<std::string> listed = ListedIn("contract.md");
  listed.merge(ListedIn("guide/reference.md"));
  std::set<std::string> printed;
  for (const HelpGroup& group : EnvironmentPage().groups) {
    for (const HelpOption& option : group.options) {
      std::istringstream names(option.names);
      for (std::string name; std::getline(names >> std::ws, name, ',');) {
        if (name.starts_with("HELIOSTAT_")) printed.insert(name);
      }
    }
  }
  EXPECT_GT(printed.size(), 20U);
  EXPECT_EQ(printed, listed);
}

}  // namespace
}  // namespace heliostat::cli
