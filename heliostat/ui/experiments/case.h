#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heliostat/model/workload/to_scenario.h"

namespace heliostat::experiments {

// What a policy knows of the future.
struct Sight {
  enum class Kind {
    kForecast,   // forecasts from earlier measurements
    kSignals,    // the true signals; jobs when they arrive
    kPerfect,    // the true signals and all jobs
    kDisturbed,  // the true signals with random errors; jobs when they arrive
  };
  Kind kind = Kind::kForecast;
  double error = 0.0;  // of kDisturbed: standard deviation one day ahead

  friend bool operator==(const Sight&, const Sight&) = default;
};
// "forecast", "signals", "perfect", "error 0.2".
std::string NameOf(const Sight& sight);

// A policy in a case, and what it knows of the future.
struct Entrant {
  std::string policy;
  Sight sight{};

  friend bool operator==(const Entrant&, const Entrant&) = default;
};

// The labels by which tables and charts group cases.
struct Labels {
  std::string study;
  std::string place;
  std::string season;
  std::string supply;
  std::string slack;
  std::string load;
  std::string variant;  // of sensitivity: "pue 1.4"
};

// One scenario and the policies that are compared on it.
struct Case {
  Labels labels;
  // Without zone and signals: MakeSetup() adds those of labels.place.
  workload::ScenarioRecipe recipe;
  double wake_cost = 1.0;  // factor on the time and the energy of waking a node
  std::vector<Entrant> entries;
  bool with_bound = false;
};

// Everything on which the result of the case depends, as one line. Keys of journals are made from it.
std::string Describe(const Case& one);

}  // namespace heliostat::experiments
