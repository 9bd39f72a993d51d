#include "heliostat/signals/provider/answer_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace heliostat::provider {
namespace {

// Clocks of machines differ by seconds. Values up to this far in the future are dropped and not treated as corrupt.
constexpr Duration kClockSkew{60};
// The dirtiest plants emit about 1500 g/kWh.
constexpr double kMostCarbon = 5000;
// The lowest life-cycle factor is that of wind, 11 g/kWh.
constexpr double kLeastLifecycleCarbon = 5;
// The European auction has a price cap of a few thousand EUR/MWh.
constexpr double kMostPricePerMwh = 20'000;
constexpr std::int64_t kMostValues = 1 << 20;

tl::unexpected<Error> Corrupt(const AnswerRules& rules, std::string what, std::string allowed = {}) {
  return Fail(ErrorCode::kCorrupt, rules.where, std::move(what), std::move(allowed));
}

Status CheckValue(const AnswerValue& reading, const AnswerRules& rules) {
  const double value = reading.value;
  if (signal::IsMissing(value)) return {};
  const auto shown = fmt::format("{} {} at {}", value, UnitText(rules.meaning), FormatInstant(reading.begin));
  if (!std::isfinite(value)) return Corrupt(rules, shown, "must be finite");
  if (value < 0 && signal::MustNotBeNegative(rules.meaning.kind))
    return Corrupt(rules, shown, "must not be below zero");
  if (rules.meaning.kind == signal::Kind::kCarbonIntensity && value > kMostCarbon) {
    return Corrupt(rules, shown, fmt::format("at most {}; the unit may have changed", kMostCarbon));
  }
  if (rules.meaning.kind == signal::Kind::kPrice && std::abs(value) > kMostPricePerMwh) {
    return Corrupt(rules, shown, fmt::format("at most {}; the unit may have changed", kMostPricePerMwh));
  }
  return {};
}

// Values in kg/kWh or t/MWh in place of g/kWh pass each check of a single value.
Status CheckLevel(const std::vector<AnswerValue>& readings, const AnswerRules& rules) {
  if (rules.meaning.basis != signal::Basis::kLifecycle) return {};
  double most = 0;
  for (const auto& reading : readings) most = std::max(most, signal::IsMissing(reading.value) ? 0 : reading.value);
  if (most >= kLeastLifecycleCarbon || most <= 0) return {};
  return Corrupt(rules, fmt::format("no value is above {} {}", most, UnitText(rules.meaning)),
                 fmt::format("some value must be at least {}; the unit may have changed", kLeastLifecycleCarbon));
}

// Sorts by time and merges equal repeats.
Status SortAndMerge(std::vector<AnswerValue>& readings, const AnswerRules& rules) {
  std::ranges::stable_sort(readings, {}, &AnswerValue::begin);
  std::vector<AnswerValue> merged;
  for (const auto& reading : readings) {
    if (merged.empty() || merged.back().begin != reading.begin) {
      merged.push_back(reading);
    } else if (signal::IsMissing(merged.back().value)) {
      merged.back().value = reading.value;
    } else if (!signal::IsMissing(reading.value) && merged.back().value != reading.value) {
      return Corrupt(rules, fmt::format("{} has two values, {} and {}", FormatInstant(reading.begin),
                                        merged.back().value, reading.value));
    }
  }
  readings = std::move(merged);
  return {};
}

// The most common distance; the shortest of equally common ones.
Duration CommonDistance(const std::vector<AnswerValue>& sorted) {
  std::map<Duration, std::size_t> counts;
  for (std::size_t i = 1; i < sorted.size(); ++i) ++counts[sorted[i].begin - sorted[i - 1].begin];
  const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::ranges::max_element(counts, by_count)->first;
}

// The step of the answer; every distance must be a multiple of it. Three equal longer distances in a row count as a
// second step, not as three gaps.
Result<Duration> StepOf(const std::vector<AnswerValue>& sorted, const AnswerRules& rules) {
  if (!rules.step && sorted.size() < 2)
    return Corrupt(rules, "one value is too few to find the step", "request a longer time");
  const Duration step = rules.step ? *rules.step : CommonDistance(sorted);
  std::size_t in_a_row = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const Duration distance = sorted[i].begin - sorted[i - 1].begin;
    const bool repeats = i > 1 && distance > step && distance == sorted[i - 1].begin - sorted[i - 2].begin;
    in_a_row = repeats ? in_a_row + 1 : 0;
    if (distance % step != Duration{0} || (in_a_row == 2 && !rules.step)) {
      return Corrupt(rules, fmt::format("mixes steps of {} and {} at {}", FormatDuration(step),
                                        FormatDuration(distance), FormatInstant(sorted[i - 1].begin)));
    }
  }
  return step;
}

