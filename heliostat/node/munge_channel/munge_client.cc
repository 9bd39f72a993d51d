#include "heliostat/node/munge_channel/munge_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "heliostat/node/local_socket/line_client.h"
#include "heliostat/node/munge_channel/envelope.h"
#include "heliostat/node/munge_channel/munge_server.h"

namespace heliostat::munge_channel {
namespace {

using std::chrono::milliseconds;
using Deadline = std::chrono::steady_clock::time_point;

// Of the longest answer in base 64, with what MUNGE adds to each part.
constexpr std::size_t kMostLineBytes = kMostAnswerBytes / 2 * 3;

milliseconds Left(Deadline deadline) {
  return std::max(milliseconds(1), std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now()));
}

// The commands with no more time than is left.
MungeCommands Within(MungeCommands commands, Deadline deadline) {
  commands.time = std::min(commands.time, Left(deadline));
  return commands;
}

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The text of one part, checked to be the next of the answer to `nonce`.
Result<AnswerPart> OpenPart(const MungeCommands& commands, const MungePeer& peer, const std::string& nonce,
                            std::string_view credential) {
  const std::string where = peer.address.Text();
  if (!credential.starts_with("MUNGE:")) return tl::unexpected<Error>(RefusalIn(credential, where));
  const auto decoded = Decode(commands, credential);
  if (!decoded) return Propagate(decoded);
  if (decoded->uid != peer.uid) {
    return Fail(ErrorCode::kPermissionDenied, where, fmt::format("the user with the number {} answers", decoded->uid),
                fmt::format("the answer must be of {}", peer.uid));
  }
  auto part = ReadPart(decoded->payload);
  if (part && part->nonce != nonce) {
    return Fail(ErrorCode::kPermissionDenied, where, "answers another request", "an answer to this one");
  }
  return part;
}

Result<std::string> OpenAnswer(const MungeCommands& commands, const MungePeer& peer, const std::string& nonce,
                               std::string_view line, Deadline deadline) {
  std::string answer;
  std::size_t of = 1;
  for (std::size_t number = 1; number <= of; ++number) {
    // A refusal has blanks, too.
    const auto end = line.starts_with("MUNGE:") ? line.find(' ') : std::string_view::npos;
    const auto part = OpenPart(Within(commands, deadline), peer, nonce, line.substr(0, end));
    if (!part) return Propagate(part);
    if (number == 1) of = part->of;
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    if (part->number != number || part->of != of || line.empty() != (number == of)) {
      return Fail(ErrorCode::kCorrupt, peer.address.Text(), fmt::format("lacks part {} of its answer", number));
    }
    answer += part->text;
  }
  return answer;
}

}  // namespace

Result<std::string> AskByMunge(const MungeCommands& commands, const MungePeer& peer, std::string_view request,
                               Instant now, milliseconds limit) {
  const Deadline deadline = std::chrono::steady_clock::now() + limit;
  if (request.size() > kMostRequestBytes) {
    return Fail(ErrorCode::kInvalidArgument, "request", fmt::format("has {} bytes", request.size()),
                fmt::format("at most {}", kMostRequestBytes));
  }
  const std::string nonce = NewNonce();
  const std::string payload =
      WriteRequest({peer.service, LowerCase(peer.address.host), nonce, now, std::string(request)});
  const auto credential = Encode(Within(commands, deadline), payload, peer.uid);
  if (!credential) return Propagate(credential);
  const auto fd = ConnectTcp(peer.address, Left(deadline));
  if (!fd) return Propagate(fd);
  auto client = local_socket::LineClient::Of(*fd, peer.address.Text());
  const auto line = client.Ask(*credential, Left(deadline), kMostLineBytes);
  if (!line) return Propagate(line);
  return OpenAnswer(commands, peer, nonce, *line, deadline);
}

}  // namespace heliostat::munge_channel
