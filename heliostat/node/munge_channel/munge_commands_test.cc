#include "heliostat/node/munge_channel/munge_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "heliostat/node/munge_channel/testing/munge_daemon.h"

namespace heliostat::munge_channel {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class MungeCommandsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!MungeDaemon::IsInstalled()) GTEST_SKIP() << "munge is not installed";
  }
};

TEST_F(MungeCommandsTest, ACredentialTellsWhoMadeItAndItsPayload) {
  const MungeDaemon munged;
  ASSERT_TRUE(munged.is_running());
  std::string longest(kMostPayloadBytes, '\0');
  for (std::size_t i = 0; i < longest.size(); ++i) longest[i] = static_cast<char>((i * i) >> 3U);
  for (const std::string& payload : {std::string(), std::string("UID: 77\n\nUID: 78\n"), longest}) {
    const auto credential = Encode(munged.commands(), payload, ::geteuid());
    ASSERT_TRUE(credential) << credential.error().Line();
    EXPECT_EQ(credential->find_first_of(" \n"), std::string::npos);
    const auto decoded = Decode(munged.commands(), *credential);
    ASSERT_TRUE(decoded) << decoded.error().Line();
    EXPECT_EQ(decoded->uid, ::geteuid());
    EXPECT_EQ(decoded->gid, ::getegid());
    EXPECT_GE(decoded->age, 0s);
    EXPECT_LE(decoded->age, 60s);
    EXPECT_TRUE(decoded->payload == payload);
  }
}

TEST_F(MungeCommandsTest, ACredentialIsDecodedOnceAndByItsReader) {
  const MungeDaemon munged;
  const auto credential = Encode(munged.commands(), "text", ::geteuid());
  ASSERT_TRUE(credential) << credential.error().Line();
  EXPECT_TRUE(Decode(munged.commands(), *credential));
  const auto again = Decode(munged.commands(), *credential);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(again.error().Line(), "unmunge: the credential was decoded before");
  const auto foreign = Encode(munged.commands(), "text", ::geteuid() + 1);
  ASSERT_TRUE(foreign) << foreign.error().Line();
  EXPECT_THAT(Decode(munged.commands(), *foreign).error().Line(), HasSubstr("Unauthorized credential"));
}

TEST_F(MungeCommandsTest, WhatAnotherKeyMadeIsRefused) {
  const MungeDaemon munged;
  const MungeDaemon other('o');
  const auto credential = Encode(other.commands(), "text", ::geteuid());
  ASSERT_TRUE(credential) << credential.error().Line();
  EXPECT_EQ(Decode(munged.commands(), *credential).error().code, ErrorCode::kPermissionDenied);
  for (const std::string junk : {"", "junk", "MUNGE:", "MUNGE:AwQFAABOD751:"}) {
    const auto decoded = Decode(munged.commands(), junk);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().code, ErrorCode::kPermissionDenied) << junk << decoded.error().Line();
  }
}

TEST_F(MungeCommandsTest, WithoutItsDaemonItIsUnavailable) {
  MungeDaemon munged;
  MungeCommands commands = munged.commands();
  munged.Freeze();
  commands.time = 50ms;
  EXPECT_THAT(Encode(commands, "text", 0).error().Line(), HasSubstr("does not end within 50 ms"));
  EXPECT_EQ(Decode(commands, "MUNGE:AwQF:").error().code, ErrorCode::kUnavailable);
  munged.Kill();
  const auto encoded = Encode(munged.commands(), "text", 0);
  ASSERT_FALSE(encoded);
  EXPECT_EQ(encoded.error().code, ErrorCode::kUnavailable) << encoded.error().Line();
}

TEST(MungeScriptTest, ACommandThatIsMissingOrStrangeIsAnError) {
  const io::Scratch scratch;
  MungeCommands commands;
  commands.munge = scratch.folder() / "absent";
  EXPECT_EQ(Encode(commands, "text", 0).error().code, ErrorCode::kNotFound);
  for (const std::string text : {"", "echo junk", "echo UID: 1; echo; echo text", "echo; echo",
                                 "printf 'UID: x\\nGID: 1\\nENCODE_TIME: 1\\nDECODE_TIME: 1\\nLENGTH: 0\\n\\n'",
                                 "printf 'UID: 1\\nGID: 1\\nENCODE_TIME: 1\\nDECODE_TIME: 1\\nLENGTH: 9\\n\\ntext'"}) {
    commands.unmunge = Script(scratch, "unmunge", text);
    const auto decoded = Decode(commands, "credential");
    ASSERT_FALSE(decoded) << text;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt) << text;
  }
  commands.unmunge = Script(scratch, "unmunge",
                            "printf 'UID: 5\\nGID: 6\\nENCODE_TIME: 100\\nDECODE_TIME: 170\\nLENGTH: 4\\n\\ntext'");
  const auto decoded = Decode(commands, "credential");
  ASSERT_TRUE(decoded) << decoded.error().Line();
  EXPECT_EQ(decoded->uid, 5U);
  EXPECT_EQ(decoded->age, 70s);
}

}  // namespace
}  // namespace heliostat::munge_channel
