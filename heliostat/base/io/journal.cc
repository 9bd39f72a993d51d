#include "heliostat/base/io/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "heliostat/base/core/fault_point.h"
#include "heliostat/base/io/checksum.h"
#include "heliostat/base/io/system.h"

namespace heliostat::io {
namespace {

constexpr std::size_t kLongestLine = 64UL << 10U;
constexpr std::size_t kLargestFile = 64UL << 20U;
constexpr std::size_t kMostTroubles = 8;
constexpr std::size_t kSumDigits = 8;
constexpr mode_t kOwnerOnly = 0600;

std::optional<std::string> ReadAll(int fd, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::pread(fd, bytes.data() + filled, size - filled, static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

// A file name survives a power cut only after its folder is on disk.
bool SyncFolderOf(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool synced = ::fsync(fd) == 0;
  ::close(fd);
  return synced;
}

Result<std::string> ToLines(const std::string& path, std::span<const Json> records) {
  std::string lines;
  for (const Json& record : records) {
    const std::string text = record.Line();
    // A longer line could not be read back.
    if (text.size() + kSumDigits + 1 > kLongestLine) {
      return Fail(ErrorCode::kInvalidArgument, path, fmt::format("a record has {} bytes", text.size()),
                  fmt::format("at most {} bytes per line", kLongestLine));
    }
    fmt::format_to(std::back_inserter(lines), "{:08x} {}\n", Crc32(text), text);
  }
  if (lines.size() > kLargestFile) {
    return Fail(ErrorCode::kInternal, path, fmt::format("{} bytes to write", lines.size()),
                fmt::format("at most {} bytes in all", kLargestFile));
  }
  return lines;
}

std::optional<Json> ReadLine(std::string_view line) {
  if (line.size() > kLongestLine || line.size() <= kSumDigits || line[kSumDigits] != ' ') return std::nullopt;
  const std::string_view text = line.substr(kSumDigits + 1);
  if (line.substr(0, kSumDigits) != fmt::format("{:08x}", Crc32(text))) return std::nullopt;
  auto record = Json::Parse(text, "record");
  if (!record) return std::nullopt;
  return std::move(*record);
}

}  // namespace

Journal::Found Journal::Parse(std::string_view bytes) {
  Found found;
  std::size_t number = 0;
  std::size_t damaged = 0;
  while (!bytes.empty()) {
    ++number;
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      found.troubles.push_back(fmt::format("the last {} bytes are torn, dropped", bytes.size()));
      break;
    }
    if (auto record = ReadLine(bytes.substr(0, end))) {
      found.records.push_back(std::move(*record));
    } else if (++damaged <= kMostTroubles) {
      found.troubles.push_back(fmt::format("line {} is damaged, left out", number));
    }
    bytes.remove_prefix(end + 1);
  }
  if (damaged > kMostTroubles) {
    found.troubles.push_back(fmt::format("{} more lines are damaged, left out", damaged - kMostTroubles));
  }
  return found;
}

Result<Journal> Journal::Open(const std::string& path, Found& found) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) return SystemError(path, "open");
  Journal journal(path, fd, 0);
  struct stat facts {};
  if (::fstat(fd, &facts) != 0) return SystemError(path, "read");
  if (!S_ISREG(facts.st_mode)) return Fail(ErrorCode::kInvalidArgument, path, "is not a regular file", "name a file");
  if (static_cast<std::size_t>(facts.st_size) > kLargestFile) {
    return Fail(ErrorCode::kCorrupt, path, fmt::format("is {} bytes long", facts.st_size),
                fmt::format("a journal has at most {} bytes", kLargestFile));
  }
  // The umask can only remove permissions of a new file; an existing file may have more of them.
  if ((facts.st_mode & 0777U) != kOwnerOnly && ::fchmod(fd, kOwnerOnly) != 0) return SystemError(path, "protect");
  const auto bytes = ReadAll(fd, static_cast<std::size_t>(facts.st_size));
  if (!bytes) return SystemError(path, "read");
  found = Parse(*bytes);
  const std::size_t whole = bytes->rfind('\n') == std::string::npos ? 0 : bytes->rfind('\n') + 1;
  if (whole < bytes->size() && ::ftruncate(fd, static_cast<off_t>(whole)) != 0) return SystemError(path, "cut");
  if (bytes->empty() && !SyncFolderOf(path)) return SystemError(path, "sync the folder");
  journal.bytes_ = whole;
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), bytes_(other.bytes_) {}

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

Status Journal::Append(std::span<const Json> records) {
  const auto lines = ToLines(path_, records);
  if (!lines) return Propagate(lines);
  if (bytes_ + lines->size() > kLargestFile) {
    return Fail(ErrorCode::kInternal, path_, "is full", fmt::format("at most {} bytes", kLargestFile));
  }
  bool is_done = WriteAll(fd_, *lines);
  FaultPoint("journal-written");
  is_done = is_done && ::fdatasync(fd_) == 0;
  if (!is_done) {
    const auto failure = SystemError(path_, "write");
    // A partial record would count as torn; a complete one would report a change that was not made.
    if (::ftruncate(fd_, static_cast<off_t>(bytes_)) == 0) (void)::fdatasync(fd_);
    return failure;
  }
  bytes_ += lines->size();
  return {};
}

Status Journal::Replace(std::span<const Json> records) {
  const auto lines = ToLines(path_, records);
  if (!lines) return Propagate(lines);
  const std::string beside = path_ + ".new";
  const int fd = ::open(beside.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly);
  if (fd < 0) return SystemError(path_, "write");
  if (!WriteAll(fd, *lines) || ::fsync(fd) != 0 || ::rename(beside.c_str(), path_.c_str()) != 0) {
    const auto failure = SystemError(path_, "write");
    ::close(fd);
    ::unlink(beside.c_str());
    return failure;
  }
  FaultPoint("journal-replaced");
  // From here on the old file has no name: even if the rest fails, later records go into the new file.
  ::close(std::exchange(fd_, fd));
  bytes_ = lines->size();
  if (!SyncFolderOf(path_)) return SystemError(path_, "sync the folder");
  return {};
}

}  // namespace heliostat::io
