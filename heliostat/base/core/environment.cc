#include "heliostat/base/core/environment.h"

#include <unistd.h>

#include <cstdlib>

namespace heliostat {

Environment ProcessEnvironment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
  };
}

std::vector<std::string> ProcessVariables() {
  std::vector<std::string> variables;
  for (char** variable = ::environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  return variables;
}

}  // namespace heliostat
