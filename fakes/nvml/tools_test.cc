// The two programs as their users run them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fakes/nvml/physics.h"
#include "fakes/nvml/progress.h"
#include "fakes/nvml/testing/scratch_state.h"
#include "heliostat/base/io/file.h"
#include "heliostat/base/io/json.h"
#include "programs.h"

namespace heliostat::nvml_double {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A program that runs alongside the test; its output goes to a file.
class Program {
 public:
  Program(const char* path, std::vector<std::string> words, std::string output) : output_(std::move(output)) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (std::freopen(output_.c_str(), "w", stdout) == nullptr || ::dup2(1, 2) < 0) ::_exit(98);
    std::vector<char*> arguments{const_cast<char*>(path)};
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(path, arguments.data());
    ::_exit(99);
  }
  ~Program() {
    if (pid_ > 0) Signal(SIGKILL), Wait();
  }
  void Signal(int signal) const { ::kill(pid_, signal); }
  // Its exit status; -1 when a signal ended it.
  int Wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string output() const { return *io::ReadFile(output_); }

 private:
  std::string output_;
  pid_t pid_;
};

class ToolsTest : public ::testing::Test {
 protected:
  struct Ran {
    int status;
    std::string output;
  };
  Ran Control(std::vector<std::string> words) {
    Program program(HELIOSTAT_CONTROL_TOOL, std::move(words), scratch_.path() + ".control");
    const int status = program.Wait();
    return {status, program.output()};
  }
  Program Train(std::vector<std::string> words) {
    words.insert(words.end(), {"--state", scratch_.path()});
    return {HELIOSTAT_TRAINING_TOOL, std::move(words), scratch_.path() + ".train"};
  }
  // Until the program has its load on the GPU.
  void AwaitLoad(int gpu) {
    const double before = RealSeconds();
    while (FlowOf(state_.Look(gpu), state_.grace_s()).duty <= 0.0) {
      ASSERT_LT(RealSeconds() - before, 60.0) << "the program did not start";
      std::this_thread::yield();
    }
  }
  double Samples(int gpu) { return state_.Look(gpu).samples; }

  const ScratchState scratch_{std::vector<std::string>{"H200", "A40"}};
  State state_ = scratch_.Open();
};

TEST_F(ToolsTest, TrainingFollowsTheClockOfTheDoubleAndEnds) {
  Program training = Train({"--steps", "100", "--noise", "0", "--gpu", "0"});
  AwaitLoad(0);
  const double speed = FlowOf(state_.Look(0), state_.grace_s()).samples_per_s[0];
  state_.Advance(50 * 256 / speed);
  EXPECT_NEAR(Samples(0), 50 * 256, 1e-3);
  state_.Advance(100 * 256 / speed);
  EXPECT_EQ(training.Wait(), 0);
  EXPECT_NEAR(Samples(0), 100 * 256, 1e-3);
  EXPECT_THAT(training.output(), HasSubstr("step 100/100 "));
  EXPECT_EQ(FlowOf(state_.Look(0), state_.grace_s()).duty, 0.0);
}

TEST_F(ToolsTest, TrainingEndsAsASignalAsksAndTakesItsLoadAlong) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Program training = Train({"--steps", "100", "--gpu", "1", "--style", "tqdm"});
    AwaitLoad(1);
    training.Signal(signal);
    EXPECT_EQ(training.Wait(), 128 + signal);
    EXPECT_FALSE(state_.Look(1).loads[0].is_used);
  }
  Program training = Train({"--steps", "100", "--gpu", "1"});
  AwaitLoad(1);
  training.Signal(SIGKILL);
  training.Wait();
  EXPECT_FALSE(state_.Look(1).loads[0].is_used);
}

TEST_F(ToolsTest, TrainingFailsOnALostGpu) {
  Program training = Train({"--steps", "100"});
  AwaitLoad(0);
  state_.Reload(true);
  EXPECT_EQ(training.Wait(), 1);
  EXPECT_THAT(training.output(), HasSubstr("lost"));
}

