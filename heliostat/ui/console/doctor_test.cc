#include "heliostat/ui/console/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "heliostat/base/io/testing/scratch.h"
#include "heliostat/node/agent/testing/small_agent.h"
#include "heliostat/node/gpu_access/control.h"
#include "heliostat/node/gpu_access/testing/two_cards.h"
#include "heliostat/node/lease/folder.h"

namespace heliostat::console {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr uid_t kAda = 1001;

// A modelled card that also shows what models do not have.
class OddCard final : public device::Gpu {
 public:
  const device::Identity& identity() const override { return card_.identity(); }
  const device::Abilities& abilities() const override { return abilities_; }
  Result<device::Reading> Read() override {
    auto reading = card_.Read();
    reading->throttle |= throttle;
    if (enforced) reading->enforced_limit = enforced;
    return reading;
  }
  Result<Joules> Energy() override { return card_.Energy(); }
  Result<device::Details> Inspect() override { return details; }
  Result<device::Setting> Stands(device::Knob knob) override { return card_.Stands(knob); }
  Result<device::Applied> Apply(const device::Setting& wanted) override { return card_.Apply(wanted); }

  std::uint32_t throttle = 0;
  std::optional<Watts> enforced;
  device::Details details{};
  void LoseKnobs() { abilities_.has_power_limit = abilities_.has_energy_counter = false; }

 private:
  device_model::SimulatedGpu card_{*device_model::FindCardModel("H200"), 0};
  device::Abilities abilities_ = card_.abilities();
};

class DoctorTest : public ::testing::Test {
 protected:
  Environment environment() {
    return [this](const std::string& name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::nullopt : std::optional(found->second);
    };
  }
  // What it says of a subject.
  std::vector<DoctorFinding> Of(const std::string& subject) {
    std::vector<DoctorFinding> found;
    std::ranges::copy_if(Examine(gpus_, environment()), std::back_inserter(found),
                         [&](const DoctorFinding& finding) { return finding.subject == subject; });
    return found;
  }
  OddCard& BeOdd() {
    gpus_.all.clear();
    auto card = std::make_unique<OddCard>();
    OddCard& odd = *card;
    gpus_.all.push_back(std::move(card));
    return odd;
  }

