#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/agent/gpu_workers.h"
#include "heliostat/node/agent/peer.h"

namespace heliostat::agent {

// One connection: bytes in, lines out to whoever answers, answers back. Bounded both ways. Not thread-safe.
class ClientConnection {
 public:
  static constexpr std::size_t kMostUnsent = std::size_t{256} * 1024;

  // Takes the socket over.
  ClientConnection(int fd, Peer peer) : fd_(fd), peer_(std::move(peer)) {}
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;
  ~ClientConnection();

  int fd() const { return fd_; }
  const Peer& peer() const { return peer_; }

  // Reads what is there and there is room for. False when the connection is broken.
  bool Receive();
  // The next line, without its end. One that is longer than any request comes as its first bytes, too long to be one;
  // the rest of it is skipped.
  std::optional<std::string> NextLine();
  // Sends what it can of this and of what is left from before. False when the connection is broken or its other end
  // leaves too much unread.
  bool Send(std::string_view line);
  bool Flush();

  // No more will come.
  bool has_ended() const { return has_ended_; }
  bool HasRoom() const;
  bool HasLine() const;
  bool HasUnsent() const { return sent_ < out_.size(); }

  // The answer to the last line is not there yet; answers are in order, so the next line waits.
  bool is_waiting = false;
  std::vector<GpuWorkers::Ticket> tickets;
  // Not yet in the audit log.
  std::uint64_t reads = 0;
  std::uint64_t limited = 0;

 private:
  int fd_;
  Peer peer_;
  std::string in_;
  bool is_skipping_ = false;  // within a line that is too long
  bool has_ended_ = false;
  std::string out_;
  std::size_t sent_ = 0;
};

}  // namespace heliostat::agent
