#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::io {

// A JSON value that stores its place in the document, for messages such as "tariff.json: items[0].rate: is text; must
// be a number". Objects keep the order of their keys. Numbers without a fraction or exponent are integers where 64 bits
// hold them, all others doubles. A plain value type: copy and move freely.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;  // null
  // NOLINTBEGIN(google-explicit-constructor): reports write them as literals.
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

  // Parses one document with nothing after it; at most 64 levels deep and two million values. `where` names the file or
  // the provider in this and later messages. Refuses repeated keys. All failures are kInvalidArgument.
  static Result<Json> Parse(std::string_view text, const std::string& where);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_number() const {
    return std::holds_alternative<double>(value_) || std::holds_alternative<std::int64_t>(value_);
  }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // The value as the named type, or a kInvalidArgument error that names its place. Integer() also accepts a double
  // without a fraction, of magnitude below 9e15.
  Result<double> Number() const;
  Result<std::int64_t> Integer() const;
  Result<bool> Boolean() const;
  Result<std::string> Text() const;
  // Pointers to the elements or members, valid as long as this value is not changed.
  Result<const Array*> Elements() const;
  Result<const Object*> Members() const;

  // A member that must be present and not null.
  Result<const Json*> Get(std::string_view key) const;
  // A member that may be absent or null: nullptr then. Also nullptr when this value is not an object.
  const Json* Find(std::string_view key) const;

  // Adds or replaces a member; null becomes an object. Must not be called on any other type than these.
  Json& Set(std::string key, Json value);
  // Adds an element; null becomes an array. Must not be called on any other type than these.
  Json& Append(Json value);

  // The value as text, indented by two blanks. Numbers that are not finite become null, invalid UTF-8 is replaced.
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
