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

// A value of a TOML document that remembers its key and line, so that a wrong one is reported as
// "scenario.toml:5: pue is text; must be a number". Dates and times are UTC instants; one without an offset is taken
// as UTC. A plain value type: copy and move freely.
class Toml {
 public:
  using Array = std::vector<Toml>;
  using Member = std::pair<std::string, Toml>;
  using Table = std::vector<Member>;

  // One document, which is a table. `file` is for this and later messages.
  static Result<Toml> Parse(std::string_view text, const std::string& file);

  // The value as what it must be, or an error that names key and line.
  Result<double> Number() const;  // whole or not; finite
  Result<std::int64_t> Integer() const;
  Result<std::string> Text() const;
  // A date and time, or text that ParseInstant reads.
  Result<Instant> Time() const;
  // The elements and members; the pointers live as long as this value.
  Result<const Array*> Elements() const;
  Result<const Table*> Members() const;

  // A member that must be there; an error when this is no table.
  Result<const Toml*> Get(std::string_view key) const;
  // A member that may be absent: nullptr then, and for what is no table.
  const Toml* Find(std::string_view key) const;
  // Refuses a member that is none of `known`, with the one that was probably meant: a typo must not be ignored.
  Status RefuseOtherKeys(std::span<const std::string_view> known) const;

  // "scenario.toml:12".
  std::string where() const;
  // "groups[0].nodes"; empty for the document itself.
  const std::string& key() const { return key_; }
  // Refuses this value: "KEY WHAT; ALLOWED" at its place.
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
