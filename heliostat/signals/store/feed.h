#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/clock.h"
#include "heliostat/signals/provider/provider.h"
#include "heliostat/signals/signal/freshness.h"
#include "heliostat/signals/store/signal_store.h"

namespace heliostat::store {

// The name of the freshness of an answer: "fresh" for kMeasured, else "stale" or "climatology".
std::string_view AnswerName(signal::Freshness freshness);

// Limits of a feed.
struct FeedLimits {
  // The age above which the answer is a climatology.
  Duration max_stale = signal::FreshnessLimits{}.max_stale;
  // The length of the newest history that the climatology uses: long enough for a mean per time of the week, short
  // enough to follow the season.
  Duration history = std::chrono::weeks{8};
};

// The values for a request and how good they are.
struct FeedAnswer {
  signal::Signal signal;  // over the requested span, widened to whole steps; unknown values are missing
  // kMeasured, kStale or kClimatology; never kForecast.
  signal::Freshness freshness = signal::Freshness::kClimatology;
  // The time from the end of the newest known value to the time asked for (the end of the span, or now if that is
  // earlier). Absent when no value is that early.
  std::optional<Duration> age;
  std::string explanation;  // one line for users
};

// Answers requests for measured values from the store where that is recent enough, and from the provider where not.
// Every answer states how good it is: without an answer of the provider it is stale, later a climatology, and never
// reported as fresh. docs/guide/store.md has the rules. Not thread-safe.
class Feed {
 public:
  // All references must outlive the feed. A provider without a measured source only selects whose stored values are
  // used.
  Feed(SignalStore& store, const Clock& clock, const provider::Provider& provider, FeedLimits limits = {})
      : store_(&store), clock_(&clock), provider_(&provider), limits_(limits) {}

  // Measured values over `request.span`, which must begin before now. `max_age` is the largest age of a fresh answer. A
  // failure of the provider is not an error as long as the store has a value; a failure of the store is.
  Result<FeedAnswer> Get(const provider::SignalRequest& request, Duration max_age);

 private:
  // The content of the store for a request.
  struct Known {
    SignalKey key;
    std::size_t series = 0;        // the number that match; `key` is that of the one stored to last
    std::optional<Sample> newest;  // the newest that starts before the time asked for
    std::optional<Duration> age;
  };
  // The state of one request.
  struct Inquiry {
    provider::SignalRequest request;
    Instant now;
    Instant until;  // the time asked for
    Duration max_age;
    bool unanswered = false;  // the provider was needed and gave nothing
    std::string told;         // the outcome of the request to the provider, for the explanation
    std::optional<ErrorCode> failure;
  };

  Result<std::optional<Known>> Look(const Inquiry& inquiry);
  // The first time to request from the provider; `until` when the store is sufficient.
  Result<Instant> FirstWanted(const Inquiry& inquiry, const std::optional<Known>& known);
  // Requests [from, until) from the provider and stores the answer. Only failures of the store are errors.
  Status Ask(Inquiry& inquiry, Instant from);
  Result<FeedAnswer> Measured(const Inquiry& inquiry, const Known& known, signal::Freshness freshness);
  Result<FeedAnswer> Usual(const Inquiry& inquiry, const Known& known);
  tl::unexpected<Error> NothingKnown(const Inquiry& inquiry) const;

  SignalStore* store_;
  const Clock* clock_;
  const provider::Provider* provider_;
  FeedLimits limits_;
};

}  // namespace heliostat::store
