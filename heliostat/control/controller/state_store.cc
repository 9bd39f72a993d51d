#include "heliostat/control/controller/state_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "heliostat/base/core/hash.h"
#include "heliostat/base/io/file.h"
#include "heliostat/control/cluster_account/accounts.h"

namespace heliostat::controller {

using io::Json;

namespace {

constexpr std::array kMigrations{
    "CREATE TABLE state(id INTEGER PRIMARY KEY CHECK(id = 1), text TEXT NOT NULL);"
    "CREATE TABLE jobs(key TEXT PRIMARY KEY, number TEXT NOT NULL, user TEXT NOT NULL, end INTEGER NOT NULL,"
    "  report TEXT NOT NULL, saved_g REAL, late_s INTEGER NOT NULL);"
    "CREATE INDEX jobs_by_number ON jobs(number, end);"
    "CREATE INDEX jobs_by_end ON jobs(end);"
    "CREATE INDEX jobs_by_user ON jobs(user, end);"
    "CREATE INDEX jobs_by_saving ON jobs(saved_g) WHERE saved_g IS NOT NULL;"
    "CREATE INDEX jobs_by_lateness ON jobs(late_s) WHERE late_s > 0;"
    "CREATE TABLE slots(begin INTEGER PRIMARY KEY, report TEXT NOT NULL);"
    "CREATE TABLE parts(name TEXT PRIMARY KEY, text TEXT NOT NULL);"};
const io::DatabaseSchema kSchema{0x48535443, "Heliostat controller state", kMigrations};

Result<int> Lock(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    const bool is_denied = errno == EACCES || errno == EPERM || errno == EROFS;
    return Fail(is_denied ? ErrorCode::kPermissionDenied : ErrorCode::kInternal, path,
                "cannot be opened: " + std::generic_category().message(errno));
  }
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  ::close(file);
  return Fail(ErrorCode::kUnavailable, path, "is locked: another heliostatctld uses this state folder",
              "stop it, or name another folder in `state`");
}

}  // namespace

Result<std::unique_ptr<StateStore>> StateStore::Open(const std::string& folder) {
  if (const Status made = io::MakeDirectories(folder); !made) return Propagate(made);
  const auto lock = Lock(folder + "/lock");
  if (!lock) return Propagate(lock);
  auto database = io::Database::Open(folder + "/state.db", kSchema);
  if (!database) {
    ::close(*lock);
    return Propagate(database);
  }
  return std::unique_ptr<StateStore>(new StateStore(*lock, *std::move(database)));
}

StateStore::~StateStore() { ::close(lock_); }

