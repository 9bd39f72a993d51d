#pragma once

#include <utility>
#include <vector>

#include "heliostat/node/agent/audit_tally.h"
#include "heliostat/node/agent/gpu_workers.h"
#include "heliostat/node/agent/protocol.h"
#include "heliostat/node/local_socket/line_connection.h"

namespace heliostat::agent {

// One client's connection to the agent, and what the agent knows of its requests. Not thread-safe.
class ClientConnection : public local_socket::LineConnection {
 public:
  static constexpr std::size_t kMostUnsent = std::size_t{256} * 1024;

  // Owns the socket from now on.
  ClientConnection(int fd, local_socket::Peer peer)
      : LineConnection(fd, std::move(peer), {kMostRequestBytes, kMostUnsent}) {}

  // The last line is not answered yet. Answers keep the order of lines, so the next line waits.
  bool is_waiting = false;
  std::vector<GpuWorkers::Ticket> tickets;
  // When it last sent a whole request or got an answer. Bytes without a whole request do not count: a client could keep
  // a connection open with them.
  SteadyTime active{0};
  AuditCounts counts;  // not passed to the audit log yet
};

}  // namespace heliostat::agent
