#include "heliostat/node/local_socket/systemd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace heliostat::local_socket {
namespace {

constexpr int kFirstPassedFile = 3;

}  // namespace

Notifier::Notifier(const Environment& environment)
    : socket_(environment("NOTIFY_SOCKET").value_or("")), is_watched_(environment("WATCHDOG_USEC").has_value()) {}

void Notifier::Send(std::string_view message) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.empty() || socket_.size() >= sizeof(address.sun_path)) return;
  std::copy(socket_.begin(), socket_.end(), address.sun_path);
  // An abstract name is written with '@' and begins with a zero byte.
  if (socket_.front() == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  // A failure has no consequence and is ignored.
  (void)::sendto(fd, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                 reinterpret_cast<const sockaddr*>(&address), length);
  ::close(fd);
}

std::optional<int> ActivatedSocket(const Environment& environment) {
  // The variables may be meant for another process.
  if (environment("LISTEN_PID") != fmt::format("{}", ::getpid())) return std::nullopt;
  if (environment("LISTEN_FDS").value_or("0") == "0") return std::nullopt;
  const auto value_of = [](int option) {
    int value = 0;
    socklen_t length = sizeof(value);
    return ::getsockopt(kFirstPassedFile, SOL_SOCKET, option, &value, &length) == 0 ? value : -1;
  };
  // Of who connects over a network the kernel knows no user.
  if (value_of(SO_ACCEPTCONN) != 1 || value_of(SO_DOMAIN) != AF_UNIX) return std::nullopt;
  (void)::fcntl(kFirstPassedFile, F_SETFD, FD_CLOEXEC);
  (void)::fcntl(kFirstPassedFile, F_SETFL, O_NONBLOCK);
  return kFirstPassedFile;
}

}  // namespace heliostat::local_socket
