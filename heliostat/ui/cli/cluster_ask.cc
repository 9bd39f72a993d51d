#include "heliostat/ui/cli/cluster_ask.h"

#include "heliostat/base/core/environment.h"
#include "heliostat/node/local_socket/line_client.h"
#include "heliostat/ui/cli/remote_controller.h"

namespace heliostat::cli {
namespace {

constexpr const char* kDefaultSocket = "/run/heliostatctld/controller.sock";
constexpr auto kLimit = std::chrono::seconds(10);
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

// The error that a controller has answered.
Error ErrorIn(const io::Json& error) {
  const auto status = static_cast<int>(NumberIn(error, "status"));
  const ErrorCode code = status == 1   ? ErrorCode::kUnavailable
                         : status == 3 ? ErrorCode::kInfeasible
                                       : ErrorCode::kInvalidArgument;
  return {code, TextIn(error, "where"), TextIn(error, "what"), TextIn(error, "allowed")};
}

Result<std::string> AskRemotely(const std::string& named, const std::string& where, const std::string& request) {
  const auto peer = ParseRemoteController(named, where);
  if (!peer) return Propagate(peer);
  return AskRemoteController(*peer, request, ProcessEnvironment());
}

Result<std::string> AskLine(const ControllerAddress& address, const std::string& request) {
  std::string socket = address.socket;
  if (!socket.empty() && !address.controller.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--controller", "is given beside --socket", "one of the two");
  }
  if (!address.controller.empty()) return AskRemotely(address.controller, "--controller", request);
  if (socket.empty()) {
    socket = ProcessEnvironment()("HELIOSTAT_CONTROLLER").value_or(kDefaultSocket);
    if (socket.find('/') == std::string::npos) return AskRemotely(socket, "HELIOSTAT_CONTROLLER", request);
  }
  const auto line = local_socket::AskLine(socket, request, kLimit, kMostBytes, "heliostatctld");
  if (line) return *line;
  Error error = line.error();
  if (error.allowed.empty()) error.allowed = "start it, or name its socket with --socket";
  return tl::make_unexpected(std::move(error));
}

}  // namespace

std::string TextIn(const io::Json& json, std::string_view key, std::size_t limit) {
  const io::Json* const member = json.Find(key);
  const auto text = member == nullptr ? Result<std::string>(std::string()) : member->Text();
  return text ? Printable(*text, limit) : std::string();
}

double NumberIn(const io::Json& json, std::string_view key) {
  const io::Json* const member = json.Find(key);
  const auto number = member == nullptr ? Result<double>(0.0) : member->Number();
  return number ? *number : 0.0;
}

void AddControllerAddress(const Syntax& syntax, ControllerAddress& address) {
  syntax.AddOption("--socket PATH", address.socket,
                   "Socket of heliostatctld (default: HELIOSTAT_CONTROLLER, else /run/heliostatctld/controller.sock)");
  syntax.AddOption(
      "--controller [USER@]HOST[:PORT]", address.controller,
      "Ask heliostatctld on another host, by MUNGE; USER is whom it runs as (default: heliostat, port 6842)");
}

Result<io::Json> AskController(const ControllerAddress& address, const io::Json& request) {
  const auto line = AskLine(address, request.Line());
  if (!line) return Propagate(line);
  const auto answer = io::Json::Parse(*line, "answer of heliostatctld");
  if (!answer) return Propagate(answer);
  if (const io::Json* const error = answer->Find("error")) return tl::make_unexpected(ErrorIn(*error));
  if (const io::Json* const found = answer->Find("answer")) return *found;
  return Fail(ErrorCode::kCorrupt, "heliostatctld", "answers with something else than a controller would");
}

}  // namespace heliostat::cli
