#pragma once

#include <string>

#include "heliostat/base/io/json.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {

// Where the controller of a cluster is.
struct ControllerAddress {
  std::string socket;      // of --socket, on this host
  std::string controller;  // of --controller: [USER@]HOST[:PORT], another host
  // Both empty: HELIOSTAT_CONTROLLER, which has either (a path has a '/'), else the default path.
};

void AddControllerAddress(const Syntax& syntax, ControllerAddress& address);
// Asks the controller, and returns its answer or its error. kUnavailable when none answers.
Result<io::Json> AskController(const ControllerAddress& address, const io::Json& request);

// Names of jobs come from their users, and may be long.
inline constexpr std::size_t kNameLimit = 24;

// A member of an answer as text, safe to print; "" where it is missing or null.
std::string TextIn(const io::Json& json, std::string_view key, std::size_t limit = 10'000);
// 0 where it is missing or null.
double NumberIn(const io::Json& json, std::string_view key);

}  // namespace heliostat::cli
