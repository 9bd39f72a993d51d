#include "heliostat/base/io/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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
constexpr int kToWrite = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
constexpr std::string_view kDamaged = ".damaged-";

tl::unexpected<Error> OpenError(const std::string& path) {
  if (errno == ELOOP) return Fail(ErrorCode::kPermissionDenied, path, "is a symbolic link", "must be the file itself");
  return SystemError(path, "open");
}

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
  const bool is_empty = bytes.empty();
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
  found.is_damaged = damaged > 0 || (found.records.empty() && !is_empty);
  return found;
}

Status Journal::ReadFile(Found& found) {
  struct stat facts {};
  if (::fstat(fd_, &facts) != 0) return SystemError(path_, "read");
  if (!S_ISREG(facts.st_mode)) return Fail(ErrorCode::kInvalidArgument, path_, "is not a regular file", "name a file");
  if (static_cast<std::size_t>(facts.st_size) > kLargestFile) {
    return Fail(ErrorCode::kCorrupt, path_, fmt::format("is {} bytes long", facts.st_size),
                fmt::format("a journal has at most {} bytes", kLargestFile));
  }
  const auto bytes = ReadAll(fd_, static_cast<std::size_t>(facts.st_size));
  if (!bytes) return SystemError(path_, "read");
  found = Parse(*bytes);
  bytes_ = bytes->rfind('\n') == std::string::npos ? 0 : bytes->rfind('\n') + 1;
  return {};
}

Status Journal::MakeReady() const {
  struct stat facts {};
  if (::fstat(fd_, &facts) != 0) return SystemError(path_, "read");
  // The umask can only remove permissions of a new file; an existing file may have more of them.
  if ((facts.st_mode & 0777U) != kOwnerOnly && ::fchmod(fd_, kOwnerOnly) != 0) return SystemError(path_, "protect");
  const auto whole = static_cast<off_t>(bytes_);
  if (whole < facts.st_size && ::ftruncate(fd_, whole) != 0) return SystemError(path_, "cut");
  if (facts.st_size == 0 && !SyncFolderOf(path_)) return SystemError(path_, "sync the folder");
  return {};
}

Result<Journal> Journal::Open(const std::string& path, Found& found) {
  const int fd = ::open(path.c_str(), kToWrite, kOwnerOnly);
  if (fd < 0) return OpenError(path);
  Journal journal(path, fd);
  if (const auto read = journal.ReadFile(found); !read) return Propagate(read);
  if (const auto ready = journal.MakeReady(); !ready) return Propagate(ready);
  return journal;
}

Result<Journal> Journal::OpenReadable(const std::string& path, Found& found) {
  found = {};
  const int fd = ::open(path.c_str(), kToWrite, kOwnerOnly);
  Journal journal(path, fd);
  if (fd < 0) {
    const bool has_folder = errno != ENOENT;
    journal.unwritable_ = OpenError(path).value();
    journal.fd_ = ::open(path.c_str(), kToRead);
    if (journal.fd_ < 0) {
      // There is no journal, and none can be made.
      if (errno == ENOENT && has_folder) return journal;
      return tl::unexpected<Error>(*journal.unwritable_);
    }
  }
  if (const auto read = journal.ReadFile(found); !read) return Propagate(read);
  if (found.is_damaged && !journal.unwritable_) {
    journal.unwritable_ = Error{ErrorCode::kCorrupt, path, "is damaged", "must be written anew"};
  }
  if (!journal.unwritable_) {
    if (const auto ready = journal.MakeReady(); !ready) journal.unwritable_ = ready.error();
  }
  if (journal.unwritable_) journal.Close();
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      bytes_(other.bytes_),
      unwritable_(std::move(other.unwritable_)) {}

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  std::swap(unwritable_, other.unwritable_);
  return *this;
}

Journal::~Journal() { Close(); }

void Journal::Close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Status Journal::KeepDamaged() const {
  Journal file(path_, ::open(path_.c_str(), kToRead));
  if (file.fd_ < 0) return OpenError(path_);
  struct stat facts {};
  if (::fstat(file.fd_, &facts) != 0) return SystemError(path_, "read");
  const auto bytes = ReadAll(file.fd_, static_cast<std::size_t>(facts.st_size));
  if (!bytes) return SystemError(path_, "read");
  // The same damage gets the same name, however often it is found. A link needs no space, unlike a copy.
  const std::string copy = fmt::format("{}{}{:08x}", path_, kDamaged, Crc32(*bytes));
  if (::link(path_.c_str(), copy.c_str()) != 0 && errno != EEXIST) return SystemError(copy, "keep the damaged journal");
  if (!SyncFolderOf(path_)) return SystemError(path_, "sync the folder");
  return {};
}

std::vector<std::string> Journal::DamagedCopies(const std::string& path) {
  const std::filesystem::path journal(path);
  std::vector<std::string> copies;
  std::error_code failure;
  const std::string start = journal.filename().string() + std::string(kDamaged);
  for (const auto& entry : std::filesystem::directory_iterator(journal.parent_path(), failure)) {
    if (entry.path().filename().string().starts_with(start)) copies.push_back(entry.path().string());
  }
  std::sort(copies.begin(), copies.end());
  return copies;
}

Status Journal::Append(std::span<const Json> records) {
  if (unwritable_) return tl::unexpected<Error>(*unwritable_);
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
  Close();
  fd_ = fd;
  bytes_ = lines->size();
  unwritable_.reset();
  if (!SyncFolderOf(path_)) return SystemError(path_, "sync the folder");
  return {};
}

}  // namespace heliostat::io
