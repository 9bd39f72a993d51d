#include "heliostat/node/local_socket/connection_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heliostat::local_socket {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Claimant kRoot = UserOf(Peer{1, 0, {}});
const Claimant kAda = UserOf(Peer{2, 1001, {}});

TEST(ConnectionShareTest, OneUserCannotHaveAllAndRootHasARest) {
  for (std::size_t all = 1; all < 300; ++all) {
    const Share ada = ShareOf(all, false);
    EXPECT_GE(ada.of_one, 1U);
    EXPECT_LE(ada.of_one, std::max<std::size_t>(1, all / 4));
    EXPECT_LE(ada.together, all);
    if (all >= 8) EXPECT_LT(ada.together, all) << "root gets none of " << all;
    EXPECT_EQ(ShareOf(all, true).of_one, all);
    EXPECT_EQ(ShareOf(all, true).together, all);
  }
}

TEST(ConnectionShareTest, ARefusalNamesBothBounds) {
  EXPECT_TRUE(Admit(kAda, {1, 6}, 8, "server"));
  const auto own = Admit(kAda, {2, 2}, 8, "server");
  ASSERT_FALSE(own);
  EXPECT_EQ(own.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(own.error().Line(), "server: 2 connections are open, 2 of user 1001; 7 are allowed, 2 of one user");
  EXPECT_THAT(Admit(kAda, {0, 7}, 8, "server").error().Line(),
              AllOf(HasSubstr("7 connections"), HasSubstr("0 of user")));
  EXPECT_THAT(Admit({"host", "::1"}, {2, 2}, 8, "server").error().Line(),
              AllOf(HasSubstr("2 of host ::1"), HasSubstr("2 of one host")));
  EXPECT_TRUE(Admit(kRoot, {0, 7}, 8, "server"));
  EXPECT_FALSE(Admit(kRoot, {0, 8}, 8, "server"));
}

}  // namespace
}  // namespace heliostat::local_socket
