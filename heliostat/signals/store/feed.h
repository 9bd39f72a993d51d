#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/clock.h"
#include "heliostat/signals/provider/provider.h"
#include "heliostat/signals/signal/freshness.h"
#include "heliostat/signals/store/signal_store.h"

namespace heliostat::store {

// "fresh", "stale" or "climatology": what a feed's answer is called. Fresh is measured, and as recent as was asked for.
std::string_view AnswerName(signal::Freshness freshness);

struct FeedLimits {
  Duration max_stale = signal::FreshnessLimits{}.max_stale;
  // How much of the newest history makes the usual values: long enough for a
  // mean per time of the week, short enough to follow the season.
  Duration history = std::chrono::weeks{8};
};

struct FeedAnswer {
  signal::Signal signal;  // over the span asked for, widened to whole steps; what is not known is missing
  // kMeasured, kStale or kClimatology: a feed forecasts nothing.
  signal::Freshness freshness = signal::Freshness::kClimatology;
  // From the end of the newest known value to the time asked for (the end of the
  // span, or now if that is earlier). Nothing when no value is that early.
  std::optional<Duration> age;
  std::string explanation;  // one line for people
};

// Answers with what was measured, from the store where that is recent enough and
// from the provider where not, and always says how good the answer is: a silent
// provider gives a stale answer, later a climatology, and never a made-up fresh
// one. The rules are in docs/guide/store.md. Not thread-safe.
class Feed {
 public:
  // All must outlive the feed. A provider without a measured source only names whose values are meant.
  Feed(SignalStore& store, const Clock& clock, const provider::Provider& provider, FeedLimits limits = {})
      : store_(&store), clock_(&clock), provider_(&provider), limits_(limits) {}

  // Measured values over `request.span`, which must begin before now. Fails when
  // nothing was ever known, or when the store itself fails.
  Result<FeedAnswer> Get(const provider::SignalRequest& request, Duration max_age);

 private:
  // What the store has for a request.
  struct Known {
    SignalKey key;
    std::size_t series = 0;        // how many match; the key is of the one stored to last
    std::optional<Sample> newest;  // that starts before the time asked for
    std::optional<Duration> age;
  };
  // One question on its way to an answer.
  struct Inquiry {
    provider::SignalRequest request;
    Instant now;
    Instant until;  // the time asked for
    Duration max_age;
    bool unanswered = false;  // the provider was needed and gave nothing
    std::string told;         // what came of asking the provider, for the explanation
    std::optional<ErrorCode> failure;
  };

  Result<std::optional<Known>> Look(const Inquiry& inquiry);
  // The first time that has to be asked for, `until` when the store will do.
  Result<Instant> FirstWanted(const Inquiry& inquiry, const std::optional<Known>& known);
  // Asks for [from, until) and stores what comes. Only the store's failures are errors.
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
