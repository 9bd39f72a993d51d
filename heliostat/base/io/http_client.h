#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::io {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpRequest {
  std::string url;
  std::vector<HttpHeader> headers;
  // True when the address or a header holds a key: such a request is never sent
  // on to another host, whatever the server says.
  bool carries_secret = false;
};

struct HttpResponse {
  int status = 0;
  std::vector<HttpHeader> headers;
  std::string body;

  // The first header of that name, whatever its case.
  std::optional<std::string_view> Header(std::string_view name) const;
};

// Asks a web server. Any status is an answer; an Error means that there was
// none: kUnavailable when asking again may help (no connection, time-out, a body
// cut short), another code when it will not. Messages name the host and path and
// never the query, which may hold a key.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  virtual Result<HttpResponse> Get(const HttpRequest& request) = 0;
};

struct HttpOptions {
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds total_timeout{60'000};
  std::size_t largest_body = std::size_t{64} << 20;
  int most_redirects = 3;
  // Asked about once a second while a request is under way; true ends it (kUnavailable). From the thread of Get().
  std::function<bool()> should_stop{};
};

// libcurl. Proxies come from http_proxy, https_proxy and no_proxy as usual. Keeps
// its connection open between requests. Not thread-safe.
class CurlHttpClient final : public HttpClient {
 public:
  explicit CurlHttpClient(HttpOptions options = {});
  ~CurlHttpClient() override;
  CurlHttpClient(const CurlHttpClient&) = delete;
  CurlHttpClient& operator=(const CurlHttpClient&) = delete;

  Result<HttpResponse> Get(const HttpRequest& request) override;

 private:
  struct Handle;
  HttpOptions options_;
  std::unique_ptr<Handle> handle_;
};

// `url` without user, password, query and fragment, fit for messages.
std::string AddressWithoutQuery(std::string_view url);

}  // namespace heliostat::io
