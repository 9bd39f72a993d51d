#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heliostat/model/workload/to_scenario.h"

namespace heliostat::experiments {

// What a policy is told of the time ahead.
struct Sight {
  enum class Kind {
    kForecast,   // our forecasts, from what was measured before
    kSignals,    // the truth of signals, jobs as they come
    kPerfect,    // the truth of both
    kDisturbed,  // the truth of signals with errors, jobs as they come
  };
  Kind kind = Kind::kForecast;
  double error = 0.0;  // of kDisturbed: standard deviation a day ahead

  friend bool operator==(const Sight&, const Sight&) = default;
};
// "forecast", "signals", "perfect", "error 0.2".
std::string NameOf(const Sight& sight);

// A policy that takes part.
struct Entrant {
  std::string policy;
  Sight sight{};

  friend bool operator==(const Entrant&, const Entrant&) = default;
};

// By what tables and plots sort cases.
struct Labels {
  std::string study;
  std::string place;
  std::string season;
  std::string supply;
  std::string slack;
  std::string load;
  std::string variant;  // of sensitivity: "pue 1.4"
};

// One scenario and the policies that meet in it.
struct Case {
  Labels labels;
  // Plain numbers only; the place of the labels fills in the zone and its signals.
  workload::ScenarioRecipe recipe;
  double wake_cost = 1.0;  // times the time and the energy that waking a node takes
  std::vector<Entrant> entries;
  bool with_bound = false;
};

// All that the case's result follows from, as one line.
std::string Describe(const Case& one);

}  // namespace heliostat::experiments
