#include "heliostat/node/gpu_access/control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "heliostat/base/io/testing/scratch.h"
#include "heliostat/node/agent/testing/small_agent.h"
#include "heliostat/node/gpu_access/testing/two_cards.h"

namespace heliostat::gpu_access {
namespace {

using ::testing::IsEmpty;

class ControlTest : public ::testing::Test {
 protected:
  Environment environment() {
    return [this](const std::string& name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::nullopt : std::optional(found->second);
    };
  }

  io::Scratch scratch_;
  std::map<std::string, std::string> variables_{{"HELIOSTAT_AGENT", scratch_.folder() / "none.sock"},
                                                {"HELIOSTAT_STATE", scratch_.folder() / "leases"}};
  Gpus gpus_ = TwoGpus();
};

TEST_F(ControlTest, AnAgentThatListensIsAsked) {
  const agent::SmallAgent agent(agent::Config{}, 0);
  variables_["HELIOSTAT_AGENT"] = agent.path();
  const auto control = OpenControl(environment(), gpus_);
  ASSERT_TRUE(control) << control.error().Line();
  EXPECT_EQ((*control)->name(), "agent");
  const auto leases = AgentLeases(environment());
  ASSERT_TRUE(leases);
  EXPECT_THAT(*leases, IsEmpty());
}

TEST_F(ControlTest, WithoutOneThisProcessKeepsTheLeases) {
  const auto control = OpenControl(environment(), gpus_);
  ASSERT_TRUE(control) << control.error().Line();
  EXPECT_EQ((*control)->name(), "direct");
  EXPECT_TRUE(std::filesystem::is_directory(scratch_.folder() / "leases"));
  EXPECT_FALSE(AgentLeases(environment())) << "nothing is known, which is not the same as no lease";
}

TEST_F(ControlTest, AnAgentThatCannotBeReachedIsNotPassedBy) {
  variables_["HELIOSTAT_AGENT"] = std::string(300, 'x');
  EXPECT_FALSE(OpenControl(environment(), gpus_)) << "two hands on one knob are worse than none";
  EXPECT_FALSE(std::filesystem::exists(scratch_.folder() / "leases"));
}

TEST_F(ControlTest, JournalsAreWhereTheEnvironmentSays) {
  EXPECT_EQ(StateFolder(environment()), scratch_.folder() / "leases");
  variables_ = {{"HOME", "/home/ada"}};
  const bool is_root = ::geteuid() == 0;
  EXPECT_EQ(StateFolder(environment()), is_root ? "/var/lib/heliostat" : "/home/ada/.local/state/heliostat");
  variables_["XDG_STATE_HOME"] = "/elsewhere";
  EXPECT_EQ(StateFolder(environment()), is_root ? "/var/lib/heliostat" : "/elsewhere/heliostat");
}

}  // namespace
}  // namespace heliostat::gpu_access
