#include "heliostat/model/history/hostlist.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::history {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Expanded(std::string_view text) {
  const auto hosts = ExpandHostlist(text, "row");
  EXPECT_TRUE(hosts.has_value()) << text;
  return hosts ? *hosts : std::vector<std::string>{};
}

TEST(HostlistTest, RangesKeepTheirWidth) {
  EXPECT_THAT(Expanded("node7"), ElementsAre("node7"));
  EXPECT_THAT(Expanded("gpu[1-3,07-09]"), ElementsAre("gpu1", "gpu2", "gpu3", "gpu07", "gpu08", "gpu09"));
  EXPECT_THAT(Expanded("a,b[1-2],c-1.site"), ElementsAre("a", "b1", "b2", "c-1.site"));
  EXPECT_THAT(Expanded("r[1-2]n[08-10]x"), ElementsAre("r1n08x", "r1n09x", "r1n10x", "r2n08x", "r2n09x", "r2n10x"));
  EXPECT_THAT(Expanded("n[9-11]"), ElementsAre("n9", "n10", "n11"));
}

TEST(HostlistTest, OtherTextIsRefused) {
  for (const char* text : {"", "a,,b", "a[", "a]", "a[1", "a[3-1]", "a[x]", "a[1-]", "a[1,]", "a[1-2", "None assigned",
                           "a[1[2]]", "n[0-100000]", "n[0-999]m[0-999]", "a[-1]", "a[1-2]]"}) {
    const auto hosts = ExpandHostlist(text, "dump.txt:4");
    ASSERT_FALSE(hosts.has_value()) << text;
    EXPECT_THAT(hosts.error().Line(), HasSubstr("dump.txt:4: '")) << text;
  }
}

RC_GTEST_PROP(HostlistTest, AListOfSingleNamesIsThoseNames, ()) {
  const auto numbers = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 2000)));
  std::string ranges;
  std::vector<std::string> names;
  for (const int number : numbers) {
    names.push_back(fmt::format("gpu{:03}", number));
    ranges += fmt::format("{}{:03}", ranges.empty() ? "" : ",", number);
  }
  RC_ASSERT(*ExpandHostlist("gpu[" + ranges + "]", "row") == names);
  RC_ASSERT(*ExpandHostlist(fmt::format("{}", fmt::join(names, ",")), "row") == names);
}

}  // namespace
}  // namespace heliostat::history
