#include "heliostat/ui/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::months;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<Duration, 19> kClockSteps{1s,    2s,    5s, 10s, 15s, 30s, 1min, 2min, 5min, 10min,
                                               15min, 30min, 1h, 2h,  3h,  6h,  12h,  24h,  48h};

std::string_view MonthName(const year_month_day& date) { return kMonths[static_cast<unsigned>(date.month()) - 1]; }

std::string DayLabel(Instant t) {
  const year_month_day date{std::chrono::floor<days>(t)};
  return fmt::format("{} {}", static_cast<unsigned>(date.day()), MonthName(date));
}

std::string ClockLabel(Instant t, Duration step) {
  const auto of_day = t - std::chrono::floor<days>(t);
  if (of_day == 0s) return DayLabel(t);
  const std::chrono::hh_mm_ss clock{of_day};
  if (step < 1min) return FormatInstant(t).substr(11, 8);
  return fmt::format("{:02}:{:02}", clock.hours().count(), clock.minutes().count());
}

double Seconds(Instant t) { return static_cast<double>(t.time_since_epoch().count()); }

std::vector<Tick> ClockTicks(const Interval& span, Duration step) {
  std::vector<Tick> ticks;
  // Counts days from the first midnight of the axis, not from 1970, so that two-day ticks begin there.
  const Instant midnight = std::chrono::floor<days>(span.begin);
  for (Instant t = midnight; t <= span.end; t += step) {
    if (t >= span.begin) ticks.push_back({Seconds(t), ClockLabel(t, step)});
  }
  return ticks;
}

std::vector<Tick> MonthTicks(const Interval& span, int step) {
  std::vector<Tick> ticks;
  const year_month_day first{std::chrono::floor<days>(span.begin)};
  auto month = first.year() / std::chrono::January;
  for (; Instant{sys_days{month / 1}} <= span.end; month += months{step}) {
    const Instant t = sys_days{month / 1};
    if (t < span.begin) continue;
    const bool names_year = month.month() == std::chrono::January;
    ticks.push_back({Seconds(t), names_year ? fmt::format("{}", static_cast<int>(month.year()))
                                            : std::string(kMonths[static_cast<unsigned>(month.month()) - 1])});
  }
  return ticks;
}

std::vector<Tick> WeekTicks(const Interval& span) {
  std::vector<Tick> ticks;
  for (Instant t = std::chrono::floor<days>(span.begin); t <= span.end; t += days{7}) {
    if (t >= span.begin) ticks.push_back({Seconds(t), DayLabel(t)});
  }
  return ticks;
}

std::vector<Tick> ChooseTimeTicks(const Interval& span, int most) {
  for (const Duration step : kClockSteps) {
    if (span.length() / step < most) return ClockTicks(span, step);
  }
  if (span.length() / days{7} < most) return WeekTicks(span);
  for (const int step : {1, 2, 3, 6, 12, 24, 60, 120, 240}) {
    if (span.length() / (days{30} * step) >= most) continue;
    // Some months are shorter than the mean month, so a span may hold one month more than its length suggests.
    if (auto ticks = MonthTicks(span, step); std::ssize(ticks) <= most) return ticks;
  }
  return {};
}

}  // namespace

Axis NumberAxis(double low, double high, int wanted) {
  if (!(high > low)) {
    const double room = low == 0 ? 1 : std::abs(low) * 0.1;
    low -= room;
    high += room;
  }
  const double rough = (high - low) / std::max(1, wanted);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double lead = rough / power;
  const double step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
  Axis axis{std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, {}};
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  const auto count = static_cast<int>(std::lround((axis.high - axis.low) / step));
  for (int i = 0; i <= count; ++i) {
    const double value = axis.low + i * step;
    const bool is_zero = std::abs(value) < step / 1000;
    axis.ticks.push_back({value, decimals > 6 || step >= 1e7
                                     ? fmt::format("{:.3g}", value)
                                     : fmt::format("{:.{}f}", is_zero ? 0.0 : value, decimals)});
  }
  return axis;
}

Axis TimeAxis(const Interval& span, int most) {
  const Instant end = std::max(span.end, span.begin + 1s);
  return {Seconds(span.begin), Seconds(end), ChooseTimeTicks({span.begin, end}, std::max(2, most))};
}

std::string NumberText(double value, int digits) {
  if (std::isnan(value)) return "–";
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 1e-4 || size >= 1e7) return fmt::format("{:.{}g}", value, digits);
  const int whole = static_cast<int>(std::floor(std::log10(size))) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, digits - whole));
}

std::string RoundedText(double value, int digits) {
  if (!std::isfinite(value) || value == 0) return NumberText(value, digits);
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) + 1 - digits);
  return NumberText(unit >= 1 ? std::round(value / unit) * unit : value, digits);
}

int DecimalsFor(double largest) {
  if (!(largest > 0)) return 0;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(largest))), 0, 6);
}

std::string DecimalText(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  return text.find_first_of("123456789") == std::string::npos && text.front() == '-' ? text.substr(1) : text;
}

std::string MinuteText(Instant time) {
  std::string text = FormatInstant(time).substr(0, 16);
  text[10] = ' ';
  return text;
}

std::string ShortTime(Instant time) {
  constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const auto day = std::chrono::floor<days>(time);
  return fmt::format("{} {} {}", kDays[std::chrono::weekday(day).c_encoding()], DayLabel(time),
                     FormatInstant(time).substr(11, 5));
}

std::string ShortSpan(const Interval& span) {
  const bool is_one_day = std::chrono::floor<days>(span.begin) == std::chrono::floor<days>(span.end);
  return ShortTime(span.begin) + " to " + (is_one_day ? FormatInstant(span.end).substr(11, 5) : ShortTime(span.end));
}

}  // namespace heliostat::report
