#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heliostat/base/core/check.h"
#include "heliostat/control/sim/comparison.h"
#include "heliostat/planning/plan/testing/small_scenario.h"

namespace heliostat::simulation_page::testing {

// A scenario and a comparison of policies on it, for tests of pages.
struct Compared {
  Compared(scenario::Scenario s, std::vector<std::string> policies) : scenario(std::move(s)) {
    sim::CompareOptions options;
    options.policies = std::move(policies);
    const auto foresight = sim::PerfectForesight(scenario);
    auto result = sim::Compare(scenario, *foresight, options);
    Check(result.has_value(), "a comparison for tests failed");
    comparison = std::move(*result);
  }

  scenario::Scenario scenario;
  sim::Comparison comparison;
};

inline Compared Small() { return {plan::testing::SmallScenario(), {"run-now", "run-now+sleep", "wait-awhile"}}; }

// Figures of policies without a simulation: of ten jobs, `misses` are late and all but `completed` are undone.
inline sim::Figures FiguresOf(double carbon_kg, std::size_t misses, std::size_t completed = 10) {
  sim::Figures figures;
  figures.carbon_kg = carbon_kg;
  figures.deadline_misses = misses;
  figures.jobs_completed = completed;
  figures.jobs_total = 10;
  figures.jobs_late_or_undone = misses + (10 - completed);
  figures.performance = 100.0;
  return figures;
}

inline sim::Comparison Invented(const std::vector<std::pair<std::string, sim::Figures>>& policies) {
  sim::Comparison comparison;
  for (const auto& [name, figures] : policies) {
    comparison.runs.emplace_back();
    comparison.runs.back().policy = name;
    comparison.figures.push_back(figures);
  }
  return comparison;
}

}  // namespace heliostat::simulation_page::testing
