#include "heliostat/base/core/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/base/core/log_format.h"

namespace heliostat {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;

// What `write` prints to stderr in this format.
template <typename Write>
std::string Printed(LogFormat format, Write write) {
  SetLogFormat(format);
  ::testing::internal::CaptureStderr();
  write();
  SetLogFormat(LogFormat::kText);
  return ::testing::internal::GetCapturedStderr();
}

TEST(LogTest, EachMessageIsOneJsonObjectOnRequest) {
  const std::string line = Printed(LogFormat::kJson, [] { LogLine(LogLevel::kWarning, "a \"b\" \\ \x1b[1m c"); });
  EXPECT_THAT(line, ContainsRegex("^\\{\"time\":\"20[0-9-]+T[0-9:]+Z\",\"level\":\"warning\",\"message\":"));
  EXPECT_THAT(line, EndsWith("\"a \\\"b\\\" \\\\ \\\\x1b[1m c\"}\n"));
  EXPECT_THAT(Printed(LogFormat::kJson, [] { LogText("two\nlines\tand a tab\n"); }),
              EndsWith("\"message\":\"two\\nlines\\u0009and a tab\\n\"}\n"));
}

TEST(LogTest, AnErrorHasItsPartsAsMembers) {
  const Error error{ErrorCode::kInvalidArgument, "--eta", "is 3", "0 to 1"};
  EXPECT_EQ(Printed(LogFormat::kText, [&] { LogError(error); }), "heliostat: error: --eta: is 3; 0 to 1\n");
  EXPECT_THAT(Printed(LogFormat::kJson, [&] { LogError(error); }),
              EndsWith("\"level\":\"error\",\"message\":\"is 3\",\"where\":\"--eta\",\"allowed\":\"0 to 1\"}\n"));
  EXPECT_THAT(Printed(LogFormat::kJson,
                      [] {
                        LogError({ErrorCode::kInternal, "", "out of memory", ""});
                      }),
              EndsWith("\"level\":\"error\",\"message\":\"out of memory\"}\n"));
}

}  // namespace
}  // namespace heliostat
