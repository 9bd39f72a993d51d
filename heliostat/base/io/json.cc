#include "heliostat/base/io/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace heliostat::io {
namespace {

constexpr std::size_t kDeepest = 64;
// A value takes about a hundred bytes in the tree: this bounds the memory that a hostile answer can use.
constexpr std::size_t kMostValues = 2'000'000;

std::string_view NameOf(const Json& json) {
  return json.is_null()     ? "is missing or null"
         : json.is_number() ? "is a number"
         : json.is_text()   ? "is text"
         : json.is_array()  ? "is a list"
         : json.is_object() ? "is an object"
                            : "is true or false";
}

tl::unexpected<Error> WrongKind(const Json& json, std::string_view wanted) {
  return Fail(ErrorCode::kInvalidArgument, json.where(), std::string(NameOf(json)), fmt::format("must be {}", wanted));
}

// Builds the tree from the events of the parser, so that depth and repeated keys are refused before they use memory.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Add(Json()); }
  bool boolean(bool value) override { return Add(Json(value)); }
  bool number_integer(number_integer_t value) override { return Add(Json(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr number_unsigned_t kLargest = INT64_MAX;
    return Add(value > kLargest ? Json(static_cast<double>(value)) : Json(static_cast<std::int64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return std::isfinite(value) ? Add(Json(value)) : Refuse("number '" + Printable(text, 40) + "' is too large");
  }
  bool string(string_t& value) override { return Add(Json(value)); }
  bool binary(binary_t& /*value*/) override { return Refuse("holds binary data"); }
  bool start_object(std::size_t /*size*/) override { return Open(/*is_object=*/true); }
  bool start_array(std::size_t /*size*/) override { return Open(/*is_object=*/false); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    if (!open_.back().keys.insert(name).second) return Refuse("key '" + Printable(name, 60) + "' is repeated");
    open_.back().key = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*failure*/) override {
    return Refuse(fmt::format("is not valid JSON at byte {}", position));
  }

  Json root;
  std::string refusal;

 private:
  // An array or object that is not closed yet.
  struct Level {
    bool is_object;
    Json::Array elements;
    Json::Object members;
    std::unordered_set<std::string> keys;
    std::string key;  // of the member that comes next
  };

  bool Refuse(std::string why) {
    refusal = std::move(why);
    return false;
  }
  bool Add(Json value) {
    if (++values_ > kMostValues) return Refuse(fmt::format("holds more than {} values", kMostValues));
    if (open_.empty()) {
      root = std::move(value);
    } else if (open_.back().is_object) {
      open_.back().members.emplace_back(std::move(open_.back().key), std::move(value));
    } else {
      open_.back().elements.push_back(std::move(value));
    }
    return true;
  }
  bool Open(bool is_object) {
    if (open_.size() == kDeepest) return Refuse(fmt::format("is nested deeper than {} levels", kDeepest));
    open_.push_back({is_object, {}, {}, {}, {}});
    return true;
  }
  bool Close() {
    Level& level = open_.back();
    Json done = level.is_object ? Json(std::move(level.members)) : Json(std::move(level.elements));
    open_.pop_back();
    return Add(std::move(done));
  }

  std::size_t values_ = 0;
  std::vector<Level> open_;
};

// Checks the type before each access: a failed access would format a complete error message.
nlohmann::ordered_json ToLibrary(const Json& json) {
  if (json.is_array()) {
    const auto elements = json.Elements();
    auto list = nlohmann::ordered_json::array();
    for (const Json& element : **elements) list.push_back(ToLibrary(element));
    return list;
  }
  if (json.is_object()) {
    const auto members = json.Members();
    auto object = nlohmann::ordered_json::object();
    for (const auto& [key, value] : **members) object[key] = ToLibrary(value);
    return object;
  }
  if (json.is_text()) return *json.Text();
  if (json.is_null()) return nullptr;
  if (const auto integer = json.Integer()) return *integer;
  if (const auto number = json.Number()) return *number;
  if (const auto boolean = json.Boolean()) return *boolean;
  return nullptr;
}

}  // namespace

Result<Json> Json::Parse(std::string_view text, const std::string& where) {
  TreeBuilder builder;
  try {
    if (!nlohmann::json::sax_parse(text, &builder)) {
      return Fail(ErrorCode::kInvalidArgument, where, builder.refusal, "must be one JSON document");
    }
  } catch (const std::exception& failure) {
    return Fail(ErrorCode::kInvalidArgument, where, failure.what(), "must be one JSON document");
  }
  builder.root.Place(where, "");
  return std::move(builder.root);
}

void Json::Place(const std::string& document, std::string path) {
  if (auto* elements = std::get_if<Array>(&value_)) {
    for (std::size_t i = 0; i < elements->size(); ++i) (*elements)[i].Place(document, fmt::format("{}[{}]", path, i));
  } else if (auto* members = std::get_if<Object>(&value_)) {
    for (Member& member : *members) {
      member.second.Place(document, path.empty() ? member.first : fmt::format("{}.{}", path, member.first));
    }
  }
  document_ = document;
  path_ = std::move(path);
}

Result<double> Json::Number() const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  return WrongKind(*this, "a number");
}

Result<std::int64_t> Json::Integer() const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) return *integer;
  const auto* number = std::get_if<double>(&value_);
  if (number != nullptr && std::nearbyint(*number) == *number && std::abs(*number) < 9e15) {
    return static_cast<std::int64_t>(*number);
  }
  return WrongKind(*this, "a whole number");
}

