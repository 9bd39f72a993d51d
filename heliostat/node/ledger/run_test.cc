#include "heliostat/node/ledger/run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heliostat/base/io/checksum.h"
#include "heliostat/node/ledger/bill.h"
#include "heliostat/node/ledger/testing/plausible_run.h"

namespace heliostat::ledger {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string LineOf(const io::Json& json) {
  const std::string text = json.Line();
  return fmt::format("{:08x} {}\n", io::Crc32(text), text);
}

std::vector<std::string> LinesOf(const Run& run) {
  std::vector<std::string> lines{LineOf(ToJson(run.begin))};
  for (const Period& period : run.periods) lines.push_back(LineOf(ToJson(period)));
  for (const Note& note : run.notes) lines.push_back(LineOf(ToJson(note)));
  if (run.end) lines.push_back(LineOf(ToJson(*run.end)));
  return lines;
}

std::string BytesOf(const Run& run) { return fmt::format("{}", fmt::join(LinesOf(run), "")); }

std::string ErrorOf(const std::string& bytes) {
  const auto run = ParseRun(bytes, "id", "x.journal");
  return run ? "" : run.error().Line();
}

RC_GTEST_PROP(RunLaw, RecomputesToTheSameBill, (std::uint64_t seed)) {
  const ledger::Run run = PlausibleRun(seed);
  const auto again = ParseRun(BytesOf(run), run.id, "x");
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->troubles.empty());
  RC_ASSERT(BillOf(*again) == BillOf(run));
}

RC_GTEST_PROP(RunLaw, CutAnywhereItBillsExactlyTheWholePeriodsBefore, (std::uint64_t seed)) {
  const ledger::Run run = PlausibleRun(seed, 5);
  const std::string bytes = BytesOf(run);
  const auto length = *rc::gen::inRange<std::size_t>(0, bytes.size() + 1);
  const auto cut = ParseRun(std::string_view(bytes).substr(0, length), run.id, "x");
  const auto whole = std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length), '\n');
  RC_ASSERT(cut.has_value() == (whole > 0));
  if (!cut) return;
  ledger::Run prefix = run;
  prefix.periods.resize(std::min(run.periods.size(), static_cast<std::size_t>(whole - 1)));
  RC_ASSERT(cut->periods == prefix.periods);
  RC_ASSERT(BillOf(*cut) == BillOf(prefix));
}

TEST(RunTest, ADamagedLineCostsItsPeriodOnlyAndIsTold) {
  const ledger::Run run = PlausibleRun(3);
  auto lines = LinesOf(run);
  lines[2][20] ^= 1;
  const auto read = ParseRun(fmt::format("{}", fmt::join(lines, "")), "id", "x");
  ASSERT_TRUE(read);
  EXPECT_THAT(read->periods, SizeIs(run.periods.size() - 1));
  EXPECT_THAT(read->troubles, ElementsAre("line 3 is damaged, left out"));
}

TEST(RunTest, AWrongRecordIsNamedByFileAndPlace) {
  const ledger::Run run = PlausibleRun(3);
  io::Json period = ToJson(run.periods[0]);
  EXPECT_THAT(ErrorOf(LineOf(ToJson(run.begin)) + LineOf(period.Set("steps", "many"))),
              HasSubstr("x.journal: record 2: steps"));
  period = ToJson(run.periods[0]);
  EXPECT_THAT(ErrorOf(LineOf(ToJson(run.begin)) + LineOf(period.Set("freshness", "warm"))),
              HasSubstr("one of measured, forecast, stale, climatology"));
}

TEST(RunTest, OrderMatters) {
  const ledger::Run run = PlausibleRun(3);
  const std::string begin = LineOf(ToJson(run.begin));
  const std::string period = LineOf(ToJson(run.periods[0]));
  const std::string end = LineOf(ToJson(*run.end));
  EXPECT_EQ(ErrorOf(begin + period + end), "");
  EXPECT_THAT(ErrorOf(""), HasSubstr("x.journal: has no beginning"));
  EXPECT_THAT(ErrorOf(period), HasSubstr("before the beginning"));
  EXPECT_THAT(ErrorOf(begin + begin), HasSubstr("begins the run again"));
  EXPECT_THAT(ErrorOf(begin + end + period), HasSubstr("after the end"));
}

TEST(RunTest, ANewerVersionIsReadAsFarAsItIsUnderstood) {
  const ledger::Run run = PlausibleRun(3);
  io::Json note = ToJson(run.notes[0]);
  const auto read = ParseRun(LineOf(ToJson(run.begin)) + LineOf(note.Set("mood", "calm")) +
                                 LineOf(io::Json().Set("what", "weather").Set("sun", true)),
                             "id", "x");
  ASSERT_TRUE(read);
  EXPECT_THAT(read->notes, SizeIs(1));
  EXPECT_THAT(read->troubles, ElementsAre(HasSubstr("mood, records 'weather'")));
}

TEST(RunTest, PartsOfADecisionAreOneUnlessTheyWereChargedDifferently) {
  ledger::Run run = PlausibleRun(3, 1);
  Period part = run.periods[0];
  part.carbon_g_per_kwh = 100;
  Period later = part;
  later.start = part.end;
  later.end = later.start + Duration(60);
  Period dearer = later;
  dearer.carbon_g_per_kwh = 500;
  const auto whole = Decisions(std::vector{part, later, dearer});
  ASSERT_THAT(whole, SizeIs(2));
  EXPECT_EQ(whole[0].start, part.start);
  EXPECT_EQ(whole[0].end, later.end);
  EXPECT_DOUBLE_EQ(whole[0].steps, part.steps + later.steps);
  EXPECT_THAT(Decisions({}), IsEmpty());
}

TEST(ProgramNameTest, IsWhatPeopleCallIt) {
  const auto name = [](std::vector<std::string> command) { return ProgramName(command); };
  EXPECT_EQ(name({"python3", "-u", "src/train.py", "--lr", "1"}), "train");
  EXPECT_EQ(name({"/usr/bin/python3.11", "-m", "big.project.pretrain"}), "pretrain");
  EXPECT_EQ(name({"torchrun", "--nproc_per_node", "8", "gpt.py"}), "gpt");
  EXPECT_EQ(name({"./bin/stand-in-train", "--gpu", "0"}), "stand-in-train");
  EXPECT_EQ(name({"python3", "-c", "print('a.py')"}), "python3");
  EXPECT_EQ(name({}), "run");
}

}  // namespace
}  // namespace heliostat::ledger
