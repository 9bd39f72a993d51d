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

// One request is one line of JSON of at most this many bytes, its end not counted; so is its answer, of any length.
inline constexpr std::size_t kMostRequestBytes = 4096;
inline constexpr std::size_t kMostJobBytes = 64;
inline constexpr std::chrono::seconds kLongestTtl = std::chrono::hours(24 * 31);

// A GPU as people name it: an index ("3", without leading zeros), a UUID, or the beginning of one.
using GpuSelector = std::string;

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
  bool all = false;  // everybody's, not only the caller's own
  friend bool operator==(const AskLeases&, const AskLeases&) = default;
};
struct AskRights {
  friend bool operator==(const AskRights&, const AskRights&) = default;
};
struct AskSet {
  GpuSelector gpu;
  device::Setting wanted;
  std::chrono::seconds ttl{0};
  std::optional<pid_t> pid;  // the lease ends with this process
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
  std::optional<GpuSelector> gpu;  // nothing: all
  friend bool operator==(const AskReset&, const AskReset&) = default;
};

using Request = std::variant<AskStatus, AskList, AskShow, AskLeases, AskRights, AskSet, AskRenew, AskRelease, AskReset>;

// Whether it changes anything; what does is rated, checked and audited one by one.
bool IsWrite(const Request& request);
// "set", as in {"do": "set"}.
std::string_view NameOf(const Request& request);

// Any bytes are one request or one error.
Result<Request> ParseRequest(std::string_view line);
// The same request as a client writes it.
io::Json Describe(const Request& request);

// {"ok":false,"code":"permission-denied","where":…,"what":…,"allowed":…}, without the end of line.
std::string ErrorAnswer(const Error& error);
// What a client makes of an answer: itself when it is {"ok":true,…}, else the error that it tells.
Result<io::Json> ReadAnswer(std::string_view line, const std::string& where);

}  // namespace heliostat::agent