Result<bool> Json::Boolean() const {
  if (const auto* boolean = std::get_if<bool>(&value_)) return *boolean;
  return WrongKind(*this, "true or false");
}

Result<std::string> Json::Text() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  return WrongKind(*this, "text");
}

Result<const Json::Array*> Json::Elements() const {
  if (const auto* elements = std::get_if<Array>(&value_)) return elements;
  return WrongKind(*this, "a list");
}

Result<const Json::Object*> Json::Members() const {
  if (const auto* members = std::get_if<Object>(&value_)) return members;
  return WrongKind(*this, "an object");
}

const Json* Json::Find(std::string_view key) const {
  const auto* members = std::get_if<Object>(&value_);
  if (members == nullptr) return nullptr;
  const auto found = std::ranges::find(*members, key, &Member::first);
  return found == members->end() || found->second.is_null() ? nullptr : &found->second;
}

Result<const Json*> Json::Get(std::string_view key) const {
  if (!is_object()) return WrongKind(*this, fmt::format("an object with '{}'", key));
  if (const Json* found = Find(key)) return found;
  return Fail(ErrorCode::kInvalidArgument, where(), fmt::format("has no '{}'", key),
              fmt::format("'{}' is needed", key));
}

Json& Json::Set(std::string key, Json value) {
  if (is_null()) value_ = Object{};
  auto& members = std::get<Object>(value_);
  const auto found = std::ranges::find(members, key, &Member::first);
  if (found != members.end()) {
    found->second = std::move(value);
  } else {
    members.emplace_back(std::move(key), std::move(value));
  }
  return *this;
}

Json& Json::Append(Json value) {
  if (is_null()) value_ = Array{};
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

std::string Json::Dump() const {
  return ToLibrary(*this).dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

namespace {

std::string PlainText(const Json& value) {
  return ToLibrary(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Value by value: the library would need a copy of the whole document.
void Write(const Json& value, std::string& line) {
  if (value.is_array()) {
    line += '[';
    for (const Json& element : **value.Elements()) {
      if (line.back() != '[') line += ',';
      Write(element, line);
    }
    line += ']';
  } else if (value.is_object()) {
    line += '{';
    for (const auto& [key, member] : **value.Members()) {
      if (line.back() != '{') line += ',';
      line += PlainText(key) + ':';
      Write(member, line);
    }
    line += '}';
  } else {
    line += PlainText(value);
  }
}

}  // namespace

std::string Json::Line() const {
  std::string line;
  Write(*this, line);
  return line;
}

}  // namespace heliostat::io