Status RefuseFuture(std::vector<AnswerValue>& sorted, const AnswerRules& rules) {
  if (!rules.now) return {};
  for (const auto& reading : sorted) {
    if (!signal::IsMissing(reading.value) && reading.begin > *rules.now + kClockSkew) {
      return Corrupt(rules, fmt::format("gives the measurement {} for {}", reading.value, FormatInstant(reading.begin)),
                     fmt::format("a measurement must not be after now, {}", FormatInstant(*rules.now)));
    }
  }
  std::erase_if(sorted, [&](const AnswerValue& reading) { return reading.begin > *rules.now; });
  return {};
}

// The known values that lie entirely inside the requested time; gaps between them are missing.
Result<signal::StepSeries> SeriesOf(const std::vector<AnswerValue>& sorted, Duration step, const AnswerRules& rules) {
  const auto is_wanted = [&](const AnswerValue& r) {
    return !signal::IsMissing(r.value) && rules.span.Contains(Interval{r.begin, r.begin + step});
  };
  const auto first = std::ranges::find_if(sorted, is_wanted);
  if (first == sorted.end()) {
    return Fail(ErrorCode::kNotFound, rules.where,
                fmt::format("has no value for '{}' from {} to {}", Printable(rules.meaning.zone, 60),
                            FormatInstant(rules.span.begin), FormatInstant(rules.span.end)));
  }
  const auto last = std::find_if(sorted.rbegin(), sorted.rend(), is_wanted);
  const std::int64_t count = (last->begin - first->begin) / step + 1;
  if (count > kMostValues)
    return Corrupt(rules, fmt::format("gives {} values", count), fmt::format("at most {}", kMostValues));
  std::vector<double> values(static_cast<std::size_t>(count), signal::Missing());
  for (auto reading = first; reading != sorted.end(); ++reading) {
    if (is_wanted(*reading)) values[static_cast<std::size_t>((reading->begin - first->begin) / step)] = reading->value;
  }
  return signal::StepSeries::Make(first->begin, step, std::move(values));
}

}  // namespace

Result<signal::Signal> CheckReadings(std::vector<AnswerValue> readings, const AnswerRules& rules) {
  for (const auto& reading : readings) {
    if (const auto checked = CheckValue(reading, rules); !checked) return Propagate(checked);
  }
  if (const auto checked = CheckLevel(readings, rules); !checked) return Propagate(checked);
  if (const auto merged = SortAndMerge(readings, rules); !merged) return Propagate(merged);
  if (const auto checked = RefuseFuture(readings, rules); !checked) return Propagate(checked);
  Duration step{1};
  if (!readings.empty()) {
    const auto found = StepOf(readings, rules);
    if (!found) return Propagate(found);
    step = *found;
  }
  auto series = SeriesOf(readings, step, rules);
  if (!series) return Propagate(series);
  return signal::Signal{fmt::format("{}:{}", rules.meaning.source, rules.meaning.zone), rules.meaning,
                        std::move(*series)};
}

Status CheckIssued(Instant issued, Instant now, const std::string& where) {
  if (issued <= now + kClockSkew) return {};
  return Fail(ErrorCode::kCorrupt, where, fmt::format("has a forecast issued at {}", FormatInstant(issued)),
              fmt::format("a time of issue must not be after now, {}", FormatInstant(now)));
}

Status ExpectText(const io::Json& object, std::string_view key, std::string_view expected) {
  const auto member = object.Get(key);
  if (!member) return AsCorrupt(Status(Propagate(member)));
  const auto text = (*member)->Text();
  if (!text) return AsCorrupt(Status(Propagate(text)));
  if (*text == expected) return {};
  return Fail(ErrorCode::kCorrupt, (*member)->where(), fmt::format("is '{}'", Printable(*text, 60)),
              fmt::format("must be '{}'", expected));
}

Result<io::Json> ParseBody(std::string_view body, const std::string& where) {
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Fail(ErrorCode::kCorrupt, where, "the answer is empty");
  }
  return AsCorrupt(io::Json::Parse(body, where));
}

Result<Instant> TimeOf(const io::Json& object, std::string_view key, bool whole_seconds) {
  const auto member = object.Get(key);
  if (!member) return AsCorrupt(Result<Instant>(Propagate(member)));
  auto text = (*member)->Text();
  if (!text) return AsCorrupt(Result<Instant>(Propagate(text)));
  if (const auto dot = text->find('.'); dot != std::string::npos && !whole_seconds) {
    const auto behind = text->find_first_not_of("0123456789", dot + 1);
    text->erase(dot, behind == std::string::npos ? behind : behind - dot);
  }
  return AsCorrupt(ParseInstant(*text, (*member)->where()));
}

Result<double> NumberOrMissing(const io::Json& object, std::string_view key) {
  if (!object.is_object()) {
    return Fail(ErrorCode::kCorrupt, object.where(), "is not an object", fmt::format("must hold '{}'", key));
  }
  const io::Json* member = object.Find(key);
  if (member == nullptr) return signal::Missing();
  return AsCorrupt(member->Number());
}

}  // namespace heliostat::provider
