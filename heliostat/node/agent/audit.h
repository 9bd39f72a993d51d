#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/io/json.h"
#include "heliostat/node/agent/audit_tally.h"

namespace heliostat::agent {

// One request and its outcome.
struct AuditRecord {
  uid_t uid = 0;
  pid_t pid = 0;
  io::Json request;     // the request, or its first bytes where it cannot be parsed
  std::string outcome;  // "allowed", "granted 6fd2c9e1-17", "refused: …"
};

// The append-only log of requests, one JSON line each: {"time", "uid", "pid", "request", "outcome"}. Opened for
// appending only, so that rotation and an append-only file attribute work. A separate thread writes, because a disk may
// block for any time: Put() waits for it, up to a limit, and nothing else does. Thread-safe.
class Audit {
 public:
  using Now = std::function<Instant()>;
  // Shorter than the time after which a driver call counts as hanging, so that the two are not confused.
  static constexpr std::chrono::milliseconds kPatience{2000};

  // A file that cannot be opened is no error here and is tried again with every line: the agent must still start, to
  // restore cards. `patience`: how long Put(), Flush() and Close() wait.
  Audit(std::string path, Now now, std::chrono::milliseconds patience = kPatience);
  Audit(const Audit&) = delete;
  Audit& operator=(const Audit&) = delete;
  ~Audit();

  // Waits until the line is in the file. On failure it is not, or not all of it, except that a log which blocks may
  // take the line later. While the log blocks, only the first call waits; later ones fail at once.
  Status Put(const AuditRecord& record);
  // Does not wait. A line for which the queue has no room is dropped; the next line that is written reports how many.
  void Note(const AuditRecord& record);
  // The same for a request that changed nothing, such as a refusal: beyond the user's lines of this minute it is
  // counted instead.
  void NoteUnchanged(const AuditRecord& record);
  void Count(uid_t uid, const AuditCounts& counts);
  // Writes the counts, one line per user, and begins the next minute. Does not wait.
  void WriteCounts();
  // Opens the file at the path again, after the log was rotated. Does not wait.
  void Reopen();
  // Waits until the queue is empty: every line was written or has failed. False when the log blocks.
  bool Flush();
  // Writes the lines that wait and ends the thread. False when the log blocks: then the thread is left behind, which
  // uses nothing of this object, and the lines are lost. To be called once, last; the destructor calls it otherwise.
  bool Close();

  // Why lines cannot be written; absent when they can.
  std::optional<std::string> trouble() const;

 private:
  struct Shared;

  std::string TextOf(const AuditRecord& record) const;

  const Now now_;
  const std::chrono::milliseconds patience_;
  std::shared_ptr<Shared> shared_;  // shared with the thread, which may outlive the log
  std::thread writer_;
};

}  // namespace heliostat::agent
