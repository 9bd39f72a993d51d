#include "heliostat/ui/experiments/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>

#include "heliostat/base/io/file.h"
#include "heliostat/ui/experiments/result_journal.h"

namespace heliostat::experiments {
namespace {

using ::testing::HasSubstr;

class SweepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/sweep_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path() const { return folder_ + "/journal.jsonl"; }

  std::string folder_;
};

std::vector<Case> SomeCases(std::size_t count) {
  std::vector<Case> cases(count);
  for (std::size_t i = 0; i < count; ++i) {
    cases[i].labels.study = "test";
    cases[i].recipe.seed = i + 1;
    cases[i].entries = {{"run-now"}, {"edf", {Sight::Kind::kDisturbed, 0.3}}};
  }
  return cases;
}

// Numbers that have no short form in decimal, so that a journal which rounds them is found out.
Result<CaseOutcome> Invented(const Case& one) {
  const double seed = static_cast<double>(one.recipe.seed);
  CaseOutcome outcome;
  for (const Entrant& entry : one.entries) {
    CaseScore score{entry, {}, 1.0 / (seed + 2.0)};
    score.figures.carbon_kg = seed / 3.0;
    score.figures.slo_violation_fraction = 1e-17 * seed;
    score.figures.jobs_total = one.recipe.seed * 7;
    score.figures.wake_ups = 3;
    outcome.scores.push_back(score);
  }
  outcome.bound.carbon_kg = seed / 7.0;
  if (one.recipe.seed % 2 == 0) outcome.bound.planned_carbon_kg = seed / 6.9;
  return outcome;
}

std::vector<std::string> Texts(const std::vector<CaseOutcome>& outcomes) {
  std::vector<std::string> texts;
  for (const CaseOutcome& outcome : outcomes) texts.push_back(ToJson(outcome).Dump());
  return texts;
}

std::vector<std::string> Expected(const std::vector<Case>& cases) {
  std::vector<CaseOutcome> outcomes;
  for (const Case& one : cases) outcomes.push_back(*Invented(one));
  return Texts(outcomes);
}

TEST_F(SweepTest, AnyNumberOfThreadsGivesTheSameOutcomesInTheOrderOfTheCases) {
  const auto cases = SomeCases(23);
  for (const unsigned threads : {1U, 2U, 7U, 64U}) {
    const auto outcomes = RunSweep(cases, 0, Invented, {"", threads, "1"});
    ASSERT_TRUE(outcomes);
    EXPECT_EQ(Texts(*outcomes), Expected(cases)) << threads;
  }
}

TEST_F(SweepTest, AJournalCutOffAnywhereIsResumedToTheSameOutcomes) {
  const auto cases = SomeCases(3);
  const auto expected = Expected(cases);
  ASSERT_TRUE(RunSweep(cases, 0, Invented, {Path(), 1, "1"}));
  const std::string whole = *io::ReadFile(Path());
  for (std::size_t cut = 0; cut <= whole.size(); cut += 1 + cut % 13) {
    ASSERT_TRUE(io::WriteFileAtomically(Path(), whole.substr(0, cut)));
    std::size_t run = 0;
    const auto outcomes = RunSweep(cases, 0,
                                   [&run](const Case& one) {
                                     ++run;
                                     return Invented(one);
                                   },
                                   {Path(), 1, "1"});
    ASSERT_TRUE(outcomes) << cut;
    EXPECT_EQ(Texts(*outcomes), expected) << cut;
    const auto kept = static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + static_cast<long>(cut), '\n'));
    EXPECT_EQ(run, cases.size() - kept) << cut;
    EXPECT_EQ(*io::ReadFile(Path()), whole) << cut;
  }
}

TEST_F(SweepTest, WhatIsInTheJournalIsTakenInAnyOrderOfCases) {
  auto cases = SomeCases(6);
  ASSERT_TRUE(RunSweep(cases, 0, Invented, {Path(), 3, "1"}));
  std::reverse(cases.begin(), cases.end());
  const auto outcomes = RunSweep(
      cases, 0,
      [](const Case&) -> Result<CaseOutcome> { return Fail(ErrorCode::kInternal, "run", "nothing was left to run"); },
      {Path(), 3, "1"});
  ASSERT_TRUE(outcomes);
  EXPECT_EQ(Texts(*outcomes), Expected(cases));
}

