#include "heliostat/signals/provider/secret.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace heliostat::provider {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

static_assert(!fmt::is_formattable<Secret>::value, "a secret must not be printable");

Environment FromMap(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

class SecretFileTest : public ::testing::Test {
 protected:
  SecretFileTest() : path_(::testing::TempDir() + "heliostat_secret_test_" + std::to_string(::getpid())) {}
  ~SecretFileTest() override { std::filesystem::remove(path_); }

  Result<Secret> Read(const std::string& text, mode_t mode) {
    std::ofstream(path_) << text;
    EXPECT_EQ(::chmod(path_.c_str(), mode), 0);
    return ReadSecret(FromMap({{"HELIOSTAT_X_KEY_FILE", path_}}), "HELIOSTAT_X_KEY");
  }
  std::string path_;
};

TEST(SecretTest, ComesFromTheVariable) {
  const auto secret = ReadSecret(FromMap({{"HELIOSTAT_X_KEY", " abc\n"}}), "HELIOSTAT_X_KEY");
  ASSERT_TRUE(secret) << secret.error().Line();
  EXPECT_EQ(secret->Reveal(), "abc");
}

TEST(SecretTest, SaysWhichVariableIsWanting) {
  const auto secret = ReadSecret(FromMap({}), "HELIOSTAT_X_KEY");
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(secret.error().Line(), HasSubstr("HELIOSTAT_X_KEY_FILE"));
}

TEST(SecretTest, RefusesALineBreakInsideAndDoesNotShowIt) {
  const auto secret = ReadSecret(FromMap({{"HELIOSTAT_X_KEY", "abc\r\nX-Evil: 1"}}), "HELIOSTAT_X_KEY");
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(secret.error().Line(), Not(HasSubstr("abc")));
}

TEST(SecretTest, ProcessEnvironmentIsTheProcesss) {
  ::setenv("HELIOSTAT_SECRET_TEST", "here", 1);
  EXPECT_EQ(ProcessEnvironment()("HELIOSTAT_SECRET_TEST"), "here");
  ::unsetenv("HELIOSTAT_SECRET_TEST");
  EXPECT_EQ(ProcessEnvironment()("HELIOSTAT_SECRET_TEST"), std::nullopt);
}

TEST_F(SecretFileTest, ComesFromAFileOfItsOwnerAlone) {
  const auto secret = Read("from-file\n", 0600);
  ASSERT_TRUE(secret) << secret.error().Line();
  EXPECT_EQ(secret->Reveal(), "from-file");
}

TEST_F(SecretFileTest, RefusesAFileThatOthersCanRead) {
  for (const mode_t mode : {0640U, 0604U, 0660U, 0601U}) {
    const auto secret = Read("leaked", mode);
    ASSERT_FALSE(secret) << fmt::format("{:o}", mode);
    EXPECT_EQ(secret.error().code, ErrorCode::kPermissionDenied);
    EXPECT_THAT(secret.error().Line(), Not(HasSubstr("leaked")));
  }
}

TEST_F(SecretFileTest, RefusesAFileThatIsNotThere) {
  const auto secret = ReadSecret(FromMap({{"HELIOSTAT_X_KEY_FILE", path_ + "-gone"}}), "HELIOSTAT_X_KEY");
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace heliostat::provider
