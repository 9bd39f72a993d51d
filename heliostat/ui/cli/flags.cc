#include "heliostat/ui/cli/flags.h"

#include <regex>

namespace heliostat::cli {

std::string WithFlags(std::string text) {
  static const std::regex kOption("option '([a-z-]+)'");
  return std::regex_replace(text, kOption, "--$1");
}

}  // namespace heliostat::cli