TEST_F(SweepTest, OtherCasesDataOrVersionsAreRunAnew) {
  const auto cases = SomeCases(1);
  ASSERT_TRUE(RunSweep(cases, 5, Invented, {Path(), 1, "1"}));
  const auto runs = [&](std::vector<Case> wanted, std::uint64_t fingerprint, const char* version) {
    std::size_t count = 0;
    EXPECT_TRUE(RunSweep(wanted, fingerprint,
                         [&count](const Case& one) {
                           ++count;
                           return Invented(one);
                         },
                         {Path(), 1, version}));
    return count;
  };
  EXPECT_EQ(runs(cases, 5, "1"), 0U);
  EXPECT_EQ(runs(cases, 6, "1"), 1U);
  EXPECT_EQ(runs(cases, 5, "2"), 1U);
  auto other = cases;
  other[0].recipe.pue = 1.3;
  EXPECT_EQ(runs(other, 5, "1"), 1U);
  other = cases;
  other[0].entries[1].sight.error = 0.31;
  EXPECT_EQ(runs(other, 5, "1"), 1U);
  other = cases;
  other[0].wake_cost = 2.0;
  EXPECT_EQ(runs(other, 5, "1"), 1U);
}

TEST_F(SweepTest, TheFirstFailureIsToldAndWhatWasDoneIsKept) {
  const auto cases = SomeCases(5);
  const auto failing = [](const Case& one) -> Result<CaseOutcome> {
    if (one.recipe.seed == 3) return Fail(ErrorCode::kInvalidArgument, "case 3", "cannot be");
    return Invented(one);
  };
  const auto outcomes = RunSweep(cases, 0, failing, {Path(), 1, "1"});
  ASSERT_FALSE(outcomes);
  EXPECT_EQ(outcomes.error().where, "case 3");
  EXPECT_EQ(ResultJournal::Open(Path())->entries().size(), 2U);
}

TEST_F(SweepTest, ProgressNeverFallsAndEndsWithAll) {
  const auto cases = SomeCases(9);
  std::vector<std::size_t> seen;
  ASSERT_TRUE(RunSweep(cases, 0, Invented, {"", 3, "1"}, [&seen](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 9U);
    seen.push_back(done);
  }));
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.front(), 0U);
  EXPECT_EQ(seen.back(), 9U);
}

TEST_F(SweepTest, AFileThatIsNoJournalIsRefusedAndLeftAsItWas) {
  const std::string text = "time,carbon_g_per_kwh\n2023-01-01T00:00:00Z,12\nhalf a li";
  ASSERT_TRUE(io::WriteFileAtomically(Path(), text));
  const auto journal = ResultJournal::Open(Path());
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().Line(), HasSubstr("journal.jsonl:1: is not a line of a journal"));
  EXPECT_EQ(*io::ReadFile(Path()), text);
}

TEST_F(SweepTest, AJournalHasOneOwnerAtATime) {
  const auto first = ResultJournal::Open(Path());
  ASSERT_TRUE(first);
  const auto second = ResultJournal::Open(Path());
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().Line(), HasSubstr("is written by another run"));
}

TEST_F(SweepTest, KeysAndTextsOfAnyKindStayOnTheirLine) {
  const std::string awkward = "a \n  b \"c\" \\n  d";
  {
    auto journal = ResultJournal::Open(Path());
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->Append(awkward, io::Json(awkward)));
    ASSERT_TRUE(journal->Append("two", io::Json(0.1)));
  }
  const auto again = ResultJournal::Open(Path());
  ASSERT_TRUE(again);
  ASSERT_EQ(again->entries().size(), 2U);
  EXPECT_EQ(*again->entries().at(awkward).Text(), awkward);
  EXPECT_EQ(*again->entries().at("two").Number(), 0.1);
}

}  // namespace
}  // namespace heliostat::experiments
