#include "heliostat/forecasting/job_length/history.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace heliostat::job_length {
namespace {

using namespace std::chrono_literals;

EndedJob JobOf(const std::string& user, const std::string& name, int gpus, Duration length) {
  return {.traits = {.user = user, .account = "vision", .name = name, .gpus = gpus, .time_limit = 24h},
          .length = length};
}

std::size_t Count(const History& history, Level level, const JobTraits& traits) {
  const Lengths* const found = history.Find(level, traits);
  return found == nullptr ? 0 : found->size();
}

TEST(History, FindsJobsByWhatTheyHaveInCommon) {
  History history;
  history.Add(JobOf("ada", "train-1", 2, 1h));
  history.Add(JobOf("ada", "Train-22", 4, 2h));
  history.Add(JobOf("bob", "train-1", 2, 3h));
  const JobTraits traits = JobOf("ada", "train-3", 2, 0s).traits;
  EXPECT_EQ(Count(history, Level::kNameAndGpus, traits), 1U);
  EXPECT_EQ(Count(history, Level::kName, traits), 2U);
  EXPECT_EQ(Count(history, Level::kUserGpusAndLimit, traits), 1U);
  EXPECT_EQ(Count(history, Level::kUser, traits), 2U);
  EXPECT_EQ(Count(history, Level::kAccountAndGpus, traits), 2U);
  EXPECT_EQ(Count(history, Level::kAccount, traits), 3U);
  EXPECT_EQ(Count(history, Level::kLimit, traits), 3U);
  EXPECT_EQ(Count(history, Level::kAll, traits), 3U);
  EXPECT_EQ(Count(history, Level::kLimit, {.time_limit = 1h}), 0U);
}

TEST(History, HasNoKeyForWhatIsNotKnown) {
  History history;
  history.Add({.traits = {}, .length = 1h});
  EXPECT_EQ(history.keys(), 1U);
  for (const Level level : {Level::kNameAndGpus, Level::kName, Level::kUserGpusAndLimit, Level::kUser,
                            Level::kAccountAndGpus, Level::kAccount, Level::kLimit}) {
    EXPECT_EQ(history.Find(level, {}), nullptr);
  }
  EXPECT_EQ(Count(history, Level::kAll, {}), 1U);
}

TEST(History, ForgetsTheKeysThatWereUsedLongestAgo) {
  History history(kLevels + 8);
  for (int i = 0; i < 1000; ++i) {
    history.Add(JobOf("user-" + std::string(static_cast<std::size_t>(i), 'x'), "train", 1, 1h));
    ASSERT_LE(history.keys(), kLevels + 8);
  }
  EXPECT_EQ(Count(history, Level::kUser, JobOf("user-" + std::string(999, 'x'), "", 1, 1h).traits), 1U);
  EXPECT_EQ(Count(history, Level::kUser, JobOf("user-", "", 1, 1h).traits), 0U);
  EXPECT_EQ(Count(history, Level::kAll, {}), 512U);
}

RC_GTEST_PROP(Lengths, KeepsTheNewestInOrder, (std::vector<std::uint8_t> seconds)) {
  constexpr std::size_t kCapacity = 8;
  Lengths lengths(kCapacity);
  for (const std::uint8_t one : seconds) lengths.Add({.seconds = one, .is_cut = 0});
  RC_ASSERT(lengths.size() == std::min(kCapacity, seconds.size()));
  double sum = 0.0;
  for (std::size_t age = 0; age < lengths.size(); ++age) {
    RC_ASSERT(lengths.at(age).seconds == seconds[seconds.size() - 1 - age]);
    RC_ASSERT(age == 0 || lengths.WeightOf(age) < lengths.WeightOf(age - 1));
    sum += lengths.WeightOf(age);
  }
  RC_ASSERT(std::abs(lengths.evidence() - sum) < 1e-9);
}

}  // namespace
}  // namespace heliostat::job_length
