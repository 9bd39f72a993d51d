#include "heliostat/node/level_control/line_fit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "heliostat/base/core/random.h"

namespace heliostat::level_control {
namespace {

RC_GTEST_PROP(LineFitTest, WhatIsALineIsFound, ()) {
  const double slope = *rc::gen::inRange(-50, 50) * 0.1;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> weights;
  for (int i = 0; i < *rc::gen::inRange(2, 9); ++i) {
    x.push_back(i * 0.7);
    y.push_back(3.0 + slope * x.back());
    weights.push_back(*rc::gen::inRange(1, 100) * 0.1);
  }
  const LineFit line = FitLine(x, y, weights);
  for (std::size_t i = 0; i < x.size(); ++i) RC_ASSERT(std::abs(line.At(x[i]) - y[i]) < 1e-9);
  RC_ASSERT(std::abs(line.At(100.0) - (3.0 + slope * 100.0)) < 1e-6);
}

TEST(LineFitTest, ErrorsHoldTheTruthAndGrowOutside) {
  RandomStream random(3);
  const std::vector<double> x{0.5, 0.8, 1.0};
  const std::vector<double> weights(3, 1.0 / (0.2 * 0.2));
  int inside = 0;
  for (int run = 0; run < 500; ++run) {
    std::vector<double> y;
    for (const double at : x) y.push_back(10.0 * at + random.Normal(0.0, 0.2));
    const LineFit line = FitLine(x, y, weights);
    inside += std::abs(line.At(0.3) - 3.0) < 2.0 * line.ErrorAt(0.3) ? 1 : 0;
    EXPECT_GT(line.ErrorAt(0.3), line.ErrorAt(0.8));
  }
  EXPECT_NEAR(inside / 500.0, 0.954, 0.03);
}

}  // namespace
}  // namespace heliostat::level_control
