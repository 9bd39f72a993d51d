#include "heliostat/signals/store/schema.h"

#include <array>

namespace heliostat::store {
namespace {

// Times are seconds since 1970, UTC. Words are those of enum_words.h. A price without a currency has '', because SQLite
// treats any two NULLs as different.
//
// `measured` and `forecast` have no foreign key to `fetch`: it would need an index as large as the table. Pruning
// deletes a fetch only after its values.
constexpr const char* kFirst = R"sql(
CREATE TABLE series (
  id       INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  zone     TEXT NOT NULL,
  kind     TEXT NOT NULL,
  basis    TEXT NOT NULL,
  scope    TEXT NOT NULL,
  unit     TEXT NOT NULL,
  currency TEXT NOT NULL,
  name     TEXT NOT NULL,
  UNIQUE (provider, zone, kind, basis, scope, unit, currency, name)
) STRICT;

CREATE TABLE fetch (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  series     INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
  issued     INTEGER,           -- NULL for measured values
  fetched    INTEGER NOT NULL,
  origin     TEXT NOT NULL,
  known      INTEGER NOT NULL,  -- values it brought
  span_begin INTEGER NOT NULL,
  span_end   INTEGER NOT NULL,
  source     TEXT NOT NULL,
  time_base  TEXT NOT NULL,
  nature     TEXT NOT NULL,
  lead       INTEGER
) STRICT;
CREATE INDEX fetch_by_series ON fetch (series, issued);
CREATE INDEX fetch_by_span ON fetch (series, issued, span_end, span_begin);

CREATE TABLE note (
  fetch    INTEGER NOT NULL REFERENCES fetch (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  text     TEXT NOT NULL,
  PRIMARY KEY (fetch, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE measured (
  owner  INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
  time   INTEGER NOT NULL,
  length INTEGER NOT NULL,
  value  REAL NOT NULL,
  fetch  INTEGER NOT NULL,
  PRIMARY KEY (owner, time)
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
  id     INTEGER PRIMARY KEY,
  series INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
  issued INTEGER NOT NULL,
  UNIQUE (series, issued)
) STRICT;

CREATE TABLE forecast (
  owner  INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  time   INTEGER NOT NULL,
  length INTEGER NOT NULL,
  value  REAL NOT NULL,
  fetch  INTEGER NOT NULL,
  PRIMARY KEY (owner, time)
) STRICT, WITHOUT ROWID;
)sql";

constexpr std::array<const char*, 1> kMigrations{kFirst};
constexpr std::int32_t kApplicationId = 0x48454C53;  // "HELS"

}  // namespace

const io::DatabaseSchema& StoreSchema() {
  static constexpr io::DatabaseSchema kSchema{kApplicationId, "Heliostat signal store", kMigrations};
  return kSchema;
}

}  // namespace heliostat::store
