#include "heliostat/node/agent/request_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/node/agent/testing/small_workers.h"

namespace heliostat::agent {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

const local_socket::Peer kRootPeer{1, 0, {}};

// Sends the request and waits for its answer.
std::string AnswerOf(RequestHandler& handler, SmallWorkers& small, const std::string& request) {
  std::optional<std::string> answer;
  handler.Handle(kRootPeer, request, [&](std::string text) {
    answer = std::move(text);
    return true;
  });
  EXPECT_TRUE(small.Await([&] { return answer.has_value(); })) << request;
  return answer.value_or("");
}

TEST(RequestHandlerTest, WhileStartingItKnowsNoLeasesAndSaysSo) {
  SmallWorkers small;
  RequestHandler handler({small.workers.get(), &small.audit, &small.machine, small.now(), ReadProcessFacts, "", {}},
                         {});
  for (const char* request :
       {R"({"do":"leases","all":true})", R"({"do":"list"})", R"({"do":"show","gpu":0})",
        R"({"do":"set","gpu":0,"power_limit_w":300,"ttl_s":60})", R"({"do":"renew","lease":"a-1","ttl_s":60})",
        R"({"do":"release","lease":"a-1"})", R"({"do":"reset"})"}) {
    const auto answer = ReadAnswer(AnswerOf(handler, small, request), "agent");
    ASSERT_FALSE(answer) << request;
    EXPECT_TRUE(IsStarting(answer.error())) << answer.error().Line();
  }
  EXPECT_THAT(AnswerOf(handler, small, R"({"do":"status"})"),
              AllOf(HasSubstr(R"("state":"starting")"), HasSubstr(R"("leases":null)")));
  handler.set_state("serving");
  EXPECT_EQ(AnswerOf(handler, small, R"({"do":"leases"})"), R"({"ok":true,"leases":[]})");
  EXPECT_THAT(AnswerOf(handler, small, R"({"do":"release","lease":"a-1"})"), HasSubstr("not-found"));
}

TEST(RequestHandlerTest, PagesHaveEveryLeaseOnceHoweverManyFit) {
  SmallWorkers small;
  constexpr int kLeases = 20;
  for (const std::size_t most : {std::size_t{1}, std::size_t{2000}, kMostAnswerBytes}) {
    RequestHandler handler(
        {small.workers.get(), &small.audit, &small.machine, small.now(), ReadProcessFacts, "", {}, most}, {});
    handler.set_state("serving");
    while (small.leases() < kLeases) {
      const std::string set =
          fmt::format(R"({{"do":"set","gpu":{},"power_limit_w":300,"ttl_s":60}})", small.leases() % 2);
      ASSERT_THAT(AnswerOf(handler, small, set), HasSubstr("as-asked"));
    }
    const auto whole = ReadAnswer(AnswerOf(handler, small, R"({"do":"leases"})"), "agent");
    EXPECT_EQ(whole.has_value(), most == kMostAnswerBytes);
    if (!whole) EXPECT_TRUE(IsTooLong(whole.error())) << whole.error().Line();
    std::set<std::string> ids;
    AskLeases ask{true, 7, ""};
    for (int page = 0; page <= kLeases; ++page) {
      const auto answer = ReadAnswer(AnswerOf(handler, small, Describe(Request(ask)).Line()), "agent");
      ASSERT_TRUE(answer);
      const auto& leases = **answer->Find("leases")->Elements();
      EXPECT_LE(leases.size(), 7U);
      for (const io::Json& lease : leases) EXPECT_TRUE(ids.insert(*lease.Find("id")->Text()).second) << "twice";
      if (answer->Find("next") == nullptr) break;
      ask.after = *answer->Find("next")->Text();
    }
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(kLeases));
  }
}

TEST(RequestHandlerTest, LeasesOfAGpuThatHangsFromTheStartAreNotDenied) {
  SmallWorkers small;
  const auto hanging = std::make_shared<SharedCard>(7);
  hanging->HangInReads();
  std::vector<std::unique_ptr<device::Gpu>> gpus;
  gpus.push_back(std::make_unique<CardHandle>(hanging));
  GpuWorkers workers(std::move(gpus), {&small.machine, &small.audit, small.now(), small.state, 1h, 5s});
  RequestHandler handler({&workers, &small.audit, &small.machine, small.now(), ReadProcessFacts, "", {}}, {});
  small.seconds += 6;
  ASSERT_TRUE(workers.IsOpen()) << "one GPU that hangs does not keep the agent from serving the others";
  handler.set_state("serving");
  EXPECT_THAT(AnswerOf(handler, small, R"({"do":"leases"})"), HasSubstr(R"("leases":[],"incomplete":["GPU-)"));
  EXPECT_THAT(AnswerOf(handler, small, R"({"do":"release","lease":"a-1"})"), HasSubstr("unavailable"));
  hanging->Answer();
}

}  // namespace
}  // namespace heliostat::agent
