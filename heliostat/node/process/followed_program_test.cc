#include "heliostat/node/process/followed_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "heliostat/node/process/testing/stage.h"

namespace heliostat::process {
namespace {

using std::chrono::milliseconds;
using testing::Shell;
using testing::Stage;

// Heliostat's part with a thread that controls; ends with 77 unless `control` returns true.
Stage RunControlled(const ProgramCommand& command, const std::function<bool(Program&)>& control) {
  return Stage::OnPipes([&] {
    auto program = FollowedProgram::Start(command);
    if (!program) ::_exit(StatusOfFailedStart(program.error()));
    bool is_right = false;
    std::thread thread([&] { is_right = control(**program); });
    const Ending ending = (*program)->Follow();
    thread.join();
    ::_exit(is_right ? ending.Status() : 77);
  });
}

TEST(FollowedProgramTest, AnotherThreadSeesItsOutputAndItsEnd) {
  auto stage = RunControlled(Shell("for i in 1 2 3; do echo step $i; sleep 0.02; done; exit 4"), [](Program& program) {
    std::string seen;
    while (!program.is_done()) {
      if (program.ending()) return false;
      program.Wait(milliseconds(20));
      seen += program.TakeOutput();
    }
    return seen == "step 1\nstep 2\nstep 3\n" && program.ending() == Ending{4, 0};
  });
  EXPECT_EQ(stage.ReadAll().first, "step 1\nstep 2\nstep 3\n");
  EXPECT_EQ(stage.Status(), 4);
}

TEST(FollowedProgramTest, AThreadThatHangsHoldsNothingUp) {
  const auto begun = std::chrono::steady_clock::now();
  auto stage = RunControlled(Shell("for i in 1 2 3 4 5; do echo $i; sleep 0.1; done"), [](Program& program) {
    program.SetDuty(0.5);
    ::poll(nullptr, 0, 3000);
    return true;
  });
  EXPECT_EQ(stage.ReadUntil("5\n"), "1\n2\n3\n4\n5\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(3));
  EXPECT_EQ(stage.Status(), 0);
}

TEST(FollowedProgramTest, AProgramThatIsAskedToEndMayTidyUpAndIsReleasedFirst) {
  auto stage = RunControlled(Shell("trap 'echo tidy; exit 3' TERM; echo ready; while :; do sleep 0.02; done"),
                             [](Program& program) {
                               std::string seen;
                               while (seen.find("ready") == std::string::npos) {
                                 program.Wait(milliseconds(5));
                                 seen += program.TakeOutput();
                               }
                               program.SetDuty(0.05);
                               program.Wait(milliseconds(200));
                               program.End();
                               return true;
                             });
  EXPECT_EQ(stage.ReadAll().first, "ready\ntidy\n");
  EXPECT_EQ(stage.Status(), 3);
}

TEST(FollowedProgramTest, APacedProgramGetsItsShare) {
  // Counts the steps of 10 ms in two seconds.
  const char* const script =
      "import time\nend=time.monotonic()+2\nn=0\n"
      "while time.monotonic()<end:\n n+=1; time.sleep(0.01)\nprint(n)";
  const auto steps = [&](double duty) {
    auto stage = RunControlled({{"python3", "-c", script}, {}}, [duty](Program& program) {
      program.SetDuty(duty);
      return true;
    });
    return std::atof(stage.ReadAll().first.c_str());
  };
  EXPECT_NEAR(steps(0.3) / steps(1.0), 0.3, 0.12);
}

}  // namespace
}  // namespace heliostat::process
