#include "heliostat/node/agent/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::agent {
namespace {

using namespace std::chrono_literals;
using device::Knob;
using device::Setting;
using ::testing::HasSubstr;

rc::Gen<std::string> AText(int most) {
  return rc::gen::resize(most, rc::gen::container<std::string>(rc::gen::inRange<char>(0x20, 0x7F)));
}

Setting ASetting() {
  const Knob knob = *rc::gen::elementOf(std::vector<Knob>(device::kKnobs.begin(), device::kKnobs.end()));
  if (knob == Knob::kPowerLimit) {
    const auto milliwatts = *rc::gen::inRange<std::int64_t>(1, 100'000'000);
    return {knob, false, milliwatts, milliwatts};
  }
  const auto low = *rc::gen::inRange<std::int64_t>(1, 5000);
  return {knob, false, low, low + *rc::gen::inRange<std::int64_t>(0, 5000)};
}

GpuSelector AGpu() {
  return *rc::gen::inRange(0, 2) == 0 ? std::to_string(*rc::gen::inRange(0, 10'000)) : "GPU-" + *AText(40);
}

Request ARequest() {
  const auto ttl = std::chrono::seconds(*rc::gen::inRange<std::int64_t>(1, kLongestTtl.count() + 1));
  switch (*rc::gen::inRange(0, 9)) {
    case 0:
      return AskStatus{};
    case 1:
      return AskList{};
    case 2:
      return AskShow{AGpu()};
    case 3:
      if (*rc::gen::arbitrary<bool>()) return AskLeases{*rc::gen::arbitrary<bool>(), std::nullopt, ""};
      return AskLeases{*rc::gen::arbitrary<bool>(), *rc::gen::inRange(1, kMostLeasesPerPage + 1), *AText(40)};
    case 4:
      return AskRights{};
    case 5:
      return AskSet{
          AGpu(), ASetting(), ttl,
          *rc::gen::arbitrary<bool>() ? std::optional(*rc::gen::inRange<pid_t>(kOwnProcess, 1 << 22)) : std::nullopt,
          *AText(64)};
    case 6:
      return AskRenew{"x" + *AText(40), ttl};
    case 7:
      return AskRelease{"x" + *AText(40)};
    default:
      return AskReset{*rc::gen::arbitrary<bool>() ? std::optional(AGpu()) : std::nullopt};
  }
}

RC_GTEST_PROP(ProtocolTest, ARequestWrittenAndReadAgainIsTheSame, ()) {
  const Request request = ARequest();
  const std::string line = Describe(request).Line();
  RC_ASSERT(line.find('\n') == std::string::npos);
  const auto again = ParseRequest(line);
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == request);
}

RC_GTEST_PROP(ProtocolTest, ARequestWithAnUnknownFieldIsRefused, ()) {
  const Request request = ARequest();
  auto json = Describe(request);
  json.Set("sudo", true);
  const auto again = ParseRequest(json.Line());
  RC_ASSERT(!again.has_value());
  RC_ASSERT(again.error().code == ErrorCode::kInvalidArgument);
}

RC_GTEST_PROP(ProtocolTest, AnErrorAnsweredAndReadIsTheSame, ()) {
  Error error{ErrorCode::kPermissionDenied, *AText(100), *AText(100), *AText(100)};
  error.code = *rc::gen::element(ErrorCode::kInvalidArgument, ErrorCode::kInfeasible, ErrorCode::kNotFound,
                                 ErrorCode::kPermissionDenied, ErrorCode::kUnsupported, ErrorCode::kUnavailable,
                                 ErrorCode::kCorrupt, ErrorCode::kInternal);
  const auto read = ReadAnswer(ErrorAnswer(error), "agent");
  RC_ASSERT(!read.has_value());
  RC_ASSERT(read.error().code == error.code);
  RC_ASSERT(read.error().Line() == error.Line());
}

TEST(ProtocolTest, ReadsTheExamplesOfTheGuide) {
  const auto set = ParseRequest(R"({"do":"set","gpu":3,"power_limit_w":300.5,"ttl_s":3600,"pid":123,"job":"bert"})");
  ASSERT_TRUE(set) << set.error().Line();
  EXPECT_EQ(std::get<AskSet>(*set), (AskSet{"3", Setting::PowerLimit(Watts{300.5}), 3600s, 123, "bert"}));
  const auto one = ParseRequest(R"({"do":"set","gpu":"GPU-1","core_clock_mhz":1200,"ttl_s":1})");
  ASSERT_TRUE(one);
  EXPECT_EQ(std::get<AskSet>(*one).wanted, (Setting{Knob::kCoreClock, false, 1200, 1200}));
  const auto two = ParseRequest(R"({"do":"set","gpu":"GPU-1","memory_clock_mhz":[2201,3201],"ttl_s":1})");
  ASSERT_TRUE(two);
  EXPECT_EQ(std::get<AskSet>(*two).wanted, (Setting{Knob::kMemoryClock, false, 2201, 3201}));
}

TEST(ProtocolTest, OneGpuHasOneName) {
  for (const char* text : {R"({"do":"show","gpu":7})", R"({"do":"show","gpu":"7"})", R"({"do":"show","gpu":"007"})"}) {
    EXPECT_EQ(std::get<AskShow>(*ParseRequest(text)).gpu, "7") << text;
  }
  EXPECT_EQ(std::get<AskShow>(*ParseRequest(R"({"do":"show","gpu":"000"})")).gpu, "0");
}

TEST(ProtocolTest, RefusesWhatIsNoRequest) {
  for (const std::string& line : {
           std::string(),
           std::string("{}"),
           std::string("[]"),
           std::string("null"),
           std::string(R"({"do":"run"})"),
           std::string(R"({"do":7})"),
           std::string(R"({"do":"list"} {"do":"list"})"),
           std::string(R"({"do":"show"})"),
           std::string(R"({"do":"show","gpu":-1})"),
           std::string(R"({"do":"show","gpu":""})"),
           std::string(R"({"do":"show","gpu":1.5})"),
           std::string(R"({"do":"show","gpu":"12345"})"),
           std::string(R"({"do":"leases","all":1})"),
           std::string(R"({"do":"leases","limit":0})"),
           std::string(R"({"do":"leases","limit":1.5})"),
           std::string(R"({"do":"leases","after":"a-1"})"),
           std::string(R"({"do":"set","gpu":0,"ttl_s":60})"),
           std::string(R"({"do":"set","gpu":0,"power_limit_w":300})"),
           std::string(R"({"do":"set","power_limit_w":300,"ttl_s":60})"),
           std::string(R"({"do":"set","gpu":0,"power_limit_w":0,"ttl_s":60})"),
           std::string(R"({"do":"set","gpu":0,"power_limit_w":-5,"ttl_s":60})"),
           std::string(R"({"do":"set","gpu":0,"power_limit_w":"300","ttl_s":60})"),
           std::string(R"({"do":"set","gpu":0,"power_limit_w":300,"ttl_s":0})"),
           std::string(R"({"do":"set","gpu":0,"power_limit_w":300,"ttl_s":1e9})"),
           std::string(R"({"do":"set","gpu":0,"power_limit_w":300,"core_clock_mhz":900,"ttl_s":60})"),
           std::string(R"({"do":"set","gpu":0,"core_clock_mhz":[1200,900],"ttl_s":60})"),
           std::string(R"({"do":"set","gpu":0,"core_clock_mhz":[900],"ttl_s":60})"),
           std::string(R"({"do":"set","gpu":0,"power_limit_w":300,"ttl_s":60,"pid":-1})"),
           std::string(R"({"do":"set","gpu":0,"power_limit_w":300,"ttl_s":60,"job":"a\nb"})"),
           R"({"do":"set","gpu":0,"power_limit_w":300,"ttl_s":60,"job":")" + std::string(65, 'j') + "\"}",
           std::string(R"({"do":"renew","lease":"a-1"})"),
           std::string(R"({"do":"release"})"),
           std::string(R"({"do":"release","lease":""})"),
           std::string(R"({"do":"release","lease":"a","lease":"b"})"),
           R"({"do":"list"})" + std::string(kMostRequestBytes, ' '),
       }) {
    const auto request = ParseRequest(line);
    EXPECT_FALSE(request) << line;
    EXPECT_EQ(request ? ErrorCode::kInternal : request.error().code, ErrorCode::kInvalidArgument) << line;
  }
}

TEST(ProtocolTest, OnlyWhatChangesSomethingIsAWrite) {
  for (const char* line : {R"({"do":"status"})", R"({"do":"list"})", R"({"do":"show","gpu":0})", R"({"do":"leases"})",
                           R"({"do":"rights"})"}) {
    EXPECT_FALSE(IsWrite(*ParseRequest(line))) << line;
  }
  for (const char* line : {R"({"do":"set","gpu":0,"power_limit_w":300,"ttl_s":60})", R"({"do":"release","lease":"a"})",
                           R"({"do":"renew","lease":"a","ttl_s":1})", R"({"do":"reset"})"}) {
    EXPECT_TRUE(IsWrite(*ParseRequest(line))) << line;
  }
}

TEST(ProtocolTest, AnAnswerThatIsNoneIsAnError) {
  for (const char* line : {"", "{}", R"({"ok":1})", "[true]"}) EXPECT_FALSE(ReadAnswer(line, "agent")) << line;
  EXPECT_EQ(ReadAnswer(R"({"ok":false,"code":"new-one"})", "agent").error().code, ErrorCode::kInternal);
  EXPECT_TRUE(ReadAnswer(R"({"ok":true})", "agent"));
}

}  // namespace
}  // namespace heliostat::agent