TEST_F(ToolsTest, BadInputIsOneLineAndStatusTwo) {
  const std::string file = scratch_.path();
  const std::vector<std::vector<std::string>> bad{{},
                                                  {"show"},
                                                  {"show", file + ".none"},
                                                  {"dance", file},
                                                  {"fault", file, "2", "lost"},
                                                  {"fault", file, "0", "tired"},
                                                  {"fault", file, "all", "clamp", "x"},
                                                  {"set", file, "0", "fan", "1"},
                                                  {"set", file, "0", "power-limit", "much"},
                                                  {"set", file, "0", "core-clock", "900:600"},
                                                  {"load", file, "0", "no-such-model"},
                                                  {"load", file, "0", "resnet50", "--duty", "2"},
                                                  {"create", file + ".new", "--gpu", "nothing"},
                                                  {"create", file + ".new"},
                                                  {"advance", file, "soon"}};
  for (const auto& words : bad) {
    const Ran ran = Control(words);
    EXPECT_EQ(ran.status, 2) << ran.output;
    EXPECT_THAT(ran.output, StartsWith("nvml-double: error: "));
    EXPECT_EQ(ran.output.find('\n'), ran.output.size() - 1) << ran.output;
  }
  for (const auto& words : std::vector<std::vector<std::string>>{{},
                                                                 {"--steps", "0"},
                                                                 {"--steps"},
                                                                 {"--steps", "9", "--gpu", "7"},
                                                                 {"--steps", "9", "--model", "x"},
                                                                 {"--around"},
                                                                 {"--around", "--steps", "9"}}) {
    Program training = Train(words);
    EXPECT_EQ(training.Wait(), 2) << training.output();
    EXPECT_THAT(training.output(), StartsWith("stand-in-train: error: "));
  }
}

