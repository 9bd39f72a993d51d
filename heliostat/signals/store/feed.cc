#include "heliostat/signals/store/feed.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/signals/signal/climatology.h"

namespace heliostat::store {
namespace {

using signal::Freshness;

constexpr std::int64_t kMostSteps = std::int64_t{1} << 24;

// Whole steps that cover a span.
struct Grid {
  Instant start;
  Duration step;
  std::int64_t count;
};

std::int64_t FloorDivide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// The steps of a series with a sample at `anchor` that cover `span`.
Result<Grid> GridOver(const Interval& span, Instant anchor, Duration step) {
  const Instant start = anchor + step * FloorDivide((span.begin - anchor).count(), step.count());
  const std::int64_t count = FloorDivide((span.end - start).count() - 1, step.count()) + 1;
  if (count <= kMostSteps) return Grid{start, step, count};
  return Fail(ErrorCode::kInvalidArgument, "signal",
              fmt::format("the requested span has {} steps of {}", count, FormatDuration(step)),
              fmt::format("at most {}", kMostSteps));
}

// The reason why an answer of a provider does not fit `request`; std::nullopt when it fits.
std::optional<std::string> Fault(const signal::Signal& signal, const provider::SignalRequest& request, Instant now) {
  if (signal.meaning.zone != request.zone || signal.meaning.kind != request.kind) {
    return fmt::format("answered with {} of {}", NameOf(signal.meaning.kind), Printable(signal.meaning.zone));
  }
  if (signal.meaning.nature == signal::Nature::kForecast) return "answered with a forecast";
  for (std::size_t i = signal.series.size(); i > 0; --i) {
    if (signal::IsMissing(signal.series.values()[i - 1])) continue;
    const Instant newest = signal.series.TimeOf(i - 1);
    if (newest > now) return fmt::format("answered with a value of the future, {}", FormatInstant(newest));
    break;
  }
  return std::nullopt;
}

Status RefuseQuestion(const provider::SignalRequest& request, Instant now, Duration max_age) {
  if (request.span.empty() || !IsStorable(request.span)) {
    return Fail(ErrorCode::kInvalidArgument, "signal", "the requested span is empty, reversed or too far from 1970",
                "the begin must be before the end, both within 30000 years of 1970");
  }
  if (request.span.begin >= now) {
    return Fail(
        ErrorCode::kInvalidArgument, "signal",
        fmt::format("measurements are requested from {}, which is not in the past", FormatInstant(request.span.begin)),
        "request a forecast");
  }
  if (max_age < Duration{0}) {
    return Fail(ErrorCode::kInvalidArgument, "signal", fmt::format("the largest age is {} s", max_age.count()),
                "must not be negative");
  }
  return {};
}

}  // namespace

std::string_view AnswerName(Freshness freshness) {
  return freshness == Freshness::kMeasured ? "fresh" : NameOf(freshness);
}

Result<FeedAnswer> Feed::Get(const provider::SignalRequest& request, Duration max_age) {
  const Instant now = clock_->Now();
  if (const auto bad = RefuseQuestion(request, now, max_age); !bad) return Propagate(bad);
  Inquiry inquiry{request, now, std::min(request.span.end, now), max_age, false, "from the store", std::nullopt};
  auto known = Look(inquiry);
  if (!known) return Propagate(known);
  const auto from = FirstWanted(inquiry, *known);
  if (!from) return Propagate(from);
  if (*from < inquiry.until) {
    if (const auto asked = Ask(inquiry, *from); !asked) return Propagate(asked);
    known = Look(inquiry);
    if (!known) return Propagate(known);
  }
  if (!*known) return NothingKnown(inquiry);
  const auto& newest = (*known)->newest;
  const Freshness by_age =
      newest ? signal::FreshnessAfter(*(*known)->age, {max_age, limits_.max_stale}) : Freshness::kClimatology;
  if (by_age == Freshness::kClimatology) return Usual(inquiry, **known);
  const bool is_fresh = !inquiry.unanswered && by_age != Freshness::kStale && newest->span.end > request.span.begin;
  return Measured(inquiry, **known, is_fresh ? Freshness::kMeasured : Freshness::kStale);
}

Result<std::optional<Feed::Known>> Feed::Look(const Inquiry& inquiry) {
  auto keys = store_->MeasuredKeys(provider_->name, inquiry.request.zone, inquiry.request.kind);
  if (!keys) return Propagate(keys);
  if (keys->empty()) return std::optional<Known>();
  Known known{std::move(keys->front()), keys->size(), std::nullopt, std::nullopt};
  auto newest = store_->NewestBefore(known.key, inquiry.until);
  if (!newest) return Propagate(newest);
  known.newest = *newest;
  if (known.newest) known.age = std::max(Duration{0}, inquiry.until - known.newest->span.end);
  return std::optional(std::move(known));
}

Result<Instant> Feed::FirstWanted(const Inquiry& inquiry, const std::optional<Known>& known) {
  const Instant begin = inquiry.request.span.begin;
  if (!known || !known->newest) return begin;
  const Instant known_until = std::min(known->newest->span.end, inquiry.until);
  if (known_until <= begin) return begin;
  auto unasked = store_->FirstUnasked(known->key, {begin, known_until});
  if (!unasked || *unasked < known_until) return unasked;
  return *known->age > inquiry.max_age ? known_until : inquiry.until;
}

Status Feed::Ask(Inquiry& inquiry, Instant from) {
  inquiry.unanswered = true;
  if (!provider_->measured) {
    inquiry.told = fmt::format("no request was sent to {}", provider_->name);
    return {};
  }
  const provider::SignalRequest request{inquiry.request.zone, inquiry.request.kind, {from, inquiry.until}};
  const auto answer = provider_->measured->Measured(request);
  if (!answer) {
    inquiry.told = fmt::format("{} failed: {}", provider_->name, answer.error().Line());
    inquiry.failure = answer.error().code;
    return {};
  }
  if (const auto fault = Fault(answer->signal, request, inquiry.now)) {
    inquiry.told = fmt::format("{} failed: {}", provider_->name, *fault);
    inquiry.failure = ErrorCode::kCorrupt;
    return {};
  }
  inquiry.unanswered = false;
  inquiry.told = fmt::format("{} answered just now", provider_->name);
  const auto stored = store_->PutMeasured(provider_->name, *answer);
  if (!stored) return Propagate(stored);
  return {};
}

Result<FeedAnswer> Feed::Measured(const Inquiry& inquiry, const Known& known, Freshness freshness) {
  const Interval& span = inquiry.request.span;
  auto read = store_->ReadMeasured(known.key, {span.begin, inquiry.until});
  if (!read) return Propagate(read);
  const bool has_values = read->has_value();
  // Without a value in the span, the newest value still provides the step and the meaning.
  if (!has_values) read = store_->ReadMeasured(known.key, known.newest->span);
  if (!read) return Propagate(read);
  if (!*read) return Fail(ErrorCode::kUnavailable, "signal store", Describe(known.key) + " was pruned meanwhile");
  const signal::StepSeries& found = (*read)->series;
  const auto grid = GridOver(span, found.start(), found.step());
  if (!grid) return Propagate(grid);
  std::vector<double> values(static_cast<std::size_t>(grid->count), signal::Missing());
  // Both start at the same step, and the read values end no later than the span.
  if (has_values) std::ranges::copy(found.values(), values.begin());
  auto series = signal::StepSeries::Make(grid->start, grid->step, std::move(values));
  if (!series) return Propagate(series);
  std::string text =
      fmt::format("{}: known up to {}, {} before the time asked for ({} allowed)", AnswerName(freshness),
                  FormatInstant(known.newest->span.end), FormatDuration(*known.age), FormatDuration(inquiry.max_age));
  if (series->missing() > 0) text += fmt::format("; {} of {} values missing", series->missing(), series->size());
  if (known.series > 1) text += fmt::format("; {} series match, this is the one stored to last", known.series);
  return FeedAnswer{
      {(*read)->name, (*read)->meaning, std::move(*series)}, freshness, known.age, text + "; " + inquiry.told};
}

Result<FeedAnswer> Feed::Usual(const Inquiry& inquiry, const Known& known) {
  // Not limited to values before the time asked for: if the series begins later, its later values are the only source.
  const auto last = store_->NewestBefore(known.key, inquiry.now);
  if (!last) return Propagate(last);
  if (!*last) return NothingKnown(inquiry);
  const Instant end = (*last)->span.end;
  auto history = store_->ReadMeasured(known.key, {end - std::max(limits_.history, (*last)->span.length()), end});
  if (!history) return Propagate(history);
  if (!*history) return NothingKnown(inquiry);
  const auto usual = signal::Climatology::FromHistory((*history)->series);
  if (!usual) return Propagate(usual);
  const auto grid = GridOver(inquiry.request.span, (*history)->series.start(), usual->step());
  if (!grid) return Propagate(grid);
  auto series = usual->Over(grid->start, static_cast<std::size_t>(grid->count));
  if (!series) return Propagate(series);
  const std::string note = fmt::format("not measured: the usual values by time of week, from {} known ones up to {}",
                                       (*history)->series.size() - (*history)->series.missing(), FormatInstant(end));
  const std::string why = known.age
                              ? fmt::format("the newest value ends {} before the time asked for (at most {} is stale)",
                                            FormatDuration(*known.age), FormatDuration(limits_.max_stale))
                              : "no value as early as the time asked for is known";
  FeedAnswer answer{{(*history)->name, (*history)->meaning, std::move(*series)},
                    Freshness::kClimatology,
                    known.age,
                    fmt::format("climatology: {}; {}; {}", note, why, inquiry.told)};
  answer.signal.meaning.nature = signal::Nature::kModelled;
  answer.signal.meaning.notes.push_back(note);
  return answer;
}

tl::unexpected<Error> Feed::NothingKnown(const Inquiry& inquiry) const {
  return Fail(inquiry.failure.value_or(ErrorCode::kNotFound),
              fmt::format("{} of {}", NameOf(inquiry.request.kind), Printable(inquiry.request.zone)),
              fmt::format("nothing is stored; {}", inquiry.told), "fetch it when the provider is available");
}

}  // namespace heliostat::store
