#include "heliostat/base/io/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "heliostat/base/io/file.h"

namespace heliostat::io {
namespace {

constexpr int kBusyMilliseconds = 10'000;

ErrorCode CodeOf(int result) {
  switch (result & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::kUnavailable;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::kCorrupt;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:  // the log cannot be made in its folder
      return ErrorCode::kPermissionDenied;
    default:
      return ErrorCode::kInternal;
  }
}

tl::unexpected<Error> Failure(sqlite3* connection, int result) {
  const char* path = connection != nullptr ? sqlite3_db_filename(connection, "main") : nullptr;
  const char* detail = connection != nullptr ? sqlite3_errmsg(connection) : "";
  const char* what = sqlite3_errstr(result);
  return Fail(CodeOf(result), path != nullptr ? path : "database",
              std::strcmp(what, detail) == 0 ? what : fmt::format("{} ({})", what, detail));
}

tl::unexpected<Error> SystemFailure(const std::string& path, std::string_view doing) {
  const int number = errno;
  const bool refused = number == EACCES || number == EPERM || number == EROFS;
  return Fail(refused ? ErrorCode::kPermissionDenied : ErrorCode::kInternal, path,
              fmt::format("cannot {}: {}", doing, std::strerror(number)));
}

std::string FolderOf(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

// The rename or link of a file survives a power cut only after its folder is on disk.
void SyncFolder(const std::string& path) {
  const int folder = ::open(FolderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  (void)::fsync(folder);
  ::close(folder);
}

// Removes an incomplete database and the files that SQLite makes next to it.
class Scaffold {
 public:
  explicit Scaffold(std::string path) : path_(std::move(path)) {}
  Scaffold(const Scaffold&) = delete;
  Scaffold& operator=(const Scaffold&) = delete;
  ~Scaffold() {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) ::unlink((path_ + suffix).c_str());
  }

 private:
  std::string path_;
};

// The fields of the file header of SQLite (https://www.sqlite.org/fileformat.html) that identify the kind of database.
constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kHeaderSize = 100;
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;

std::int64_t BigEndian(std::string_view header, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(header[at + i]);
  return static_cast<std::int32_t>(value);
}

tl::unexpected<Error> Newer(const std::string& path, const DatabaseSchema& schema, std::int64_t version) {
  return Fail(ErrorCode::kUnsupported, path,
              fmt::format("is a {} of version {}, made by a newer program", schema.contents, version),
              fmt::format("this program reads up to version {}", schema.migrations.size()));
}

// Checks the header before SQLite opens the file: SQLite treats an empty file as a new database and writes into the
// database of any application.
Status RefuseForeign(const std::string& path, const DatabaseSchema& schema) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return SystemFailure(path, "open");
  std::string header(kHeaderSize, '\0');
  std::ifstream file;
  if (S_ISREG(facts.st_mode)) {
    errno = 0;
    file.open(path, std::ios::binary);
    if (!file) return SystemFailure(path, "open");
    file.read(header.data(), static_cast<std::streamsize>(header.size()));
  }
  const bool ours = file.gcount() == static_cast<std::streamsize>(kHeaderSize) && header.starts_with(kMagic) &&
                    BigEndian(header, kApplicationIdAt) == schema.application_id;
  if (!ours) {
    return Fail(ErrorCode::kCorrupt, path, fmt::format("is not a {}", schema.contents),
                "move it away, or name another path");
  }
  const std::int64_t version = BigEndian(header, kUserVersionAt);
  if (version > static_cast<std::int64_t>(schema.migrations.size())) return Newer(path, schema, version);
  return {};
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Statement::Reset() {
  // Returns the failure of the last Step(), which Step() has reported already.
  (void)sqlite3_reset(statement_.get());
  bind_failure_ = SQLITE_OK;
}

void Statement::BindOne(int position, std::int64_t value) {
  if (const int result = sqlite3_bind_int64(statement_.get(), position, value); result != SQLITE_OK) {
    bind_failure_ = result;
  }
}

void Statement::BindOne(int position, double value) {
  if (const int result = sqlite3_bind_double(statement_.get(), position, value); result != SQLITE_OK) {
    bind_failure_ = result;
  }
}

void Statement::BindOne(int position, std::string_view value) {
  // A null pointer would bind NULL; an empty text is not NULL.
  const char* bytes = value.data() != nullptr ? value.data() : "";
  const int result =
      sqlite3_bind_text64(statement_.get(), position, bytes, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (result != SQLITE_OK) bind_failure_ = result;
}

void Statement::BindOne(int position, const std::optional<std::int64_t>& value) {
  if (value) return BindOne(position, *value);
  if (const int result = sqlite3_bind_null(statement_.get(), position); result != SQLITE_OK) bind_failure_ = result;
}

Result<bool> Statement::Step() {
  sqlite3* const connection = sqlite3_db_handle(statement_.get());
  if (bind_failure_ != SQLITE_OK) return Failure(connection, bind_failure_);
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return Failure(connection, result);
}

Status Statement::Run() {
  while (true) {
    const auto row = Step();
    if (!row) return Propagate(row);
    if (!*row) break;
  }
  Reset();
  return {};
}

bool Statement::IsNull(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

std::int64_t Statement::Integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Statement::Real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Statement::Text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Result<Database> Database::Connect(const std::string& path) {
  sqlite3* raw = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE, nullptr);
  Database database(raw);
  if (result != SQLITE_OK) return Fail(CodeOf(result), path, fmt::format("cannot open: {}", sqlite3_errstr(result)));
  sqlite3_busy_timeout(raw, kBusyMilliseconds);
  // The last two settings protect against a damaged or hostile file.
  const auto set = database.Execute(
      "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON");
  if (!set) return Propagate(set);
  return database;
}

// Makes the database under a temporary name and links it into place when it is complete, so that a crash leaves no
// empty or incomplete file. If two processes make it at the same time, one link succeeds and both use that file.
Status Database::Create(const std::string& path, const DatabaseSchema& schema) {
  std::string beside = path + ".XXXXXX";
  const int file = ::mkostemp(beside.data(), O_CLOEXEC);  // mode 0600
  if (file < 0) return SystemFailure(path, "make");
  ::close(file);
  const Scaffold scaffold(beside);
  {
    auto database = Connect(beside);
    if (!database) return Propagate(database);
    auto marked = database->Execute(
        fmt::format("PRAGMA auto_vacuum=INCREMENTAL; PRAGMA application_id={}", schema.application_id));
    if (!marked) return marked;
    auto migrated = database->Migrate(path, schema);
    if (!migrated) return migrated;
    // Last, so that all of the above is in the file itself and not in a separate log.
    auto logged = database->Execute("PRAGMA journal_mode=WAL");
    if (!logged) return logged;
  }
  if (::link(beside.c_str(), path.c_str()) != 0 && errno != EEXIST) return SystemFailure(path, "make");
  SyncFolder(path);
  return {};
}

Result<Database> Database::Open(const std::string& path, const DatabaseSchema& schema) {
  if (path.empty()) return Fail(ErrorCode::kInvalidArgument, "database", "has no path");
  // Absolute, because SQLite treats names such as ":memory:" specially.
  std::error_code failure;
  const std::string absolute = std::filesystem::absolute(path, failure).string();
  if (failure) return Fail(ErrorCode::kInternal, path, failure.message());
  if (const auto made = MakeDirectories(FolderOf(absolute)); !made) return Propagate(made);
  struct stat facts {};
  if (::stat(absolute.c_str(), &facts) != 0 && errno == ENOENT) {
    if (const auto made = Create(absolute, schema); !made) return Propagate(made);
  }
  if (const auto bad = RefuseForeign(absolute, schema); !bad) return Propagate(bad);
  auto database = Connect(absolute);
  if (!database) return database;
  const auto migrated = database->Migrate(absolute, schema);
  if (!migrated) return Propagate(migrated);
  // Parses the table definitions, so that a file with a damaged first page is refused here and not later.
  const auto tables = database->IntegerOf("SELECT count(*) FROM sqlite_schema");
  if (!tables) return Propagate(tables);
  return database;
}

Result<std::int64_t> Database::IntegerOf(std::string_view sql) {
  auto statement = Prepare(sql);
  if (!statement) return Propagate(statement);
  const auto row = statement->Step();
  if (!row) return Propagate(row);
  return *row ? statement->Integer(0) : 0;
}

Status Database::Migrate(const std::string& path, const DatabaseSchema& schema) {
  const auto newest = static_cast<std::int64_t>(schema.migrations.size());
  auto version = IntegerOf("PRAGMA user_version");
  if (!version) return Propagate(version);
  if (*version == newest) return {};
  if (*version > newest) return Newer(path, schema, *version);
  auto transaction = Transaction::BeginWrite(*this);
  if (!transaction) return Propagate(transaction);
  // Read again: now no other process can migrate the file.
  version = IntegerOf("PRAGMA user_version");
  if (!version) return Propagate(version);
  if (*version > newest) return Newer(path, schema, *version);
  if (*version < 0) return Fail(ErrorCode::kCorrupt, path, fmt::format("has the version {}", *version), "0 or more");
  for (std::int64_t i = *version; i < newest; ++i) {
    auto done = Execute(schema.migrations[static_cast<std::size_t>(i)]);
    if (!done) return done;
  }
  auto marked = Execute(fmt::format("PRAGMA user_version={}", newest));
  if (!marked) return marked;
  return transaction->Commit();
}

Result<Statement> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int result = sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
  Statement statement(raw);
  if (result != SQLITE_OK) return Failure(connection_.get(), result);
  return statement;
}

Status Database::Execute(const std::string& sql) {
  const int result = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) return Failure(connection_.get(), result);
  return {};
}

std::int64_t Database::LastInsertId() const { return sqlite3_last_insert_rowid(connection_.get()); }

std::size_t Database::Changes() const { return static_cast<std::size_t>(sqlite3_changes64(connection_.get())); }

Status Database::CheckIntegrity() {
  auto statement = Prepare("PRAGMA integrity_check(1)");
  if (!statement) return Propagate(statement);
  const auto row = statement->Step();
  if (!row) return Propagate(row);
  const std::string verdict = *row ? statement->Text(0) : "the integrity check returned no row";
  if (verdict == "ok") return {};
  return Fail(ErrorCode::kCorrupt, sqlite3_db_filename(connection_.get(), "main"), verdict);
}

Result<Transaction> Transaction::Begin(Database& database, const char* how) {
  const auto begun = database.Execute(how);
  if (!begun) return Propagate(begun);
  return Transaction(database);
}

Transaction::~Transaction() {
  // A rollback fails only when SQLite has already rolled back.
  if (database_ != nullptr) (void)database_->Execute("ROLLBACK");
}

Status Transaction::Commit() {
  auto done = database_->Execute("COMMIT");
  if (done) database_ = nullptr;
  return done;
}

}  // namespace heliostat::io
