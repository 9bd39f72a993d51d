#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace heliostat::io::testing {

// What a client sent: the request line's target and its headers, names in lower case.
struct ReceivedRequest {
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;

  std::string Header(const std::string& lower_case_name) const;
};

// What the server plays back, and how it misbehaves.
struct Reply {
  int status = 200;
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::chrono::milliseconds delay{0};  // before the first byte
  bool cut_mid_body = false;           // announces all of the body and sends half
};

// A web server for tests on 127.0.0.1, on a port that the system picks. One
// connection at a time, one request per connection; no test leaves the machine.
class LocalServer {
 public:
  using Handler = std::function<Reply(const ReceivedRequest&)>;

  explicit LocalServer(Handler handler);
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  // "http://127.0.0.1:40123", without a slash at the end.
  std::string url() const;
  // All requests so far, in order.
  std::vector<ReceivedRequest> received() const;

 private:
  void Serve(const std::stop_token& stop);
  void Answer(int connection, const std::stop_token& stop);

  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<ReceivedRequest> received_;
  std::jthread thread_;
};

// Keeps the proxies of the machine that runs the tests out of them.
void ForgetProxies();

}  // namespace heliostat::io::testing