namespace {

std::int64_t SecondsOf(Instant time) { return static_cast<std::int64_t>(time.time_since_epoch().count()); }

Status SaveJobs(io::Database& database, const std::vector<StateChange::Job>& jobs) {
  if (jobs.empty()) return {};
  auto row = database.Prepare(
      "INSERT OR REPLACE INTO jobs(key, number, user, end, report, late_s, saved_g) "
      "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  if (!row) return Propagate(row);
  auto unmoved = database.Prepare(
      "INSERT OR REPLACE INTO jobs(key, number, user, end, report, late_s) VALUES(?1, ?2, ?3, ?4, ?5, ?6)");
  if (!unmoved) return Propagate(unmoved);
  for (const StateChange::Job& ended : jobs) {
    const std::string key = cluster_account::TextOf(ended.key);
    const std::string number = NumberText(ended.key);
    const std::string report = ended.report.Line();
    const auto bind = [&](io::Statement& into, const auto&... saved) {
      into.Bind(std::string_view(key), std::string_view(number), std::string_view(ended.user), SecondsOf(ended.end),
                std::string_view(report), static_cast<std::int64_t>(ended.late.count()), saved...);
      return into.Run();
    };
    const Status written = ended.saved ? bind(*row, ended.saved->value) : bind(*unmoved);
    if (!written) return written;
  }
  return {};
}

Status SaveSlots(io::Database& database, const std::vector<StateChange::Slot>& slots) {
  if (slots.empty()) return {};
  auto row = database.Prepare("INSERT OR REPLACE INTO slots(begin, report) VALUES(?1, ?2)");
  if (!row) return Propagate(row);
  for (const StateChange::Slot& slot : slots) {
    const std::string report = slot.report.Line();
    if (const Status bad = row->Bind(SecondsOf(slot.begin), std::string_view(report)).Run(); !bad) return bad;
  }
  auto old = database.Prepare(
      "DELETE FROM slots WHERE begin <= (SELECT begin FROM slots ORDER BY begin DESC LIMIT 1 OFFSET ?1)");
  if (!old) return Propagate(old);
  return old->Bind(static_cast<std::int64_t>(kSlotsKept)).Run();
}

}  // namespace

Status StateStore::Save(const StateChange& change) {
  auto transaction = io::Transaction::BeginWrite(database_);
  if (!transaction) return Propagate(transaction);
  auto state = database_.Prepare("INSERT OR REPLACE INTO state(id, text) VALUES(1, ?1)");
  if (!state) return Propagate(state);
  if (const Status bad = state->Bind(std::string_view(change.state.Line())).Run(); !bad) return bad;
  std::map<std::string, std::uint64_t> written;
  if (const Status bad = SaveParts(change.parts, written); !bad) return bad;
  if (const Status bad = SaveJobs(database_, change.ended); !bad) return bad;
  if (const Status bad = SaveSlots(database_, change.slots); !bad) return bad;
  if (const Status bad = transaction->Commit(); !bad) return bad;
  written_ = std::move(written);
  return {};
}

// Writes those that have changed.
Status StateStore::SaveParts(const std::vector<StateChange::Part>& parts,
                             std::map<std::string, std::uint64_t>& written) {
  auto row = database_.Prepare("INSERT OR REPLACE INTO parts(name, text) VALUES(?1, ?2)");
  if (!row) return Propagate(row);
  std::string names;
  for (const StateChange::Part& part : parts) {
    names += (names.empty() ? "'" : ", '") + part.name + "'";
    const auto before = written_.find(part.name);
    if (!part.make) {
      if (before != written_.end()) written.insert(*before);
      continue;
    }
    const std::string text = part.make().Line();
    const std::uint64_t hash = Hash64(text);
    written[part.name] = hash;
    if (before != written_.end() && before->second == hash) continue;
    if (const Status bad = row->Bind(std::string_view(part.name), std::string_view(text)).Run(); !bad) return bad;
  }
  return database_.Execute("DELETE FROM parts WHERE name NOT IN (" + names + ")");
}

Result<Json> StateStore::LoadPart(const std::string& name) {
  auto rows = database_.Prepare("SELECT text FROM parts WHERE name = ?1");
  if (!rows) return Propagate(rows);
  const auto found = rows->Bind(std::string_view(name)).Step();
  if (!found) return Propagate(found);
  return *found ? Json::Parse(rows->Text(0), "state.db: " + name) : Result<Json>(Json());
}

Result<bool> StateStore::HasPart(const std::string& name) {
  auto rows = database_.Prepare("SELECT 1 FROM parts WHERE name = ?1");
  if (!rows) return Propagate(rows);
  return rows->Bind(std::string_view(name)).Step();
}

Result<bool> StateStore::HasEnded(const cluster::JobKey& key) {
  auto rows = database_.Prepare("SELECT 1 FROM jobs WHERE key = ?1");
  if (!rows) return Propagate(rows);
  return rows->Bind(std::string_view(cluster_account::TextOf(key))).Step();
}

Result<Json> StateStore::Load() {
  auto rows = database_.Prepare("SELECT text FROM state WHERE id = 1");
  if (!rows) return Propagate(rows);
  const auto found = rows->Step();
  if (!found) return Propagate(found);
  return *found ? Json::Parse(rows->Text(0), "state.db") : Result<Json>(Json());
}

Result<JobArchive> JobArchive::Open(const std::string& folder) {
  auto database = io::Database::Open(folder + "/state.db", kSchema);
  if (!database) return Propagate(database);
  return JobArchive(*std::move(database));
}

Result<std::optional<Json>> JobArchive::Find(const std::string& number) {
  auto rows = database_.Prepare("SELECT report FROM jobs WHERE number = ?1 ORDER BY end DESC LIMIT 1");
  if (!rows) return Propagate(rows);
  const auto found = rows->Bind(std::string_view(number)).Step();
  if (!found) return Propagate(found);
  if (!*found) return std::optional<Json>();
  auto report = Json::Parse(rows->Text(0), "state.db");
  if (!report) return Propagate(report);
  return std::optional<Json>(*std::move(report));
}

Result<std::vector<Json>> JobArchive::Newest(int count, const std::optional<std::string>& user) {
  auto rows = database_.Prepare(user ? "SELECT report FROM jobs WHERE user = ?2 ORDER BY end DESC LIMIT ?1"
                                     : "SELECT report FROM jobs ORDER BY end DESC LIMIT ?1");
  if (!rows) return Propagate(rows);
  if (user) {
    rows->Bind(static_cast<std::int64_t>(count), std::string_view(*user));
  } else {
    rows->Bind(static_cast<std::int64_t>(count));
  }
  return All(*rows);
}

Result<std::vector<Json>> JobArchive::Moved(const std::string& user, int count) {
  return Some(
      "SELECT report FROM jobs WHERE saved_g IS NOT NULL AND (?1 = '' OR user = ?1) ORDER BY saved_g DESC LIMIT ?2",
      user, count);
}

Result<std::vector<Json>> JobArchive::Late(const std::string& user, int count) {
  return Some("SELECT report FROM jobs WHERE late_s > 0 AND (?1 = '' OR user = ?1) ORDER BY late_s DESC LIMIT ?2", user,
              count);
}

Result<std::string> JobArchive::SlotsBefore(Instant end) {
  auto rows = database_.Prepare("SELECT report FROM slots WHERE begin < ?1 ORDER BY begin");
  if (!rows) return Propagate(rows);
  rows->Bind(SecondsOf(end));
  std::string text;
  while (true) {
    const auto more = rows->Step();
    if (!more) return Propagate(more);
    if (!*more) return text;
    text += (text.empty() ? "" : ",") + rows->Text(0);
  }
}

Result<std::vector<Json>> JobArchive::Some(const char* sql, const std::string& user, int count) {
  auto rows = database_.Prepare(sql);
  if (!rows) return Propagate(rows);
  rows->Bind(std::string_view(user), static_cast<std::int64_t>(count));
  return All(*rows);
}

Result<std::vector<Json>> JobArchive::All(io::Statement& rows) {
  std::vector<Json> reports;
  while (true) {
    const auto more = rows.Step();
    if (!more) return Propagate(more);
    if (!*more) return reports;
    auto report = Json::Parse(rows.Text(0), "state.db");
    if (!report) return Propagate(report);
    reports.push_back(*std::move(report));
  }
}

}  // namespace heliostat::controller
