#include "heliostat/control/controller/config.h"

#include <gtest/gtest.h>

namespace heliostat::controller {
namespace {

constexpr const char* kWhole = R"(
mode = "shadow"
state = "state"
policy = "ca-rm-performance"
poll_seconds = 10
operators = ["ann"]
[cluster]
kind = "slurm"
partitions = ["main"]
default_slack = "0%"
partition_slack = { long = "50%" }
[signals]
carbon = { file = "carbon.csv", column = "carbon_g_per_kwh", replay_from = 2026-11-18T00:00:00Z }
price = { provider = "energy-charts", zone = "DE-LU" }
renewable = { file = "/data/solar.csv", column = "renewable_kw", carbon_g_per_kwh = 40 }
[site]
pue = 1.2
currency = "EUR"
step_minutes = 15
[[groups]]
name = "a40"
gpu = "A40"
nodes = "gpu[01-08]"
gpus_per_node = 8
gpu_idle_w = 30
node_base_w = 350
node_sleep_w = 15
wake_minutes = 5
wake_wh = 20
gpu_busy_w = 280
[agents]
port = 6840
[api]
listen = "127.0.0.1:6841"
[remote]
listen = "[::]:6842"
names = ["ctl1", "ctl1.cluster"]
munge_socket = "munge/socket"
)";

Error ErrorOf(const std::string& text) {
  const auto config = ParseConfig(text, "/etc/heliostat/ctl.toml");
  EXPECT_FALSE(config) << text;
  return config ? Error{} : config.error();
}

TEST(ControllerConfig, TakesAllThatItIsGiven) {
  const auto config = ParseConfig(kWhole, "/etc/heliostat/ctl.toml");
  ASSERT_TRUE(config) << config.error().Line();
  EXPECT_EQ(config->mode, Mode::kShadow);
  EXPECT_EQ(config->state, "/etc/heliostat/state");
  EXPECT_EQ(config->poll, Duration{10});
  EXPECT_EQ(config->partitions, std::vector<std::string>{"main"});
  EXPECT_DOUBLE_EQ(config->partition_slack.at("long"), 0.5);
  EXPECT_EQ(config->carbon->file, "/etc/heliostat/carbon.csv");
  EXPECT_EQ(config->price->zone, "DE-LU");
  EXPECT_EQ(config->renewable->file, "/data/solar.csv");
  EXPECT_NEAR(InGramsPerKwh(config->renewable->carbon), 40.0, 1e-9);
  EXPECT_DOUBLE_EQ(config->pue, 1.2);
  EXPECT_EQ(config->step, Duration{900});
  ASSERT_EQ(config->groups.size(), 1U);
  EXPECT_EQ(config->groups[0].nodes.size(), 8U);
  EXPECT_EQ(config->groups[0].group.nodes, 8);
  EXPECT_DOUBLE_EQ(config->groups[0].gpu_busy->value, 280.0);
  EXPECT_EQ(config->remote->listen, (munge_channel::HostPort{"::", 6842}));
  EXPECT_EQ(config->remote->names.size(), 2U);
  EXPECT_EQ(config->remote->munge_socket, "/etc/heliostat/munge/socket");
  EXPECT_EQ(config->warnings.size(), 2U);
}

TEST(ControllerConfig, NeedsNothing) {
  const auto config = ParseConfig("", "ctl.toml");
  ASSERT_TRUE(config) << config.error().Line();
  EXPECT_EQ(config->policy, "ca-rm-performance");
  EXPECT_FALSE(config->remote);
  EXPECT_EQ(config->warnings.size(), 1U);
}

TEST(ControllerConfig, RefusesEachMistakeAtItsPlace) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"mode = \"shadov\"", "mode"},
      {"polcy = \"edf\"", "policy"},
      {"policy = \"no-such\"", "policy"},
      {"poll_seconds = 0", "poll_seconds"},
      {"poll_seconds = \"x\"", "poll_seconds"},
      {"[cluster]\nkind = \"pbs\"", "slurm"},
      {"[cluster]\ndefault_slack = \"half\"", "default_slack"},
      {"[cluster]\npartitions = [3]", "partitions"},
      {"[signals]\ncarbon = { file = \"a\", provider = \"b\" }", "both"},
      {"[signals]\ncarbon = { column = \"a\" }", "neither"},
      {"[signals]\nprice = { provider = \"b\" }", "zone"},
      {"[signals]\ncarbn = {}", "carbon"},
      {"[site]\npue = 0.5", "pue"},
      {"[site]\nstep_minutes = 7", "step_minutes"},
      {"[site]\ncurrency = \"euro\"", "currency"},
      {"[[groups]]\nname = \"a\"", "gpu"},
      {"[remote]", "listen"},
      {"[remote]\nlisten = 6842", "listen"},
      {"[remote]\nlisten = \"0.0.0.0\"", "has no port"},
      {"[remote]\nlisten = \"0.0.0.0:0\"", "0.0.0.0:6842"},
      {"[remote]\nlisten = \"ctl1:6842\"", "in numbers"},
      {"[remote]\nlisten = \"::1:6842\"", "without brackets"},
      {"[remote]\nlisten = \"0.0.0.0:1\"\nnames = \"a\"", "names"},
      {"[remote]\nlisten = \"0.0.0.0:1\"\nport = 3", "port"},
      {"state = ", "ctl.toml"},
  };
  for (const auto& [text, word] : mistakes) {
    EXPECT_NE(ErrorOf(text).Line().find(word), std::string::npos) << text << ": " << ErrorOf(text).Line();
  }
}

TEST(ControllerConfig, RefusesToActInThisVersion) {
  EXPECT_EQ(ErrorOf("mode = \"live\"").code, ErrorCode::kUnsupported);
}

TEST(ControllerConfig, IsExplainedInWords) {
  const std::string text = Explain(*ParseConfig(kWhole, "/etc/heliostat/ctl.toml"));
  for (const char* part :
       {"shadow", "changes nothing", "main", "50 % in partition long", "replayed from", "energy-charts", "a40", "ann",
        "at most 5 s each", "prices in EUR", "[::]:6842 as ctl1, ctl1.cluster", "[agents] has no effect yet"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

}  // namespace
}  // namespace heliostat::controller
