#include "heliostat/node/training_run/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/base/io/testing/scratch.h"
#include "heliostat/node/process/testing/stage.h"
#include "heliostat/node/training_run/testing/scripted.h"

namespace heliostat::training_run {
namespace {

using process::testing::Stage;
using ::testing::HasSubstr;

// A machine that has nothing: no driver, no agent, no place for files.
Environment NothingThere() {
  return [](const std::string& name) -> std::optional<std::string> {
    if (name == "HELIOSTAT_NVML") return "/nowhere/libnvml.so";
    if (name == "HELIOSTAT_RUNS" || name == "HELIOSTAT_PROFILES" || name == "HELIOSTAT_STATE") return "/proc/nowhere";
    return std::nullopt;
  };
}

// Heliostat's part in a process of its own, which ends as the program ends; with 77 when it was refused.
Stage RunIt(const RunOptions& options) {
  return Stage::OnPipes([&] {
    const SystemClock clock{};
    ScriptedSource carbon("grid", [](Instant) { return live_signal::SignalSource::Value{100.0}; });
    const auto outcome = Run(options, carbon, nullptr, NothingThere(), clock);
    if (!outcome) ::_exit(77);
    ::_exit(outcome->ending.Status());
  });
}

RunOptions OptionsFor(std::vector<std::string> command) {
  RunOptions options;
  options.command = std::move(command);
  return options;
}

TEST(RunTest, TheProgramRunsWhateverTheMachineLacks) {
  auto stage = RunIt(OptionsFor({"sh", "-c", "echo ran; sleep 0.2; exit 5"}));
  const auto [out, err] = stage.ReadAll();
  EXPECT_EQ(out, "ran\n");
  EXPECT_THAT(err, HasSubstr("the program runs at its default"));
  EXPECT_EQ(stage.Status(), 5);
}

TEST(RunTest, AProgramThatCannotBeStartedHasTheStatusOfAShell) {
  EXPECT_EQ(RunIt(OptionsFor({"/nowhere/program"})).Status(), 127);
  EXPECT_EQ(RunIt(OptionsFor({"/etc/passwd"})).Status(), 126);
}

TEST(RunTest, OptionsThatNoMachineAcceptsStartNothing) {
  RunOptions options = OptionsFor({"echo", "ran"});
  options.eta = 2.0;
  auto stage = RunIt(options);
  EXPECT_EQ(stage.ReadAll().first, "");
  EXPECT_EQ(stage.Status(), 77);
  options = OptionsFor({"echo", "ran"});
  options.progress_regex = "(";
  EXPECT_EQ(RunIt(options).Status(), 77);
}

}  // namespace
}  // namespace heliostat::training_run
