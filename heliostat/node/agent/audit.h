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

// Who asked for what, and what came of it.
struct AuditRecord {
  uid_t uid = 0;
  pid_t pid = 0;
  io::Json request;     // as it was asked, or its first bytes where it is none
  std::string outcome;  // "allowed", "granted 6fd2c9e1-17", "refused: …"
};

// The append-only log of requests, one JSON line each: {"time", "uid", "pid", "request", "outcome"}. Opened for
// appending only, so that rotation and an append-only file attribute work. A thread of its own writes: whoever must
// know that a line is there waits for it, and the thread that serves everybody never does. Thread-safe.
class Audit {
 public:
  using Now = std::function<Instant()>;

  // A file that cannot be opened is tried again with every line; the agent has cards to restore all the same.
  Audit(std::string path, Now now);
  Audit(const Audit&) = delete;
  Audit& operator=(const Audit&) = delete;
  // Writes what is waiting.
  ~Audit();

  // Waits until the line is in the file. A failure means that it is not.
  Status Put(const AuditRecord& record);
  // Does not wait. A line for which there is no room is counted and told in the next that is written.
  void Note(const AuditRecord& record);
  // Another file by the same name: somebody rotated the log. Does not wait.
  void Reopen();
  // Waits until all that was noted before is written, or was tried.
  void Flush();

  // Why the last line could not be written; nothing when it was.
  std::optional<std::string> trouble() const;

 private:
  struct Line {
    std::string text;
    std::optional<Status>* outcome = nullptr;  // where somebody waits for it
  };

  std::string TextOf(const AuditRecord& record) const;
  void WriteLoop();
  // By the writing thread only.
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

  int fd_ = -1;           // the writing thread's own
  bool is_torn_ = false;  // likewise: the file ends within a line
  std::thread writer_;
};

}  // namespace heliostat::agent
