#include "heliostat/base/io/toml_members.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace heliostat::io {

int TomlMembers::Count(std::string_view key) {
  const std::int64_t value = Integer(key);
  if (value >= 0 && value <= std::numeric_limits<int>::max()) return static_cast<int>(value);
  Refuse(key, fmt::format("is {}", value), "must be 0 or more, and below 2^31");
  return 0;
}

void TomlMembers::Refuse(std::string_view key, std::string_view what, std::string allowed) {
  const Toml* value = table_.Find(key);
  if (status_ && value != nullptr) status_ = value->Refuse(what, std::move(allowed));
}

}  // namespace heliostat::io
