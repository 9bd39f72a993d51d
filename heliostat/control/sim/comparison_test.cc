#include "heliostat/control/sim/comparison.h"

#include <gtest/gtest.h>

#include "heliostat/model/scenario/generate.h"

namespace heliostat::sim {
namespace {

TEST(Compare, ThreadsChangeNothing) {
  scenario::Shape shape;
  shape.seed = 9;
  shape.jobs = 6;
  shape.slots = 30;
  shape.gpus = 32;
  shape.services = 1;
  shape.load = 0.4;
  const scenario::Scenario scenario = scenario::Generate(shape);
  CompareOptions options;
  options.policies = {"run-now", "zeus", "ca-rm-performance", "wait-awhile", "ce-dla-drs"};
  options.with_bound = false;
  std::vector<double> carbon;
  for (const unsigned threads : {1U, 3U}) {
    const auto foresight = ForecastForesight(scenario, {}, "yesterday");
    options.threads = threads;
    const auto comparison = Compare(scenario, **foresight, options);
    ASSERT_TRUE(comparison);
    for (const Figures& figures : comparison->figures) carbon.push_back(figures.carbon_kg);
  }
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(carbon[i], carbon[i + 5]);
}

}  // namespace
}  // namespace heliostat::sim
