#include "heliostat/signals/tariff/calendar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace heliostat::tariff {
namespace {

using std::chrono::minutes;

constexpr minutes kQuarter{15};
// The most windows that a tariff can need: 12 months, 7 weekdays and 96 quarters.
constexpr std::size_t kMostRates = 8064;

std::size_t QuarterOf(minutes time_of_day) { return static_cast<std::size_t>(time_of_day / kQuarter); }

std::string CellText(std::size_t weekday, std::size_t quarter) {
  return fmt::format("{} {}", NameOfWeekday(weekday), ClockText(kQuarter * static_cast<int>(quarter)));
}

// False for a window that no reader makes but a caller could.
bool IsSound(const Window& window) {
  const auto is_day = [](MonthDay day) {
    return day.month >= 1 && day.month <= 12 && day.day >= 1 && day.day <= LastDayOf(day.month);
  };
  return is_day(window.season.first) && is_day(window.season.last) && window.weekdays.any() &&
         window.from >= minutes{0} && window.from < window.to && window.to <= std::chrono::hours{24} &&
         window.from % kQuarter == minutes{0} && window.to % kQuarter == minutes{0};
}

}  // namespace

Result<RateCalendar> RateCalendar::Make(const Tariff& tariff) {
  if (tariff.rates.empty() || tariff.rates.size() > kMostRates) {
    return Fail(ErrorCode::kInvalidArgument, tariff.file, fmt::format("has {} energy rates", tariff.rates.size()),
                fmt::format("must have 1 to {}", kMostRates));
  }
  for (const EnergyRate& rate : tariff.rates) {
    if (!IsSound(rate.when) || rate.tiers.empty()) {
      return Fail(
          ErrorCode::kInvalidArgument, tariff.file,
          fmt::format("season '{}' has a rate without days, hours or price", Printable(rate.when.season.name, 60)),
          "windows of whole quarters of an hour and at least one tier");
    }
  }
  RateCalendar calendar;
  calendar.MarkSpans(tariff);
  for (std::size_t rate = 0; rate < tariff.rates.size(); ++rate) {
    if (const Status entered = calendar.Enter(tariff, rate); !entered) return Propagate(entered);
  }
  if (const Status whole = calendar.RefuseHoles(tariff); !whole) return Propagate(whole);
  return calendar;
}

void RateCalendar::MarkSpans(const Tariff& tariff) {
  std::array<bool, kDaysOfLeapYear + 1> begins{};
  begins[0] = true;
  std::int64_t common = 60;
  for (const EnergyRate& rate : tariff.rates) {
    begins[DayOfLeapYear(rate.when.season.first)] = true;
    begins[DayOfLeapYear(rate.when.season.last) + 1] = true;
    common = std::gcd(std::gcd(common, rate.when.from.count()), rate.when.to.count());
  }
  step_ = minutes{common};
  for (unsigned day = 0; day < kDaysOfLeapYear; ++day) {
    if (begins[day]) span_begins_.push_back(day);
    span_of_day_.push_back(static_cast<std::uint16_t>(span_begins_.size() - 1));
  }
  rate_of_cell_.assign(span_begins_.size() * 7 * kQuarters, kNone);
}

Status RateCalendar::Enter(const Tariff& tariff, std::size_t rate) {
  const Window& when = tariff.rates[rate].when;
  for (std::size_t span = 0; span < span_begins_.size(); ++span) {
    if (!when.season.Contains(DayAt(span_begins_[span]))) continue;
    for (std::size_t weekday = 0; weekday < when.weekdays.size(); ++weekday) {
      if (!when.weekdays.test(weekday)) continue;
      for (std::size_t quarter = QuarterOf(when.from); quarter < QuarterOf(when.to); ++quarter) {
        std::int32_t& cell = rate_of_cell_[Cell(span, weekday, quarter)];
        if (cell != kNone) {
          const Season& other = tariff.rates[static_cast<std::size_t>(cell)].when.season;
          return Fail(
              ErrorCode::kInvalidArgument, tariff.file,
              fmt::format("season '{}', {} has two rates, the other from season '{}'", Printable(when.season.name, 60),
                          CellText(weekday, quarter), Printable(other.name, 60)),
              "each hour must have exactly one");
        }
        cell = static_cast<std::int32_t>(rate);
      }
    }
  }
  return {};
}

Status RateCalendar::RefuseHoles(const Tariff& tariff) const {
  const auto hole = std::ranges::find(rate_of_cell_, kNone);
  if (hole == rate_of_cell_.end()) return {};
  const auto cell = static_cast<std::size_t>(hole - rate_of_cell_.begin());
  const std::size_t span = cell / kQuarters / 7;
  const unsigned last = span + 1 < span_begins_.size() ? span_begins_[span + 1] - 1 : kDaysOfLeapYear - 1;
  return Fail(ErrorCode::kInvalidArgument, tariff.file,
              fmt::format("{} to {}, {} has no rate", DayText(DayAt(span_begins_[span])), DayText(DayAt(last)),
                          CellText(cell / kQuarters % 7, cell % kQuarters)),
              "each hour must have exactly one");
}

std::size_t RateCalendar::RateAt(std::chrono::local_seconds local) const {
  const auto day = std::chrono::floor<std::chrono::days>(local);
  const std::chrono::year_month_day date{day};
  const unsigned of_year = DayOfLeapYear({static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day())});
  const std::size_t weekday = std::chrono::weekday{day}.iso_encoding() - 1;
  const auto time_of_day = std::chrono::floor<minutes>(local - day);
  return static_cast<std::size_t>(rate_of_cell_[Cell(span_of_day_[of_year], weekday, QuarterOf(time_of_day))]);
}

}  // namespace heliostat::tariff
