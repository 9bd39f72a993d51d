#include "heliostat/node/munge_channel/envelope.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "heliostat/base/core/check.h"
#include "heliostat/base/io/json.h"

namespace heliostat::munge_channel {
namespace {

using io::Json;

constexpr std::string_view kRequest = "heliostat request 1";
constexpr std::string_view kAnswer = "heliostat answer 1";
constexpr std::size_t kNonceBytes = 16;
constexpr std::size_t kMostHeadBytes = 1024;
constexpr std::size_t kMostNameBytes = 255;        // of a host in the domain name system
constexpr std::int64_t kLatest = 253'402'300'799;  // the end of the year 9999

// The line of JSON of a payload, and what comes after it.
struct Opened {
  Json head;
  std::string_view text;
};

tl::unexpected<Error> Strange(std::string what, std::string allowed = "what this version of heliostat writes") {
  return Fail(ErrorCode::kInvalidArgument, "payload", std::move(what), std::move(allowed));
}

Result<Opened> Open(std::string_view payload, std::string_view kind, std::size_t most_bytes) {
  const auto end = payload.substr(0, kMostHeadBytes).find('\n');
  if (end == std::string_view::npos) return Strange("has no line of JSON at its begin");
  auto head = Json::Parse(payload.substr(0, end), "payload");
  if (!head) return Propagate(head);
  const auto found = head->Get("kind");
  if (!found) return Propagate(found);
  const auto text = (*found)->Text();
  if (!text) return Propagate(text);
  if (*text != kind) return Strange(fmt::format("is '{}'", Printable(*text, 40)), std::string(kind));
  payload.remove_prefix(end + 1);
  if (payload.size() > most_bytes) {
    return Strange(fmt::format("has a text of {} bytes", payload.size()), fmt::format("at most {}", most_bytes));
  }
  return Opened{*std::move(head), payload};
}

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= kMostNameBytes && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == ':';
  });
}

bool IsNonce(std::string_view text) {
  return text.size() == 2 * kNonceBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

Result<std::string> TextIn(const Json& head, std::string_view key, bool (*is_valid)(std::string_view)) {
  const auto member = head.Get(key);
  if (!member) return Propagate(member);
  auto text = (*member)->Text();
  if (text && !is_valid(*text)) return Strange(fmt::format("has {} '{}'", key, Printable(*text, 40)));
  return text;
}

Result<std::int64_t> NumberIn(const Json& head, std::string_view key, std::int64_t most) {
  const auto member = head.Get(key);
  if (!member) return Propagate(member);
  const auto number = (*member)->Integer();
  if (number && (*number < 0 || *number > most)) return Strange(fmt::format("has {} {}", key, *number));
  return number;
}

}  // namespace

std::string NewNonce() {
  std::array<unsigned char, kNonceBytes> bytes{};
  Check(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()), "no random numbers");
  std::string nonce;
  for (const unsigned char byte : bytes) nonce += fmt::format("{:02x}", byte);
  return nonce;
}

std::string WriteRequest(const Request& request) {
  return Json()
             .Set("kind", kRequest)
             .Set("service", request.service)
             .Set("target", request.target)
             .Set("nonce", request.nonce)
             .Set("made", static_cast<std::int64_t>(request.made.time_since_epoch().count()))
             .Line() +
         "\n" + request.text;
}

std::string WritePart(const AnswerPart& part) {
  return Json().Set("kind", kAnswer).Set("nonce", part.nonce).Set("part", part.number).Set("of", part.of).Line() +
         "\n" + part.text;
}

Result<Request> ReadRequest(std::string_view payload) {
  const auto opened = Open(payload, kRequest, kMostRequestBytes);
  if (!opened) return Propagate(opened);
  auto service = TextIn(opened->head, "service", IsName);
  if (!service) return Propagate(service);
  auto target = TextIn(opened->head, "target", IsName);
  if (!target) return Propagate(target);
  auto nonce = TextIn(opened->head, "nonce", IsNonce);
  if (!nonce) return Propagate(nonce);
  const auto made = NumberIn(opened->head, "made", kLatest);
  if (!made) return Propagate(made);
  return Request{*std::move(service), *std::move(target), *std::move(nonce), Instant(Duration(*made)),
                 std::string(opened->text)};
}

Result<AnswerPart> ReadPart(std::string_view payload) {
  const auto opened = Open(payload, kAnswer, kMostPartBytes);
  if (!opened) return Propagate(opened);
  auto nonce = TextIn(opened->head, "nonce", IsNonce);
  if (!nonce) return Propagate(nonce);
  const auto number = NumberIn(opened->head, "part", kMostParts);
  if (!number) return Propagate(number);
  const auto of = NumberIn(opened->head, "of", kMostParts);
  if (!of) return Propagate(of);
  if (*number < 1 || *number > *of) return Strange(fmt::format("is part {} of {}", *number, *of));
  return AnswerPart{*std::move(nonce), static_cast<std::size_t>(*number), static_cast<std::size_t>(*of),
                    std::string(opened->text)};
}

std::size_t PartsOf(std::size_t bytes) {
  return std::max<std::size_t>(1, (bytes + kMostPartBytes - 1) / kMostPartBytes);
}

std::string_view TextOfPart(std::string_view answer, std::size_t number) {
  return answer.substr(std::min(answer.size(), (number - 1) * kMostPartBytes), kMostPartBytes);
}

}  // namespace heliostat::munge_channel
