#include "heliostat/base/io/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "heliostat/base/core/split.h"

namespace heliostat::io {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool SameIgnoringCase(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, Lower, Lower); }

// The part of a response that the callbacks of curl have received so far.
struct Arrival {
  HttpResponse response;
  std::size_t largest_body = 0;
  bool is_too_large = false;
};

std::size_t TakeBody(char* bytes, std::size_t size, std::size_t count, void* arrival_pointer) {
  auto& arrival = *static_cast<Arrival*>(arrival_pointer);
  const std::size_t length = size * count;
  if (length > arrival.largest_body - arrival.response.body.size()) {
    arrival.is_too_large = true;
    return 0;  // ends the transfer
  }
  arrival.response.body.append(bytes, length);
  return length;
}

int IsToStop(void* options, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const HttpOptions*>(options)->should_stop() ? 1 : 0;
}

std::size_t TakeHeader(char* bytes, std::size_t size, std::size_t count, void* arrival_pointer) {
  auto& headers = static_cast<Arrival*>(arrival_pointer)->response.headers;
  const std::string_view line(bytes, size * count);
  // A status line begins another response: the one before came from a proxy or was "100 Continue".
  if (line.starts_with("HTTP/")) headers.clear();
  const auto colon = line.find(':');
  if (colon != std::string_view::npos) {
    headers.push_back({std::string(Trimmed(line.substr(0, colon))), std::string(Trimmed(line.substr(colon + 1)))});
  }
  return line.size();
}

ErrorCode CodeOf(CURLcode failure) {
  switch (failure) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
      return ErrorCode::kInvalidArgument;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_FAILED_INIT:
    case CURLE_OUT_OF_MEMORY:
      return ErrorCode::kInternal;
    case CURLE_BAD_CONTENT_ENCODING:
      return ErrorCode::kCorrupt;
    default:
      return ErrorCode::kUnavailable;
  }
}

using UrlHandle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

// Scheme, host and port: a key is valid for these only. Empty when `url` is not a URL.
std::string OriginOf(const std::string& url) {
  const UrlHandle parts(curl_url(), curl_url_cleanup);
  if (curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return {};
  std::string origin;
  for (const CURLUPart part : {CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT}) {
    char* text = nullptr;
    if (curl_url_get(parts.get(), part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
    origin += text;
    origin += ' ';
    curl_free(text);
  }
  std::ranges::transform(origin, origin.begin(), Lower);
  return origin;
}

void InitializeOnce() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

std::optional<std::string_view> HttpResponse::Header(std::string_view name) const {
  const auto found = std::ranges::find_if(headers, [&](const auto& h) { return SameIgnoringCase(h.name, name); });
  if (found == headers.end()) return std::nullopt;
  return found->value;
}

std::string AddressWithoutQuery(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const auto scheme = url.find("://");
  const auto host = scheme == std::string_view::npos ? 0 : scheme + 3;
  const auto path = std::min(url.find('/', host), url.size());
  const auto at = url.substr(host, path - host).rfind('@');
  if (at == std::string_view::npos) return std::string(url);
  return std::string(url.substr(0, host)) + std::string(url.substr(host + at + 1));
}

struct CurlHttpClient::Handle {
  Handle() : curl(curl_easy_init(), curl_easy_cleanup) {}

  CURLcode Perform(const std::string& url, const HttpRequest& request, const HttpOptions& options, Arrival& arrival) {
    CURL* const easy = curl.get();
    if (easy == nullptr) return CURLE_FAILED_INIT;
    curl_easy_reset(easy);  // keeps the open connections
    std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> lines(nullptr, curl_slist_free_all);
    for (const auto& [name, value] : request.headers) {
      curl_slist* longer = curl_slist_append(lines.get(), fmt::format("{}: {}", name, value).c_str());
      if (longer == nullptr) return CURLE_OUT_OF_MEMORY;
      (void)lines.release();
      lines.reset(longer);
    }
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, lines.get());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // Get() follows redirects and protects the key
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(options.total_timeout.count()));
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "heliostat/" HELIOSTAT_VERSION);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, TakeBody);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &arrival);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, TakeHeader);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, &arrival);
    if (options.should_stop) {
      curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
      curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, IsToStop);
      curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &options);
      // A stop does not wait for a name server that is silent.
      curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    }
    const CURLcode outcome = curl_easy_perform(easy);
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    arrival.response.status = static_cast<int>(status);
    return outcome;
  }

  // The redirect target of the last response; empty when it has none.
  std::string RedirectTarget() const {
    const char* target = nullptr;
    curl_easy_getinfo(curl.get(), CURLINFO_REDIRECT_URL, &target);
    return target == nullptr ? std::string() : std::string(target);
  }

  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl;
};

CurlHttpClient::CurlHttpClient(HttpOptions options) : options_(std::move(options)) {
  InitializeOnce();
  handle_ = std::make_unique<Handle>();
}

CurlHttpClient::~CurlHttpClient() = default;

Result<HttpResponse> CurlHttpClient::Get(const HttpRequest& request) {
  std::string url = request.url;
  for (int redirects = 0;; ++redirects) {
    const std::string where = AddressWithoutQuery(url);
    Arrival arrival;
    arrival.largest_body = options_.largest_body;
    const CURLcode outcome = handle_->Perform(url, request, options_, arrival);
    if (arrival.is_too_large) {
      return Fail(ErrorCode::kCorrupt, where, fmt::format("the answer has more than {} bytes", options_.largest_body));
    }
    if (outcome != CURLE_OK) return Fail(CodeOf(outcome), where, curl_easy_strerror(outcome));
    const std::string target = handle_->RedirectTarget();
    if (target.empty()) return std::move(arrival.response);
    if (redirects == options_.most_redirects) {
      return Fail(ErrorCode::kCorrupt, where, fmt::format("redirects more than {} times", options_.most_redirects));
    }
    if (request.carries_secret && OriginOf(target) != OriginOf(url)) {
      return Fail(ErrorCode::kPermissionDenied, where,
                  fmt::format("redirects to {}", Printable(AddressWithoutQuery(target))),
                  "a request with a key must stay on its host");
    }
    url = target;
  }
}

}  // namespace heliostat::io
