#include "heliostat/base/io/http_client.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "heliostat/base/io/testing/local_server.h"

namespace heliostat::io {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::LocalServer;
using ::testing::Not;
using testing::ReceivedRequest;
using testing::Reply;
using ::testing::StartsWith;

class CurlHttpClientTest : public ::testing::Test {
 protected:
  CurlHttpClientTest() { testing::ForgetProxies(); }
};

TEST_F(CurlHttpClientTest, BringsStatusHeadersAndBody) {
  LocalServer server([](const ReceivedRequest&) { return Reply{418, "short and stout", {{"X-Kind", "tea"}}}; });
  CurlHttpClient client;
  const auto answer = client.Get({server.url() + "/pot?size=2", {{"auth-token", "abc"}}});
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_EQ(answer->status, 418);
  EXPECT_EQ(answer->body, "short and stout");
  EXPECT_EQ(answer->Header("x-kInD"), "tea");
  EXPECT_EQ(answer->Header("x-other"), std::nullopt);
  ASSERT_EQ(server.received().size(), 1u);
  EXPECT_EQ(server.received()[0].target, "/pot?size=2");
  EXPECT_EQ(server.received()[0].Header("auth-token"), "abc");
  EXPECT_THAT(server.received()[0].Header("user-agent"), StartsWith("heliostat/"));
  EXPECT_EQ(server.received()[0].Header("accept-encoding"), "gzip");
}

TEST_F(CurlHttpClientTest, UnpacksGzip) {
  // "sunny\n" packed by gzip.
  constexpr unsigned char kPacked[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0x2b, 0x2e, 0xcd,
                                       0xcb, 0xab, 0xe4, 0x02, 0x00, 0xc8, 0xfc, 0xde, 0x8a, 0x06, 0x00, 0x00, 0x00};
  const std::string packed(reinterpret_cast<const char*>(kPacked), sizeof kPacked);
  LocalServer server([&](const ReceivedRequest&) { return Reply{200, packed, {{"Content-Encoding", "gzip"}}}; });
  CurlHttpClient client;
  const auto answer = client.Get({server.url(), {}});
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_EQ(answer->body, "sunny\n");
}

TEST_F(CurlHttpClientTest, CallsWhatMayPassUnavailable) {
  HttpOptions options;
  options.total_timeout = milliseconds(60);
  CurlHttpClient client(options);
  LocalServer slow([](const ReceivedRequest&) { return Reply{200, "late", {}, milliseconds(2000)}; });
  const auto late = client.Get({slow.url(), {}});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kUnavailable);

  LocalServer broken([](const ReceivedRequest&) { return Reply{200, "0123456789", {}, milliseconds(0), true}; });
  const auto cut = client.Get({broken.url(), {}});
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::kUnavailable);

  const auto refused = client.Get({"http://127.0.0.1:1/", {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
}

TEST_F(CurlHttpClientTest, EndsWhenToldTo) {
  HttpOptions options;
  bool is_over = false;
  options.should_stop = [&is_over] { return is_over; };
  CurlHttpClient client(options);
  LocalServer server([](const ReceivedRequest&) { return Reply{200, "here"}; });
  EXPECT_TRUE(client.Get({server.url(), {}}));
  is_over = true;
  const auto ended = client.Get({server.url(), {}});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kUnavailable);
}

TEST_F(CurlHttpClientTest, RefusesOtherSchemesAndBodiesWithoutEnd) {
  CurlHttpClient client(HttpOptions{.largest_body = 10});
  const auto file = client.Get({"file:///etc/hostname", {}});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kInvalidArgument);

  LocalServer server([](const ReceivedRequest& request) {
    return Reply{200, std::string(request.target == "/10" ? 10 : 11, 'x')};
  });
  EXPECT_TRUE(client.Get({server.url() + "/10", {}}));
  const auto large = client.Get({server.url() + "/11", {}});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::kCorrupt);
}

TEST_F(CurlHttpClientTest, FollowsARedirectOnTheSameHost) {
  LocalServer server([](const ReceivedRequest& request) {
    return request.target == "/old" ? Reply{301, "", {{"Location", "/new"}}} : Reply{200, "moved"};
  });
  CurlHttpClient client;
  const auto answer = client.Get({server.url() + "/old", {{"auth-token", "abc"}}, true});
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_EQ(answer->body, "moved");
}

TEST_F(CurlHttpClientTest, TakesNoKeyToAnotherHost) {
  LocalServer thief([](const ReceivedRequest&) { return Reply{200, "thanks"}; });
  LocalServer server([&](const ReceivedRequest&) { return Reply{302, "", {{"Location", thief.url() + "/?k=v"}}}; });
  CurlHttpClient client;
  const auto refused = client.Get({server.url(), {{"auth-token", "abc"}}, true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(thief.received().empty());

  const auto keyless = client.Get({server.url(), {}, false});
  ASSERT_TRUE(keyless) << keyless.error().Line();
  EXPECT_EQ(keyless->body, "thanks");
}

TEST_F(CurlHttpClientTest, GivesUpOnARedirectInACircle) {
  LocalServer server([](const ReceivedRequest&) { return Reply{302, "", {{"Location", "/again"}}}; });
  CurlHttpClient client(HttpOptions{.most_redirects = 2});
  const auto answer = client.Get({server.url(), {}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(server.received().size(), 3u);
}

TEST_F(CurlHttpClientTest, AsksThroughTheProxyOfTheEnvironment) {
  LocalServer proxy([](const ReceivedRequest&) { return Reply{200, "by proxy"}; });
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  CurlHttpClient client;
  const auto answer = client.Get({"http://grid.invalid/now", {}});
  testing::ForgetProxies();
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_EQ(answer->body, "by proxy");
  EXPECT_EQ(proxy.received()[0].target, "http://grid.invalid/now");
}

TEST_F(CurlHttpClientTest, KeepsTheQueryOutOfMessages) {
  CurlHttpClient client;
  const auto refused = client.Get({"http://user:pass@127.0.0.1:1/api?securityToken=s3cret#s3cret", {}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Line(), HasSubstr("http://127.0.0.1:1/api"));
  EXPECT_THAT(refused.error().Line(), Not(HasSubstr("s3cret")));
  EXPECT_THAT(refused.error().Line(), Not(HasSubstr("pass")));
}

}  // namespace
}  // namespace heliostat::io
