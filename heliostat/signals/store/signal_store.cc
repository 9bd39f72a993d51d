#include "heliostat/signals/store/signal_store.h"

#include <fmt/format.h>

#include "heliostat/signals/store/enum_words.h"
#include "heliostat/signals/store/schema.h"

namespace heliostat::store {
namespace {

std::int64_t Count(Instant t) { return t.time_since_epoch().count(); }

std::optional<std::int64_t> Count(const std::optional<Instant>& t) {
  return t ? std::optional(Count(*t)) : std::nullopt;
}

std::string_view CurrencyWord(const std::optional<Currency>& currency) {
  return currency ? currency->code() : std::string_view();
}

Status RefuseSpan(const Interval& interval) {
  if (interval.begin < interval.end && IsStorable(interval)) return {};
  return Fail(ErrorCode::kInvalidArgument, "signal store", "the requested span is empty, reversed or too far from 1970",
              "the begin must be before the end, both within 30000 years of 1970");
}

Status RefuseAnswer(const signal::Signal& signal) {
  if (IsStorable(signal.series.span())) return {};
  return Fail(ErrorCode::kInvalidArgument, signal.name, "has times outside the storable range",
              "within 30000 years of 1970");
}

}  // namespace

SignalKey KeyOf(std::string provider, const signal::Signal& signal) {
  const signal::Meaning& meaning = signal.meaning;
  return {std::move(provider), meaning.zone, meaning.kind,     meaning.basis,
          meaning.scope,       meaning.unit, meaning.currency, signal.name};
}

std::string Describe(const SignalKey& key) {
  signal::Meaning meaning;
  meaning.unit = key.unit;
  meaning.currency = key.currency;
  std::string details;
  if (key.basis != signal::Basis::kUnknown) details += fmt::format("{}, ", NameOf(key.basis));
  if (key.scope != signal::Scope::kUnknown) details += fmt::format("{}, ", NameOf(key.scope));
  return fmt::format("{} {} {} ({}{}) {}", key.provider, key.zone, NameOf(key.kind), details, UnitText(meaning),
                     key.name);
}

Result<SignalStore> SignalStore::Open(const std::string& path) {
  auto database = io::Database::Open(path, StoreSchema());
  if (!database) return Propagate(database);
  return SignalStore(std::move(*database));
}

Result<std::int64_t> SignalStore::PutMeasured(const std::string& provider, const provider::CheckedAnswer& answer) {
  if (answer.signal.meaning.nature == signal::Nature::kForecast) {
    return Fail(ErrorCode::kInvalidArgument, answer.signal.name, "is a forecast", "store it as a forecast");
  }
  return Put(provider, answer, std::nullopt);
}

Result<std::int64_t> SignalStore::PutForecast(const std::string& provider, const provider::IssuedAnswer& answer) {
  if (answer.answer.signal.meaning.nature == signal::Nature::kMeasured) {
    return Fail(ErrorCode::kInvalidArgument, answer.answer.signal.name, "is measured", "store it as a measurement");
  }
  return Put(provider, answer.answer, answer.issued);
}

Result<std::int64_t> SignalStore::Put(const std::string& provider, const provider::CheckedAnswer& answer,
                                      std::optional<Instant> issued) {
  if (const auto bad = RefuseAnswer(answer.signal); !bad) return Propagate(bad);
  auto transaction = io::Transaction::BeginWrite(database_);
  if (!transaction) return Propagate(transaction);
  auto series = FindOrMakeSeries(KeyOf(provider, answer.signal));
  if (!series) return series;
  auto owner = issued ? FindOrMakeRun(*series, *issued) : series;
  if (!owner) return owner;
  auto fetch = AddFetch(*series, answer, issued);
  if (!fetch) return fetch;
  const auto written = SampleTable(database_, issued ? SampleRole::kForecast : SampleRole::kMeasured)
                           .Write(*owner, *fetch, answer.signal.series);
  if (!written) return Propagate(written);
  if (const auto done = transaction->Commit(); !done) return Propagate(done);
  return fetch;
}

Result<std::optional<std::int64_t>> SignalStore::FindSeries(const SignalKey& key) {
  auto statement = database_.Prepare(
      "SELECT id FROM series WHERE provider = ? AND zone = ? AND kind = ? AND basis = ? AND scope = ? AND unit = ? "
      "AND currency = ? AND name = ?");
  if (!statement) return Propagate(statement);
  const auto row = statement
                       ->Bind(key.provider, key.zone, WordOf(key.kind), WordOf(key.basis), WordOf(key.scope),
                              WordOf(key.unit), CurrencyWord(key.currency), key.name)
                       .Step();
  if (!row) return Propagate(row);
  return *row ? std::optional(statement->Integer(0)) : std::nullopt;
}

Result<std::int64_t> SignalStore::FindOrMakeSeries(const SignalKey& key) {
  const auto found = FindSeries(key);
  if (!found) return Propagate(found);
  if (*found) return **found;
  auto statement = database_.Prepare(
      "INSERT INTO series (provider, zone, kind, basis, scope, unit, currency, name) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  if (!statement) return Propagate(statement);
  const auto made = statement
                        ->Bind(key.provider, key.zone, WordOf(key.kind), WordOf(key.basis), WordOf(key.scope),
                               WordOf(key.unit), CurrencyWord(key.currency), key.name)
                        .Run();
  if (!made) return Propagate(made);
  return database_.LastInsertId();
}

Result<std::int64_t> SignalStore::FindOrMakeRun(std::int64_t series, Instant issued) {
  auto find = database_.Prepare("SELECT id FROM run WHERE series = ? AND issued = ?");
  if (!find) return Propagate(find);
  const auto row = find->Bind(series, Count(issued)).Step();
  if (!row) return Propagate(row);
  if (*row) return find->Integer(0);
  auto make = database_.Prepare("INSERT INTO run (series, issued) VALUES (?, ?)");
  if (!make) return Propagate(make);
  if (const auto made = make->Bind(series, Count(issued)).Run(); !made) return Propagate(made);
  return database_.LastInsertId();
}

Result<std::int64_t> SignalStore::AddFetch(std::int64_t series, const provider::CheckedAnswer& answer,
                                           std::optional<Instant> issued) {
  auto add = database_.Prepare(
      "INSERT INTO fetch (series, issued, fetched, origin, known, span_begin, span_end, source, time_base, nature, "
      "lead) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!add) return Propagate(add);
  const signal::StepSeries& values = answer.signal.series;
  const signal::Meaning& meaning = answer.signal.meaning;
  const auto lead = meaning.lead ? std::optional<std::int64_t>(meaning.lead->count()) : std::nullopt;
  const auto added = add->Bind(series, Count(issued), Count(answer.fetched), answer.origin,
                               static_cast<std::int64_t>(values.size() - values.missing()), Count(values.start()),
                               Count(values.end()), meaning.source, meaning.time_base, WordOf(meaning.nature), lead)
                         .Run();
  if (!added) return Propagate(added);
  const std::int64_t id = database_.LastInsertId();
  auto note = database_.Prepare("INSERT INTO note (fetch, position, text) VALUES (?, ?, ?)");
  if (!note) return Propagate(note);
  for (std::size_t i = 0; i < meaning.notes.size(); ++i) {
    const auto noted = note->Bind(id, static_cast<std::int64_t>(i), meaning.notes[i]).Run();
    if (!noted) return Propagate(noted);
  }
  return id;
}

Result<signal::Signal> SignalStore::Described(std::int64_t series, const SignalKey& key, signal::StepSeries values) {
  auto fetch = database_.Prepare(
      "SELECT id, source, time_base, nature, lead FROM fetch WHERE series = ? AND issued IS NULL "
      "ORDER BY id DESC LIMIT 1");
  if (!fetch) return Propagate(fetch);
  const auto row = fetch->Bind(series).Step();
  if (!row) return Propagate(row);
  const auto nature = *row ? FromWord<signal::Nature>(fetch->Text(3)) : std::nullopt;
  if (!nature)
    return Fail(ErrorCode::kCorrupt, "signal store",
                Describe(key) + " has values without a valid record of their fetch");
  signal::Meaning meaning;
  meaning.kind = key.kind;
  meaning.unit = key.unit;
  meaning.zone = key.zone;
  meaning.source = fetch->Text(1);
  meaning.time_base = fetch->Text(2);
  meaning.nature = *nature;
  meaning.basis = key.basis;
  meaning.scope = key.scope;
  if (!fetch->IsNull(4)) meaning.lead = Duration{fetch->Integer(4)};
  meaning.currency = key.currency;
  auto note = database_.Prepare("SELECT text FROM note WHERE fetch = ? ORDER BY position");
  if (!note) return Propagate(note);
  note->Bind(fetch->Integer(0));
  while (true) {
    const auto more = note->Step();
    if (!more) return Propagate(more);
    if (!*more) break;
    meaning.notes.push_back(note->Text(0));
  }
  return signal::Signal{key.name, std::move(meaning), std::move(values)};
}

Result<std::optional<signal::Signal>> SignalStore::ReadMeasured(const SignalKey& key, const Interval& interval) {
  if (const auto bad = RefuseSpan(interval); !bad) return Propagate(bad);
  const auto transaction = io::Transaction::BeginRead(database_);
  if (!transaction) return Propagate(transaction);
  const auto series = FindSeries(key);
  if (!series) return Propagate(series);
  if (!*series) return std::optional<signal::Signal>();
  const auto samples = SampleTable(database_, SampleRole::kMeasured).Overlapping(**series, interval);
  if (!samples) return Propagate(samples);
  auto values = Assemble(*samples, interval);
  if (!values) return Propagate(values);
  if (!*values) return std::optional<signal::Signal>();
  auto signal = Described(**series, key, std::move(**values));
  if (!signal) return Propagate(signal);
  return std::optional(std::move(*signal));
}

Result<std::optional<Sample>> SignalStore::NewestBefore(const SignalKey& key, Instant t) {
  const auto transaction = io::Transaction::BeginRead(database_);
  if (!transaction) return Propagate(transaction);
  const auto series = FindSeries(key);
  if (!series) return Propagate(series);
  if (!*series) return std::optional<Sample>();
  return SampleTable(database_, SampleRole::kMeasured).NewestBefore(**series, t);
}

}  // namespace heliostat::store
