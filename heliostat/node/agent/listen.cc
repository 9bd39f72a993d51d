#include "heliostat/node/agent/listen.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "heliostat/node/agent/systemd.h"

namespace heliostat::agent {
namespace {

constexpr int kBacklog = 128;
// Everybody may connect: who may do what goes by the kernel's word for who is at the other end, not by the file's mode,
// and reading is for all.
constexpr mode_t kSocketMode = 0666;

tl::unexpected<Error> Failure(const std::string& path, std::string_view what) {
  const auto code = errno == EACCES || errno == EPERM ? ErrorCode::kPermissionDenied : ErrorCode::kInternal;
  return Fail(code, path, fmt::format("{}: {}", what, std::strerror(errno)),
              "the agent needs a place of its own there");
}

Status RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return {};
  if (!S_ISSOCK(facts.st_mode)) {
    return Fail(ErrorCode::kInvalidArgument, path, "is there and is no socket", "must be free, or an old socket");
  }
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return Failure(path, "no socket");
  const int connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  const bool answers = connected == 0 || errno == EAGAIN;
  ::close(fd);
  if (answers) {
    return Fail(ErrorCode::kUnavailable, path, "another agent answers there", "stop it first, or name another socket");
  }
  if (::unlink(path.c_str()) != 0) return Failure(path, "an old socket cannot be removed");
  return {};
}

}  // namespace

Result<Listener> Listener::Open(const std::string& path, const Environment& environment) {
  if (const auto passed = ActivatedSocket(environment)) return Listener(*passed, "");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return Fail(ErrorCode::kInvalidArgument, path, fmt::format("is {} bytes long", path.size()),
                fmt::format("a socket's path has 1 to {} bytes", sizeof(address.sun_path) - 1));
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  std::error_code trouble;
  // What cannot be made shows when the socket is bound.
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), trouble);
  if (const auto removed = RemoveStale(path, address); !removed) return Propagate(removed);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return Failure(path, "no socket");
  Listener listener(fd, "");
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return Failure(path, "cannot be bound");
  }
  listener.path_ = path;
  if (::chmod(path.c_str(), kSocketMode) != 0) return Failure(path, "its mode cannot be set");
  if (::listen(fd, kBacklog) != 0) return Failure(path, "cannot be listened at");
  return listener;
}

Listener::Listener(Listener&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::exchange(other.path_, {})) {}

Listener::~Listener() {
  if (fd_ >= 0) ::close(fd_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace heliostat::agent
