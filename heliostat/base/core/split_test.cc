#include "heliostat/base/core/split.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat {
namespace {

using Parts = std::vector<std::string>;

TEST(SplitTest, KeepsEveryPart) {
  EXPECT_EQ(SplitAtCommas("edf,run-now"), (Parts{"edf", "run-now"}));
  EXPECT_EQ(SplitAtCommas(""), (Parts{""}));
  EXPECT_EQ(SplitAtCommas(",a,,"), (Parts{"", "a", "", ""}));
}

RC_GTEST_PROP(SplitTest, JoinedAgainItIsWhatItWas, (const std::string& text)) {
  RC_ASSERT(fmt::format("{}", fmt::join(SplitAtCommas(text), ",")) == text);
}

TEST(SplitTest, TrimsBothEndsAndNothingElse) {
  EXPECT_EQ(Trimmed(" a b\t\r\n"), "a b");
  EXPECT_EQ(Trimmed(" \n"), "");
}

}  // namespace
}  // namespace heliostat
