#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/agent/audit_tally.h"
#include "heliostat/node/agent/gpu_workers.h"
#include "heliostat/node/local_socket/peer.h"

namespace heliostat::agent {

// One client's connection to the agent: splits received bytes into lines and sends answers. Both buffers are bounded.
// Not thread-safe.
class ClientConnection {
 public:
  static constexpr std::size_t kMostUnsent = std::size_t{256} * 1024;

  // Owns the socket from now on.
  ClientConnection(int fd, local_socket::Peer peer) : fd_(fd), peer_(std::move(peer)) {}
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;
  ~ClientConnection();

  int fd() const { return fd_; }
  const local_socket::Peer& peer() const { return peer_; }

  // Reads available bytes without waiting. False when the connection is broken.
  bool Receive();
  // The next line, without its end. A line longer than kMostRequestBytes may be cut; what is returned is still longer
  // than that, so that ParseRequest() refuses it, and the rest of the line is skipped.
  std::optional<std::string> NextLine();
  // Sends as much as possible of earlier answers and of this one. False when the connection is broken, or when the
  // client leaves more than kMostUnsent bytes unread.
  bool Send(std::string_view line);
  bool Flush();

  // The client has closed its sending side.
  bool has_ended() const { return has_ended_; }
  bool HasRoom() const;
  bool HasLine() const;
  bool HasUnsent() const { return sent_ < out_.size(); }

  // The last line is not answered yet. Answers keep the order of lines, so the next line waits.
  bool is_waiting = false;
  std::vector<GpuWorkers::Ticket> tickets;
  // When it last sent a whole request or got an answer. Bytes without a whole request do not count: a client could keep
  // a connection open with them.
  SteadyTime active{0};
  AuditCounts counts;  // not passed to the audit log yet

 private:
  int fd_;
  local_socket::Peer peer_;
  std::string in_;
  bool is_skipping_ = false;  // within a line that is too long
  bool has_ended_ = false;
  std::string out_;
  std::size_t sent_ = 0;
};

}  // namespace heliostat::agent
