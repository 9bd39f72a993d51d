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

// What makes two series the same one. Whatever differs here is never mixed.
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
// "neso GB carbon intensity (lifecycle, average, gCO2e/kWh) actual", for people.
std::string Describe(const SignalKey& key);

// Where values came from.
struct Fetch {
  std::int64_t id = 0;
  Instant fetched;
  std::string origin;             // the address asked, without any key
  std::optional<Instant> issued;  // of a forecast
  std::size_t known = 0;          // values it brought
  Interval span;                  // times it answered for; of measured values, what pruning left of them
};

// One line of the list of what is stored.
struct Stored {
  SignalKey key;
  SampleRole role = SampleRole::kMeasured;
  Interval span;          // from the first known value to the end of the last
  std::size_t runs = 0;   // of a forecast
  std::size_t known = 0;  // values, of all runs together
  // What gaps between known values would hold, at the finest step stored.
  std::size_t missing = 0;
  Instant last_fetched;
};

struct Pruned {
  std::size_t values = 0;
  std::size_t runs = 0;
  std::size_t fetches = 0;
};

// What was fetched, with its provenance, in one SQLite file (docs/guide/store.md).
// A Put that returned an id is on disk, whole; one that failed left nothing.
// Several processes may use the file at once, and a reader sees whole fetches only.
// Not thread-safe, and not to be carried over a fork: open one per thread and process.
class SignalStore {
 public:
  static Result<SignalStore> Open(const std::string& path);

  // Known values replace those stored at their times; missing ones replace
  // nothing. Gives the fetch's id. A forecast is refused.
  Result<std::int64_t> PutMeasured(const std::string& provider, const provider::CheckedAnswer& answer);
  // The same within what was issued at one time. Measurements are refused.
  Result<std::int64_t> PutForecast(const std::string& provider, const provider::IssuedAnswer& answer);

  // Over `interval`, widened to whole steps of the finest step stored in it, gaps
  // missing. Nothing when no value in it is known.
  Result<std::optional<signal::Signal>> ReadMeasured(const SignalKey& key, const Interval& interval);

  // The last measured value that starts before `t`.
  Result<std::optional<Sample>> NewestBefore(const SignalKey& key, Instant t);
  // The measured series of this provider, zone and kind, the one stored to last first.
  Result<std::vector<SignalKey>> MeasuredKeys(const std::string& provider, const std::string& zone, signal::Kind kind);
  // The first time of `interval` that no answer with measured values spans; its end when all is spanned.
  Result<Instant> FirstUnasked(const SignalKey& key, const Interval& interval);

  // Every fetch of a series, oldest first.
  Result<std::vector<Fetch>> Fetches(const SignalKey& key);
  // All series, by key. Reads every value: seconds for a store of gigabytes.
  Result<std::vector<Stored>> List();

  // Forgets measured values that end by `before`, forecasts issued before it, and the fetches that brought nothing
  // else.
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
  // The measured signal as its latest fetch describes it.
  Result<signal::Signal> Described(std::int64_t series, const SignalKey& key, signal::StepSeries values);
  Status ListRole(SampleRole role, std::vector<Stored>& list);

  io::Database database_;
};

}  // namespace heliostat::store
