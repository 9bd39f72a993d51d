#pragma once

#include <string>

#include "heliostat/base/io/json.h"

namespace heliostat::console {

// A result for people and for programs.
struct Told {
  std::string text;
  io::Json json;
};

}  // namespace heliostat::console
