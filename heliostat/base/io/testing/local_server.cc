#include "heliostat/base/io/testing/local_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "heliostat/base/core/check.h"

namespace heliostat::io::testing {
namespace {

bool IsReadable(int fd, int timeout_ms) {
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, timeout_ms) > 0;
}

// Reads up to the blank line after the headers.
std::string ReadHead(int connection) {
  std::string head;
  char buffer[4096];
  while (head.find("\r\n\r\n") == std::string::npos && IsReadable(connection, 2000)) {
    const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
    if (got <= 0) break;
    head.append(buffer, static_cast<std::size_t>(got));
  }
  return head;
}

ReceivedRequest ParseHead(const std::string& head) {
  ReceivedRequest request;
  const auto first_blank = head.find(' ');
  const auto second_blank = head.find(' ', first_blank + 1);
  if (second_blank == std::string::npos) return request;
  request.target = head.substr(first_blank + 1, second_blank - first_blank - 1);
  auto line = head.find("\r\n") + 2;
  for (auto end = head.find("\r\n", line); end != std::string::npos && end > line; end = head.find("\r\n", line)) {
    const auto colon = std::min(head.find(": ", line), end);
    std::string name = head.substr(line, colon - line);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    request.headers.emplace_back(std::move(name), head.substr(colon + 2, end - colon - 2));
    line = end + 2;
  }
  return request;
}

void SendAll(int connection, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t now = ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return;  // the client closed the connection, as some tests require
    sent += static_cast<std::size_t>(now);
  }
}

}  // namespace

std::string ReceivedRequest::Header(const std::string& lower_case_name) const {
  const auto found = std::ranges::find(headers, lower_case_name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? std::string() : found->second;
}

LocalServer::LocalServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  Check(listener_ >= 0 && ::bind(listener_, generic, sizeof address) == 0 && ::listen(listener_, 16) == 0,
        "no local port to listen on");
  socklen_t length = sizeof address;
  Check(::getsockname(listener_, generic, &length) == 0, "the port has no name");
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this](const std::stop_token& stop) { Serve(stop); });
}

LocalServer::~LocalServer() {
  thread_.request_stop();
  ::shutdown(listener_, SHUT_RDWR);  // wakes the thread
  thread_.join();
  ::close(listener_);
}

std::string LocalServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

std::vector<ReceivedRequest> LocalServer::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

void LocalServer::Serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (!IsReadable(listener_, 200)) continue;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    Answer(connection, stop);
    ::close(connection);
  }
}

void LocalServer::Answer(int connection, const std::stop_token& stop) {
  const ReceivedRequest request = ParseHead(ReadHead(connection));
  {
    const std::lock_guard lock(mutex_);
    received_.push_back(request);
  }
  const Reply reply = handler_(request);
  // A delayed answer waits in small steps: the client closes the connection long before the delay ends.
  const auto until = std::chrono::steady_clock::now() + reply.delay;
  while (std::chrono::steady_clock::now() < until && !stop.stop_requested()) {
    if (IsReadable(connection, 5)) return;  // the client closed the connection
  }
  std::string bytes = "HTTP/1.1 " + std::to_string(reply.status) + " Whatever\r\nConnection: close\r\n";
  for (const auto& [name, value] : reply.headers) bytes.append(name).append(": ").append(value).append("\r\n");
  bytes += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n";
  bytes += reply.cut_mid_body ? reply.body.substr(0, reply.body.size() / 2) : reply.body;
  SendAll(connection, bytes);
}

void ForgetProxies() {
  for (const char* name :
       {"http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY", "no_proxy", "NO_PROXY"}) {
    ::unsetenv(name);
  }
}

}  // namespace heliostat::io::testing
