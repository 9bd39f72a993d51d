#pragma once

#include <vector>

#include "heliostat/forecasting/auto_parts/calendar_model.h"
#include "heliostat/forecasting/auto_parts/frame.h"

namespace heliostat::auto_parts {

enum class BaselineKind {
  kCalendar,  // what the calendar says
  kRecent,    // the same time of recent days (newer ones count more), and what the kind of day adds
};

// What one column is expected to do, so that a regression has to learn only the
// rest. Each expectation uses only values before the origin it is asked for.
struct Baseline {
  std::vector<double> cleaned;  // the values, less what the kind of day adds
  std::vector<double> usual;    // expected of `cleaned`; reaches past the end
  std::vector<double> effect;   // what the kind of day adds; reaches past the end
  std::size_t repeats = 0;      // after so many leads the expectation repeats; 0: never

  double Anomaly(std::size_t t) const { return cleaned[t] - usual[t]; }
  // What a regression from `origin` has to add at a lead that is known.
  double Rest(std::size_t origin, std::size_t lead) const { return cleaned[origin + lead] - Usual(origin, lead); }
  // The expectation from `origin` on.
  double Expected(std::size_t origin, std::size_t lead) const { return Usual(origin, lead) + effect[origin + lead]; }

 private:
  double Usual(std::size_t origin, std::size_t lead) const {
    return usual[origin + (repeats > 0 ? lead % repeats : lead)];
  }
};

// One for every column of the frame, for forecasts of up to `steps` from any
// origin up to the frame's end.
std::vector<Baseline> MakeBaselines(BaselineKind kind, const Frame& frame, const CalendarModel& model,
                                    const ZoneCalendar& calendar, std::size_t steps);

}  // namespace heliostat::auto_parts
