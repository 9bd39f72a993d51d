#include "heliostat/node/agent/client.h"

#include <utility>

namespace heliostat::agent {
namespace {

constexpr std::size_t kMostReceivedBytes = 64U << 20U;
constexpr std::chrono::seconds kConnectTime{15};

tl::unexpected<Error> Gone(std::string what) {
  return Fail(ErrorCode::kUnavailable, "agent", std::move(what), "see its log: journalctl -u heliostatd");
}

}  // namespace

std::string SocketPath(const Environment& environment) {
  return environment("HELIOSTAT_AGENT").value_or(std::string(kDefaultSocket));
}

Result<Client> Client::Connect(const std::string& path) {
  auto connection = local_socket::LineClient::Connect(path, kConnectTime, "agent");
  if (connection) return Client(*std::move(connection), path);
  Error error = connection.error();
  if (error.code == ErrorCode::kNotFound) error.allowed = "start the agent: systemctl start heliostatd";
  if (error.code == ErrorCode::kUnavailable) return Gone(std::move(error.what));
  return tl::unexpected<Error>(std::move(error));
}

Result<io::Json> Client::Ask(const Request& request, std::chrono::milliseconds timeout) {
  return Ask(Describe(request), timeout);
}

Result<io::Json> Client::Ask(const io::Json& question, std::chrono::milliseconds timeout) {
  if (connection_.HasBeenClosed()) {
    auto again = Connect(path_);
    if (!again) return Gone("closed the connection");
    *this = *std::move(again);
  }
  const auto line = connection_.Ask(question.Line(), timeout, kMostReceivedBytes);
  if (!line) return Gone(line.error().what);
  return ReadAnswer(*line, "agent");
}

}  // namespace heliostat::agent
