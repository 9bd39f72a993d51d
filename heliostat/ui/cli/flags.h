#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "heliostat/base/core/error.h"

namespace heliostat::cli {

// Maps the field that an error of a library names ("carbon budget") to the flag of the command line that sets it.
struct FieldFlag {
  std::string_view field;
  std::string_view flag;
};

// Returns `result`; if it failed at one of these fields, `where` of the error becomes the flag. Other errors do not
// change.
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
