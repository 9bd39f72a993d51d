#include "heliostat/base/io/hostlist.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace heliostat::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Hostlist, ExpandsRangesWidthsAndSeveralBrackets) {
  EXPECT_THAT(*ExpandHostlist("gpu1"), ElementsAre("gpu1"));
  EXPECT_THAT(*ExpandHostlist("login,gpu[08-10,7]"), ElementsAre("login", "gpu08", "gpu09", "gpu10", "gpu7"));
  EXPECT_THAT(*ExpandHostlist("gpu[9-11]"), ElementsAre("gpu9", "gpu10", "gpu11"));
  EXPECT_THAT(*ExpandHostlist("r[1-2]n[1,3]-ib"), ElementsAre("r1n1-ib", "r1n3-ib", "r2n1-ib", "r2n3-ib"));
  EXPECT_THAT(*ExpandHostlist(""), IsEmpty());
  EXPECT_THAT(*ExpandHostlist("(null)"), IsEmpty());
}

TEST(Hostlist, RefusesWhatIsNone) {
  for (const char* text : {"gpu[1-", "gpu]1", "gpu[2-1]", "gpu[a]", "gpu[]", "gpu[1--2]", "gpu[-1]", ",", "a,,b", "a,",
                           "n[1-999999999]", "n[1-999][1-999]", "n[1-99999],m[1-99999]"}) {
    const auto hosts = ExpandHostlist(text);
    ASSERT_FALSE(hosts) << text;
    EXPECT_EQ(hosts.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(hosts.error().Line(), HasSubstr("such as gpu[1-4,07],login"));
  }
}

TEST(Hostlist, CompressesAsSlurmDoes) {
  EXPECT_EQ(CompressHosts({}), "");
  EXPECT_EQ(CompressHosts({"gpu1"}), "gpu1");
  EXPECT_EQ(CompressHosts({"gpu1", "gpu2", "gpu4"}), "gpu[1-2,4]");
  EXPECT_EQ(CompressHosts({"gpu09", "gpu10", "gpu11", "login"}), "gpu[09-11],login");
  EXPECT_EQ(CompressHosts({"gpu9", "gpu10"}), "gpu[9-10]");
  EXPECT_EQ(CompressHosts({"a1", "b1", "b2"}), "a1,b[1-2]");
}

// Names that are close to each other, so that ranges arise.
rc::Gen<std::vector<std::string>> AnyNames() {
  const auto name = rc::gen::apply(
      [](const std::string& prefix, int number, int width) {
        return prefix + (width == 0 ? "" : fmt::format("{:0{}}", number, width));
      },
      rc::gen::element<std::string>("gpu", "r2n", "x-", "7"), rc::gen::inRange(0, 13), rc::gen::inRange(0, 4));
  return rc::gen::container<std::vector<std::string>>(name);
}

RC_GTEST_PROP(HostlistLaws, ExpandingWhatWasCompressedGivesTheNamesAgain, ()) {
  const auto names = *AnyNames();
  const auto again = ExpandHostlist(CompressHosts(names));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == names);
}

RC_GTEST_PROP(HostlistLaws, CompressingIsStable, ()) {
  const std::string text = CompressHosts(*AnyNames());
  RC_ASSERT(CompressHosts(*ExpandHostlist(text)) == text);
}

RC_GTEST_PROP(HostlistLaws, ARangeOfAnySizeIsOneItem, ()) {
  const int low = *rc::gen::inRange(0, 2000);
  const int high = low + *rc::gen::inRange(1, 2000);
  const std::string text = fmt::format("n[{}-{}]", low, high);
  RC_ASSERT(static_cast<int>(ExpandHostlist(text)->size()) == high - low + 1);
  RC_ASSERT(CompressHosts(*ExpandHostlist(text)) == text);
}

}  // namespace
}  // namespace heliostat::io
