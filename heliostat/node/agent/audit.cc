#include "heliostat/node/agent/audit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>

#include "heliostat/base/core/log.h"
#include "heliostat/base/core/units.h"

namespace heliostat::agent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostWaiting = 4096;
constexpr mode_t kMode = 0640;

}  // namespace

// What the log and its thread share.
struct Audit::Shared {
  using Outcome = std::optional<Status>;
  struct Line {
    std::string text;
    std::shared_ptr<Outcome> outcome;  // where Put() waits for it
  };

  explicit Shared(std::string file) : path(std::move(file)) {}

  void Loop();
  // With the mutex held.
  void Queue(std::string text);
  // For the thread only. Each may take any time.
  Status Append(std::string text);
  Status EnsureOpen();
  void CloseFile();
  // With the mutex held. For how long the present line has been written.
  Clock::duration WritingFor() const { return writing_since ? Clock::now() - *writing_since : Clock::duration(0); }
  Error BlockedError() const {
    return {ErrorCode::kUnavailable, path,
            fmt::format("cannot be audited: the log has not taken a line for {:.0f} s", Seconds(WritingFor()).count()),
            "settings are refused until it does, releases are not"};
  }

  const std::string path;
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable written;
  std::deque<Line> waiting;
  std::optional<Clock::time_point> writing_since;
  bool is_stopping = false;
  bool is_over = false;
  bool is_reopen_wanted = false;
  std::uint64_t lost = 0;
  AuditTally tally;
  std::optional<std::string> trouble;

  int fd = -1;           // used by the thread only
  bool is_torn = false;  // likewise: the file ends within a line
};

Audit::Audit(std::string path, Now now, std::chrono::milliseconds patience)
    : now_(std::move(now)), patience_(patience), shared_(std::make_shared<Shared>(std::move(path))) {
  writer_ = std::thread([shared = shared_] { shared->Loop(); });
}

Audit::~Audit() { (void)Close(); }

bool Audit::Close() {
  if (!writer_.joinable()) return true;
  std::unique_lock hold(shared_->mutex);
  shared_->is_stopping = true;
  shared_->wake.notify_one();
  const bool is_over = shared_->written.wait_for(hold, patience_, [this] { return shared_->is_over; });
  const std::size_t left = shared_->waiting.size();
  hold.unlock();
  if (is_over) {
    writer_.join();
  } else {
    Log(LogLevel::kError, "audit: {} blocks; {} lines are lost", shared_->path, left + 1);
    writer_.detach();
  }
  return is_over;
}

std::string Audit::TextOf(const AuditRecord& record) const {
  io::Json json;
  json.Set("time", FormatInstant(now_())).Set("uid", static_cast<std::int64_t>(record.uid));
  json.Set("pid", static_cast<std::int64_t>(record.pid)).Set("request", record.request);
  json.Set("outcome", record.outcome);
  return json.Line() + "\n";
}

Status Audit::Put(const AuditRecord& record) {
  const auto outcome = std::make_shared<Shared::Outcome>();
  const auto start = Clock::now();
  std::unique_lock hold(shared_->mutex);
  if (shared_->WritingFor() > patience_) return tl::unexpected<Error>(shared_->BlockedError());
  if (shared_->waiting.size() >= kMostWaiting) {
    return Fail(ErrorCode::kUnavailable, shared_->path, "cannot be audited: too many lines wait to be written",
                "try again later");
  }
  shared_->waiting.push_back({TextOf(record), outcome});
  shared_->wake.notify_one();
  // From the beginning of the write that blocks, so that callers do not wait one after the other.
  const auto deadline = std::min(start, shared_->writing_since.value_or(start)) + patience_;
  if (shared_->written.wait_until(hold, deadline, [&] { return outcome->has_value(); })) return **outcome;
  std::erase_if(shared_->waiting, [&](const Shared::Line& line) { return line.outcome == outcome; });
  return tl::unexpected<Error>(shared_->BlockedError());
}

