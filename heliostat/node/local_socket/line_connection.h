#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "heliostat/node/local_socket/peer.h"

namespace heliostat::local_socket {

// What bounds the buffers of one connection.
struct LineLimits {
  std::size_t line_bytes = std::size_t{64} * 1024;  // of a received line
  std::size_t unsent_bytes = static_cast<std::size_t>(-1);
};

// A server's end of one connection: splits received bytes into lines and sends answers. Both buffers are bounded. Not
// thread-safe.
class LineConnection {
 public:
  // Owns the socket from now on.
  LineConnection(int fd, Peer peer, LineLimits limits) : fd_(fd), peer_(std::move(peer)), limits_(limits) {}
  LineConnection(const LineConnection&) = delete;
  LineConnection& operator=(const LineConnection&) = delete;
  ~LineConnection();

  int fd() const { return fd_; }
  const Peer& peer() const { return peer_; }

  // Reads available bytes without waiting. False when the connection is broken.
  bool Receive();
  // The next line, without its end. A line longer than `line_bytes` may be cut; what is returned is still longer than
  // that, so that the caller can refuse it, and the rest of the line is skipped.
  std::optional<std::string> NextLine();
  // Sends as much as possible of earlier answers and of this one. False when the connection is broken, or when the
  // client leaves more than `unsent_bytes` unread.
  bool Send(std::string line);
  bool Flush();

  // The client has closed its sending side.
  bool has_ended() const { return has_ended_; }
  bool HasRoom() const;
  bool HasLine() const;
  bool HasUnsent() const { return unsent() > 0; }
  std::size_t unsent() const { return out_.size() - sent_; }

 private:
  int fd_;
  Peer peer_;
  LineLimits limits_;
  std::string in_;
  bool is_skipping_ = false;  // within a line that is too long
  bool has_ended_ = false;
  std::string out_;
  std::size_t sent_ = 0;
};

}  // namespace heliostat::local_socket