TEST_F(ToolsTest, WhatTheToolDoesIsShown) {
  const std::string file = scratch_.path();
  EXPECT_EQ(Control({"set", file, "1", "power-limit", "150"}).status, 0);
  EXPECT_EQ(Control({"set", file, "0", "core-clock", "600:900"}).status, 0);
  EXPECT_EQ(Control({"load", file, "all", "resnet50", "--duty", "0.5"}).status, 0);
  EXPECT_EQ(Control({"advance", file, "10"}).status, 0);
  EXPECT_EQ(Control({"fault", file, "1", "hang", "nvmlDeviceGetName"}).status, 0);
  const auto shown = io::Json::Parse(Control({"show", file}).output, "show");
  ASSERT_TRUE(shown);
  const auto& gpus = **(*shown->Get("gpus"))->Elements();
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ((*gpus[1].Get("power_limit_w"))->Number(), 150.0);
  EXPECT_EQ((*(*gpus[0].Get("core_clock"))->Get("high_mhz"))->Integer(), 900);
  EXPECT_EQ((*gpus[0].Get("utilisation"))->Number(), 0.5);
  EXPECT_GT(*(*gpus[0].Get("energy_j"))->Number(), 10 * 76.0);
  EXPECT_EQ((*(*gpus[1].Get("writes"))->Get("power-limit"))->Integer(), 0);
  EXPECT_EQ((*(**(*gpus[1].Get("last_writes"))->Elements())[0].Get("function"))->Text(), "somebody else");
  EXPECT_EQ((**(*gpus[1].Get("faults"))->Elements())[0].Text(), "hang nvmlDeviceGetName");
  EXPECT_EQ(Control({"clear", file, "all"}).status, 0);
  EXPECT_EQ(state_.Look(1).faults.hanging, 0U);
  EXPECT_EQ(Control({"fault", file, "all", "reload"}).status, 0);
  EXPECT_EQ(state_.Look(1).At(device::Knob::kPowerLimit).high, 300'000);
  EXPECT_EQ(Control({"load", file, "all", "none"}).status, 0);
  EXPECT_EQ(Control({"reboot", file}).status, 0);
  EXPECT_EQ(state_.generation(), 3U);
}

TEST(AroundTest, AProgramLoadsTheGpuSlowsDownWithItsLimitAndLeavesIt) {
  const ScratchState scratch(Plan{.gpus = {"A40"}});
  State state = scratch.Open();
  const auto limit_to = [&](double watts) {
    state.Update(0,
                 [&](GpuState& gpu) { gpu.At(device::Knob::kPowerLimit) = device::Setting::PowerLimit(Watts{watts}); });
  };
  const auto truth = [](double watts) {
    const device_model::CardModel& card = *device_model::FindCardModel("A40");
    return device_model::PointAt(card, device_model::LoadOf("resnet50", card),
                                 device::Setting::PowerLimit(Watts{watts}),
                                 device::Setting::Default(device::Knob::kCoreClock));
  };
  // Prints the number of its steps of 5 ms in a second, after a moment in which the other process starts.
  const auto steps_at = [&](double watts) {
    limit_to(watts);
    Program program(HELIOSTAT_TRAINING_TOOL,
                    {"--around", "--state", scratch.path(), "--", "python3", "-c",
                     "import time\ntime.sleep(0.3)\nend=time.monotonic()+1\nn=0\n"
                     "while time.monotonic()<end:\n n+=1; time.sleep(0.005)\nprint(n)"},
                    scratch.path() + ".around");
    double busiest = 0.0;
    const double begun = RealSeconds();
    while (RealSeconds() < begun + 0.9) {
      busiest = std::max(busiest, FlowOf(state.Look(0), state.grace_s()).power_w);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(program.Wait(), 0);
    EXPECT_NEAR(busiest, truth(watts).power_w, 1.0);
    return std::stod(program.output());
  };
  const double full = steps_at(300);
  const double share = truth(100).samples_per_s / truth(300).samples_per_s;
  EXPECT_LT(share, 0.7);
  EXPECT_NEAR(steps_at(100) / full, share, 0.2);
  const double ended = RealSeconds();
  while (state.Look(0).loads[0].is_used) ASSERT_LT(RealSeconds() - ended, 20.0) << "the load stays";
}

TEST(AroundTest, AProgramThatDoesNotExistHasTheStatusOfAShell) {
  const ScratchState scratch(Plan{.gpus = {"A40"}});
  Program program(HELIOSTAT_TRAINING_TOOL, {"--around", "--state", scratch.path(), "--", "/nowhere/program"},
                  scratch.path() + ".around");
  EXPECT_EQ(program.Wait(), 127);
  EXPECT_THAT(program.output(), StartsWith("stand-in-train: error: /nowhere/program: "));
}

TEST(ProgressTest, BarsAreDrawnOverThemselvesUntilTheLast) {
  const Progress half{.step = 50, .steps = 100, .elapsed_s = 61, .steps_per_s = 2};
  const Progress all{.step = 100, .steps = 100, .elapsed_s = 3725, .steps_per_s = 2};
  EXPECT_EQ(ProgressText(Style::kPlain, half), "step 50/100 2.0 it/s\n");
  EXPECT_THAT(ProgressText(Style::kTqdm, half), StartsWith("\r 50%|"));
  EXPECT_THAT(ProgressText(Style::kTqdm, half), EndsWith("| 50/100 [01:01<00:25,   2.00it/s]"));
  EXPECT_THAT(ProgressText(Style::kTqdm, all), EndsWith("100/100 [1:02:05<00:00,   2.00it/s]\n"));
  EXPECT_EQ(ProgressText(Style::kKeras, half), "\r50/100 [===============>..............] - ETA: 00:25 500ms/step");
  EXPECT_THAT(ProgressText(Style::kKeras, all), EndsWith("500ms/step\n"));
}

}  // namespace
}  // namespace heliostat::nvml_double
