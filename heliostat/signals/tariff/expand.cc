#include "heliostat/signals/tariff/expand.h"

#include <fmt/format.h>

#include <numeric>

#include "heliostat/signals/tariff/calendar.h"

namespace heliostat::tariff {
namespace {

using std::chrono::minutes;

constexpr minutes kQuarter{15};
constexpr std::chrono::days kLongest{36525};

std::int64_t SecondsOf(Instant t) { return t.time_since_epoch().count(); }

Status RefuseSpan(const Tariff& tariff, const Interval& span) {
  const std::int64_t quarter = Duration{kQuarter}.count();
  if (span.empty() || span.length() > kLongest || SecondsOf(span.begin) % quarter != 0 ||
      SecondsOf(span.end) % quarter != 0) {
    return Fail(ErrorCode::kInvalidArgument, tariff.file,
                fmt::format("cannot be expanded over {} to {}", FormatInstant(span.begin), FormatInstant(span.end)),
                "up to 100 years that begin and end on a quarter of an hour");
  }
  return {};
}

// The coarsest step, from the begin of the span, at whose multiples all changes of rate are.
Result<Duration> ExactStep(const Tariff& tariff, const RateCalendar& calendar, const Interval& span,
                           const io::TimeZone& zone) {
  std::int64_t step = Duration{calendar.step()}.count();
  step = std::gcd(step, SecondsOf(span.begin));
  step = std::gcd(step, span.length().count());
  const auto meet_offset = [&](Instant t) {
    step = std::gcd(step, (zone.ToLocal(t).time_since_epoch() - t.time_since_epoch()).count());
  };
  for (Instant t = span.begin; t < span.end; t += std::chrono::days{1}) meet_offset(t);
  meet_offset(span.end - Duration{1});  // clocks may change on the last day
  if (step >= Duration{kQuarter}.count()) return Duration{step};
  return Fail(ErrorCode::kUnsupported, tariff.file,
              fmt::format("zone {} is not whole quarters of an hour from UTC between {} and {}", zone.name(),
                          FormatInstant(span.begin), FormatInstant(span.end)),
              "a later span, or another zone");
}

Result<io::TimeZone> ZoneOf(const Tariff& tariff, const std::optional<io::TimeZone>& zone) {
  if (zone) return *zone;
  return tariff.time_zone.empty() ? io::TimeZone::Utc() : io::TimeZone::Find(tariff.time_zone);
}

signal::Meaning MeaningOf(const Tariff& tariff, const Interval& span, const io::TimeZone& zone, bool is_assumed) {
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kPrice;
  meaning.unit = signal::Unit::kPerKwh;
  meaning.nature = signal::Nature::kTariff;
  meaning.currency = tariff.currency;
  meaning.source = tariff.utility.empty() ? tariff.name : fmt::format("{}, {}", tariff.utility, tariff.name);
  meaning.time_base = zone.name();
  meaning.notes = tariff.notes;
  if (is_assumed) meaning.notes.emplace_back("no time zone is given: local time is read as UTC");
  if (tariff.effective_from && span.begin < *tariff.effective_from) {
    meaning.notes.push_back("the span begins before the tariff takes effect on " +
                            FormatInstant(*tariff.effective_from));
  }
  if (tariff.effective_to && span.end > *tariff.effective_to) {
    meaning.notes.push_back("the span ends after the tariff expires on " + FormatInstant(*tariff.effective_to));
  }
  return meaning;
}

}  // namespace

Result<signal::Signal> Expand(const Tariff& tariff, const Interval& span, const std::optional<io::TimeZone>& zone,
                              std::optional<Duration> step) {
  if (const Status sound = RefuseSpan(tariff, span); !sound) return Propagate(sound);
  const auto calendar = RateCalendar::Make(tariff);
  if (!calendar) return Propagate(calendar);
  const auto local = ZoneOf(tariff, zone);
  if (!local) return Propagate(local);
  const auto exact = ExactStep(tariff, *calendar, span, *local);
  if (!exact) return Propagate(exact);

  std::vector<double> prices;
  prices.reserve(static_cast<std::size_t>(span.length() / *exact));
  for (Instant t = span.begin; t < span.end; t += *exact) {
    prices.push_back(tariff.rates[calendar->RateAt(local->ToLocal(t))].tiers.front().rate);
  }
  auto series = signal::StepSeries::Make(span.begin, *exact, std::move(prices));
  if (series && step && *step != *exact) {
    if (*step <= Duration{0} || span.length() % *step != Duration{0}) {
      return Fail(ErrorCode::kInvalidArgument, tariff.file,
                  fmt::format("step {} does not divide the span", FormatDuration(*step)),
                  "must divide the span into whole steps");
    }
    series = series->Resample(*step, span.begin);
  }
  if (!series) return Propagate(series);
  const bool is_assumed = !zone && tariff.time_zone.empty();
  return signal::Signal{"price_per_kwh", MeaningOf(tariff, span, *local, is_assumed), std::move(*series)};
}

}  // namespace heliostat::tariff
