#include "heliostat/core/error.h"

#include <gtest/gtest.h>

namespace heliostat {
namespace {

TEST(ErrorTest, ReadsAsWhereWhatAllowed) {
  const Error error{ErrorCode::kInvalidArgument, "jobs.csv:17", "deadline is before submit", "must be later"};
  EXPECT_EQ(error.Line(), "jobs.csv:17: deadline is before submit; must be later");
  EXPECT_EQ((Error{ErrorCode::kInternal, "", "disk full", ""}.Line()), "disk full");
}

TEST(ErrorTest, StaysOneHarmlessLineWhateverTheInputHeld) {
  const Error error{ErrorCode::kInvalidArgument, "f\nile", "bad \x1b[31m cell \xff\xc2\x9b Grün",
                    std::string(5000, 'x')};
  const std::string line = error.Line();
  for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
  EXPECT_NE(line.find("\\x1b[31m"), std::string::npos);
  EXPECT_NE(line.find("\\xff\\xc2\\x9b Grün"), std::string::npos);
  EXPECT_LT(line.size(), 2000U);
}

TEST(ErrorTest, ExitStatusFollowsTheContract) {
  EXPECT_EQ(ExitStatus(ErrorCode::kInvalidArgument), 2);
  EXPECT_EQ(ExitStatus(ErrorCode::kInfeasible), 3);
  EXPECT_EQ(ExitStatus(ErrorCode::kUnavailable), 1);
}

}  // namespace
}  // namespace heliostat
