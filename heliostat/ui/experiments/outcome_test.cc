#include "heliostat/ui/experiments/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>

#include "heliostat/base/io/file.h"
#include "heliostat/ui/experiments/result_journal.h"
#include "heliostat/ui/experiments/sweep.h"

namespace heliostat::experiments {
namespace {

using ::testing::HasSubstr;

double AnyNumber() { return *rc::gen::inRange(-1000000, 1000000) / 7.0; }
std::size_t AnyCount() { return *rc::gen::inRange<std::size_t>(0, 100000); }

CaseScore AnyScore() {
  CaseScore score;
  score.entry.policy = *rc::gen::element<std::string>("run-now", "edf+sleep", "ca-rm-ppc");
  score.entry.sight.kind =
      *rc::gen::element(Sight::Kind::kForecast, Sight::Kind::kSignals, Sight::Kind::kPerfect, Sight::Kind::kDisturbed);
  score.entry.sight.error = score.entry.sight.kind == Sight::Kind::kDisturbed ? AnyNumber() : 0.0;
  score.peak_share = AnyNumber();
  if (*rc::gen::arbitrary<bool>()) score.own_plan_kg = AnyNumber();
  sim::Figures& f = score.figures;
  for (double* number :
       {&f.carbon_kg, &f.cost, &f.energy_kwh, &f.grid_kwh, &f.renewable_used_kwh, &f.performance, &f.ppc,
        &f.requests_total, &f.slo_violation_fraction, &f.mean_completion_s, &f.p95_completion_s, &f.idle_node_hours}) {
    *number = AnyNumber();
  }
  for (std::size_t* count : {&f.jobs_total, &f.jobs_completed, &f.deadline_misses}) *count = AnyCount();
  f.wake_ups = static_cast<int>(AnyCount());
  return score;
}

CaseOutcome AnyOutcome() {
  CaseOutcome outcome;
  const int scores = *rc::gen::inRange(0, 4);
  for (int i = 0; i < scores; ++i) outcome.scores.push_back(AnyScore());
  outcome.bound.carbon_kg = AnyNumber();
  outcome.bound.cost = AnyNumber();
  if (*rc::gen::arbitrary<bool>()) outcome.bound.planned_carbon_kg = AnyNumber();
  if (*rc::gen::arbitrary<bool>()) outcome.bound.planned_cost = AnyNumber();
  return outcome;
}

void RequireSame(const CaseScore& a, const CaseScore& b) {
  RC_ASSERT(a.entry == b.entry);
  RC_ASSERT(a.peak_share == b.peak_share);
  RC_ASSERT(a.own_plan_kg == b.own_plan_kg);
  const sim::Figures& f = a.figures;
  const sim::Figures& g = b.figures;
  RC_ASSERT(f.carbon_kg == g.carbon_kg && f.cost == g.cost && f.energy_kwh == g.energy_kwh && f.grid_kwh == g.grid_kwh);
  RC_ASSERT(f.renewable_used_kwh == g.renewable_used_kwh && f.performance == g.performance && f.ppc == g.ppc);
  RC_ASSERT(f.requests_total == g.requests_total && f.slo_violation_fraction == g.slo_violation_fraction);
  RC_ASSERT(f.mean_completion_s == g.mean_completion_s && f.p95_completion_s == g.p95_completion_s);
  RC_ASSERT(f.jobs_total == g.jobs_total && f.jobs_completed == g.jobs_completed);
  RC_ASSERT(f.deadline_misses == g.deadline_misses && f.wake_ups == g.wake_ups);
  RC_ASSERT(f.idle_node_hours == g.idle_node_hours);
}

RC_GTEST_PROP(OutcomeLaw, EveryNumberSurvivesJsonAsItIs, ()) {
  const CaseOutcome outcome = AnyOutcome();
  const auto again = OutcomeOf(*io::Json::Parse(ToJson(outcome).Dump(), "test"));
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->scores.size() == outcome.scores.size());
  for (std::size_t i = 0; i < outcome.scores.size(); ++i) RequireSame(again->scores[i], outcome.scores[i]);
  RC_ASSERT(again->bound.carbon_kg == outcome.bound.carbon_kg);
  RC_ASSERT(again->bound.cost == outcome.bound.cost);
  RC_ASSERT(again->bound.planned_carbon_kg == outcome.bound.planned_carbon_kg);
  RC_ASSERT(again->bound.planned_cost == outcome.bound.planned_cost);
}

CaseOutcome OneScore() {
  CaseOutcome outcome;
  outcome.scores.push_back({{"run-now", {Sight::Kind::kSignals, 0.0}}, {}, 0.25, {}});
  return outcome;
}

std::string Without(const io::Json& json, const std::string& key) {
  std::string text = json.Dump();
  const auto at = text.find("\"" + key + "\"");
  EXPECT_NE(at, std::string::npos) << key;
  return text.replace(at, key.size() + 2, "\"other_" + key + "\"");
}

TEST(OutcomeTest, AFigureThatIsMissingIsRefusedByItsName) {
  const io::Json whole = ToJson(OneScore());
  ASSERT_TRUE(OutcomeOf(whole).has_value());
  for (const char* key : {"scores", "bound", "policy", "sight", "sight_error", "carbon_kg", "cost", "energy_kwh", "ppc",
                          "jobs_total", "deadline_misses", "wake_ups", "idle_node_hours", "peak_share"}) {
    const auto read = OutcomeOf(*io::Json::Parse(Without(whole, key), "journal"));
    ASSERT_FALSE(read.has_value()) << key;
    EXPECT_THAT(read.error().Line(), HasSubstr(key));
  }
}

TEST(OutcomeTest, ASightOfAnotherNameIsRefusedAndNotTakenForAForecast) {
  std::string text = ToJson(OneScore()).Dump();
  text.replace(text.find("\"signals\""), 9, "\"prophecy\"");
  const auto read = OutcomeOf(*io::Json::Parse(text, "journal"));
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().Line(), HasSubstr("prophecy"));
}

