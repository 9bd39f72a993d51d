#include "heliostat/forecasting/job_length/length_model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "heliostat/base/core/random.h"

namespace heliostat::job_length {
namespace {

using namespace std::chrono_literals;

EndedJob JobOf(const std::string& user, const std::string& name, Duration length, Ending ending = Ending::kCompleted) {
  return {.traits = {.user = user, .name = name, .gpus = 2, .time_limit = 24h}, .length = length, .ending = ending};
}

TEST(LengthModel, PlansAJobNeverSeenByItsTimeLimit) {
  LengthModel model;
  const JobTraits traits = JobOf("ada", "train", 0s).traits;
  for (int i = 0; i < 3; ++i) {
    const auto prediction = model.Predict(traits);
    ASSERT_TRUE(prediction);
    EXPECT_EQ(prediction->source, Source::kTimeLimit);
    EXPECT_TRUE(std::ranges::all_of(prediction->quantiles, [](Duration one) { return one == 24h; }));
    EXPECT_EQ(InWords(*prediction), "by its time limit: no such job has ended yet");
    model.Learn(JobOf("bob", "train", 1h), std::nullopt);  // another user
  }
}

TEST(LengthModel, WithoutATimeLimitPredictsFromAllJobsOrNotAtAll) {
  LengthModel model;
  EXPECT_FALSE(model.Predict({.user = "ada"}));
  model.Learn(JobOf("bob", "train", 1h), std::nullopt);
  const auto prediction = model.Predict({.user = "ada"});
  ASSERT_TRUE(prediction);
  EXPECT_EQ(prediction->median(), 1h);
  EXPECT_EQ(InWords(*prediction), "from 1 job of the cluster");
}

TEST(LengthModel, TrustsJobsOfTheSameNameMost) {
  LengthModel model;
  for (int i = 0; i < 37; ++i) {
    model.Learn(JobOf("ada", "train-" + std::to_string(i), 1h + Duration{i}), std::nullopt);
    model.Learn(JobOf("ada", "evaluate", 5min), std::nullopt);
    model.Learn(JobOf("bob", "train", 10h), std::nullopt);
  }
  const auto prediction = model.Predict(JobOf("ada", "train-99", 0s).traits);
  ASSERT_TRUE(prediction);
  EXPECT_NEAR(static_cast<double>(prediction->median().count()), 3620.0, 20.0);
  EXPECT_EQ(InWords(*prediction), "from 37 jobs of the same user, name and number of GPUs");
  JobTraits larger = JobOf("ada", "train-99", 0s).traits;
  larger.gpus = 8;
  EXPECT_EQ(InWords(*model.Predict(larger)), "from 37 jobs of the same user and name");
}

TEST(LengthModel, FollowsAChange) {
  LengthModel model;
  for (int i = 0; i < 60; ++i) model.Learn(JobOf("ada", "train", 1h), std::nullopt);
  for (int i = 0; i < 40; ++i) model.Learn(JobOf("ada", "train", 3h), std::nullopt);
  EXPECT_EQ(model.Predict(JobOf("ada", "train", 0s).traits)->median(), 3h);
}

TEST(LengthModel, TakesAJobThatItsLimitEndedForAsLongAsTheNewLimit) {
  LengthModel model;
  EndedJob cut = JobOf("ada", "train", 1h, Ending::kTimedOut);
  cut.traits.time_limit = 1h;
  for (int i = 0; i < 10; ++i) model.Learn(cut, std::nullopt);
  EXPECT_EQ(model.Predict(JobOf("ada", "train", 0s).traits)->median(), 24h);
  EXPECT_EQ(model.Predict(cut.traits)->median(), 1h);
}

// Quantiles rise, none is above the limit, and none is longer than all jobs and the limit explain.
RC_GTEST_PROP(LengthModel, PredictsRisingQuantilesUpToTheLimit, ()) {
  LengthModel model(64);
  const auto text = [] { return *rc::gen::elementOf(std::vector<std::string>{"", "a", "b2", "c"}); };
  const auto traits = [&] {
    JobTraits made{.user = text(), .account = text(), .name = text(), .gpus = *rc::gen::inRange(1, 4)};
    if (*rc::gen::arbitrary<bool>()) made.time_limit = Duration{*rc::gen::inRange(1, 100'000)};
    return made;
  };
  const int count = *rc::gen::inRange(0, 60);
  for (int i = 0; i < count; ++i) {
    EndedJob job{.traits = traits(), .length = Duration{*rc::gen::inRange(1, 1'000'000)}};
    job.ending = *rc::gen::elementOf(std::vector{Ending::kCompleted, Ending::kFailed, Ending::kTimedOut});
    model.Learn(job, model.Predict(job.traits));
  }
  const JobTraits asked = traits();
  const auto prediction = model.Predict(asked);
  RC_ASSERT(prediction.has_value() == (count > 0 || asked.time_limit.has_value()));
  if (!prediction) return;
  RC_ASSERT(std::ranges::is_sorted(prediction->quantiles));
  RC_ASSERT(prediction->quantiles.front() > 0s);
  RC_ASSERT(prediction->highest() <= asked.time_limit.value_or(1'000'000s));
  RC_ASSERT((prediction->source == Source::kTimeLimit) == (prediction->jobs == 0));
}

// Jobs of ever new users push old keys out, but not the lengths of all jobs.
TEST(LengthModel, ForgetsWhatItCannotKeep) {
  LengthModel model(1000);
  RandomStream random(3);
  for (int i = 0; i < 50'000; ++i) {
    const std::string user = "user-" + std::to_string(random.Below(20'000));
    model.Learn(JobOf(user, "train", Duration{static_cast<std::int64_t>(1 + random.Below(7200))}), std::nullopt);
  }
  const auto prediction = model.Predict({.user = "someone else"});
  ASSERT_TRUE(prediction);
  EXPECT_EQ(prediction->jobs, 512U);
}

}  // namespace
}  // namespace heliostat::job_length
