#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "heliostat/base/core/time.h"

namespace heliostat::io {

// A value of a TOML document that stores its key and line, for messages such as "scenario.toml:5: pue is text; must be
// a number". Dates and times are UTC instants; one without an offset is UTC. A plain value type: copy and move freely.
class Toml {
 public:
  using Array = std::vector<Toml>;
  using Member = std::pair<std::string, Toml>;
  using Table = std::vector<Member>;

  // Parses one document, which is a table. `file` names it in this and later messages.
  static Result<Toml> Parse(std::string_view text, const std::string& file);

  // The value as the named type, or a kInvalidArgument error that names key and line. Number() accepts integers and
  // refuses infinity and NaN; Integer() refuses any number with a decimal point.
  Result<double> Number() const;
  Result<std::int64_t> Integer() const;
  Result<std::string> Text() const;
  // A date and time, or a text that ParseInstant() reads.
  Result<Instant> Time() const;
  // Pointers to the elements or members, in the order of the file; valid as long as this value.
  Result<const Array*> Elements() const;
  Result<const Table*> Members() const;

  // A member that must be present; an error when it is absent or this is not a table.
  Result<const Toml*> Get(std::string_view key) const;
  // A member that may be absent: nullptr then, and when this is not a table.
  const Toml* Find(std::string_view key) const;
  // Refuses the first member that is not in `known`, so that a misspelt key is not ignored; the message suggests the
  // nearest key.
  Status RefuseOtherKeys(std::span<const std::string_view> known) const;

  // "scenario.toml:12".
  std::string where() const;
  // "groups[0].nodes"; empty for the document itself.
  const std::string& key() const { return key_; }
  // An error about this value: "FILE:LINE: KEY WHAT; ALLOWED".
  tl::unexpected<Error> Refuse(std::string_view what, std::string allowed) const;

 private:
  friend class TomlBuilder;
  std::string_view TypeName() const;

  std::variant<std::monostate, bool, double, std::int64_t, std::string, Instant, Array, Table> value_;
  std::string file_;
  std::string key_;
  std::uint32_t line_ = 0;
};

}  // namespace heliostat::io
