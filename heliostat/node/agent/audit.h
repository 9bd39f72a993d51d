#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/io/json.h"

namespace heliostat::agent {

// One request and its outcome.
struct AuditRecord {
  uid_t uid = 0;
  pid_t pid = 0;
  io::Json request;     // the request, or its first bytes where it cannot be parsed
  std::string outcome;  // "allowed", "granted 6fd2c9e1-17", "refused: …"
};

// The append-only log of requests, one JSON line each: {"time", "uid", "pid", "request", "outcome"}. Opened for
// appending only, so that rotation and an append-only file attribute work. A separate thread writes: Put() waits for
// it, and Note(), which the serving thread calls, does not. Thread-safe.
class Audit {
 public:
  using Now = std::function<Instant()>;

  // A file that cannot be opened is no error here and is tried again with every line: the agent must still start, to
  // restore cards.
  Audit(std::string path, Now now);
  Audit(const Audit&) = delete;
  Audit& operator=(const Audit&) = delete;
  // Writes the lines that wait.
  ~Audit();

  // Waits until the line is in the file. On failure it is not, or not all of it.
  Status Put(const AuditRecord& record);
  // Does not wait. A line for which the queue has no room is dropped; the next line that is written reports how many.
  void Note(const AuditRecord& record);
  // Opens the file at the path again, after the log was rotated. Does not wait.
  void Reopen();
  // Waits until the queue is empty: every line was written or has failed.
  void Flush();

  // Why the last line could not be written; absent when it was.
  std::optional<std::string> trouble() const;

 private:
  struct Line {
    std::string text;
    std::optional<Status>* outcome = nullptr;  // where Put() waits for it
  };

  std::string TextOf(const AuditRecord& record) const;
  void WriteLoop();
  // For the writing thread only.
  Status Append(std::string text);
  Status EnsureOpen();

  const std::string path_;
  const Now now_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable written_;
  std::deque<Line> waiting_;
  bool is_writing_ = false;
  bool is_stopping_ = false;
  bool is_reopen_wanted_ = false;
  std::uint64_t lost_ = 0;
  std::optional<std::string> trouble_;

  int fd_ = -1;           // used by the writing thread only
  bool is_torn_ = false;  // likewise: the file ends within a line
  std::thread writer_;
};

}  // namespace heliostat::agent
