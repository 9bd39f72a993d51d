#include "heliostat/ui/cli/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::cli {
namespace {

using ::testing::ElementsAre;

TEST(ShellWords, AreSplitAsAShellDoes) {
  EXPECT_THAT(WordsOf(R"( a "b c" 'd "e' f\ g h"i"j '' # k)"), ElementsAre("a", "b c", "d \"e", "f g", "hij", ""));
  EXPECT_THAT(WordsOf("a#b #c"), ElementsAre("a#b"));
  EXPECT_THAT(WordsOf("'open a"), ElementsAre("open a"));
}

RC_GTEST_PROP(ShellWords, AreTheSameAfterQuotingAndSplitting, (std::vector<std::string> words)) {
  RC_ASSERT(WordsOf(InShell(words)) == words);
}

}  // namespace
}  // namespace heliostat::cli