void Audit::Shared::Queue(std::string text) {
  if (waiting.size() >= kMostWaiting) {
    ++lost;
    return;
  }
  waiting.push_back({std::move(text), nullptr});
  wake.notify_one();
}

void Audit::Note(const AuditRecord& record) {
  const std::lock_guard hold(shared_->mutex);
  shared_->Queue(TextOf(record));
}

void Audit::NoteUnchanged(const AuditRecord& record) {
  const std::lock_guard hold(shared_->mutex);
  if (shared_->tally.TakeLine(record.uid)) shared_->Queue(TextOf(record));
}

void Audit::Count(uid_t uid, const AuditCounts& counts) {
  const std::lock_guard hold(shared_->mutex);
  shared_->tally.Add(uid, counts);
}

void Audit::WriteCounts() {
  const std::lock_guard hold(shared_->mutex);
  for (const auto& [uid, counts] : shared_->tally.Take()) {
    shared_->Queue(TextOf({uid, 0, Describe(counts), "counted"}));
  }
}

void Audit::Reopen() {
  const std::lock_guard hold(shared_->mutex);
  shared_->is_reopen_wanted = true;
  shared_->wake.notify_one();
}

bool Audit::Flush() {
  std::unique_lock hold(shared_->mutex);
  return shared_->written.wait_for(hold, patience_,
                                   [this] { return shared_->waiting.empty() && !shared_->writing_since; });
}

std::optional<std::string> Audit::trouble() const {
  const std::lock_guard hold(shared_->mutex);
  if (shared_->WritingFor() > patience_) return shared_->BlockedError().Line();
  return shared_->trouble;
}

void Audit::Shared::Loop() {
  std::unique_lock hold(mutex);
  while (true) {
    wake.wait(hold, [this] { return !waiting.empty() || is_stopping || is_reopen_wanted; });
    const bool reopens = std::exchange(is_reopen_wanted, false);
    if (waiting.empty() && !reopens) break;
    std::optional<Line> line;
    if (!waiting.empty()) {
      line = std::move(waiting.front());
      waiting.pop_front();
    }
    const std::uint64_t missed = line ? std::exchange(lost, 0) : 0;
    writing_since = Clock::now();
    hold.unlock();
    if (reopens) CloseFile();
    if (missed > 0) line->text = fmt::format("{{\"lost\":{}}}\n", missed) + line->text;
    const Status status = line ? Append(std::move(line->text)) : Status();
    hold.lock();
    writing_since.reset();
    if (line) {
      if (!status) lost += missed;
      if (!status && !trouble) Log(LogLevel::kError, "audit: {}", status.error().Line());
      trouble = status ? std::nullopt : std::optional(status.error().Line());
      if (line->outcome) line->outcome->emplace(status);
    }
    written.notify_all();
  }
  CloseFile();
  is_over = true;
  written.notify_all();
}

void Audit::Shared::CloseFile() {
  if (fd >= 0) ::close(fd);
  fd = -1;
  is_torn = false;
}

Status Audit::Shared::EnsureOpen() {
  if (fd >= 0) return {};
  fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMode);
  if (fd >= 0) return {};
  return Fail(ErrorCode::kUnavailable, path, fmt::format("cannot be audited: {}", std::strerror(errno)),
              "the agent must be able to append to its audit log");
}

Status Audit::Shared::Append(std::string text) {
  if (auto open = EnsureOpen(); !open) return open;
  // Ends a line that a full disk cut short, so that this one starts on a new line.
  if (is_torn) text.insert(text.begin(), '\n');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      const int why = errno;
      is_torn = is_torn || done > 0;
      return Fail(ErrorCode::kUnavailable, path, fmt::format("cannot be audited: {}", std::strerror(why)),
                  "the audit log needs free disk space");
    }
    done += static_cast<std::size_t>(wrote);
  }
  is_torn = false;
  return {};
}

}  // namespace heliostat::agent
