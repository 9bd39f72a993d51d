#include "heliostat/ui/cli/remote_controller.h"

#include <pwd.h>

#include <array>
#include <charconv>
#include <optional>

#include "heliostat/base/core/clock.h"

namespace heliostat::cli {
namespace {

constexpr std::uint16_t kPort = 6842;
constexpr const char* kUser = "heliostat";  // of the unit that is installed
constexpr auto kLimit = std::chrono::seconds(30);

std::optional<uid_t> UidOf(const std::string& user) {
  uid_t uid = 0;
  const auto [end, trouble] = std::from_chars(user.data(), user.data() + user.size(), uid);
  if (trouble == std::errc() && end == user.data() + user.size()) return uid;
  std::array<char, 16384> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return {};
  return found->pw_uid;
}

}  // namespace

Result<munge_channel::MungePeer> ParseRemoteController(const std::string& text, const std::string& where) {
  const auto at = text.rfind('@');
  const std::string user = at == std::string::npos ? kUser : text.substr(0, at);
  auto address = munge_channel::ParseHostPort(at == std::string::npos ? text : text.substr(at + 1), kPort, where);
  if (!address) return Propagate(address);
  const auto uid = UidOf(user);
  if (!uid) {
    return Fail(ErrorCode::kInvalidArgument, where, "user '" + Printable(user, 40) + "' is not known on this host",
                "USER@HOST, with the name or the number of the user that heliostatctld runs as");
  }
  return munge_channel::MungePeer{*std::move(address), "controller", *uid};
}

Result<std::string> AskRemoteController(const munge_channel::MungePeer& peer, const std::string& line,
                                        const Environment& environment) {
  munge_channel::MungeCommands commands;
  commands.socket = environment("HELIOSTAT_MUNGE_SOCKET").value_or("");
  return munge_channel::AskByMunge(commands, peer, line, SystemClock().Now(), kLimit);
}

}  // namespace heliostat::cli
