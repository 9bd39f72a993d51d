#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/node/local_socket/listen.h"
#include "heliostat/node/local_socket/peer.h"

namespace heliostat::munge_channel {

struct HostPort {
  std::string host;
  std::uint16_t port = 0;

  // As ParseHostPort() reads it.
  std::string Text() const;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};

// "HOST", "HOST:PORT", "[ADDRESS]" or "[ADDRESS]:PORT"; an IPv6 address needs the brackets. `otherwise`: the port of
// one without; 0: it must have one. `where`: of errors.
Result<HostPort> ParseHostPort(std::string_view text, std::uint16_t otherwise, const std::string& where);
// An address in numbers, not a name.
bool IsNumeric(const std::string& host);

// Listens at a numeric address; port 0 takes any. "::" listens for IPv4, too. kUnavailable when another program does.
Result<local_socket::Listener> ListenTcp(const HostPort& address);
// The port at which it listens.
std::uint16_t PortOf(const local_socket::Listener& listener);
// A connected socket. Tries all addresses of the host. The limit does not hold for looking up its name, which has those
// of /etc/resolv.conf. kNotFound for an unknown name, else kUnavailable.
Result<int> ConnectTcp(const HostPort& address, std::chrono::milliseconds limit);

// Who connected: only an address, no user. Of IPv6, the network of 64 bits, which one attacker can have as a whole.
Result<local_socket::Peer> TcpPeer(int fd);

}  // namespace heliostat::munge_channel
