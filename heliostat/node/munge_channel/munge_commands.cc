#include "heliostat/node/munge_channel/munge_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "heliostat/node/process/capture.h"

namespace heliostat::munge_channel {
namespace {

constexpr std::size_t kMostOutputBytes = 4 * kMostPayloadBytes;
// Exit statuses when MUNGE does not work: unknown failure, no memory, no munged, no answer. With others, the credential
// is wrong.
constexpr std::array<int, 4> kTroubles{1, 5, 6, 7};

// What is wrong with a credential, by the exit status of unmunge, which says nothing then.
constexpr std::array<std::pair<int, std::string_view>, 3> kSilentReasons{{{15, "the credential has expired"},
                                                                          {16, "the credential was made in the future"},
                                                                          {17, "the credential was decoded before"}}};

// What the command says of its failure, without its name and "Error".
std::string ReasonOf(const process::Captured& captured) {
  std::string line = captured.errors.substr(0, captured.errors.find('\n'));
  if (const auto end = line.find("Error: "); end != std::string::npos) line.erase(0, end + 7);
  if (!line.empty()) return Printable(line);
  for (const auto& [status, reason] : kSilentReasons) {
    if (captured.ending.Status() == status) return std::string(reason);
  }
  return fmt::format("ends with status {}", captured.ending.Status());
}

Result<std::string> Run(std::vector<std::string> command, const MungeCommands& commands, std::string_view input) {
  if (!commands.socket.empty()) command.insert(command.begin() + 1, {"-S", commands.socket});
  auto captured = process::Capture(command, {}, {.time = commands.time, .output_bytes = kMostOutputBytes}, input);
  if (!captured) return Propagate(captured);
  if (captured->ending == process::Ending{}) return std::move(captured->output);
  const bool is_trouble = captured->ending.signal != 0 ||
                          std::find(kTroubles.begin(), kTroubles.end(), captured->ending.exit_code) != kTroubles.end();
  if (!is_trouble) return Fail(ErrorCode::kPermissionDenied, command[0], ReasonOf(*captured));
  return Fail(ErrorCode::kUnavailable, command[0], ReasonOf(*captured), "munged must run with the key of the cluster");
}

template <typename T>
bool ReadNumber(const std::map<std::string, std::string, std::less<>>& facts, std::string_view name, T& number) {
  const auto found = facts.find(name);
  if (found == facts.end()) return false;
  const std::string& text = found->second;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  return trouble == std::errc() && end == text.data() + text.size();
}

// Lines "NAME:   VALUE", an empty line, and the payload as it is.
Result<Decoded> ReadDecoded(const MungeCommands& commands, std::string_view text) {
  std::map<std::string, std::string, std::less<>> facts;
  while (true) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.empty()) break;
    const auto colon = line.find(':');
    const auto value = line.find_first_not_of(' ', std::min(colon, line.size() - 1) + 1);
    if (value != std::string_view::npos) facts.emplace(line.substr(0, colon), line.substr(value));
  }
  Decoded decoded;
  std::int64_t made_s = 0;
  std::int64_t read_s = 0;
  std::size_t length = 0;
  if (!ReadNumber(facts, "UID", decoded.uid) || !ReadNumber(facts, "GID", decoded.gid) ||
      !ReadNumber(facts, "ENCODE_TIME", made_s) || !ReadNumber(facts, "DECODE_TIME", read_s) ||
      !ReadNumber(facts, "LENGTH", length) || length != text.size()) {
    return Fail(ErrorCode::kCorrupt, commands.unmunge, "its output cannot be read",
                "numbers for UID, GID, ENCODE_TIME, DECODE_TIME and LENGTH, and the payload");
  }
  decoded.age = std::chrono::seconds(read_s - made_s);
  decoded.payload = text;
  return decoded;
}

}  // namespace

Result<std::string> Encode(const MungeCommands& commands, std::string_view payload, uid_t reader) {
  auto credential = Run({commands.munge, "-u", fmt::format("{}", reader)}, commands, payload);
  if (credential && !credential->empty() && credential->back() == '\n') credential->pop_back();
  return credential;
}

Result<Decoded> Decode(const MungeCommands& commands, std::string_view credential) {
  const auto text = Run({commands.unmunge, "-N", "-k", "UID,GID,ENCODE_TIME,DECODE_TIME,LENGTH"}, commands, credential);
  if (!text) return Propagate(text);
  return ReadDecoded(commands, *text);
}

}  // namespace heliostat::munge_channel