TEST(OutcomeTest, FindsAPolicyByNameAndSight) {
  CaseOutcome outcome = OneScore();
  outcome.scores.push_back({{"run-now", {Sight::Kind::kDisturbed, 0.2}}, {}, 0.5});
  EXPECT_EQ(outcome.Find("run-now"), nullptr) << "none of them with forecasts";
  EXPECT_EQ(outcome.Find("run-now", {Sight::Kind::kSignals, 0.0})->peak_share, 0.25);
  EXPECT_EQ(outcome.Find("run-now", {Sight::Kind::kDisturbed, 0.2})->peak_share, 0.5);
  EXPECT_EQ(outcome.Find("run-now", {Sight::Kind::kDisturbed, 0.3}), nullptr);
  EXPECT_EQ(outcome.Find("run", {Sight::Kind::kSignals, 0.0}), nullptr);
}

class JournalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/journal_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path() const { return folder_ + "/journal.jsonl"; }

  std::string folder_;
};

TEST_F(JournalTest, TheLastOfEqualKeysCounts) {
  {
    auto journal = ResultJournal::Open(Path());
    ASSERT_TRUE(journal);
    EXPECT_TRUE(journal->entries().empty());
    ASSERT_TRUE(journal->Append("a", io::Json(1.0)));
    ASSERT_TRUE(journal->Append("a", io::Json(2.0)));
    EXPECT_EQ(*journal->entries().at("a").Number(), 2.0);
  }
  EXPECT_EQ(*ResultJournal::Open(Path())->entries().at("a").Number(), 2.0);
}

TEST_F(JournalTest, WhatFollowsATornLineIsOnALineOfItsOwn) {
  {
    auto journal = ResultJournal::Open(Path());
    ASSERT_TRUE(journal->Append("a", io::Json(1.0)));
  }
  const std::string whole = *io::ReadFile(Path());
  ASSERT_TRUE(io::WriteFileAtomically(Path(), whole + whole.substr(0, whole.size() / 2)));
  {
    auto journal = ResultJournal::Open(Path());
    ASSERT_TRUE(journal) << journal.error().Line();
    EXPECT_EQ(journal->entries().size(), 1U);
    ASSERT_TRUE(journal->Append("b", io::Json(2.0)));
  }
  const auto again = ResultJournal::Open(Path());
  ASSERT_TRUE(again) << again.error().Line();
  EXPECT_EQ(again->entries().size(), 2U);
  EXPECT_EQ(*again->entries().at("b").Number(), 2.0);
}

TEST_F(JournalTest, ALineInTheMiddleThatIsNoneIsNamedByItsNumber) {
  {
    auto journal = ResultJournal::Open(Path());
    ASSERT_TRUE(journal->Append("a", io::Json(1.0)));
    ASSERT_TRUE(journal->Append("b", io::Json(1.0)));
  }
  for (const char* wrong : {"{\"key\": \"c\"}\n", "{\"key\": 3, \"outcome\": 1}\n", "\n", "[1, 2]\n", "{\"key\": \n"}) {
    const std::string whole = *io::ReadFile(Path());
    const std::string broken = whole + wrong + whole;
    ASSERT_TRUE(io::WriteFileAtomically(Path(), broken));
    const auto journal = ResultJournal::Open(Path());
    ASSERT_FALSE(journal) << wrong;
    EXPECT_THAT(journal.error().Line(), HasSubstr("journal.jsonl:3: is not a line of a journal")) << wrong;
    EXPECT_EQ(*io::ReadFile(Path()), broken) << "left as it was";
    ASSERT_TRUE(io::WriteFileAtomically(Path(), whole));
  }
}

