#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "heliostat/base/core/error.h"

namespace heliostat::cli {

// A library names what it refuses by what it is ("carbon budget"); a user knows it by the flag.
struct FieldFlag {
  std::string_view field;
  std::string_view flag;
};

// The result, with the failure of one of these fields placed at its flag. Any other failure stays where it is.
template <typename T>
Result<T> AtFlags(Result<T> result, std::span<const FieldFlag> flags) {
  if (result) return result;
  for (const FieldFlag& known : flags) {
    if (result.error().where != known.field) continue;
    result.error().where = known.flag;
    break;
  }
  return result;
}
template <typename T>
Result<T> AtFlags(Result<T> result, std::initializer_list<FieldFlag> flags) {
  return AtFlags(std::move(result), std::span(flags.begin(), flags.size()));
}

}  // namespace heliostat::cli
