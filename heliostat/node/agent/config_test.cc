#include "heliostat/node/agent/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "heliostat/node/agent/testing/small_workers.h"

namespace heliostat::agent {
namespace {

using namespace std::chrono_literals;
using device::Knob;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Accounts SomeAccounts() {
  return {[](const std::string& name) { return name == "alice" ? std::optional<uid_t>(1001) : std::nullopt; },
          [](const std::string& name) { return name == "ml" ? std::optional<gid_t>(50) : std::nullopt; }};
}

Result<Config> Parse(const std::string& text) { return ParseConfig(text, "agent.toml", SomeAccounts()); }

TEST(ConfigTest, AnEmptyFileAllowsNobodyAnything) {
  const auto config = Parse("");
  ASSERT_TRUE(config);
  EXPECT_THAT(config->allowances, IsEmpty());
  EXPECT_EQ(config->state, "/var/lib/heliostat");
  EXPECT_EQ(config->writes.burst, 50.0);
  EXPECT_THAT(Explain(*config), HasSubstr("other users may not set anything\n"));
}

TEST(ConfigTest, BaseClocksAreOfTheFirstTableThatNamesAGpu) {
  const auto config = Parse(R"(
[[base_clocks]]
gpus = [0]
core_clock_mhz = [210, 1410]
[[base_clocks]]
gpus = ["*"]
core_clock_mhz = [300, 1500]
memory_clock_mhz = [2619, 2619]
)");
  ASSERT_TRUE(config) << config.error().Line();
  const auto bases = [&](int index) {
    device::Identity gpu;
    gpu.index = index;
    std::string text;
    for (const auto& [knob, base] : BasesOf(config->base_clocks, gpu)) text += base.Text() + ";";
    return text;
  };
  EXPECT_EQ(bases(0), "210 to 1410 MHz;2619 MHz;");
  EXPECT_EQ(bases(1), "300 to 1500 MHz;2619 MHz;");
  EXPECT_THAT(Explain(*config), HasSubstr("without a lease GPU 0 has core-clock 210 to 1410 MHz\n"));
  for (const char* wrong : {"gpus = [0]", "core_clock_mhz = [1, 2]", "gpus = [0]\ncore_clock_mhz = [2, 1]",
                            "gpus = [0]\npower_limit_w = [1, 2]"}) {
    EXPECT_FALSE(Parse(std::string("[[base_clocks]]\n") + wrong)) << wrong;
  }
}

TEST(ConfigTest, ReadsEverything) {
  const auto config = Parse(R"(
socket = "/run/a.sock"
state = "/var/a"
audit = "/var/a.log"
sample_seconds = 0.5
hang_seconds = 2
max_connections = 7
idle_seconds = 90
requests_per_second = { writes = 3, burst = 9, reads = 100 }
[[allow]]
users = ["alice", 1002]
groups = ["ml", 60]
gpus = ["*", 3, "GPU-1"]
knobs = ["power-limit", "core-clock"]
power_limit_w = [200, 700]
core_clock_mhz = [600, 1200]
max_ttl = "2h"
max_leases = 4
)");
  ASSERT_TRUE(config) << config.error().Line();
  EXPECT_EQ(config->sample, 500ms);
  EXPECT_EQ(config->hang, 2s);
  EXPECT_EQ(config->max_connections, 7);
  EXPECT_EQ(config->idle, 90s);
  EXPECT_EQ(config->writes.per_second, 3.0);
  EXPECT_EQ(config->reads.per_second, 100.0);
  ASSERT_EQ(config->allowances.size(), 1U);
  const Allowance& allowance = config->allowances.front();
  EXPECT_THAT(allowance.uids, ElementsAre(1001, 1002));
  EXPECT_THAT(allowance.gids, ElementsAre(50, 60));
  EXPECT_THAT(allowance.gpus, ElementsAre("*", "3", "GPU-1"));
  EXPECT_THAT(allowance.knobs, ElementsAre(Knob::kPowerLimit, Knob::kCoreClock));
  EXPECT_EQ(allowance.power_limit_w, (Bounds{200, 700}));
  EXPECT_EQ(allowance.memory_clock_mhz, std::nullopt);
  EXPECT_EQ(allowance.max_ttl, 2h);
  EXPECT_EQ(allowance.max_leases, 4);
  EXPECT_THAT(Explain(*config), HasSubstr("user alice, user 1002, group ml, group 60 may set GPU *, 3, GPU-1: "
                                          "power-limit 200 to 700 W, core-clock 600 to 1200 MHz; up to 2 h"));
}

TEST(ConfigTest, ANameThatNobodyHasGivesNothingAndIsTold) {
  const auto config = Parse("[[allow]]\nusers = [\"ghost\"]\ngpus = [\"*\"]\nknobs = [\"power-limit\"]\n");
  ASSERT_TRUE(config);
  EXPECT_THAT(config->allowances.front().uids, IsEmpty());
  EXPECT_THAT(config->warnings, ElementsAre(HasSubstr("'ghost' does not exist")));
}

TEST(ConfigTest, RefusesWhatItDoesNotUnderstand) {
  const std::string rest = "gpus = [\"*\"]\nknobs = [\"power-limit\"]\n";
  for (const std::string& text : {
           std::string("sokcet = \"/a\""),
           std::string("socket = \"relative\""),
           std::string("max_connections = 0"),
           std::string("sample_seconds = 0"),
           std::string("hang_seconds = \"long\""),
           std::string("requests_per_second = { write = 1 }"),
           std::string("allow = 3"),
           "[[allow]]\n" + rest,
           "[[allow]]\nusers = [-1]\n" + rest,
           "[[allow]]\nusers = [4294967295]\n" + rest,
           std::string("[[allow]]\nusers = [1]\nknobs = [\"power-limit\"]\n"),
           std::string("[[allow]]\nusers = [1]\ngpus = [\"*\"]\nknobs = [\"fan\"]\n"),
           "[[allow]]\nusers = [1]\npower_limit_w = [700, 200]\n" + rest,
           "[[allow]]\nusers = [1]\npower_limit_w = [700]\n" + rest,
           "[[allow]]\nusers = [1]\nmax_ttl = \"soon\"\n" + rest,
           "[[allow]]\nusers = [1]\nmax_leases = -3\n" + rest,
           "[[allow]]\nusers = [1]\npower_limit = [200, 300]\n" + rest,
       }) {
    const auto config = Parse(text);
    EXPECT_FALSE(config) << text;
    EXPECT_THAT(config ? "" : config.error().Line(), HasSubstr("agent.toml")) << text;
  }
}

TEST(ConfigTest, RefusesAFileThatOthersMayWrite) {
  const ScratchFolder folder;
  const std::string path = folder.Write("agent.toml", "");
  for (const mode_t mode : {0600U, 0644U, 0640U}) {
    ::chmod(path.c_str(), mode);
    EXPECT_TRUE(ReadConfig(path, SomeAccounts())) << mode;
  }
  for (const mode_t mode : {0620U, 0602U, 0666U}) {
    ::chmod(path.c_str(), mode);
    const auto config = ReadConfig(path, SomeAccounts());
    ASSERT_FALSE(config) << mode;
    EXPECT_EQ(config.error().code, ErrorCode::kPermissionDenied);
  }
}

TEST(ConfigTest, RefusesAnotherUsersFile) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const ScratchFolder folder;
  const std::string path = folder.Write("agent.toml", "");
  ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
  EXPECT_THAT(ReadConfig(path, SomeAccounts()).error().what, HasSubstr("belongs to user 65534"));
}

TEST(ConfigTest, RefusesWhatIsNoFile) {
  const ScratchFolder folder;
  EXPECT_EQ(ReadConfig(folder / "absent", SomeAccounts()).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(ReadConfig(folder / "", SomeAccounts()));
}

}  // namespace
}  // namespace heliostat::agent
