#include "heliostat/model/scenario/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace heliostat::scenario {
namespace {

using namespace std::chrono_literals;

double Hours(Duration d) { return Seconds(d).count() / 3600.0; }

int GpusOf(const Scenario& scenario) {
  int gpus = 0;
  for (const Group& group : scenario.groups) gpus += group.gpus();
  return gpus;
}

double ShortestSeconds(const Scenario& scenario, const Job& job, int most_workers) {
  double speed = 0.0;
  for (std::size_t g = 0; g < scenario.groups.size(); ++g) {
    for (const std::size_t i : scenario.PointsFor(job, g)) {
      const auto& point = scenario.training.Of(job.model, scenario.groups[g].gpu)[i];
      if (point.workers <= most_workers) speed = std::max(speed, point.samples_per_s);
    }
  }
  return job.samples / speed;
}

// GPU-hours of one worker at the point where a sample takes the least energy.
double ThriftyHours(const Scenario& scenario, const Job& job) {
  double least = std::numeric_limits<double>::infinity();
  double speed = 0.0;
  for (const Group& group : scenario.groups) {
    for (const TrainingPoint& point : scenario.training.Of(job.model, group.gpu)) {
      if (point.workers != 1 || point.power.value / point.samples_per_s >= least) continue;
      least = point.power.value / point.samples_per_s;
      speed = point.samples_per_s;
    }
  }
  return job.samples / speed / 3600.0;
}

Shape AnyShape() {
  Shape shape;
  shape.seed = *rc::gen::arbitrary<std::uint64_t>();
  shape.jobs = *rc::gen::inRange<std::size_t>(0, 60);
  shape.services = *rc::gen::inRange<std::size_t>(0, 4);
  shape.slots = *rc::gen::inRange<std::size_t>(1, 100);
  shape.step = *rc::gen::element<Duration>(5min, 15min, 30min, 1h);
  shape.groups = *rc::gen::inRange<std::size_t>(1, 9);
  shape.gpus = *rc::gen::inRange(1, 300);
  shape.gpus_per_node = *rc::gen::inRange(1, 9);
  shape.load = *rc::gen::element(0.1, 0.6, 0.95);
  shape.best_effort = *rc::gen::element(0.0, 0.3, 1.0);
  shape.in_one_piece = *rc::gen::element(0.0, 0.1, 1.0);
  shape.slack = *rc::gen::element(1.0, 3.0, 10.0);
  shape.points_per_worker_count = *rc::gen::inRange(1, 10);
  shape.prices = *rc::gen::arbitrary<bool>();
  return shape;
}

RC_GTEST_PROP(GenerateTest, AnyShapeIsValidAndHasTheSizeAskedFor, ()) {
  const Shape shape = AnyShape();
  const Scenario made = Generate(shape);
  RC_ASSERT(Validate(made).has_value());
  RC_ASSERT(made.jobs.size() == shape.jobs);
  RC_ASSERT(made.services.size() == shape.services);
  RC_ASSERT(made.groups.size() == shape.groups);
  RC_ASSERT(made.slots == shape.slots);
  RC_ASSERT(made.price_per_kwh.empty() != shape.prices);
  RC_ASSERT(made == Generate(shape));
}

RC_GTEST_PROP(GenerateTest, EveryJobFitsItsWindowInsideTheHorizon, ()) {
  const Scenario made = Generate(AnyShape());
  for (const Job& job : made.jobs) {
    const Interval window = made.WindowOf(job);
    RC_ASSERT(made.horizon().Contains({job.submit, job.deadline.value_or(made.end())}));
    RC_ASSERT((job.submit - made.start) % 1min == 0s);
    const double shortest = ShortestSeconds(made, job, job.max_workers) + Seconds(job.resume).count();
    // Windows of a few minutes are rounded to whole minutes.
    if (made.horizon().length() >= 4h) RC_ASSERT(Seconds(window.length()).count() > shortest);
  }
}

TEST(GenerateTest, AnotherSeedIsAnotherScenario) {
  const Scenario one = Generate({.seed = 1});
  const Scenario two = Generate({.seed = 2});
  EXPECT_NE(one.carbon, two.carbon);
  EXPECT_NE(one.jobs, two.jobs);
  EXPECT_NE(one.training, two.training);
}

TEST(GenerateTest, JobsNeedTheLoadAskedFor) {
  for (const double load : {0.2, 0.6, 0.8}) {
    for (const std::size_t jobs : {100, 2000}) {
      const Scenario made = Generate({.seed = 3, .jobs = jobs, .load = load});
      double hours = 0.0;
      for (const Job& job : made.jobs) hours += ThriftyHours(made, job);
      EXPECT_NEAR(hours / (GpusOf(made) * Hours(made.horizon().length())), load, 0.002) << load << " " << jobs;
    }
  }
}

TEST(GenerateTest, ClustersHaveAboutTheGpusAskedFor) {
  for (const int gpus : {1, 4, 16, 100, 128, 1000}) {
    for (const std::size_t groups : {1, 2, 5}) {
      const Scenario made = Generate({.jobs = 5, .services = 0, .slots = 24, .groups = groups, .gpus = gpus});
      EXPECT_NEAR(GpusOf(made), std::max(gpus, static_cast<int>(groups)), 4) << gpus << " " << groups;
      std::set<std::string> kinds;
      for (const Group& group : made.groups) kinds.insert(group.gpu);
      EXPECT_EQ(kinds.size(), groups);
    }
  }
}

TEST(GenerateTest, SharesAreKept) {
  const Scenario made = Generate({.seed = 9, .jobs = 4000, .best_effort = 0.25, .in_one_piece = 0.4});
  const auto best_effort = std::ranges::count_if(made.jobs, [](const Job& job) { return !job.deadline; });
  const auto in_one_piece = std::ranges::count_if(made.jobs, [](const Job& job) { return !job.preemptible; });
  EXPECT_NEAR(static_cast<double>(best_effort) / 4000.0, 0.25, 0.03);
  EXPECT_NEAR(static_cast<double>(in_one_piece) / 4000.0, 0.4, 0.03);
}

TEST(GenerateTest, SlackIsAsAskedForWhereTheHorizonHasRoom) {
  const Scenario made = Generate({.seed = 5, .jobs = 10000, .slots = 336, .slack = 4.0});
  double sum = 0.0;
  double least = 1e9;
  for (const Job& job : made.jobs) {
    const double slack = Seconds(*job.deadline - job.submit).count() / ShortestSeconds(made, job, 1);
    sum += slack;
    least = std::min(least, slack);
  }
  EXPECT_NEAR(sum / 10000.0, 4.0, 0.5);
  EXPECT_GE(least, 1.15);
}

TEST(GenerateTest, RenewableEnergyIsTheShareOfAFullCluster) {
  const Scenario third = Generate({.seed = 2, .slots = 336, .renewable_share = 0.3});
  const Scenario none = Generate({.seed = 2, .slots = 336, .renewable_share = 0.0});
  EXPECT_THAT(none.renewable, ::testing::Each(Watts{0.0}));
  double mean = 0.0;
  for (const Watts power : third.renewable) mean += power.value / 336.0;
  double full = 0.0;
  for (const Group& group : third.groups) {
    double most = 0.0;
    for (const auto& [key, points] : third.training.all()) {
      if (key.second != group.gpu) continue;
      for (const TrainingPoint& point : points) most = std::max(most, point.power.value / point.workers);
    }
    full += group.nodes * group.node_base.value + group.gpus() * most;
  }
  EXPECT_NEAR(mean / (full * third.pue), 0.3, 0.02);
}

// Common properties of published sweeps of power limits.
TEST(GenerateTest, ModelsTrainWithTheLeastEnergyBelowTheHighestLimit) {
  const Scenario made = Generate({.seed = 4, .groups = 4, .points_per_worker_count = 9});
  for (const Group& group : made.groups) {
    for (const std::string model : {"convnet-large", "encoder-pretrain", "vision-transformer"}) {
      std::vector<TrainingPoint> alone;
      for (const TrainingPoint& point : made.training.Of(model, group.gpu)) {
        if (point.workers == 1) alone.push_back(point);
      }
      ASSERT_EQ(alone.size(), 9U);
      const auto energy = [](const TrainingPoint& point) { return point.power.value / point.samples_per_s; };
      const auto best = std::ranges::min_element(alone, {}, energy);
      EXPECT_LT(energy(*best), 0.97 * energy(alone.back())) << model << " " << group.gpu;
      EXPECT_LT(alone.front().samples_per_s, 0.8 * alone.back().samples_per_s) << model << " " << group.gpu;
    }
    const auto& waiting = made.training.Of("recommender", group.gpu);
    EXPECT_NEAR(waiting[0].samples_per_s / waiting[8].samples_per_s, 1.0, 0.06);
  }
}

TEST(GenerateTest, MoreWorkersAreFasterButNotInProportion) {
  const Scenario made = Generate({.seed = 6, .points_per_worker_count = 1});
  for (const auto& [key, points] : made.training.all()) {
    ASSERT_GE(points.size(), 4U);
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double speedup = points[i].samples_per_s / points[i - 1].samples_per_s;
      EXPECT_GT(speedup, 1.5) << key.first;
      EXPECT_LT(speedup, 2.0) << key.first;
      EXPECT_NEAR(points[i].power / points[i - 1].power, 2.0, 0.05);
    }
  }
}

}  // namespace
}  // namespace heliostat::scenario
