#include "heliostat/node/munge_channel/tcp.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

namespace heliostat::munge_channel {
namespace {

using local_socket::Listener;
using std::chrono::milliseconds;

constexpr int kBacklog = 64;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// What getaddrinfo() finds; its error when nothing.
Result<Addresses> Find(const HostPort& address, int flags) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int trouble = ::getaddrinfo(address.host.c_str(), fmt::format("{}", address.port).c_str(), &wanted, &list);
  if (trouble == 0) return Addresses(list);
  const auto code = trouble == EAI_NONAME || trouble == EAI_NODATA ? ErrorCode::kNotFound : ErrorCode::kUnavailable;
  return Fail(code, address.Text(), ::gai_strerror(trouble), "a host that this one knows");
}

tl::unexpected<Error> Gone(const HostPort& address, std::string what) {
  return Fail(ErrorCode::kUnavailable, address.Text(), std::move(what));
}

bool IsHostName(std::string_view text) {
  return !text.empty() && text.size() <= 255 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_' || c == ':';
  });
}

// 0, or errno.
int ConnectOne(int fd, const addrinfo& found, std::chrono::steady_clock::time_point deadline) {
  if (::connect(fd, found.ai_addr, found.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) return ETIMEDOUT;
    pollfd ready{fd, POLLOUT, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, 1'000'000)));
    if (count < 0 && errno != EINTR) return errno;
    if (count <= 0) continue;
    int trouble = 0;
    socklen_t length = sizeof(trouble);
    return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &trouble, &length) == 0 ? trouble : errno;
  }
}

// Where an IPv4 address stands in an IPv6 one that maps it; -1 in any other.
int MappedAt(const in6_addr& address) { return IN6_IS_ADDR_V4MAPPED(&address) ? 12 : -1; }

}  // namespace

std::string HostPort::Text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

Result<HostPort> ParseHostPort(std::string_view text, std::uint16_t otherwise, const std::string& where) {
  const auto refuse = [&](std::string what) {
    return Fail(
        ErrorCode::kInvalidArgument, where, "'" + Printable(text, 80) + "' " + std::move(what),
        otherwise == 0 ? "ADDRESS:PORT, such as 0.0.0.0:6842 or [::]:6842" : "HOST, HOST:PORT or [ADDRESS]:PORT");
  };
  HostPort read{"", otherwise};
  std::string_view rest;
  if (!text.empty() && text.front() == '[') {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return refuse("lacks a ']'");
    read.host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
    if (read.host.find(':') == std::string::npos) return refuse("has no IPv6 address in its brackets");
  } else {
    const auto colon = text.find(':');
    read.host = text.substr(0, colon);
    if (colon != std::string_view::npos) rest = text.substr(colon);
    if (rest.find(':', 1) != std::string_view::npos) return refuse("has an IPv6 address without brackets");
  }
  if (!IsHostName(read.host)) return refuse("names no host");
  if (rest.empty()) return otherwise == 0 ? Result<HostPort>(refuse("has no port")) : Result<HostPort>(read);
  const auto [end, trouble] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), read.port);
  if (rest.front() != ':' || trouble != std::errc() || end != rest.data() + rest.size() || read.port == 0) {
    return refuse("has no port from 1 to 65535");
  }
  return read;
}

bool IsNumeric(const std::string& host) {
  in6_addr address{};
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 || ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

Result<Listener> ListenTcp(const HostPort& address) {
  const auto found = Find(address, AI_NUMERICHOST | AI_PASSIVE);
  if (!found) return Propagate(found);
  const addrinfo& one = **found;
  const int fd = ::socket(one.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return Fail(ErrorCode::kInternal, address.Text(), std::strerror(errno));
  Listener listener = Listener::Of(fd);
  const int on = 1;
  const int off = 0;
  // Connections of an ended program that are still closing do not keep the port.
  (void)::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (one.ai_family == AF_INET6) (void)::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  if (::bind(fd, one.ai_addr, one.ai_addrlen) == 0 && ::listen(fd, kBacklog) == 0) return listener;
  if (errno == EADDRINUSE) {
    return Fail(ErrorCode::kUnavailable, address.Text(), "another program listens there",
                "stop it first, or name another port");
  }
  const auto code = errno == EACCES ? ErrorCode::kPermissionDenied : ErrorCode::kInvalidArgument;
  return Fail(code, address.Text(), fmt::format("cannot be listened at: {}", std::strerror(errno)),
              "an address of this host");
}

std::uint16_t PortOf(const Listener& listener) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  (void)::getsockname(listener.fd(), reinterpret_cast<sockaddr*>(&address), &length);
  const bool is_v6 = address.ss_family == AF_INET6;
  return ntohs(is_v6 ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                     : reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

Result<int> ConnectTcp(const HostPort& address, milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const auto found = Find(address, 0);
  if (!found) return Propagate(found);
  int why = 0;
  for (const addrinfo* one = found->get(); one != nullptr; one = one->ai_next) {
    const int fd = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return Fail(ErrorCode::kInternal, address.Text(), std::strerror(errno));
    const int on = 1;
    (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    why = ConnectOne(fd, *one, deadline);
    if (why == 0) return fd;
    ::close(fd);
  }
  if (why == ETIMEDOUT) return Gone(address, "does not answer in time");
  if (why == ECONNREFUSED) return Gone(address, "no server listens there");
  return Gone(address, std::strerror(why));
}

Result<local_socket::Peer> TcpPeer(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return Fail(ErrorCode::kUnavailable, "socket", std::strerror(errno));
  }
  const int on = 1;
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET6) {
    in6_addr six = reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr;
    if (const int at = MappedAt(six); at >= 0) {
      (void)::inet_ntop(AF_INET, six.s6_addr + at, text.data(), text.size());
    } else {
      std::fill(six.s6_addr + 8, six.s6_addr + 16, std::uint8_t{0});
      (void)::inet_ntop(AF_INET6, &six, text.data(), text.size());
    }
  } else {
    (void)::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&address)->sin_addr, text.data(), text.size());
  }
  local_socket::Peer peer;
  peer.uid = static_cast<uid_t>(-1);
  peer.address = text.data();
  return peer;
}

}  // namespace heliostat::munge_channel
