#pragma once

#include <cstdint>
#include <vector>

#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// Which rate of a tariff holds at a local time: exactly one at each quarter of an
// hour of every day, which is checked when it is made. Immutable; does not refer
// to the tariff.
class RateCalendar {
 public:
  // An hour with no rate or with two is an error that names season, weekday and hour.
  static Result<RateCalendar> Make(const Tariff& tariff);

  // Index into the tariff's rates.
  std::size_t RateAt(std::chrono::local_seconds local) const;

  // The coarsest of 60, 30 and 15 minutes on which all rates change.
  std::chrono::minutes step() const { return step_; }

 private:
  static constexpr std::size_t kQuarters = 96;  // of an hour in a day
  static constexpr std::int32_t kNone = -1;

  RateCalendar() = default;
  void MarkSpans(const Tariff& tariff);
  Status Enter(const Tariff& tariff, std::size_t rate);
  Status RefuseHoles(const Tariff& tariff) const;
  std::size_t Cell(std::size_t span, std::size_t weekday, std::size_t quarter) const {
    return (span * 7 + weekday) * kQuarters + quarter;
  }

  std::chrono::minutes step_{60};
  // Days between which no season begins or ends share one week of rates.
  std::vector<unsigned> span_begins_;       // days of the leap year, rising from 0
  std::vector<std::uint16_t> span_of_day_;  // 366
  std::vector<std::int32_t> rate_of_cell_;  // spans x 7 x 96
};

}  // namespace heliostat::tariff
