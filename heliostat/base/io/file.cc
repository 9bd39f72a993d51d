#include "heliostat/base/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "heliostat/base/io/system.h"
#include "heliostat/base/io/text_encoding.h"

namespace heliostat::io {
namespace {

constexpr off_t kLargestFile = off_t{2} << 30;

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  // False when the kernel reports only now that it could not write the data.
  bool Close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// Looks at the first bytes of a file, before the rest is read.
using FirstLook = Status (*)(std::string_view first_bytes, const std::string& path);
constexpr std::size_t kFirstLook = std::size_t{128} << 10;

Status AnyBytes(std::string_view /*first_bytes*/, const std::string& /*path*/) { return {}; }

Status RefuseUnlessText(std::string_view first_bytes, const std::string& path) {
  if (IsBinary(first_bytes)) {
    return Fail(ErrorCode::kInvalidArgument, path, "holds a NUL byte", "must be text, not binary data");
  }
  // JSON may be one long line; a table may not.
  const auto start = first_bytes.find_first_not_of(" \t\r\n");
  const bool is_json = start != std::string_view::npos && (first_bytes[start] == '{' || first_bytes[start] == '[');
  if (first_bytes.size() < kFirstLook || is_json || first_bytes.find('\n') != std::string_view::npos) return {};
  return Fail(ErrorCode::kInvalidArgument, path + ":1", "line is too long", "at most 65536 bytes per line");
}

Result<std::string> ReadAll(int file, const std::string& path, std::size_t expected, FirstLook look) {
  // One byte more than the file has, so that the first read detects the end of the file.
  std::string bytes(std::max(expected + 1, std::size_t{4096}), '\0');
  std::size_t filled = 0;
  bool is_checked = false;
  while (true) {
    const ssize_t got = ::read(file, bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(path, "read");
    filled += static_cast<std::size_t>(got);
    if (!is_checked && (got == 0 || filled >= kFirstLook)) {
      if (const auto bad = look(std::string_view(bytes).substr(0, std::min(filled, kFirstLook)), path); !bad) {
        return Propagate(bad);
      }
      is_checked = true;
    }
    if (got == 0) break;
    if (filled > static_cast<std::size_t>(kLargestFile)) {
      return Fail(ErrorCode::kInvalidArgument, path, "is longer than 2 GiB", "at most 2 GiB is read");
    }
    if (filled == bytes.size()) bytes.resize(bytes.size() * 2);
  }
  bytes.resize(filled);
  return bytes;
}

Result<std::string> ReadPath(const std::string& path, FirstLook look) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.ok()) return SystemError(path, "open");
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return SystemError(path, "read");
  if (S_ISDIR(facts.st_mode)) return Fail(ErrorCode::kInvalidArgument, path, "is a directory", "name a file");
  if (facts.st_size > kLargestFile) {
    return Fail(ErrorCode::kInvalidArgument, path, fmt::format("is {} bytes long", facts.st_size),
                "at most 2 GiB is read");
  }
  return ReadAll(file.get(), path, static_cast<std::size_t>(facts.st_size), look);
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) { return ReadPath(path, AnyBytes); }

Result<std::string> ReadTextFile(const std::string& path) { return ReadPath(path, RefuseUnlessText); }

Result<std::string> ReadStandardInput() { return ReadAll(STDIN_FILENO, "stdin", 0, RefuseUnlessText); }

Status WriteFileAtomically(const std::string& path, std::string_view bytes) {
  std::error_code failed;
  if (std::filesystem::is_symlink(path, failed)) {
    const std::string target = std::filesystem::weakly_canonical(path, failed);
    if (!failed && target != path) return WriteFileAtomically(target, bytes);
  }
  // The rename would put a file in the place of a device.
  if (std::filesystem::is_other(path, failed)) {
    return Fail(ErrorCode::kInvalidArgument, path, "is not a regular file", "name another file");
  }
  std::string beside = path + ".XXXXXX";
  Descriptor file(::mkostemp(beside.data(), O_CLOEXEC));
  if (!file.ok()) return SystemError(path, "write");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool written = WriteAll(file.get(), bytes) && ::fchmod(file.get(), 0666 & ~mask) == 0 &&
                       ::fsync(file.get()) == 0 && file.Close() && ::rename(beside.c_str(), path.c_str()) == 0;
  if (!written) {
    const auto failure = SystemError(path, "write");
    ::unlink(beside.c_str());
    return failure;
  }
  // The rename survives a power cut only after the folder is on disk.
  const auto folder = std::filesystem::path(path).parent_path();
  const Descriptor directory(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.ok()) (void)::fsync(directory.get());
  return {};
}

Status MakeDirectories(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure) return Fail(ErrorCode::kInternal, path, "cannot make folder: " + failure.message());
  return {};
}

}  // namespace heliostat::io
