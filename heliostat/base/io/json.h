#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::io {

// A JSON value that remembers where in its document it stands, so that a wrong
// one is reported as "tariff.json: items[0].rate: is text; must be a number".
// Objects keep the order of their keys. Numbers are doubles, or integers when
// built from one. A plain value type: copy and move freely.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;  // null
  // NOLINTBEGIN(google-explicit-constructor): written as literals all over the reports.
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(int value) : value_(static_cast<std::int64_t>(value)) {}
  Json(std::int64_t value) : value_(value) {}
  Json(std::size_t value) : value_(static_cast<std::int64_t>(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)

  // One document, nothing behind it; at most 64 levels deep and two million values. `where` names the
  // file or the provider in this and later messages. Refuses repeated keys.
  static Result<Json> Parse(std::string_view text, const std::string& where);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_number() const {
    return std::holds_alternative<double>(value_) || std::holds_alternative<std::int64_t>(value_);
  }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // The value as what it must be, or an error that names its place.
  Result<double> Number() const;
  Result<std::int64_t> Integer() const;
  Result<bool> Boolean() const;
  Result<std::string> Text() const;
  // The elements; the pointers live as long as this value.
  Result<const Array*> Elements() const;
  Result<const Object*> Members() const;

  // A member that must be there.
  Result<const Json*> Get(std::string_view key) const;
  // A member that may be absent or null: nullptr then.
  const Json* Find(std::string_view key) const;

  // Adds or replaces a member of an object (null becomes an object).
  Json& Set(std::string key, Json value);
  // Adds an element to an array (null becomes an array).
  Json& Append(Json value);

  // Text, indented by two blanks. Numbers that are not finite become null.
  std::string Dump() const;
  // The same on one line, for records and messages.
  std::string Line() const;

  // "tariff.json: items[0].rate", for messages about this value.
  std::string where() const { return path_.empty() ? document_ : document_ + ": " + path_; }

 private:
  void Place(const std::string& document, std::string path);

  std::variant<std::monostate, bool, double, std::int64_t, std::string, Array, Object> value_;
  std::string document_;
  std::string path_;
};

}  // namespace heliostat::io
