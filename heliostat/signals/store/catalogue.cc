// The part of SignalStore that lists and prunes; it reads no values.

#include <fmt/format.h>

#include "heliostat/signals/store/enum_words.h"
#include "heliostat/signals/store/signal_store.h"

namespace heliostat::store {
namespace {

std::int64_t Count(Instant t) { return t.time_since_epoch().count(); }
Instant At(std::int64_t seconds) { return Instant{Duration{seconds}}; }

constexpr const char* kKeyColumns =
    "series.provider, series.zone, series.kind, series.basis, series.scope, series.unit, series.currency, series.name";

// The key in the columns of kKeyColumns, which come first in the row.
Result<SignalKey> DecodeKey(const io::Statement& row) {
  const auto kind = FromWord<signal::Kind>(row.Text(2));
  const auto basis = FromWord<signal::Basis>(row.Text(3));
  const auto scope = FromWord<signal::Scope>(row.Text(4));
  const auto unit = FromWord<signal::Unit>(row.Text(5));
  const std::string money = row.Text(6);
  const auto currency = Currency::Parse(money);
  if (!kind || !basis || !scope || !unit || (!money.empty() && !currency)) {
    return Fail(ErrorCode::kCorrupt, "signal store",
                fmt::format("describes a series as {}, {}, {}, {}, '{}'", row.Text(2), row.Text(3), row.Text(4),
                            row.Text(5), money));
  }
  return SignalKey{row.Text(0), row.Text(1), *kind, *basis, *scope, *unit, currency, row.Text(7)};
}

// Runs a statement that changes rows and returns their number.
Result<std::size_t> Change(io::Database& database, const char* sql, Instant before) {
  auto statement = database.Prepare(sql);
  if (!statement) return Propagate(statement);
  if (const auto done = statement->Bind(Count(before)).Run(); !done) return Propagate(done);
  return database.Changes();
}

}  // namespace

Result<std::vector<SignalKey>> SignalStore::MeasuredKeys(const std::string& provider, const std::string& zone,
                                                         signal::Kind kind) {
  auto statement = database_.Prepare(
      fmt::format("SELECT {}, (SELECT max(id) FROM fetch WHERE series = series.id AND issued IS NULL) AS latest "
                  "FROM series WHERE provider = ? AND zone = ? AND kind = ? AND latest IS NOT NULL "
                  "ORDER BY latest DESC",
                  kKeyColumns));
  if (!statement) return Propagate(statement);
  statement->Bind(provider, zone, WordOf(kind));
  std::vector<SignalKey> keys;
  while (true) {
    const auto row = statement->Step();
    if (!row) return Propagate(row);
    if (!*row) return keys;
    auto key = DecodeKey(*statement);
    if (!key) return Propagate(key);
    keys.push_back(std::move(*key));
  }
}

Result<Instant> SignalStore::FirstUnasked(const SignalKey& key, const Interval& interval) {
  const auto transaction = io::Transaction::BeginRead(database_);
  if (!transaction) return Propagate(transaction);
  const auto series = FindSeries(key);
  if (!series) return Propagate(series);
  Instant reached = interval.begin;
  if (!*series) return reached;
  auto spans = database_.Prepare(
      "SELECT span_begin, span_end FROM fetch WHERE series = ? AND issued IS NULL AND span_end > ? AND span_begin < ? "
      "ORDER BY span_begin");
  if (!spans) return Propagate(spans);
  spans->Bind(**series, Count(interval.begin), Count(interval.end));
  while (reached < interval.end) {
    const auto row = spans->Step();
    if (!row) return Propagate(row);
    if (!*row || At(spans->Integer(0)) > reached) break;
    reached = std::max(reached, At(spans->Integer(1)));
  }
  return std::min(reached, interval.end);
}

Result<std::vector<Fetch>> SignalStore::Fetches(const SignalKey& key) {
  const auto transaction = io::Transaction::BeginRead(database_);
  if (!transaction) return Propagate(transaction);
  const auto series = FindSeries(key);
  if (!series) return Propagate(series);
  std::vector<Fetch> fetches;
  if (!*series) return fetches;
  auto statement = database_.Prepare(
      "SELECT id, fetched, origin, issued, known, span_begin, span_end FROM fetch WHERE series = ? ORDER BY id");
  if (!statement) return Propagate(statement);
  statement->Bind(**series);
  while (true) {
    const auto row = statement->Step();
    if (!row) return Propagate(row);
    if (!*row) return fetches;
    Fetch fetch{statement->Integer(0),
                At(statement->Integer(1)),
                statement->Text(2),
                std::nullopt,
                static_cast<std::size_t>(statement->Integer(4)),
                {At(statement->Integer(5)), At(statement->Integer(6))}};
    if (!statement->IsNull(3)) fetch.issued = At(statement->Integer(3));
    fetches.push_back(std::move(fetch));
  }
}

Result<std::vector<Stored>> SignalStore::List() {
  const auto transaction = io::Transaction::BeginRead(database_);
  if (!transaction) return Propagate(transaction);
  std::vector<Stored> list;
  for (const SampleRole role : {SampleRole::kMeasured, SampleRole::kForecast}) {
    if (const auto done = ListRole(role, list); !done) return Propagate(done);
  }
  return list;
}

Status SignalStore::ListRole(SampleRole role, std::vector<Stored>& list) {
  const bool measured = role == SampleRole::kMeasured;
  auto statement = database_.Prepare(fmt::format(
      "WITH owned AS (SELECT owner, count(*) AS known, min(time) AS first, max(time + length) AS last, "
      "  max(time + length) - min(time) - sum(length) AS gaps, min(length) AS step FROM {0} GROUP BY owner) "
      "SELECT {1}, min(first), max(last), count(*), sum(known), sum(gaps / step), "
      "  (SELECT max(fetched) FROM fetch WHERE series = series.id AND issued IS {2}) "
      "FROM owned {3} GROUP BY series.id ORDER BY {1}",
      measured ? "measured" : "forecast", kKeyColumns, measured ? "NULL" : "NOT NULL",
      measured ? "JOIN series ON series.id = owner"
               : "JOIN run ON run.id = owner JOIN series ON series.id = run.series"));
  if (!statement) return Propagate(statement);
  while (true) {
    const auto row = statement->Step();
    if (!row) return Propagate(row);
    if (!*row) return {};
    auto key = DecodeKey(*statement);
    if (!key) return Propagate(key);
    const auto number = [&](int column) { return static_cast<std::size_t>(statement->Integer(column)); };
    list.push_back({std::move(*key),
                    role,
                    {At(statement->Integer(8)), At(statement->Integer(9))},
                    measured ? 0 : number(10),
                    number(11),
                    number(12),
                    At(statement->Integer(13))});
  }
}

Result<Pruned> SignalStore::Prune(Instant before) {
  auto transaction = io::Transaction::BeginWrite(database_);
  if (!transaction) return Propagate(transaction);
  const auto values = Change(database_, "DELETE FROM measured WHERE time + length <= ?", before);
  if (!values) return Propagate(values);
  const auto forecast_values =
      Change(database_, "DELETE FROM forecast WHERE owner IN (SELECT id FROM run WHERE issued < ?)", before);
  if (!forecast_values) return Propagate(forecast_values);
  const auto runs = Change(database_, "DELETE FROM run WHERE issued < ?", before);
  if (!runs) return Propagate(runs);
  const auto fetches =
      Change(database_, "DELETE FROM fetch WHERE iif(issued IS NULL, span_end <= ?1, issued < ?1)", before);
  if (!fetches) return Propagate(fetches);
  // Otherwise the deleted times would count as times for which the provider has no value.
  const auto trimmed =
      Change(database_, "UPDATE fetch SET span_begin = ?1 WHERE issued IS NULL AND span_begin < ?1", before);
  if (!trimmed) return Propagate(trimmed);
  const auto emptied = database_.Execute("DELETE FROM series WHERE id NOT IN (SELECT series FROM fetch)");
  if (!emptied) return Propagate(emptied);
  if (const auto done = transaction->Commit(); !done) return Propagate(done);
  // Returns the freed pages to the file system. A failure is harmless.
  (void)database_.Execute("PRAGMA incremental_vacuum");
  return Pruned{*values + *forecast_values, *runs, *fetches};
}

}  // namespace heliostat::store