TEST_F(JournalTest, AFolderThatIsNotThereIsRefused) {
  EXPECT_EQ(ResultJournal::Open(folder_ + "/none/journal.jsonl").error().code, ErrorCode::kInvalidArgument);
}

TEST_F(JournalTest, AnOwnerThatIsGoneLeavesTheJournalToTheNext) {
  {
    auto first = ResultJournal::Open(Path());
    ASSERT_TRUE(first);
    const ResultJournal moved = *std::move(first);
    EXPECT_FALSE(ResultJournal::Open(Path())) << "what was moved still owns it";
  }
  EXPECT_TRUE(ResultJournal::Open(Path()));
}

std::vector<Case> Numbered(std::size_t count) {
  std::vector<Case> cases(count);
  for (std::size_t i = 0; i < count; ++i) {
    cases[i].recipe.seed = i + 1;
    cases[i].entries = {{"run-now"}};
  }
  return cases;
}

CaseOutcome MadeFor(const Case& one) {
  CaseOutcome outcome;
  outcome.scores.push_back({one.entries[0], {}, 0.0});
  outcome.scores[0].figures.carbon_kg = 1.0 / static_cast<double>(one.recipe.seed);
  return outcome;
}

// A run that ends with an error after any number of cases, and is begun again, comes to what one run does.
TEST_F(JournalTest, ASweepThatFailsAnywhereIsResumedToTheSameOutcomes) {
  const auto cases = Numbered(7);
  for (std::size_t stop = 0; stop < cases.size(); ++stop) {
    std::filesystem::remove(Path());
    const auto failing = [stop](const Case& one) -> Result<CaseOutcome> {
      if (one.recipe.seed == stop + 1) return Fail(ErrorCode::kInternal, "run", "was stopped");
      return MadeFor(one);
    };
    ASSERT_FALSE(RunSweep(cases, 0, failing, {Path(), 1, "1"})) << stop;
    std::vector<std::uint64_t> run;
    const auto outcomes = RunSweep(cases, 0,
                                   [&run](const Case& one) -> Result<CaseOutcome> {
                                     run.push_back(one.recipe.seed);
                                     return MadeFor(one);
                                   },
                                   {Path(), 1, "1"});
    ASSERT_TRUE(outcomes) << stop;
    EXPECT_EQ(run.size(), cases.size() - stop);
    EXPECT_EQ(run.front(), stop + 1) << "begins where the first run ended";
    for (std::size_t i = 0; i < cases.size(); ++i) {
      EXPECT_EQ(outcomes->at(i).scores[0].figures.carbon_kg, MadeFor(cases[i]).scores[0].figures.carbon_kg);
    }
  }
}

TEST_F(JournalTest, ProgressBeginsWithWhatTheJournalHolds) {
  const auto cases = Numbered(5);
  const auto run = [](const Case& one) -> Result<CaseOutcome> { return MadeFor(one); };
  ASSERT_TRUE(RunSweep(std::vector<Case>(cases.begin(), cases.begin() + 3), 0, run, {Path(), 1, "1"}));
  std::vector<std::size_t> seen;
  ASSERT_TRUE(RunSweep(cases, 0, run, {Path(), 1, "1"}, [&seen](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 5U);
    seen.push_back(done);
  }));
  EXPECT_EQ(seen, (std::vector<std::size_t>{3, 4, 5}));
}

TEST_F(JournalTest, NoCasesGiveNoOutcomes) {
  const auto outcomes =
      RunSweep({}, 0, [](const Case& one) -> Result<CaseOutcome> { return MadeFor(one); }, {"", 4, "1"});
  ASSERT_TRUE(outcomes);
  EXPECT_TRUE(outcomes->empty());
}

TEST_F(JournalTest, OfSeveralFailuresTheFirstCaseIsTold) {
  const auto cases = Numbered(12);
  const auto failing = [](const Case& one) -> Result<CaseOutcome> {
    return Fail(ErrorCode::kInternal, "case " + std::to_string(one.recipe.seed), "failed");
  };
  EXPECT_EQ(RunSweep(cases, 0, failing, {"", 1, "1"}).error().where, "case 1");
}

}  // namespace
}  // namespace heliostat::experiments
