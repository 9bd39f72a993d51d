#pragma once

#include <cstdint>
#include <vector>

#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// The rate of a tariff at a local time: exactly one per quarter of an hour of every day, checked when it is made.
// Immutable; independent of the tariff after Make().
class RateCalendar {
 public:
  // kInvalidArgument when an hour has no rate or two; the message names season or days, weekday and hour.
  static Result<RateCalendar> Make(const Tariff& tariff);

  // The index of the rate in Tariff::rates.
  std::size_t RateAt(std::chrono::local_seconds local) const;

  // The coarsest of 60, 30 and 15 minutes at whose multiples all changes of rate are.
  std::chrono::minutes step() const { return step_; }

 private:
  static constexpr std::size_t kQuarters = 96;  // quarters of an hour per day
  static constexpr std::int32_t kNone = -1;

  RateCalendar() = default;
  void MarkSpans(const Tariff& tariff);
  Status Enter(const Tariff& tariff, std::size_t rate);
  Status RefuseHoles(const Tariff& tariff) const;
  std::size_t Cell(std::size_t span, std::size_t weekday, std::size_t quarter) const {
    return (span * 7 + weekday) * kQuarters + quarter;
  }

  std::chrono::minutes step_{60};
  // Consecutive days without a begin or end of a season share one week of rates.
  std::vector<unsigned> span_begins_;       // days of a leap year, rising from 0
  std::vector<std::uint16_t> span_of_day_;  // one per day of a leap year
  std::vector<std::int32_t> rate_of_cell_;  // spans x 7 x 96
};

}  // namespace heliostat::tariff
