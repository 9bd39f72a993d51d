#include "heliostat/control/policy/job_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace heliostat::policy {
namespace {

JobState Named(const std::string& id) {
  JobState state;
  state.asked.id = id;
  return state;
}

// After any sequence of calls, the table has the same content and order as a map.
RC_GTEST_PROP(JobTable, BehavesAsAMapDoes, (std::vector<std::pair<bool, std::uint16_t>> steps)) {
  JobTable table;
  std::map<JobId, std::string> model;
  for (const auto& [adds, raw] : steps) {
    const JobId id = raw % 200;
    if (adds && !model.contains(id)) {
      model[id] = std::to_string(id);
      table.Add(id, Named(model[id]));
    } else if (!adds) {
      model.erase(id);
      table.Erase(id);
    }
  }
  RC_ASSERT(table.size() == model.size());
  auto expected = model.begin();
  for (const auto& [id, state] : table) {
    RC_ASSERT(id == expected->first);
    RC_ASSERT(state.asked.id == expected->second);
    ++expected;
  }
  for (JobId id = 0; id < 200; ++id) RC_ASSERT(table.Contains(id) == model.contains(id));
}

TEST(JobTable, KeepsPointersWhileOthersComeAndGo) {
  JobTable table;
  const JobState* first = &table.Add(7, Named("seven"));
  for (JobId id = 100; id < 1000; ++id) table.Add(id, Named("x"));
  for (JobId id = 100; id < 1000; ++id) table.Erase(id);
  EXPECT_EQ(table.Find(7), first);
  EXPECT_EQ(table.size(), 1U);
}

TEST(JobState, AJobThatShouldBeDoneHasALittleLeft) {
  JobState job;
  job.asked.samples = 100.0;
  job.phase = Phase::kRunning;
  job.samples_per_s = 1.0;
  job.since = Instant{};
  EXPECT_DOUBLE_EQ(job.SamplesLeft(Instant{Duration{40}}), 60.0);
  EXPECT_DOUBLE_EQ(job.SamplesLeft(Instant{Duration{500}}), 5.0);
  job.phase = Phase::kDone;
  EXPECT_EQ(job.SamplesLeft(Instant{Duration{500}}), 0.0);
}

TEST(Phase, OfAQueueIsStartableHoldsGpusOrIsOver) {
  EXPECT_TRUE(MayStart(Phase::kWaiting) && MayStart(Phase::kSuspended));
  EXPECT_FALSE(MayStart(Phase::kHeld) || MayStart(Phase::kStarting) || MayStart(Phase::kStopping));
  EXPECT_TRUE(HoldsGpus(Phase::kStarting) && HoldsGpus(Phase::kStopping));
  EXPECT_TRUE(IsOver(Phase::kFailed) && IsOver(Phase::kCancelled) && !IsOver(Phase::kStopping));
}

}  // namespace
}  // namespace heliostat::policy
