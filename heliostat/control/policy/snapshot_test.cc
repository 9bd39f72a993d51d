#include "heliostat/control/policy/snapshot.h"

#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

std::vector<double> InGrams(std::span<const CarbonIntensity> values) {
  std::vector<double> grams;
  for (const CarbonIntensity value : values) grams.push_back(InGramsPerKwh(value));
  return grams;
}

TEST(Snapshot, StaysAsItIsWhileTheWorldGoesOn) {
  Desk desk({100, 200, 300, 400}, {1, 2, 3, 4});
  desk.AddService(5.0);
  scenario::Job announced;
  announced.id = "later";
  desk.Announce(announced);
  const JobId job = desk.Submit(2.0, 3.0);
  std::unique_ptr<Snapshot> snapshot;
  desk.MoveTo(1.0);
  desk.Show([&](const Observation& observation) { snapshot = std::make_unique<Snapshot>(observation); });

  desk.Progress(job, 0.5);
  desk.SetRate(0, 50.0);
  desk.SetCarbon(2, 999.0);
  desk.SetNodesOn(0, 0);
  desk.End(job);
  desk.MoveTo(2.0);
  desk.Show([](const Observation&) {});
  desk.Show([](const Observation&) {});

  const Observation& seen = snapshot->observation();
  EXPECT_EQ(seen.now, desk.site().start + std::chrono::hours{1});
  EXPECT_EQ(seen.slot, 1U);
  ASSERT_TRUE(seen.jobs.Contains(job));
  EXPECT_EQ(seen.jobs[job].samples_done, 0.0);
  EXPECT_EQ(seen.jobs[job].phase, Phase::kWaiting);
  EXPECT_EQ(seen.services[0].requests_per_s, 5.0);
  EXPECT_EQ(seen.groups[0].up, 2);
  const Forecast forecast = seen.outlook.Ahead();
  EXPECT_EQ(InGrams(forecast.carbon), (std::vector<double>{200, 300, 400}));
  EXPECT_EQ(std::vector<double>(forecast.price_per_kwh.begin(), forecast.price_per_kwh.end()),
            (std::vector<double>{2, 3, 4}));
  ASSERT_EQ(forecast.jobs.size(), 1U);
  EXPECT_EQ(forecast.jobs[0]->id, "later");
  EXPECT_EQ(InGramsPerKwh(seen.outlook.CarbonNow()), 200.0);
}

TEST(Snapshot, TellsNoNews) {
  Desk desk;
  desk.Submit(2.0, 3.0);
  desk.Show([](const Observation& observation) {
    ASSERT_FALSE(observation.arrived.empty());
    EXPECT_TRUE(Snapshot(observation).observation().arrived.empty());
  });
}

}  // namespace
}  // namespace heliostat::policy::testing
