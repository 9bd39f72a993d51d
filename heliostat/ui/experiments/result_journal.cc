#include "heliostat/ui/experiments/result_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "heliostat/base/io/file.h"

namespace heliostat::experiments {
namespace {

tl::unexpected<Error> Failed(const std::string& path, const char* what) {
  return Fail(ErrorCode::kInternal, path, fmt::format("{}: {}", what, std::strerror(errno)));
}

// Dump() breaks lines between values and never inside of them.
std::string OnOneLine(const io::Json& json) {
  std::string line;
  bool at_line_start = false;
  for (const char c : json.Dump()) {
    if (c == '\n') {
      at_line_start = true;
    } else if (!at_line_start || c != ' ') {
      at_line_start = false;
      line += c;
    }
  }
  return line + "\n";
}

}  // namespace

ResultJournal::ResultJournal(ResultJournal&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), entries_(std::move(other.entries_)) {}

ResultJournal::~ResultJournal() {
  if (file_ >= 0) ::close(file_);
}

Result<ResultJournal> ResultJournal::Open(const std::string& path) {
  ResultJournal journal(path);
  journal.file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (journal.file_ < 0) {
    return Fail(ErrorCode::kInvalidArgument, path, std::strerror(errno), "name a file that can be written");
  }
  if (::flock(journal.file_, LOCK_EX | LOCK_NB) != 0) {
    return Fail(ErrorCode::kInvalidArgument, path, "is written by another run", "wait for it, or name another file");
  }
  if (auto bad = journal.Load(); !bad) return Propagate(bad);
  return journal;
}

Status ResultJournal::Load() {
  const auto text = io::ReadFile(path_);
  if (!text) return Propagate(text);
  const std::size_t whole = text->rfind('\n') == std::string::npos ? 0 : text->rfind('\n') + 1;
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < whole; ++line) {
    const std::size_t end = text->find('\n', begin);
    const std::string where = fmt::format("{}:{}", path_, line);
    const auto json = io::Json::Parse(std::string_view(*text).substr(begin, end - begin), where);
    const io::Json* const key = json ? json->Find("key") : nullptr;
    const io::Json* const value = json ? json->Find("outcome") : nullptr;
    if (key == nullptr || value == nullptr || !key->is_text()) {
      return Fail(ErrorCode::kInvalidArgument, where, "is not a line of a journal", "name another file, or remove it");
    }
    entries_[*key->Text()] = *value;
    begin = end + 1;
  }
  // Only now: a file that is not ours has been left as it was.
  if (whole < text->size() && ::ftruncate(file_, static_cast<off_t>(whole)) != 0) {
    return Failed(path_, "cannot be cut to whole lines");
  }
  return {};
}

Status ResultJournal::Append(const std::string& key, io::Json value) {
  io::Json line;
  line.Set("key", key);
  line.Set("outcome", value);
  const std::string bytes = OnOneLine(line);
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(file_, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failed(path_, "cannot be written");
    written += static_cast<std::size_t>(count);
  }
  if (::fsync(file_) != 0) return Failed(path_, "cannot be synced");
  entries_[key] = std::move(value);
  return {};
}

}  // namespace heliostat::experiments
