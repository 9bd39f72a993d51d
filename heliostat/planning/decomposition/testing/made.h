#pragma once

#include "heliostat/model/scenario/generate.h"
#include "heliostat/planning/decomposition/model.h"

namespace heliostat::decomposition::testing {

inline constexpr plan::Weights kCarbon{1.0, 0.0, 0.0, 0.0};

// Six jobs and a service, thirty hours, two groups of a few nodes with four GPUs each.
inline scenario::Shape Small(std::uint64_t seed) {
  scenario::Shape shape;
  shape.seed = seed;
  shape.jobs = 6;
  shape.slots = 30;
  shape.gpus = 24;
  shape.groups = 2;
  shape.gpus_per_node = 4;
  shape.load = 0.3;
  shape.points_per_worker_count = 3;
  return shape;
}

// A generated scenario with its problem and model, kept together because they refer to each other.
struct Made {
  explicit Made(const scenario::Shape& shape, const plan::Weights& weights = kCarbon, const plan::Limits& limits = {})
      : Made(scenario::Generate(shape), weights, limits) {}
  explicit Made(scenario::Scenario made, const plan::Weights& weights = kCarbon, const plan::Limits& limits = {})
      : scenario(std::move(made)), problem{scenario, weights, limits}, model(MakeModel(problem)) {}
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;

  scenario::Scenario scenario;
  plan::Problem problem;
  Model model;
};

}  // namespace heliostat::decomposition::testing
