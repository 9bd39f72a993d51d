#include "heliostat/node/local_socket/listen.h"

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

#include "heliostat/node/local_socket/systemd.h"

namespace heliostat::local_socket {
namespace {

constexpr int kBacklog = 128;
// All users may connect. Rights depend on the peer's user as the kernel reports it, not on the mode of the file, and
// all users may read.
constexpr mode_t kSocketMode = 0666;

tl::unexpected<Error> Failure(const std::string& path, std::string_view what) {
  const auto code = errno == EACCES || errno == EPERM ? ErrorCode::kPermissionDenied : ErrorCode::kInternal;
  return Fail(code, path, fmt::format("{}: {}", what, std::strerror(errno)), "a socket must be allowed there");
}

Status RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return {};
  if (!S_ISSOCK(facts.st_mode)) {
    return Fail(ErrorCode::kInvalidArgument, path, "exists and is not a socket", "must not exist, or be an old socket");
  }
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return Failure(path, "no socket");
  const int connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  // Other failures say nothing about the program that made it: a datagram socket in use refuses a stream, too.
  const bool is_dead = connected != 0 && (errno == ECONNREFUSED || errno == ENOENT);
  ::close(fd);
  if (!is_dead) {
    return Fail(ErrorCode::kUnavailable, path, "another program answers there",
                "stop it first, or name another socket");
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
  // A failure shows when the socket is bound.
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
  if (::listen(fd, kBacklog) != 0) return Failure(path, "cannot be listened on");
  return listener;
}

Listener::Listener(Listener&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::exchange(other.path_, {})) {}

Listener::~Listener() {
  if (fd_ >= 0) ::close(fd_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace heliostat::local_socket
