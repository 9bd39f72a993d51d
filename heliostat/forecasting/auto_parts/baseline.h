#pragma once

#include <vector>

#include "heliostat/forecasting/auto_parts/calendar_model.h"
#include "heliostat/forecasting/auto_parts/frame.h"

namespace heliostat::auto_parts {

// How the expected values are made.
enum class BaselineKind {
  kCalendar,  // from the calendar model alone
  kRecent,    // the same time of recent days (newer ones count more), plus the effect of the kind of day
};

// The expected values of one column, so that a regression learns only the difference. An expectation uses only values
// before its origin.
struct Baseline {
  std::vector<double> cleaned;  // the values without the effect of the kind of day
  std::vector<double> usual;    // expected values of `cleaned`; extends beyond the end
  std::vector<double> effect;   // effect of the kind of day; extends beyond the end
  std::size_t repeats = 0;      // the expectation repeats after this many leads; 0: never

  // The difference between the value and the expectation.
  double Anomaly(std::size_t t) const { return cleaned[t] - usual[t]; }
  // The difference that a regression from `origin` has to predict at `lead`, which must be inside the frame.
  double Rest(std::size_t origin, std::size_t lead) const { return cleaned[origin + lead] - Usual(origin, lead); }
  // The expected value at `lead` steps after `origin`.
  double Expected(std::size_t origin, std::size_t lead) const { return Usual(origin, lead) + effect[origin + lead]; }

 private:
  double Usual(std::size_t origin, std::size_t lead) const {
    return usual[origin + (repeats > 0 ? lead % repeats : lead)];
  }
};

// One baseline per column of the frame, for forecasts of up to `steps` from any origin up to the end of the frame.
std::vector<Baseline> MakeBaselines(BaselineKind kind, const Frame& frame, const CalendarModel& model,
                                    const ZoneCalendar& calendar, std::size_t steps);

}  // namespace heliostat::auto_parts
