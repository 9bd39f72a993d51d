#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "heliostat/base/core/error.h"

namespace heliostat::cli {

// Maps the field that an error of a library names ("carbon budget") to the flag of the command line that sets it.
struct FieldFlag {
  std::string_view field;
  std::string_view flag;
};

// `text` of a library with each "option 'NAME'" written as the flag: --NAME.
std::string WithFlags(std::string text);

// Returns `result`. If it failed, the error names flags: `where` becomes the flag if it is one of these fields, and so
// do the options that the text names.
template <typename T>
Result<T> AtFlags(Result<T> result, std::span<const FieldFlag> flags) {
  if (result) return result;
  result.error().what = WithFlags(std::move(result.error().what));
  result.error().allowed = WithFlags(std::move(result.error().allowed));
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
