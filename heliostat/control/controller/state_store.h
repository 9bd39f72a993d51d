#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/base/io/sqlite.h"
#include "heliostat/control/cluster/job.h"

namespace heliostat::controller {

// What is saved at once.
struct StateChange {
  io::Json state;  // of the whole controller
  struct Job {
    cluster::JobKey key;
    std::string user;
    Instant end;
    io::Json report;
  };
  std::vector<Job> ended;  // jobs whose accounts are complete
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
  // What was saved last; null before the first time.
  Result<io::Json> Load();

 private:
  StateStore(int lock, io::Database database) : lock_(lock), database_(std::move(database)) {}

  int lock_;
  io::Database database_;
};

// The ended jobs of a state folder, for readers beside the controller. Not thread-safe.
class JobArchive {
 public:
  static Result<JobArchive> Open(const std::string& folder);

  // The newest ended job with this number ("17", "17_3").
  Result<std::optional<io::Json>> Find(const std::string& number);
  // The newest `count` jobs, of one user if given, the newest first.
  Result<std::vector<io::Json>> Newest(int count, const std::optional<std::string>& user = {});

 private:
  explicit JobArchive(io::Database database) : database_(std::move(database)) {}
  io::Database database_;
};

}  // namespace heliostat::controller
