#include "heliostat/planning/admission/admit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/model/scenario/generate.h"
#include "heliostat/planning/admission/least_misses.h"
#include "heliostat/planning/plan/check.h"
#include "heliostat/planning/plan/testing/small_scenario.h"

namespace heliostat::admission {
namespace {

using plan::testing::At;
using plan::testing::JobOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kTries = 100;

// Eight GPUs for six hours; a worker makes 36000 samples per hour. No job may stop or take time to resume.
scenario::Scenario EightGpus() {
  scenario::Scenario s = plan::testing::SmallScenario();
  s.jobs.clear();
  s.services.clear();
  s.groups.resize(1);
  s.groups[0] = plan::testing::GroupOf("a40", "A40", 2, 4);
  return s;
}

// Needs all eight GPUs for 0.9 hours.
scenario::Job WholeHour(const std::string& id, double submit_h) {
  scenario::Job job = JobOf(id, submit_h, submit_h + 1, 68.0 * 3600 * 0.9);
  job.min_workers = 8;
  job.resume = Duration{0};
  return job;
}

Admission Admitted(const scenario::Scenario& s) {
  auto admission = Admit(s, {}, TermsOf(s, {}), kTries);
  EXPECT_TRUE(admission.has_value());
  return *std::move(admission);
}

TEST(Admit, TheHeaviestJobKeepsItsDeadline) {
  scenario::Scenario s = EightGpus();
  s.jobs = {WholeHour("a", 0), WholeHour("b", 0), WholeHour("c", 0)};
  s.jobs[1].weight = 2.0;
  const Admission admission = Admitted(s);
  EXPECT_THAT(admission.missed, ElementsAre(0U, 2U));
  EXPECT_EQ(admission.missed_weight, 2.0);
  EXPECT_LE(*admission.finish[1], At(1));
}

TEST(Admit, ManySmallJobsComeBeforeOneLargeJobOfTheSameWeight) {
  scenario::Scenario s = EightGpus();
  s.jobs = {WholeHour("large", 0)};
  for (int i = 0; i < 8; ++i) {
    s.jobs.push_back(JobOf("small " + std::to_string(i), 0, 1, 10.0 * 3600 * 0.8));
    s.jobs.back().max_workers = 1;
  }
  EXPECT_THAT(Admitted(s).missed, ElementsAre(0U));
  s.jobs[0].weight = 100.0;
  EXPECT_EQ(Admitted(s).missed.size(), 8U);
}

TEST(Admit, OwnersMissTheSameShareWhereWeightsAllowIt) {
  scenario::Scenario s = EightGpus();
  for (int hour = 0; hour < 2; ++hour) {
    for (const char* owner : {"ann", "bob"}) {
      s.jobs.push_back(WholeHour(owner + std::to_string(hour), hour));
      s.jobs.back().owner = owner;
    }
  }
  const Admission admission = Admitted(s);
  ASSERT_EQ(admission.missed.size(), 2U);
  EXPECT_NE(s.jobs[admission.missed[0]].owner, s.jobs[admission.missed[1]].owner);
}

TEST(Admit, LateJobsAreDoneAsEarlyAsTheyFit) {
  scenario::Scenario s = EightGpus();
  s.jobs = {WholeHour("a", 0), WholeHour("b", 0)};
  const Admission admission = Admitted(s);
  ASSERT_THAT(admission.missed, ElementsAre(1U));
  EXPECT_EQ(*admission.finish[1], At(1.8));
}

TEST(Admit, AJobThatRunsAlreadyKeepsItsGpus) {
  scenario::Scenario s = EightGpus();
  s.jobs = {WholeHour("waits", 0), WholeHour("runs", 0)};
  s.jobs[0].weight = 5.0;
  std::vector<Terms> terms = TermsOf(s, {});
  terms[1].is_fixed = true;
  const auto admission = Admit(s, {}, terms, kTries);
  EXPECT_THAT(admission->missed, ElementsAre(0U));
}

// The plan shows that the admission is possible, and no admission is better than the bound.
TEST(AdmitLaw, ThePlanKeepsAllThatWasAdmitted) {
  std::size_t missed = 0;
  std::size_t proven = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    scenario::Shape shape;
    shape.seed = seed;
    shape.jobs = 40;
    shape.slots = 24;
    shape.gpus = 32;
    shape.load = 1.5;
    shape.slack = 1.5;
    shape.best_effort = 0.1;
    shape.services = seed % 3;
    shape.groups = 1 + seed % 2;
    scenario::Scenario s = scenario::Generate(shape);
    const auto admission = Admit(s, {}, TermsOf(s, {}), kTries);
    if (!admission) continue;
    const MissBound bound = LeastMisses(s, {});
    EXPECT_LE(bound.least, admission->missed.size()) << seed;
    missed += admission->missed.size();
    proven += bound.least;
    for (const std::size_t j : admission->missed) s.jobs[j].deadline = admission->finish[j];
    EXPECT_THAT(plan::Violations(s, {}, admission->plan), IsEmpty()) << seed;
  }
  EXPECT_GT(missed, 20U) << "the scenarios are not crowded";
  EXPECT_GT(proven, missed / 4) << "the bound proves little";
}

}  // namespace
}  // namespace heliostat::admission
