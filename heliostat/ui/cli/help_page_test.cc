#include "heliostat/ui/cli/help_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <sstream>

namespace heliostat::cli {
namespace {

using ::testing::HasSubstr;

TEST(HelpPageTest, ParagraphsAreFilledAndLinesKept) {
  EXPECT_EQ(Filled("One two\nthree four.\n\nFive:\n  six\n  seven", 80),
            "One two three four.\n\nFive:\n  six\n  seven\n");
  EXPECT_EQ(Filled("One two three four.", 10), "One two\nthree\nfour.\n");
}

TEST(HelpPageTest, TheSecondColumnOfATableStaysAColumn) {
  EXPECT_EQ(Filled("  name   one two three\n         four five six\n  other  seven", 31),
            "  name   one two three four\n         five six\n  other  seven\n");
}

TEST(HelpPageTest, ALongExampleCanBeCopied) {
  EXPECT_EQ(Filled("Example: heliostat plan scenario.toml --objective min-carbon", 40),
            "Example:\n  heliostat plan scenario.toml \\\n      --objective min-carbon\n");
}

TEST(HelpPageTest, OptionsShowRangeAndDefaultBehindTheDescription) {
  HelpPage page{.command = "tool", .about = "About"};
  page.groups.push_back({"Options", {{"--eta", "SHARE", "Weight of carbon", "0 to 1", "0.5"}}});
  EXPECT_THAT(TextOf(page, 80), HasSubstr("  --eta SHARE                 Weight of carbon (0 to 1; default: 0.5)\n"));
  page.groups[0].options[0].about = "Weight of carbon (default: as configured)";
  page.groups[0].options[0].default_value = "";
  EXPECT_THAT(TextOf(page, 80), HasSubstr("Weight of carbon (0 to 1; default: as configured)\n"));
  EXPECT_THAT(TextOf(page, 50),
              HasSubstr("  --eta SHARE\n      Weight of carbon (0 to 1; default: as\n      configured)\n"));
}

TEST(HelpPageTest, AnIndentLeavesRoomForWords) {
  EXPECT_EQ(Filled(std::string(75, ' ') + "abcdefghijklmnop", 80), std::string(40, ' ') + "abcdefghijklmnop\n");
}

// Whatever the width, no line is longer and no word is lost. Only a word that is longer than a column may stand out.
RC_GTEST_PROP(HelpPageLaws, TextFitsTheWidthAndKeepsItsWords, ()) {
  const auto width = *rc::gen::inRange<std::size_t>(40, 130);
  const auto word = rc::gen::container<std::string>(rc::gen::inRange('a', 'd'));
  std::string notes;
  for (const std::string& one : *rc::gen::container<std::vector<std::string>>(word)) {
    notes += one.substr(0, 18) + (one.size() % 7 == 6 ? "\n" : " ");
  }
  const std::string filled = Filled(notes, width);
  std::istringstream lines(filled);
  for (std::string line; std::getline(lines, line);) RC_ASSERT(line.size() <= width);
  const auto words_of = [](const std::string& text) {
    std::istringstream all(text);
    std::vector<std::string> words;
    for (std::string one; all >> one;) words.push_back(one);
    return words;
  };
  RC_ASSERT(words_of(filled) == words_of(notes));
}

}  // namespace
}  // namespace heliostat::cli
