#include "heliostat/model/workload/job_comment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace heliostat::workload {
namespace {

using ::testing::HasSubstr;

JobComment AnyComment() {
  JobComment comment;
  if (*rc::gen::arbitrary<bool>()) comment.deadline = Instant{Duration{*rc::gen::inRange(0LL, 4'000'000'000LL)}};
  if (*rc::gen::arbitrary<bool>()) comment.slack_share = *rc::gen::inRange(0, 1'000'001) / 1e4;
  comment.may_suspend = *rc::gen::arbitrary<bool>();
  comment.may_requeue = *rc::gen::arbitrary<bool>();
  return comment;
}

RC_GTEST_PROP(JobComment, IsReadAsItWasWrittenWhateverStandsAround, ()) {
  const JobComment comment = AnyComment();
  const std::string text = FormatJobComment(comment);
  RC_ASSERT(text.empty() == comment.empty());
  RC_ASSERT(text.find(' ') == std::string::npos);
  const auto around = [] {
    return *rc::gen::elementOf(std::vector<std::string>{"", "ticket 17", "a=b;c", "heliostat", "noheliostat:x"});
  };
  const auto back = ParseJobComment(around() + " " + text + " " + around());
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == comment);
}

TEST(JobComment, ReadsAnySubsetInAnyOrder) {
  const auto all = ParseJobComment("x heliostat:may=requeue,suspend;slack=12.5%;deadline=2026-11-18T09:00:00+01:00\ty");
  ASSERT_TRUE(all.has_value()) << all.error().Line();
  EXPECT_EQ(FormatJobComment(*all), "heliostat:deadline=2026-11-18T08:00:00Z;slack=12.5%;may=suspend,requeue");
  EXPECT_EQ(ParseJobComment("ticket;heliostat:slack=0%")->slack_share, 0.0);
  EXPECT_TRUE(ParseJobComment("nothing of ours")->empty());
  EXPECT_TRUE(HasHeliostatPart("x heliostat:nonsense"));
  EXPECT_FALSE(HasHeliostatPart("thank heliostat"));
}

TEST(JobComment, RefusesWhatItDoesNotKnowInOneLine) {
  for (const char* bad :
       {"heliostat:", "heliostat:slack", "heliostat:slack=50", "heliostat:slack=-1%", "heliostat:slack=nan%",
        "heliostat:slack=1.234%", "heliostat:slack=1e9%", "heliostat:slack=5%;", "heliostat:slack=5%;slack=6%",
        "heliostat:may=", "heliostat:may=kill", "heliostat:may=suspend,suspend", "heliostat:may=suspend;may=requeue",
        "heliostat:deadline=tomorrow", "heliostat:deadline=", "heliostat:slak=5%",
        "heliostat:slack=5% heliostat:slack=5%"}) {
    const auto comment = ParseJobComment(bad);
    ASSERT_FALSE(comment.has_value()) << bad;
    EXPECT_THAT(comment.error().Line(), HasSubstr("comment")) << bad;
    EXPECT_EQ(comment.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace heliostat::workload