  io::Scratch scratch_;
  std::map<std::string, std::string> variables_{{"HELIOSTAT_AGENT", scratch_.folder() / "none.sock"},
                                                {"HELIOSTAT_STATE", scratch_.folder() / "leases"},
                                                {"HELIOSTAT_NVML", "/nowhere/libnvml.so"}};
  gpu_access::Gpus gpus_ = gpu_access::TwoGpus();
};

// The setup of a user, whose home is a folder of the test.
class SetupTest : public DoctorTest {
 protected:
  SetupTest() {
    variables_["HOME"] = scratch_.folder();
    variables_["TZ"] = "UTC";
    variables_["HELIOSTAT_POWERCAP"] = scratch_.folder() / "none";
  }
  DoctorFinding FirstOf(const std::string& subject) {
    for (const DoctorFinding& finding : ExamineSetup(environment(), Instant(Duration(1'794'768'300)))) {
      if (finding.subject == subject) return finding;
    }
    return {};
  }
  void Configure(const std::string& text) {
    std::filesystem::create_directories(scratch_.folder() / ".config/heliostat");
    std::ofstream(scratch_.folder() / ".config/heliostat/config.toml") << text;
  }
};

TEST_F(SetupTest, WithoutAnythingSetItSaysWhatToSet) {
  EXPECT_EQ(FirstOf("config").health, Health::kOk);
  EXPECT_EQ(FirstOf("zone").health, Health::kNote);
  EXPECT_THAT(FirstOf("zone").fix, HasSubstr("heliostat config set zone"));
  EXPECT_THAT(FirstOf("processors").what, HasSubstr("has no energy counter"));
  EXPECT_EQ(FirstOf("disk").health, Health::kOk);
}

TEST_F(SetupTest, ABrokenConfigurationIsAProblemWithItsLine) {
  Configure("zone = 'GB'\nknop = 'pace'\n");
  EXPECT_EQ(FirstOf("config").health, Health::kProblem);
  EXPECT_THAT(FirstOf("config").what, HasSubstr("config.toml:2: knop is not known; did you mean knob?"));
  EXPECT_THAT(FirstOf("config").fix, testing::EndsWith("/.config/heliostat/config.toml"));
  Configure("zone = 'GB'\n");
  variables_["HELIOSTAT_ETA"] = "7";
  EXPECT_EQ(FirstOf("config").fix, "mend the variable, or: unset HELIOSTAT_ETA");
}

TEST_F(SetupTest, AZoneWithoutStoredValuesNamesTheCommandThatFetchesThem) {
  Configure("zone = 'GB'\n");
  EXPECT_THAT(FirstOf("zone").what, HasSubstr("from neso"));
  EXPECT_EQ(FirstOf("store").fix, "heliostat signal fetch option 'provider' neso option 'zone' GB");
  EXPECT_FALSE(std::filesystem::exists(scratch_.folder() / ".cache")) << "it changes nothing";
}

TEST_F(SetupTest, AFolderOfRunsThatCannotBeWrittenIsAProblem) {
  Configure("runs = '/proc/nowhere/runs'\n");
  EXPECT_EQ(FirstOf("disk").health, Health::kProblem);
  EXPECT_THAT(FirstOf("disk").fix, HasSubstr("heliostat config set runs FOLDER"));
}

TEST_F(DoctorTest, GoodCardsAreSaidToBeGood) {
  ASSERT_THAT(Of("driver"), SizeIs(1));
  EXPECT_EQ(Of("driver").front().what, "simulated 1, 2 GPUs");
  for (const char* const subject : {"GPU 0", "GPU 1"}) {
    ASSERT_THAT(Of(subject), SizeIs(1));
    EXPECT_EQ(Of(subject).front().health, Health::kOk);
    EXPECT_THAT(Of(subject).front().fix, IsEmpty());
  }
}

TEST_F(DoctorTest, ALostCardIsAProblemAndTheOtherIsNot) {
  gpu_access::CardOf(gpus_, 0).FailReads(Error{ErrorCode::kUnavailable, "GPU 0", "is lost", "reset it"});
  const auto lost = Of("GPU 0");
  ASSERT_THAT(lost, SizeIs(1));
  EXPECT_EQ(lost.front().health, Health::kProblem);
  EXPECT_EQ(lost.front().what, "is lost");
  EXPECT_EQ(lost.front().fix, "reset it");
  EXPECT_EQ(Of("GPU 1").front().health, Health::kOk);
}

TEST_F(DoctorTest, TroublesOfTheDriverAreProblemsOnlyWhereACardIsMissing) {
  auto& driver = dynamic_cast<gpu_access::TwoCards&>(*gpus_.driver);
  driver.Trouble("GPU 2 cannot be opened");
  driver.Trouble("nvmlDeviceSetGpuLockedClocks is missing");
  const auto found = Of("driver");
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[1].health, Health::kProblem);
  EXPECT_EQ(found[2].health, Health::kNote);
}

TEST_F(DoctorTest, WhatHoldsACardBackIsNamedWithItsRemedy) {
  OddCard& card = BeOdd();
  card.throttle = device::kThrottleThermal;
  card.enforced = Watts{500};
  card.details.is_persistent = false;
  card.details.is_mig = true;
  std::string all;
  for (const DoctorFinding& finding : Of("GPU 0")) all += finding.what + "; " + finding.fix + "\n";
  EXPECT_THAT(all, HasSubstr("held back by idle, thermal; check cooling"));
  EXPECT_THAT(all, HasSubstr("limit 700 W but 500 W enforced"));
  EXPECT_THAT(all, HasSubstr("persistence mode is off"));
  EXPECT_THAT(all, HasSubstr("MIG"));
  EXPECT_THAT(all, Not(HasSubstr("cannot be set")));
}

TEST_F(DoctorTest, ACardThatCannotDoAllIsToldAndNoProblem) {
  BeOdd().LoseKnobs();
  const auto found = Of("GPU 0");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0].what, HasSubstr("no energy counter"));
  EXPECT_THAT(found[1].what, HasSubstr("power limit cannot be set"));
  for (const DoctorFinding& finding : found) EXPECT_EQ(finding.health, Health::kNote);
}

TEST_F(DoctorTest, AMachineWithoutADriverIsHealthy) {
  const auto findings = Examine(environment());
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.front().subject, "driver");
  EXPECT_THAT(findings.front().what, HasSubstr("/nowhere/libnvml.so"));
  for (const DoctorFinding& finding : findings) EXPECT_NE(finding.health, Health::kProblem) << finding.what;
}

