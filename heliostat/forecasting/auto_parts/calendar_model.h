#pragma once

#include <span>
#include <vector>

#include "heliostat/forecasting/auto_parts/frame.h"
#include "heliostat/forecasting/regression/matrix.h"

namespace heliostat::auto_parts {

// What the columns of a frame do by the calendar alone: a day's shape that
// changes with the season, and what weekends, Mondays and holidays do to it.
class CalendarModel {
 public:
  // Seasons are left out while less than most of a year is known.
  static CalendarModel Fit(const Frame& frame, const ZoneCalendar& calendar);

  // Expected values of every column (a column each) at `count` steps from row
  // `first` of the frame's clock on.
  regression::Matrix Expected(const Frame& frame, const ZoneCalendar& calendar, std::size_t first,
                              std::size_t count) const;
  // Only the part that weekends, Mondays and holidays add.
  regression::Matrix DayEffects(const Frame& frame, const ZoneCalendar& calendar, std::size_t first,
                                std::size_t count) const;

  bool has_seasons() const { return has_seasons_; }
  std::size_t columns() const { return weights_.columns; }  // of the frames it was fitted on

  io::Json Save() const;
  static Result<CalendarModel> Load(const io::Json& saved);

 private:
  regression::Matrix Evaluate(const Frame& frame, const ZoneCalendar& calendar, std::size_t first, std::size_t count,
                              std::size_t from_term) const;

  bool has_seasons_ = false;
  regression::Matrix weights_;  // a row a calendar term, a column a frame column
};

}  // namespace heliostat::auto_parts
