#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/units.h"
#include "heliostat/base/io/json.h"
#include "heliostat/base/io/sqlite.h"
#include "heliostat/control/cluster/job.h"

namespace heliostat::controller {

// How many slots are kept: 104 days of a quarter of an hour.
inline constexpr int kSlotsKept = 10'000;

// What is saved at once.
struct StateChange {
  io::Json state;  // of the whole controller, but for its parts
  struct Job {
    cluster::JobKey key;
    std::string user;
    Instant end;
    io::Json report;
    std::optional<Grams> saved{};  // of a job that would have been moved
    Duration late{0};              // on the twin
  };
  std::vector<Job> ended;  // jobs whose accounts are complete
  struct Part {
    std::string name;
    std::function<io::Json()> make;  // none: the part stays as it was saved last
  };
  std::vector<Part> parts{};  // large ones; each is made and written before the next. Others are removed
  struct Slot {
    Instant begin;
    io::Json report;
  };
  std::vector<Slot> slots{};  // that have ended
};

// The state folder of a controller: a database, and a lock that one process holds at a time. Not thread-safe.
class StateStore {
 public:
  // Makes the folder. kUnavailable when another process has the lock.
  static Result<std::unique_ptr<StateStore>> Open(const std::string& folder);
  ~StateStore();
  StateStore(const StateStore&) = delete;
  StateStore& operator=(const StateStore&) = delete;

  // All of the change or nothing of it is on disk after a crash at any time.
  Status Save(const StateChange& change);
  // Whether the job was saved as ended.
  Result<bool> HasEnded(const cluster::JobKey& key);
  // What was saved last; null before the first time.
  Result<io::Json> Load();
  // A part, null where there is none.
  Result<io::Json> LoadPart(const std::string& name);
  Result<bool> HasPart(const std::string& name);

 private:
  StateStore(int lock, io::Database database) : lock_(lock), database_(std::move(database)) {}

  Status SaveParts(const std::vector<StateChange::Part>& parts, std::map<std::string, std::uint64_t>& written);

  int lock_;
  io::Database database_;
  std::map<std::string, std::uint64_t> written_;  // the hash of each part as last written
};

// The ended jobs and slots of a state folder, for readers beside the controller. Not thread-safe.
class JobArchive {
 public:
  static Result<JobArchive> Open(const std::string& folder);

  // The newest ended job with this number ("17", "17_3").
  Result<std::optional<io::Json>> Find(const std::string& number);
  // The newest `count` jobs, of one user if given, the newest first.
  Result<std::vector<io::Json>> Newest(int count, const std::optional<std::string>& user = {});
  // The `count` moved jobs that save the most, and the latest of the late ones. An empty `user` means of all users.
  Result<std::vector<io::Json>> Moved(const std::string& user, int count);
  Result<std::vector<io::Json>> Late(const std::string& user, int count);
  // The slots that are kept and begin before `end`, the oldest first, as elements of a JSON array. As text, because
  // thousands of them as documents would need much memory.
  Result<std::string> SlotsBefore(Instant end);

 private:
  explicit JobArchive(io::Database database) : database_(std::move(database)) {}
  static Result<std::vector<io::Json>> All(io::Statement& rows);
  Result<std::vector<io::Json>> Some(const char* sql, const std::string& user, int count);

  io::Database database_;
};

}  // namespace heliostat::controller
