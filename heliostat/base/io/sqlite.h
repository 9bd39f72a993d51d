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

// The contents of a kind of database and the steps to its present schema.
struct DatabaseSchema {
  std::int32_t application_id;              // marks the file as such a database; not 0, the id of unmarked files
  std::string_view contents;                // "Heliostat signal store", for messages
  std::span<const char* const> migrations;  // SQL; the i-th leads from version i to i + 1
};

// One SQL statement, which can be bound and stepped any number of times. Parameters are numbered from 1 and columns
// from 0, as in SQLite. The next Step() reports a failed Bind(), so callers need not check Bind(). Must not be used
// after its Database is gone. Not thread-safe.
class Statement {
 public:
  // Resets the statement and sets its parameters.
  template <typename... Values>
  Statement& Bind(const Values&... values) {
    Reset();
    int position = 0;
    (BindOne(++position, values), ...);
    return *this;
  }

  // Moves to the next row: true when there is one, false at the end.
  Result<bool> Step();
  // Steps to the end and ignores rows, then resets the statement.
  Status Run();

  // Cells of the current row, converted as SQLite does: NULL reads as 0 or as an empty text.
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

// A connection to one SQLite file of Heliostat. A transaction is on disk when its commit returns (write-ahead log,
// synchronous=FULL). Readers and one writer can use the file at the same time, also from other processes; a writer
// waits up to ten seconds for its turn, then fails with kUnavailable.
//
// Not thread-safe: open one per thread. Must not be used in a child process after a fork. The file must be on a local
// disk, because the processes share the log through memory.
class Database {
 public:
  // Opens the database at `path` and brings it to the newest version. Makes it if there is none, with mode 0600 and as
  // a whole or not at all. Refuses a file that is not a database with this application id (kCorrupt) or has a newer
  // version (kUnsupported), and leaves it unchanged.
  static Result<Database> Open(const std::string& path, const DatabaseSchema& schema);

  // One statement; text after it is ignored.
  Result<Statement> Prepare(std::string_view sql);
  // Runs any number of statements and ignores their rows.
  Status Execute(const std::string& sql);
  // The row id of the last INSERT of this connection.
  std::int64_t LastInsertId() const;
  // The number of rows that the last INSERT, UPDATE or DELETE changed.
  std::size_t Changes() const;
  // Reads every page of the file; kCorrupt with the first fault found.
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

// All changes from Begin to Commit take effect, or none does. The destructor rolls back unless Commit() succeeded. At
// most one per Database at a time; it must not outlive the Database. Not thread-safe.
class Transaction {
 public:
  // A read transaction: sees one state of the database, even while other processes write.
  static Result<Transaction> BeginRead(Database& database) { return Begin(database, "BEGIN"); }
  // A write transaction: no other connection can write until it ends.
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
