#include "heliostat/control/controller/state_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "heliostat/base/io/file.h"
#include "heliostat/control/cluster_account/accounts.h"

namespace heliostat::controller {

using io::Json;

namespace {

constexpr std::array kMigrations{
    "CREATE TABLE state(id INTEGER PRIMARY KEY CHECK(id = 1), text TEXT NOT NULL);"
    "CREATE TABLE jobs(key TEXT PRIMARY KEY, number TEXT NOT NULL, user TEXT NOT NULL, end INTEGER NOT NULL,"
    "  report TEXT NOT NULL);"
    "CREATE INDEX jobs_by_number ON jobs(number, end);"
    "CREATE INDEX jobs_by_end ON jobs(end);"
    "CREATE INDEX jobs_by_user ON jobs(user, end);"};
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

Status StateStore::Save(const StateChange& change) {
  auto transaction = io::Transaction::BeginWrite(database_);
  if (!transaction) return Propagate(transaction);
  auto state = database_.Prepare("INSERT OR REPLACE INTO state(id, text) VALUES(1, ?1)");
  if (!state) return Propagate(state);
  if (const Status bad = state->Bind(std::string_view(change.state.Line())).Run(); !bad) return bad;
  auto job =
      database_.Prepare("INSERT OR REPLACE INTO jobs(key, number, user, end, report) VALUES(?1, ?2, ?3, ?4, ?5)");
  if (!job) return Propagate(job);
  for (const StateChange::Job& ended : change.ended) {
    const std::string key = cluster_account::TextOf(ended.key);
    const std::string number = NumberText(ended.key);
    const std::string report = ended.report.Line();
    job->Bind(std::string_view(key), std::string_view(number), std::string_view(ended.user),
              static_cast<std::int64_t>(ended.end.time_since_epoch().count()), std::string_view(report));
    if (const Status bad = job->Run(); !bad) return bad;
  }
  return transaction->Commit();
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
  std::vector<Json> reports;
  while (true) {
    const auto more = rows->Step();
    if (!more) return Propagate(more);
    if (!*more) return reports;
    auto report = Json::Parse(rows->Text(0), "state.db");
    if (!report) return Propagate(report);
    reports.push_back(*std::move(report));
  }
}

}  // namespace heliostat::controller
