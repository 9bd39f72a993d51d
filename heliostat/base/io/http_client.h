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

// A GET request.
struct HttpRequest {
  std::string url;
  std::vector<HttpHeader> headers;
  // True when the URL or a header holds a key. The client then follows redirects only to the same scheme, host and
  // port.
  bool carries_secret = false;
};

// The answer of a server, after redirects.
struct HttpResponse {
  int status = 0;
  std::vector<HttpHeader> headers;
  std::string body;

  // The first header of that name, compared without case. The view is valid as long as this response.
  std::optional<std::string_view> Header(std::string_view name) const;
};

// Sends requests to a web server. Any status other than a redirect is a response, 404 and 500 included. An Error means
// that there is no response: kUnavailable when a retry can help (no connection, time-out, a truncated body), another
// code when it cannot. Messages name host and path but never the query, which can hold a key.
// Used from one thread.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  virtual Result<HttpResponse> Get(const HttpRequest& request) = 0;
};

// Limits of one request; sizes in bytes.
struct HttpOptions {
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds total_timeout{60'000};
  std::size_t largest_body = std::size_t{64} << 20;
  int most_redirects = 3;
  // Called about once per second during a request, in the thread of Get(). Returning true ends the request with
  // kUnavailable.
  std::function<bool()> should_stop{};
};

// An HttpClient over libcurl, for http and https. Takes proxies from http_proxy, https_proxy, all_proxy and no_proxy.
// Keeps connections open between requests. Not thread-safe.
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

// `url` without user, password, query and fragment, safe for messages.
std::string AddressWithoutQuery(std::string_view url);

}  // namespace heliostat::io