TEST_F(DoctorTest, TheAgentIsToldWithWhatItLetsTheUserDo) {
  agent::Config config;
  agent::Allowance allowance;
  allowance.uids = {kAda};
  allowance.gpus = {"*"};
  allowance.knobs = {Knob::kPowerLimit};
  allowance.power_limit_w = agent::Bounds{250, 650};
  config.allowances.push_back(allowance);
  agent::SmallAgent agent(config, kAda);
  variables_["HELIOSTAT_AGENT"] = agent.path();
  agent.Believe(kAda);
  ASSERT_THAT(Of("agent"), SizeIs(1));
  EXPECT_EQ(Of("agent").front().health, Health::kOk);
  EXPECT_THAT(Of("agent").front().what, HasSubstr(agent.path() + ", 0 leases"));
  ASSERT_THAT(Of("rights"), SizeIs(1));
  EXPECT_THAT(Of("rights").front().what, HasSubstr("you may set GPU *: power-limit 250 to 650 W"));
  agent.Believe(kAda + 1);
  EXPECT_EQ(Of("rights").front().health, Health::kNote);
  EXPECT_THAT(Of("rights").front().what, HasSubstr("not change settings"));
  agent.Believe(0);
  EXPECT_THAT(Of("rights").front().what, HasSubstr("root"));
}

TEST_F(DoctorTest, JournalsThatNoAgentKeepsAreFound) {
  EXPECT_THAT(Of("leases"), IsEmpty());
  const auto control = gpu_access::OpenControl(environment(), gpus_);
  ASSERT_TRUE(control);
  ASSERT_TRUE(
      (*control)->Take(*gpus_.all[0], {device::Setting::PowerLimit(Watts{300}), std::chrono::hours(1), {}, ""}));
  ASSERT_THAT(Of("leases"), SizeIs(1));
  EXPECT_THAT(Of("leases").front().what, HasSubstr("journals of 1 GPU"));
  const auto journals = lease::JournalsIn(*gpu_access::StateFolder(environment()));
  ASSERT_THAT(journals, SizeIs(1));
  std::ofstream(journals[0]) << "garbage";
  ASSERT_TRUE((*control)->Leases(true));
  ASSERT_THAT(Of("leases"), SizeIs(2));
  EXPECT_EQ(Of("leases").back().health, Health::kProblem);
  EXPECT_THAT(Of("leases").back().what, HasSubstr(".damaged-"));
}

TEST(TellTest, IsHealthyExactlyWhereNothingIsAProblem) {
  std::vector<DoctorFinding> findings{{"driver", Health::kOk, "works", ""},
                                      {"GPU 0", Health::kNote, "is odd", "mend it"}};
  const TextAndJson good = Tell(findings, true);
  EXPECT_TRUE(good.json.Find("healthy")->Boolean().value());
  EXPECT_THAT(good.text, HasSubstr("no problem found"));
  EXPECT_THAT(good.text, HasSubstr("→ mend it"));
  findings.push_back({"GPU 1", Health::kProblem, "is lost", ""});
  const TextAndJson bad = Tell(findings, false);
  EXPECT_FALSE(bad.json.Find("healthy")->Boolean().value());
  EXPECT_THAT(bad.text, HasSubstr("x GPU 1"));
  EXPECT_THAT(bad.text, Not(HasSubstr("→"))) << "plain terminals get plain characters";
  EXPECT_THAT(**bad.json.Find("findings")->Elements(), SizeIs(3));
}

}  // namespace
}  // namespace heliostat::console
