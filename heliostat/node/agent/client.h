#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"
#include "heliostat/node/agent/protocol.h"

namespace heliostat::agent {

inline constexpr std::string_view kDefaultSocket = "/run/heliostat/agent.sock";
// HELIOSTAT_AGENT, or the default.
std::string SocketPath(const Environment& environment);

// A connection to the node agent. The kernel tells the agent who is at this end. Not thread-safe.
class Client {
 public:
  // kNotFound when nobody listens there.
  static Result<Client> Connect(const std::string& path);
  Client(Client&& other) noexcept;
  Client& operator=(Client&& other) noexcept;
  ~Client();

  // One question, one answer (docs/guide/agent.md). What the agent refuses comes back as its error.
  Result<io::Json> Ask(const Request& request, std::chrono::milliseconds timeout = std::chrono::seconds(15));
  Result<io::Json> Ask(const io::Json& question, std::chrono::milliseconds timeout = std::chrono::seconds(15));

 private:
  explicit Client(int fd) : fd_(fd) {}
  int fd_ = -1;
  std::string rest_;  // received beyond the last answer
};

}  // namespace heliostat::agent
