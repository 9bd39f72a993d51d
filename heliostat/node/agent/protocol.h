#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"
#include "heliostat/node/device/setting.h"

namespace heliostat::agent {

// A request is one line of JSON of at most this many bytes, without its end.
inline constexpr std::size_t kMostRequestBytes = 4096;
// Leases that need a longer answer are asked for in pages, so that clients cannot fill the memory of the agent.
inline constexpr std::size_t kMostAnswerBytes = std::size_t{128} * 1024;
inline constexpr int kMostLeasesPerPage = 10'000;
inline constexpr std::size_t kMostJobBytes = 64;
inline constexpr std::chrono::seconds kLongestTtl = std::chrono::hours(24 * 31);
// The `pid` of the process that opened the connection. A client need not know its number outside of its container.
inline constexpr pid_t kOwnProcess = 0;

// A GPU as users name it: an index ("3", without leading zeros), a UUID, or the beginning of one.
using GpuSelector = std::string;

// The requests. docs/guide/agent.md describes each and its answer.

struct AskStatus {
  friend bool operator==(const AskStatus&, const AskStatus&) = default;
};
struct AskList {
  friend bool operator==(const AskList&, const AskList&) = default;
};
struct AskShow {
  GpuSelector gpu;
  friend bool operator==(const AskShow&, const AskShow&) = default;
};
struct AskLeases {
  bool all = false;          // of all users, not only of the caller
  std::optional<int> limit;  // one page of at most that many, in the order of their ids
  std::string after;         // with a limit: the page begins behind this id
  friend bool operator==(const AskLeases&, const AskLeases&) = default;
};
struct AskRights {
  friend bool operator==(const AskRights&, const AskRights&) = default;
};
struct AskSet {
  GpuSelector gpu;
  device::Setting wanted;
  std::chrono::seconds ttl{0};
  std::optional<pid_t> pid;  // the lease ends with this process; may be kOwnProcess
  std::string job;
  friend bool operator==(const AskSet&, const AskSet&) = default;
};
struct AskRenew {
  std::string lease;
  std::chrono::seconds ttl{0};
  friend bool operator==(const AskRenew&, const AskRenew&) = default;
};
struct AskRelease {
  std::string lease;
  friend bool operator==(const AskRelease&, const AskRelease&) = default;
};
struct AskReset {
  std::optional<GpuSelector> gpu;  // absent: all
  friend bool operator==(const AskReset&, const AskReset&) = default;
};

using Request = std::variant<AskStatus, AskList, AskShow, AskLeases, AskRights, AskSet, AskRenew, AskRelease, AskReset>;

// True for set, renew, release and reset. Each of these is rate-limited, checked against the policy and audited.
bool IsWrite(const Request& request);
// "set", as in {"do": "set"}.
std::string_view NameOf(const Request& request);

// Accepts any bytes. kInvalidArgument for a line that is not a request.
Result<Request> ParseRequest(std::string_view line);
// The request as a client sends it: ParseRequest() of it gives the same request.
io::Json Describe(const Request& request);

// The refusal of a request that needs the journals while the agent reads them. A client asks again later: neither the
// leases nor their absence are known.
Error StartingError();
bool IsStarting(const Error& error);

// The refusal of a request whose answer is longer than kMostAnswerBytes and can be had in pages.
Error TooLongError();
bool IsTooLong(const Error& error);

// {"ok":false,"code":"permission-denied","where":…,"what":…,"allowed":…}, without the end of line.
std::string ErrorAnswer(const Error& error);
// The answer itself when it is {"ok":true,…}, else the error that it contains. `where` is for messages.
Result<io::Json> ReadAnswer(std::string_view line, const std::string& where);

}  // namespace heliostat::agent
