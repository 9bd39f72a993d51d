#pragma once

#include <string>

#include "heliostat/base/io/json.h"

namespace heliostat::console {

// A result as text for users and as JSON for programs.
struct TextAndJson {
  std::string text;
  io::Json json;
};

}  // namespace heliostat::console
