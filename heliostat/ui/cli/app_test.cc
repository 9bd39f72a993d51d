#include "heliostat/ui/cli/app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
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

// What the program prints, and its exit status.
struct Told {
  int status = 0;
  std::string out;
  std::string error;
};
Told Tell(std::vector<std::string> words) {
  ::setenv("HELIOSTAT_CONFIG", "/nowhere/config.toml", 1);
  words.insert(words.begin(), "heliostat");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int status = Run(static_cast<int>(arguments.size()), arguments.data());
  return {status, ::testing::internal::GetCapturedStdout(), ::testing::internal::GetCapturedStderr()};
}

TEST(RunTest, WhatIsWrongIsNamedInOneLineWithWhatIsAccepted) {
  using Words = std::vector<std::string>;
  const Words generate{"signal", "generate", "--zone", "coal", "-o", "-"};
  const auto generate_with = [&](Words more) {
    more.insert(more.begin(), generate.begin(), generate.end());
    return more;
  };
  const std::vector<std::pair<Words, std::string>> all{
      {{}, "command line: no command is given; see heliostat --help"},
      {{"signal"}, "command line: no command is given; see heliostat signal --help"},
      {{"frobnicate"}, "command line: 'frobnicate' is not a command of heliostat; see heliostat --help"},
      {{"simulat"}, "'simulat' is not a command of heliostat; did you mean simulate? See heliostat --help"},
      {{"signal", "inspekt", "x"}, "'inspekt' is not a command of heliostat signal; did you mean inspect? See"},
      {{"inspect", "x"}, "'inspect' is not a command of heliostat; did you mean heliostat signal inspect? See"},
      {{"--foo"}, "'--foo' is not an option of heliostat; see heliostat --help"},
      {{"-x"}, "'-x' is not an option of heliostat; see heliostat --help"},
      {{"simulate", "--polices=x", "s"},
       "'--polices' is not an option of heliostat simulate; did you mean --policies?"},
      {{"plan", "--objektive", "min-cost"},
       "'--objektive' is not an option of heliostat plan; did you mean --objective?"},
      {{"help", "rum"}, "'rum' is not a command of heliostat; did you mean run?"},
      {{"demo", "foo"}, "'foo' is not an argument of heliostat demo; see heliostat demo --help"},
      {{"demo", "--seed"}, "error: --seed: is given without its value; see heliostat demo --help"},
      {{"plan"}, "error: SCENARIO: is missing; see heliostat plan --help"},
      {{"run", "python", "train.py"}, "'python' stands before --; name the program after --"},
      {{"run", "--eta", "3", "--", "true"}, "error: --eta: 3 is out of range; from 0 to 1"},
      {{"forecast", "models", "--quiet", "--verbose"}, "--quiet and --verbose are both given; one of them"},
      {{"forecast", "models", "--log-format", "xml"}, "error: --log-format: 'xml' is not a format of log lines"},
      {{"signal", "generate", "--zone", "Mars", "-o", "-"},
       "error: --zone: 'Mars' is not built in; one of solar-heavy"},
      {{"reproduce", "ca-rm", "--threads", "100000"}, "error: --threads: 100000 is out of range; from 0 to 1024"},
      {generate_with({"--seed", "-1"}), "error: --seed: -1 is out of range; 0 or more"},
      {generate_with({"--seed", "abc"}), "error: --seed: 'abc' is not a number; see heliostat signal generate --help"},
      {generate_with({"--capacity-kw", "nan"}), "error: --capacity-kw: 'nan' is not a number; see"},
      {generate_with({"--quantity", "carbon,,price"}), "error: --quantity: 'carbon,,price' has an empty entry"},
      {generate_with({"--quantity", "carbon,carbon"}), "error: --quantity: 'carbon' is given twice; each entry once"},
      {{"demo", std::string(100'000, 'x')}, "xx…' is not an argument of heliostat demo"},
      {{"demo", "\x1b[31m\n"}, "'\\x1b[31m\\x0a' is not an argument of heliostat demo"},
  };
  for (const auto& [words, expected] : all) {
    const Told told = Tell(words);
    EXPECT_EQ(told.status, 2) << expected;
    EXPECT_EQ(told.out, "") << expected;
    EXPECT_THAT(told.error, HasSubstr(expected));
    EXPECT_THAT(told.error, ::testing::StartsWith("heliostat: error: "));
    EXPECT_EQ(std::ranges::count(told.error, '\n'), 1) << told.error;
    EXPECT_LT(told.error.size(), 600U);
  }
}

TEST(RunTest, ADashAsTheFileOfJsonIsStdout) {
  EXPECT_EQ(Tell({"forecast", "models", "--json=-"}).out, Tell({"forecast", "models", "--json"}).out);
}

TEST(RunTest, HelpReadsTheSameInEveryWayToAskForIt) {
  const Told told = Tell({"signal", "inspect", "--help"});
  EXPECT_EQ(told.status, 0);
  EXPECT_EQ(told.error, "");
  EXPECT_THAT(told.out, HasSubstr("Usage: heliostat signal inspect [FILE] [OPTIONS]\n"));
  EXPECT_EQ(Tell({"help", "signal", "inspect"}).out, told.out);
  EXPECT_EQ(Tell({"help"}).out, Tell({"--help"}).out);
  EXPECT_THAT(Tell({"help", "runs", "compare"}).out, HasSubstr("Usage: heliostat runs compare ID ID...\n"));
  EXPECT_THAT(Tell({"help", "environment"}).out, HasSubstr("\n  HELIOSTAT_STORE "));
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
