#include "heliostat/node/lease/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "heliostat/base/io/file.h"
#include "heliostat/base/io/journal.h"
#include "heliostat/node/lease/lease_table.h"

namespace heliostat::lease {
namespace {

constexpr std::string_view kSuffix = ".journal";

// The process id that the holder wrote into the lock file, for messages.
std::string HolderOf(int lock) {
  std::array<char, 32> text{};
  const ssize_t got = ::pread(lock, text.data(), text.size() - 1, 0);
  return got > 0 ? std::string(text.data(), std::strcspn(text.data(), "\n")) : "unknown";
}

bool Lock(int lock, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + patience;;) {
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) return true;
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Journals tell a program with the rights of root what to write to a card, so nobody else may write them.
Status CheckTrust(const std::string& path) {
  struct stat facts {};
  std::string trouble;
  if (::lstat(path.c_str(), &facts) != 0) {
    trouble = std::strerror(errno);
  } else if (S_ISLNK(facts.st_mode)) {
    trouble = "is a symbolic link";
  } else if (!S_ISDIR(facts.st_mode)) {
    trouble = "is not a folder";
  } else if (facts.st_uid != 0 && facts.st_uid != ::geteuid()) {
    trouble = fmt::format("belongs to user {}", facts.st_uid);
  } else if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    trouble = fmt::format("may be written by others (mode {:o})", facts.st_mode & 07777U);
  } else {
    return {};
  }
  return Fail(ErrorCode::kPermissionDenied, path, trouble,
              "must be a folder of root or this user, writable by its owner only (mode 700)");
}

// A descriptor to lock, or -1 with errno set. Where the lock file cannot be written it is opened to read, and where
// there is none and none can be made, the folder stands in for it: a lock needs no write.
int OpenLock(const std::string& folder, const std::string& file) {
  const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock >= 0) return lock;
  const int why = errno;
  const int readable = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (readable >= 0) return readable;
  if (errno == ENOENT) return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  errno = why;
  return -1;
}

}  // namespace

Result<Folder> Folder::Open(const std::string& path, std::chrono::milliseconds patience) {
  std::error_code failure;
  const bool is_new = std::filesystem::create_directories(path, failure);
  if (failure) return Fail(ErrorCode::kInternal, path, "cannot make folder: " + failure.message());
  if (is_new) (void)::chmod(path.c_str(), S_IRWXU);
  if (const auto trusted = CheckTrust(path); !trusted) return Propagate(trusted);
  const std::string file = path + "/lock";
  const int lock = OpenLock(path, file);
  if (lock < 0) {
    const ErrorCode code = errno == EACCES || errno == EPERM ? ErrorCode::kPermissionDenied : ErrorCode::kInternal;
    return Fail(code, file, fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  Folder folder(path, lock);
  if (!Lock(lock, patience)) {
    return Fail(ErrorCode::kUnavailable, path, fmt::format("is held by process {}", HolderOf(lock)),
                "one program at a time may use the leases of a machine");
  }
  const std::string holder = fmt::format("{}\n", ::getpid());
  // For messages only; the lock itself decides.
  if (::ftruncate(lock, 0) == 0) (void)!::pwrite(lock, holder.data(), holder.size(), 0);
  return folder;
}

Folder::Folder(Folder&& other) noexcept : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

Folder& Folder::operator=(Folder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

Folder::~Folder() {
  if (lock_ >= 0) ::close(lock_);
}

std::string JournalPath(const std::string& folder, std::string_view gpu_uuid) {
  // The UUID comes from a driver: replace every character that is not safe in a file name.
  std::string name(gpu_uuid);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-'; }, '_');
  return fmt::format("{}/{}{}", folder, name, kSuffix);
}

std::vector<std::string> JournalsIn(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    if (entry.path().filename().string().ends_with(kSuffix)) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool IsDamaged(const std::string& journal) {
  if (!io::Journal::DamagedCopies(journal).empty()) return true;
  const auto bytes = io::ReadFile(journal);
  return bytes && io::Journal::Parse(*bytes).is_damaged;
}

bool NamesSetting(const std::string& journal) {
  const auto bytes = io::ReadFile(journal);
  if (!bytes) return true;
  LeaseTable table(std::filesystem::path(journal).stem());
  for (const io::Json& record : io::Journal::Parse(*bytes).records) {
    if (!table.Replay(record)) return true;
  }
  return std::any_of(table.knobs.begin(), table.knobs.end(), [](const auto& entry) {
    const LeasedKnob& knob = entry.second;
    return knob.pending || !(knob.stands == knob.base);
  });
}

}  // namespace heliostat::lease
