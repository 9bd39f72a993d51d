#include "heliostat/node/ledger/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "heliostat/base/io/testing/scratch.h"
#include "heliostat/node/ledger/testing/plausible_run.h"
#include "heliostat/node/ledger/writer.h"

namespace heliostat::ledger {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace fs = std::filesystem;

class RunsTest : public ::testing::Test {
 protected:
  std::string folder() const { return scratch_.folder(); }
  // Of that many hours after the first.
  std::string Make(int hours, const std::string& program) {
    Begin begin = PlausibleBegin();
    begin.start += Duration(3600 * hours);
    begin.command = {program};
    return Writer::Create(folder(), begin)->run().id;
  }

 private:
  io::Scratch scratch_;
};

std::vector<std::string> IdsOf(const Listing& listing) {
  std::vector<std::string> ids;
  for (const ledger::Run& run : listing.runs) ids.push_back(run.id);
  return ids;
}

TEST_F(RunsTest, AreListedNewestFirstAmongJunk) {
  const std::string first = Make(0, "one");
  const std::string third = Make(2, "three");
  const std::string second = Make(1, "two");
  std::ofstream(folder() + "/notes.txt") << "hello";
  fs::create_directories(folder() + "/empty");
  fs::create_directories(folder() + "/strange/ledger.journal");
  fs::create_directories(folder() + "/torn");
  std::ofstream(folder() + "/torn/ledger.journal") << "0badbeef {\"wh";
  const Listing listing = RunsIn(folder());
  EXPECT_THAT(IdsOf(listing), ElementsAre(third, second, first));
  EXPECT_THAT(listing.troubles, ElementsAre(HasSubstr("torn/ledger.journal: has no beginning")));
  EXPECT_EQ(FindRun(folder(), "")->id, third) << "the last that can be read";
  EXPECT_THAT(RunsIn(folder() + "/nowhere").runs, IsEmpty());
}

TEST_F(RunsTest, AreFoundByAnyEndOfTheirNames) {
  const std::string one = Make(0, "one");
  const std::string two = Make(1, "two");
  EXPECT_EQ(FindRun(folder(), one)->id, one);
  EXPECT_EQ(FindRun(folder(), "20261115-19")->id, two);
  EXPECT_EQ(FindRun(folder(), one.substr(one.size() - 8))->id, one);
  EXPECT_THAT(FindRun(folder(), "2026").error().Line(), HasSubstr("'2026' matches 2 runs"));
  EXPECT_THAT(FindRun(folder(), "../x").error().Line(), HasSubstr("is not a run in"));
  EXPECT_THAT(FindRun(folder() + "/nowhere", "").error().Line(), HasSubstr("has no runs"));
}

TEST(StateTest, IsThatOfTheEndOrOfTheAuthor) {
  ledger::Run run = PlausibleRun(1);
  const Lives dead = [](const Author&) { return false; };
  const Lives living = [&](const Author& author) { return author == run.begin.author; };
  EXPECT_EQ(StateOf(run, "node7", dead), RunState::kFinished);
  run.end->exit_status = 137;
  EXPECT_EQ(StateText(StateOf(run, "node7", living), run), "killed");
  run.end.reset();
  EXPECT_EQ(StateOf(run, "node7", living), RunState::kRunning);
  EXPECT_EQ(StateOf(run, "node7", dead), RunState::kCutOff);
  EXPECT_EQ(StateText(StateOf(run, "other", dead), run), "open on node7");
}

TEST(StateTest, SignalsAreToldInWords) {
  ledger::Run run;
  const auto state = [&](int status) {
    run.end = EndRecord{Instant{}, status, "exited"};
    return StateText(StateOf(run, "", {}), run);
  };
  EXPECT_EQ(state(0), "finished");
  EXPECT_EQ(state(3), "failed 3");
  EXPECT_EQ(state(130), "interrupted by Ctrl-C");
  EXPECT_EQ(state(143), "terminated");
}

}  // namespace
}  // namespace heliostat::ledger
