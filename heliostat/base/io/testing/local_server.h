#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace heliostat::io::testing {

// A request as received: the target of the request line and the headers, names in lower case.
struct ReceivedRequest {
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;

  std::string Header(const std::string& lower_case_name) const;
};

// The answer of the server and its faults.
struct Reply {
  int status = 200;
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::chrono::milliseconds delay{0};  // before the first byte
  bool cut_mid_body = false;           // sends the full Content-Length and half of the body
};

// A web server for tests on 127.0.0.1, on a port that the system chooses. Serves one connection at a time and one
// request per connection, in a thread of its own that also calls the handler. Thread-safe.
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

// Removes proxy settings from the environment, so that tests do not use those of the machine.
void ForgetProxies();

}  // namespace heliostat::io::testing
