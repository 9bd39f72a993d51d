#include "heliostat/ui/cli/cluster_ask.h"

#include "heliostat/base/core/environment.h"
#include "heliostat/node/local_socket/line_client.h"

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
}

Result<io::Json> AskController(const ControllerAddress& address, const io::Json& request) {
  const std::string named = ProcessEnvironment()("HELIOSTAT_CONTROLLER").value_or(kDefaultSocket);
  const std::string& socket = address.socket.empty() ? named : address.socket;
  const auto line = local_socket::AskLine(socket, request.Line(), kLimit, kMostBytes, "heliostatctld");
  if (!line) {
    Error error = line.error();
    if (error.allowed.empty()) error.allowed = "start it, or name its socket with --socket";
    return tl::make_unexpected(std::move(error));
  }
  const auto answer = io::Json::Parse(*line, "answer of " + socket);
  if (!answer) return Propagate(answer);
  if (const io::Json* const error = answer->Find("error")) return tl::make_unexpected(ErrorIn(*error));
  if (const io::Json* const found = answer->Find("answer")) return *found;
  return Fail(ErrorCode::kCorrupt, socket, "answers with something else than a controller would");
}

}  // namespace heliostat::cli
