#include "heliostat/node/agent/audit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "heliostat/base/core/log.h"

namespace heliostat::agent {
namespace {

constexpr std::size_t kMostWaiting = 4096;
constexpr mode_t kMode = 0640;

}  // namespace

Audit::Audit(std::string path, Now now) : path_(std::move(path)), now_(std::move(now)) {
  writer_ = std::thread([this] { WriteLoop(); });
}

Audit::~Audit() {
  {
    const std::lock_guard hold(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_one();
  writer_.join();
  if (fd_ >= 0) ::close(fd_);
}

std::string Audit::TextOf(const AuditRecord& record) const {
  io::Json json;
  json.Set("time", FormatInstant(now_())).Set("uid", static_cast<std::int64_t>(record.uid));
  json.Set("pid", static_cast<std::int64_t>(record.pid)).Set("request", record.request);
  json.Set("outcome", record.outcome);
  return json.Line() + "\n";
}

Status Audit::Put(const AuditRecord& record) {
  std::optional<Status> outcome;
  std::unique_lock hold(mutex_);
  if (waiting_.size() >= kMostWaiting) {
    return Fail(ErrorCode::kUnavailable, path_, "cannot be audited: too many lines wait to be written",
                "try again later");
  }
  waiting_.push_back({TextOf(record), &outcome});
  wake_.notify_one();
  written_.wait(hold, [&] { return outcome.has_value(); });
  return *std::move(outcome);
}

void Audit::Note(const AuditRecord& record) {
  const std::lock_guard hold(mutex_);
  if (waiting_.size() >= kMostWaiting) {
    ++lost_;
    return;
  }
  waiting_.push_back({TextOf(record), nullptr});
  wake_.notify_one();
}

void Audit::Reopen() {
  const std::lock_guard hold(mutex_);
  is_reopen_wanted_ = true;
  wake_.notify_one();
}

void Audit::Flush() {
  std::unique_lock hold(mutex_);
  written_.wait(hold, [this] { return waiting_.empty() && !is_writing_; });
}

std::optional<std::string> Audit::trouble() const {
  const std::lock_guard hold(mutex_);
  return trouble_;
}

void Audit::WriteLoop() {
  std::unique_lock hold(mutex_);
  while (true) {
    wake_.wait(hold, [this] { return !waiting_.empty() || is_stopping_ || is_reopen_wanted_; });
    if (std::exchange(is_reopen_wanted_, false) && fd_ >= 0) {
      ::close(fd_);
      fd_ = -1;
      is_torn_ = false;
    }
    if (waiting_.empty()) {
      if (is_stopping_) return;
      continue;
    }
    Line line = std::move(waiting_.front());
    waiting_.pop_front();
    const std::uint64_t lost = std::exchange(lost_, 0);
    is_writing_ = true;
    hold.unlock();
    if (lost > 0) line.text = fmt::format("{{\"lost\":{}}}\n", lost) + line.text;
    const Status status = Append(std::move(line.text));
    hold.lock();
    is_writing_ = false;
    if (!status) lost_ += lost;
    if (!status && !trouble_) Log(LogLevel::kError, "audit: {}", status.error().Line());
    trouble_ = status ? std::nullopt : std::optional(status.error().Line());
    if (line.outcome != nullptr) line.outcome->emplace(status);
    written_.notify_all();
  }
}

Status Audit::EnsureOpen() {
  if (fd_ >= 0) return {};
  fd_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMode);
  if (fd_ >= 0) return {};
  return Fail(ErrorCode::kUnavailable, path_, fmt::format("cannot be audited: {}", std::strerror(errno)),
              "the agent must be able to append to its audit log");
}

Status Audit::Append(std::string text) {
  if (auto open = EnsureOpen(); !open) return open;
  // Ends a line that a full disk cut short, so that this one starts on a new line.
  if (is_torn_) text.insert(text.begin(), '\n');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::write(fd_, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      const int why = errno;
      is_torn_ = is_torn_ || done > 0;
      return Fail(ErrorCode::kUnavailable, path_, fmt::format("cannot be audited: {}", std::strerror(why)),
                  "the audit log needs free disk space");
    }
    done += static_cast<std::size_t>(wrote);
  }
  is_torn_ = false;
  return {};
}

}  // namespace heliostat::agent
