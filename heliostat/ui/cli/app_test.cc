#include "heliostat/ui/cli/app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace heliostat::cli {
namespace {

TEST(HelpTest, EveryCommandSpeaksInWordsOfUsers) {
  const std::vector<std::string> all = HelpOfAllCommands();
  ASSERT_GT(all.size(), 40U);
  // Types of the parser, counts of values, values of flags, ranges of the parser.
  const std::regex foreign(R"(\b(TEXT|FLOAT|INT|UINT|BOOLEAN|REQUIRED)\b|\(\d+x\)|\{(true|false)\}| in \[)");
  for (const std::string& help : all) {
    std::smatch found;
    EXPECT_FALSE(std::regex_search(help, found, foreign)) << found.str() << " in:\n" << help;
  }
}

TEST(HelpTest, EveryCommandHasAnExample) {
  for (const std::string& help : HelpOfAllCommands()) {
    // A group of commands lists them instead.
    const bool is_group = help.find("\nSubcommands:") != std::string::npos;
    EXPECT_TRUE(is_group || help.find("Example") != std::string::npos) << help;
  }
}

}  // namespace
}  // namespace heliostat::cli
