#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "heliostat/base/core/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace heliostat::io {

// What a database of ours holds and how it came to its present shape.
struct DatabaseSchema {
  std::int32_t application_id;              // marks the file as ours; never 0, which is every unmarked database
  std::string_view contents;                // "Heliostat signal store", for messages
  std::span<const char* const> migrations;  // the i-th leads from version i to version i + 1
};

// One SQL statement, to be bound and stepped any number of times. Parameters are
// numbered from 1 and columns from 0, as in SQLite. A failed Bind is reported by the next
// Step, so that binding needs no check of its own. Must not be used after its Database.
class Statement {
 public:
  // Starts over with these parameters.
  template <typename... Values>
  Statement& Bind(const Values&... values) {
    Reset();
    int position = 0;
    (BindOne(++position, values), ...);
    return *this;
  }

  // True when a row is there to be read, false at the end.
  Result<bool> Step();
  // Steps to the end, for statements that give no rows.
  Status Run();

  bool IsNull(int column) const;
  std::int64_t Integer(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  void Reset();
  void BindOne(int position, std::int64_t value);
  void BindOne(int position, double value);
  void BindOne(int position, std::string_view value);
  void BindOne(int position, const std::optional<std::int64_t>& value);

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bind_failure_ = 0;
};

// A connection to one SQLite file of ours. A commit that returned is on disk
// (write-ahead log, synchronous=FULL); readers and one writer work side by side,
// also from other processes, and a writer waits up to ten seconds for its turn.
//
// Not thread-safe, and not to be carried over a fork: open one per thread and process.
// The file must be on a local disk, because the log is shared through memory.
class Database {
 public:
  // Opens `path`, makes it (mode 0600, as a whole or not at all) where there is
  // none, and brings it to the newest version. A file that is not a database with
  // this application id, or of a newer version, is refused and left as it is.
  static Result<Database> Open(const std::string& path, const DatabaseSchema& schema);

  Result<Statement> Prepare(std::string_view sql);
  // Any number of statements, whose rows are dropped.
  Status Execute(const std::string& sql);
  std::int64_t LastInsertId() const;
  // Rows that the last INSERT, UPDATE or DELETE changed.
  std::size_t Changes() const;
  // Reads every page; kCorrupt with the first fault found.
  Status CheckIntegrity();

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  explicit Database(sqlite3* connection) : connection_(connection) {}
  static Result<Database> Connect(const std::string& path);
  static Status Create(const std::string& path, const DatabaseSchema& schema);
  Result<std::int64_t> IntegerOf(std::string_view sql);
  Status Migrate(const std::string& path, const DatabaseSchema& schema);

  std::unique_ptr<sqlite3, Close> connection_;
};

// Everything between Begin and Commit happens or nothing does; rolled back when
// it goes away without Commit. One at a time per Database, and not longer than it.
class Transaction {
 public:
  // Sees one state of the database throughout, whatever others write meanwhile.
  static Result<Transaction> BeginRead(Database& database) { return Begin(database, "BEGIN"); }
  // The only writer until it ends.
  static Result<Transaction> BeginWrite(Database& database) { return Begin(database, "BEGIN IMMEDIATE"); }

  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Status Commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  static Result<Transaction> Begin(Database& database, const char* how);

  Database* database_;
};

}  // namespace heliostat::io
