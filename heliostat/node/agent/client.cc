#include "heliostat/node/agent/client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "heliostat/node/agent/protocol.h"

namespace heliostat::agent {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

constexpr std::size_t kMostAnswerBytes = 64U << 20U;

tl::unexpected<Error> Gone(std::string what) {
  return Fail(ErrorCode::kUnavailable, "agent", std::move(what), "see its log: journalctl -u heliostatd");
}

Status Await(int fd, short events, Deadline deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd ready{fd, events, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (count > 0) return {};
    if (count == 0) return Gone("does not answer in time");
    if (errno != EINTR) return Gone(std::strerror(errno));
  }
}

Status SendAll(int fd, std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EAGAIN || errno == EINTR) {
      if (auto ready = Await(fd, POLLOUT, deadline); !ready) return ready;
      continue;
    }
    // An agent that refuses a connection sends the reason before it closes it.
    if (errno == EPIPE || errno == ECONNRESET) return {};
    return Gone(std::strerror(errno));
  }
  return {};
}

bool HasBeenClosed(int fd) {
  char byte = 0;
  return ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

Result<std::string> ReceiveLine(int fd, std::string& rest, Deadline deadline) {
  std::size_t searched = 0;
  while (true) {
    const auto end = rest.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = rest.substr(0, end);
      rest.erase(0, end + 1);
      return line;
    }
    searched = rest.size();
    if (rest.size() > kMostAnswerBytes) return Gone("sends an answer longer than 64 MiB");
    if (const auto ready = Await(fd, POLLIN, deadline); !ready) return Propagate(ready);
    std::array<char, 16'384> room;
    const ssize_t got = ::recv(fd, room.data(), room.size(), MSG_DONTWAIT);
    if (got > 0) {
      rest.append(room.data(), static_cast<std::size_t>(got));
    } else if (got == 0) {
      return Gone("closed the connection");
    } else if (errno != EAGAIN && errno != EINTR) {
      return Gone(std::strerror(errno));
    }
  }
}

}  // namespace

std::string SocketPath(const Environment& environment) {
  return environment("HELIOSTAT_AGENT").value_or(std::string(kDefaultSocket));
}

Result<Client> Client::Connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return Fail(ErrorCode::kInvalidArgument, path, fmt::format("is {} bytes long", path.size()),
                fmt::format("a socket's path has 1 to {} bytes", sizeof(address.sun_path) - 1));
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Fail(ErrorCode::kInternal, path, std::strerror(errno));
  Client client(fd, path);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return client;
  const int why = errno;
  if (why == EACCES) {
    return Fail(ErrorCode::kPermissionDenied, path, std::strerror(why),
                "the agent's socket must be writable by all users");
  }
  return Fail(ErrorCode::kNotFound, path, fmt::format("no agent listens there ({})", std::strerror(why)),
              "start the agent: systemctl start heliostatd");
}

Client::Client(Client&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), rest_(std::move(other.rest_)) {}

Client& Client::operator=(Client&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(rest_, other.rest_);
  return *this;
}

Client::~Client() {
  if (fd_ >= 0) ::close(fd_);
}

Result<io::Json> Client::Ask(const Request& request, std::chrono::milliseconds timeout) {
  return Ask(Describe(request), timeout);
}

Result<io::Json> Client::Ask(const io::Json& question, std::chrono::milliseconds timeout) {
  if (fd_ < 0) return Gone("the connection is closed");
  if (rest_.empty() && HasBeenClosed(fd_)) {
    auto again = Connect(path_);
    if (!again) return Gone("closed the connection");
    *this = *std::move(again);
  }
  const Deadline deadline = std::chrono::steady_clock::now() + timeout;
  const auto sent = SendAll(fd_, question.Line() + "\n", deadline);
  auto line = sent ? ReceiveLine(fd_, rest_, deadline) : Result<std::string>(Propagate(sent));
  if (line) return ReadAnswer(*line, "agent");
  // A late answer would be taken for the answer to the next request.
  ::close(std::exchange(fd_, -1));
  return Propagate(line);
}

}  // namespace heliostat::agent
