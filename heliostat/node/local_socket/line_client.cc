#include "heliostat/node/local_socket/line_client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace heliostat::local_socket {
namespace {

using std::chrono::milliseconds;
using Deadline = std::chrono::steady_clock::time_point;

constexpr const char* kTooLate = "does not answer in time";

milliseconds Left(Deadline deadline) {
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now()));
}

tl::unexpected<Error> Gone(const std::string& path, std::string what) {
  return Fail(ErrorCode::kUnavailable, path, std::move(what));
}

Status Await(int fd, short events, Deadline deadline, const std::string& path) {
  while (true) {
    pollfd ready{fd, events, 0};
    const auto wait = std::min<std::int64_t>(Left(deadline).count(), 1'000'000);
    const int count = ::poll(&ready, 1, static_cast<int>(wait));
    if (count > 0) return {};
    if (count == 0 && Left(deadline) == milliseconds(0)) return Gone(path, kTooLate);
    if (count < 0 && errno != EINTR) return Gone(path, std::strerror(errno));
  }
}

Status SendAll(int fd, std::string_view bytes, Deadline deadline, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EAGAIN || errno == EINTR) {
      if (auto ready = Await(fd, POLLOUT, deadline, path); !ready) return ready;
      continue;
    }
    // A server that refuses a connection sends the reason before it closes it.
    if (errno == EPIPE || errno == ECONNRESET) return {};
    return Gone(path, std::strerror(errno));
  }
  return {};
}

Result<std::string> ReceiveLine(int fd, std::string& rest, Deadline deadline, std::size_t most_bytes,
                                const std::string& path) {
  std::size_t searched = 0;
  while (true) {
    const auto end = rest.find('\n', searched);
    if (std::min(end, rest.size()) > most_bytes) {
      return Fail(ErrorCode::kCorrupt, path, fmt::format("sends an answer longer than {} bytes", most_bytes));
    }
    if (end != std::string::npos) {
      std::string after = rest.substr(end + 1);
      rest.resize(end);
      return std::exchange(rest, std::move(after));
    }
    searched = rest.size();
    if (const auto ready = Await(fd, POLLIN, deadline, path); !ready) return Propagate(ready);
    std::array<char, 65'536> room;
    const ssize_t got = ::recv(fd, room.data(), room.size(), MSG_DONTWAIT);
    if (got > 0) {
      rest.append(room.data(), static_cast<std::size_t>(got));
    } else if (got == 0) {
      return Gone(path, "closed the connection");
    } else if (errno != EAGAIN && errno != EINTR) {
      return Gone(path, std::strerror(errno));
    }
  }
}

// A server whose queue of connections is full lets connect() wait.
void LimitConnect(int fd, milliseconds limit) {
  // Zero would mean no limit.
  const auto us = std::chrono::microseconds(std::max(limit, milliseconds(1))).count();
  const timeval time{static_cast<time_t>(us / 1'000'000), static_cast<suseconds_t>(us % 1'000'000)};
  (void)::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

}  // namespace

Result<LineClient> LineClient::Connect(const std::string& path, milliseconds limit, const std::string& server) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return Fail(ErrorCode::kInvalidArgument, path, fmt::format("is {} bytes long", path.size()),
                fmt::format("a socket's path has 1 to {} bytes", sizeof(address.sun_path) - 1));
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Fail(ErrorCode::kInternal, path, std::strerror(errno));
  LineClient client(fd, path);
  LimitConnect(fd, limit);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return client;
  const int why = errno;
  if (why == EACCES) {
    return Fail(ErrorCode::kPermissionDenied, path, std::strerror(why),
                fmt::format("the {}'s socket must be writable by all users", server));
  }
  if (why == EAGAIN) return Gone(path, kTooLate);
  return Fail(ErrorCode::kNotFound, path, fmt::format("no {} listens there ({})", server, std::strerror(why)));
}

LineClient::LineClient(LineClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), rest_(std::move(other.rest_)) {}

LineClient& LineClient::operator=(LineClient&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(rest_, other.rest_);
  return *this;
}

LineClient::~LineClient() {
  if (fd_ >= 0) ::close(fd_);
}

bool LineClient::HasBeenClosed() const {
  char byte = 0;
  return fd_ >= 0 && rest_.empty() && ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

Result<std::string> LineClient::Ask(std::string_view line, milliseconds limit, std::size_t most_bytes) {
  if (fd_ < 0) return Gone(path_, "the connection is closed");
  if (line.find('\n') != std::string_view::npos) {
    return Fail(ErrorCode::kInvalidArgument, path_, "a request of several lines cannot be sent", "one line");
  }
  const Deadline deadline = std::chrono::steady_clock::now() + limit;
  const auto sent = SendAll(fd_, std::string(line) + "\n", deadline, path_);
  auto answer = sent ? ReceiveLine(fd_, rest_, deadline, most_bytes, path_) : Result<std::string>(Propagate(sent));
  if (!answer) ::close(std::exchange(fd_, -1));
  return answer;
}

Result<std::string> AskLine(const std::string& socket_path, std::string_view line, milliseconds limit,
                            std::size_t most_bytes, const std::string& server) {
  const Deadline deadline = std::chrono::steady_clock::now() + limit;
  auto client = LineClient::Connect(socket_path, limit, server);
  if (!client) {
    Error error = client.error();
    if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kUnavailable;
    return tl::unexpected<Error>(std::move(error));
  }
  return client->Ask(line, Left(deadline), most_bytes);
}

}  // namespace heliostat::local_socket
