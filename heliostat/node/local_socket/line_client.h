#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "heliostat/base/core/error.h"

namespace heliostat::local_socket {

// A client's connection to a server of lines, which learns the user of this process from the kernel. Not thread-safe.
class LineClient {
 public:
  // kNotFound when nobody listens at `path`, kUnavailable when a server does not take the connection within `limit`,
  // kPermissionDenied when this user may not connect. `server`: what errors call the server.
  static Result<LineClient> Connect(const std::string& path, std::chrono::milliseconds limit,
                                    const std::string& server = "server");
  // Over a connected socket, which it owns from now on. `name`: what errors call it.
  static LineClient Of(int fd, std::string name) { return {fd, std::move(name)}; }
  LineClient(LineClient&& other) noexcept;
  LineClient& operator=(LineClient&& other) noexcept;
  ~LineClient();

  // Sends one line, without its end, and waits for the line that answers it. kUnavailable when no whole answer arrives
  // within `limit`, kCorrupt when it is longer than `most_bytes`. After a failure the connection is closed: a late
  // answer would be taken for the answer to the next request.
  Result<std::string> Ask(std::string_view line, std::chrono::milliseconds limit, std::size_t most_bytes);

  // The server has closed the connection, and nothing is left to read. False after a failure.
  bool HasBeenClosed() const;

 private:
  LineClient(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_ = -1;  // -1: closed after a failure
  std::string path_;
  std::string rest_;  // received beyond the last answer
};

// Sends one request line over a connection of its own and returns the answer: LineClient::Connect() and
// LineClient::Ask(), within one limit. kUnavailable also when nobody listens.
// `server`: what errors call the server.
Result<std::string> AskLine(const std::string& socket_path, std::string_view line, std::chrono::milliseconds limit,
                            std::size_t most_bytes, const std::string& server = "server");

}  // namespace heliostat::local_socket
