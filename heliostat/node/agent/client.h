#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"
#include "heliostat/node/agent/protocol.h"
#include "heliostat/node/local_socket/line_client.h"

namespace heliostat::agent {

inline constexpr std::string_view kDefaultSocket = "/run/heliostat/agent.sock";
// HELIOSTAT_AGENT, or the default.
std::string SocketPath(const Environment& environment);

// A connection to the node agent, which learns the user of this process from the kernel. The agent closes connections
// that are idle; the next request then opens another one. Not thread-safe.
class Client {
 public:
  // kNotFound when no agent listens at `path`, kPermissionDenied when this user may not connect, kUnavailable when an
  // agent listens and takes no connection.
  static Result<Client> Connect(const std::string& path);

  // Sends one request and waits for its answer (docs/guide/agent.md). A refusal is returned as the agent's error.
  // kUnavailable when no answer arrives within `timeout`; the connection is closed then, and later calls fail.
  Result<io::Json> Ask(const Request& request, std::chrono::milliseconds timeout = std::chrono::seconds(15));
  Result<io::Json> Ask(const io::Json& question, std::chrono::milliseconds timeout = std::chrono::seconds(15));

 private:
  Client(local_socket::LineClient connection, std::string path)
      : connection_(std::move(connection)), path_(std::move(path)) {}
  local_socket::LineClient connection_;
  std::string path_;
};

}  // namespace heliostat::agent
