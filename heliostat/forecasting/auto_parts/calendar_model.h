#pragma once

#include <span>
#include <vector>

#include "heliostat/forecasting/auto_parts/frame.h"
#include "heliostat/forecasting/regression/matrix.h"

namespace heliostat::auto_parts {

// The part of the columns of a frame that depends on the calendar: the shape of the day, which changes with the season,
// and the effects of weekends, Mondays and holidays. Immutable.
class CalendarModel {
 public:
  // Omits seasons when the frame has less than 300 days.
  static CalendarModel Fit(const Frame& frame, const ZoneCalendar& calendar);

  // The expected values, one column per column of the frame, for `count` steps from row `first` of the frame; may
  // extend beyond its end.
  regression::Matrix Expected(const Frame& frame, const ZoneCalendar& calendar, std::size_t first,
                              std::size_t count) const;
  // Only the effects of weekends, Mondays and holidays.
  regression::Matrix DayEffects(const Frame& frame, const ZoneCalendar& calendar, std::size_t first,
                                std::size_t count) const;

  bool has_seasons() const { return has_seasons_; }
  std::size_t columns() const { return weights_.columns; }  // of the frame that it was fitted on

  io::Json Save() const;
  static Result<CalendarModel> Load(const io::Json& saved);

 private:
  regression::Matrix Evaluate(const Frame& frame, const ZoneCalendar& calendar, std::size_t first, std::size_t count,
                              std::size_t from_term) const;

  bool has_seasons_ = false;
  regression::Matrix weights_;  // one row per calendar term, one column per column of the frame
};

}  // namespace heliostat::auto_parts
