#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/control/sim/run.h"

namespace heliostat::sim {

// The saving of one policy against another in a part of the time.
struct SavedInPart {
  Interval span;
  double carbon_kg = 0.0;
  double cost = 0.0;
};

// A saving per year.
struct YearRange {
  double low = 0.0;
  double mean = 0.0;
  double high = 0.0;
};

// What a year would save if all of it were like the simulated time. The range does not contain what the simulated time
// does not contain, such as other seasons.
struct YearSaving {
  YearRange carbon_kg;
  YearRange cost;
  std::vector<SavedInPart> parts;  // what the range rests on: weeks or days, in order
  bool by_weeks = false;           // else by days

  // How mean and range were found, and from which time, for readers; without a full stop.
  std::string Method() const;
};

// From weeks, at least two: low and high are the year of the least and of the best week.
YearSaving YearOfWeeks(std::vector<SavedInPart> weeks);
// From days, at least kFewestDays: low and high enclose 90 % of the means of as many days drawn at random from them
// (bootstrap).
inline constexpr std::size_t kFewestDays = 3;
YearSaving YearOfDays(std::vector<SavedInPart> days);

// The saving of `better` against `base` in each whole part of this length, from the start of the scenario.
std::vector<SavedInPart> SavedByPart(const scenario::Scenario& scenario, const SimulatedRun& base,
                                     const SimulatedRun& better, Duration length);
// From the whole weeks of the scenario or, where there are fewer than two, from its whole days. Nothing when there are
// fewer than kFewestDays, or when the runs have no slots.
std::optional<YearSaving> SavedInAYear(const scenario::Scenario& scenario, const SimulatedRun& base,
                                       const SimulatedRun& better);

}  // namespace heliostat::sim
