#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/io/sqlite.h"
#include "heliostat/signals/provider/provider.h"
#include "heliostat/signals/signal/signal.h"
#include "heliostat/signals/store/samples.h"

namespace heliostat::store {

// The identity of a series. Series that differ in any field are never mixed.
struct SignalKey {
  std::string provider;
  std::string zone;
  signal::Kind kind = signal::Kind::kOther;
  signal::Basis basis = signal::Basis::kUnknown;
  signal::Scope scope = signal::Scope::kUnknown;
  signal::Unit unit = signal::Unit::kNone;
  std::optional<Currency> currency;
  std::string name;
  friend bool operator==(const SignalKey&, const SignalKey&) = default;
};

SignalKey KeyOf(std::string provider, const signal::Signal& signal);
// The key as text for users: "neso GB carbon intensity (lifecycle, average, gCO2e/kWh) actual".
std::string Describe(const SignalKey& key);

// The record of one stored answer.
struct Fetch {
  std::int64_t id = 0;
  Instant fetched;
  std::string origin;             // the URL of the request, without any key
  std::optional<Instant> issued;  // for a forecast
  std::size_t known = 0;          // number of values
  Interval span;                  // the time of the answer; for measured values, the part that pruning has left
};

// One series in the list of the store.
struct Stored {
  SignalKey key;
  SampleRole role = SampleRole::kMeasured;
  Interval span;          // from the first known value to the end of the last
  std::size_t runs = 0;   // for a forecast
  std::size_t known = 0;  // values of all runs
  // The number of values that fit into the gaps, at the finest step stored.
  std::size_t missing = 0;
  Instant last_fetched;
};

// How much Prune() has deleted.
struct Pruned {
  std::size_t values = 0;
  std::size_t runs = 0;
  std::size_t fetches = 0;
};

// Fetched signals with their provenance, in one SQLite file (docs/guide/store.md). A Put that returned an id is on disk
// as a whole; one that failed has changed nothing. Several processes may use the file at the same time; a reader sees
// only complete fetches. Not thread-safe: open one per thread. Must not be used in a child process after a fork.
class SignalStore {
 public:
  // Makes the file if there is none; io::Database::Open() has the rules.
  static Result<SignalStore> Open(const std::string& path);

  // Stores measured values. Known values replace those stored at their times; missing values replace nothing. Returns
  // the id of the fetch. Refuses a forecast.
  Result<std::int64_t> PutMeasured(const std::string& provider, const provider::CheckedAnswer& answer);
  // Stores a forecast: the same within the values issued at one time. Refuses measurements.
  Result<std::int64_t> PutForecast(const std::string& provider, const provider::IssuedAnswer& answer);

  // The values over `interval`, widened to whole steps of the finest common step; gaps are missing. std::nullopt when
  // no value in it is known.
  Result<std::optional<signal::Signal>> ReadMeasured(const SignalKey& key, const Interval& interval);

  // The last measured value that starts before `t`; std::nullopt when there is none.
  Result<std::optional<Sample>> NewestBefore(const SignalKey& key, Instant t);
  // The keys of the measured series of this provider, zone and kind; the one stored to last comes first.
  Result<std::vector<SignalKey>> MeasuredKeys(const std::string& provider, const std::string& zone, signal::Kind kind);
  // The first time of `interval` that no stored answer with measured values covers; its end when all of it is covered.
  Result<Instant> FirstUnasked(const SignalKey& key, const Interval& interval);

  // All fetches of a series, oldest first.
  Result<std::vector<Fetch>> Fetches(const SignalKey& key);
  // All series, sorted by key, measured ones first. Reads every value: takes seconds for a store of gigabytes.
  Result<std::vector<Stored>> List();

  // Deletes measured values that end at or before `before`, forecasts issued before it, and the fetches that then have
  // no values.
  Result<Pruned> Prune(Instant before);

  // Reads the whole file; kCorrupt when it is damaged.
  Status CheckIntegrity() { return database_.CheckIntegrity(); }

 private:
  explicit SignalStore(io::Database database) : database_(std::move(database)) {}

  Result<std::int64_t> Put(const std::string& provider, const provider::CheckedAnswer& answer,
                           std::optional<Instant> issued);
  Result<std::optional<std::int64_t>> FindSeries(const SignalKey& key);
  Result<std::int64_t> FindOrMakeSeries(const SignalKey& key);
  Result<std::int64_t> FindOrMakeRun(std::int64_t series, Instant issued);
  Result<std::int64_t> AddFetch(std::int64_t series, const provider::CheckedAnswer& answer,
                                std::optional<Instant> issued);
  // The measured signal with the meaning of its latest fetch.
  Result<signal::Signal> Described(std::int64_t series, const SignalKey& key, signal::StepSeries values);
  Status ListRole(SampleRole role, std::vector<Stored>& list);

  io::Database database_;
};

}  // namespace heliostat::store
