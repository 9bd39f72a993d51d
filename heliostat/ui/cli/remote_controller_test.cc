#include "heliostat/ui/cli/remote_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heliostat::cli {
namespace {

using munge_channel::HostPort;
using ::testing::HasSubstr;

TEST(RemoteControllerTest, AnAddressSaysWhoAnswersWhere) {
  const auto by_number = ParseRemoteController("998@ctl1", "--controller");
  ASSERT_TRUE(by_number) << by_number.error().Line();
  EXPECT_EQ(by_number->uid, 998U);
  EXPECT_EQ(by_number->address, (HostPort{"ctl1", 6842}));
  const auto by_name = ParseRemoteController("root@[::1]:7", "--controller");
  ASSERT_TRUE(by_name) << by_name.error().Line();
  EXPECT_EQ(by_name->uid, 0U);
  EXPECT_EQ(by_name->address, (HostPort{"::1", 7}));
}

TEST(RemoteControllerTest, WhatIsNoneIsRefusedInOneLine) {
  EXPECT_THAT(ParseRemoteController("no-such-user@ctl1", "--controller").error().Line(),
              HasSubstr("--controller: user 'no-such-user' is not known on this host; USER@HOST"));
  for (const char* text : {"", "@ctl1", "root@", "root@ctl1:0", "root@ctl1:x", "root@a b"}) {
    EXPECT_FALSE(ParseRemoteController(text, "--controller")) << text;
  }
}

TEST(RemoteControllerTest, WithoutMungeItSaysSo) {
  const auto peer = ParseRemoteController("0@localhost:1", "--controller");
  const auto answer = AskRemoteController(*peer, "{}", [](const std::string& name) {
    return name == "HELIOSTAT_MUNGE_SOCKET" ? std::optional<std::string>("/absent/socket") : std::nullopt;
  });
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().Line(), HasSubstr("munge: "));
}

}  // namespace
}  // namespace heliostat::cli
