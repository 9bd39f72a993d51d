#include <gtest/gtest.h>

#include "heliostat/forecasting/forecast/backtest.h"
#include "heliostat/forecasting/forecast/testing/simple_models.h"

namespace heliostat::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;
using testing::At;
using testing::CandidateOfType;
using testing::Drift;
using testing::HistoryOf;
using testing::Saying;
using testing::Wandering;
using testing::Yesterday;

const Instant kStart = At("2021-01-01");

BacktestSchedule Daily(int first_day, int last_day, Duration horizon) {
  return {kStart + days{first_day}, kStart + days{last_day}, days{1}, horizon, std::nullopt, std::nullopt};
}

// A model with a leak: a feature from the whole series instead of from the past.
class Leaky : public Yesterday {
 public:
  Leaky(const History& all, std::size_t ahead) : all_(all), ahead_(ahead) {}
  Result<Prediction> Predict(const History& past, std::size_t steps) const override {
    auto prediction = Yesterday::Predict(past, steps);
    const std::size_t next = past.target.series.size() + ahead_;
    if (next < all_.target.series.size()) prediction->values[steps - 1] += 0.01 * all_.target.series.values()[next];
    return prediction;
  }

 private:
  History all_;
  std::size_t ahead_;
};

TEST(FindLeakTest, CatchesAFeatureFromTheFuture) {
  const History all = HistoryOf(Wandering(24 * 60, 15));
  for (const std::size_t ahead : {0U, 30U}) {
    const Candidate leaky{{"leaky", "", std::nullopt, std::nullopt},
                          [ahead](const History& data) -> Result<std::unique_ptr<Forecaster>> {
                            return std::make_unique<Leaky>(data, ahead);
                          }};
    const auto leak = FindLeak(all, Daily(40, 50, days{1}), leaky, 3);
    ASSERT_TRUE(leak) << leak.error().Line();
    EXPECT_EQ(*leak, kStart + days{40}) << ahead;
  }
}

TEST(FindLeakTest, CatchesASourceOrRunTakenFromTheFuture) {
  History all = HistoryOf(Wandering(24 * 60, 16));
  all.sources.push_back(all.target);
  Issued runs{all.target, {}};
  for (int day = 0; day < 58; ++day) {
    runs.runs.push_back(
        {kStart + days{day}, *signal::StepSeries::Make(kStart + days{day}, hours{1}, Wandering(48, 100 + day))});
  }
  all.issued.push_back(runs);
  const auto peeking = [](auto pick) {
    return Candidate{{"peeking", "", std::nullopt, std::nullopt},
                     [pick](const History& data) -> Result<std::unique_ptr<Forecaster>> {
                       return std::make_unique<Saying>([data, pick](const History& past, std::size_t steps) {
                         return Result<Prediction>(Prediction{std::vector<double>(steps, pick(data, past)), "", ""});
                       });
                     }};
  };
  const auto source = peeking([](const History& data, const History& past) {
    return data.sources[0].series.values()[past.target.series.size()];
  });
  const auto next_run = peeking([](const History& data, const History& past) {
    return data.issued[0].runs[past.issued[0].runs.size()].series.values()[0];
  });
  const auto last_run =
      peeking([](const History&, const History& past) { return past.issued[0].runs.back().series.values()[30]; });
  EXPECT_TRUE(FindLeak(all, Daily(40, 50, days{1}), source, 2)->has_value());
  EXPECT_TRUE(FindLeak(all, Daily(40, 50, days{1}), next_run, 2)->has_value());
  EXPECT_FALSE(FindLeak(all, Daily(40, 50, days{1}), last_run, 5)->has_value()) << "issued before: fair";
}

TEST(FindLeakTest, DoesNotAccuseTheHonest) {
  const History all = HistoryOf(Wandering(24 * 60, 17));
  for (const auto& honest : {CandidateOfType<Yesterday>("yesterday"), CandidateOfType<Drift>("drift", days{10})}) {
    const auto leak = FindLeak(all, Daily(40, 50, days{1}), honest, 100);
    ASSERT_TRUE(leak);
    EXPECT_FALSE(leak->has_value());
  }
}

}  // namespace
}  // namespace heliostat::forecast
