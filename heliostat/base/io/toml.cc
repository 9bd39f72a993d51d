#include "heliostat/base/io/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "heliostat/base/core/nearest.h"
#include "heliostat/base/io/toml_text.h"

// toml++ returns failures as values, and its parser is compiled into this file: no library to link, no exceptions.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
// Version 3.3 asserts a property of the first letter of a key that a file need not have ("[~a]", "[[[a]]]"), and
// handles such files correctly a few lines later. These assertions must not abort, and the optimiser must not assume
// them, as it does with clang and NDEBUG.
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

namespace heliostat::io {
namespace {

using namespace std::chrono_literals;

std::optional<Instant> InstantOf(const toml::date_time& written) {
  const auto day = CivilDay(written.date.year, written.date.month, written.date.day);
  if (!day || written.time.nanosecond != 0) return std::nullopt;
  const auto offset = written.offset ? std::chrono::minutes{written.offset->minutes} : 0min;
  return Instant{day->time_since_epoch()} + std::chrono::hours{written.time.hour} +
         std::chrono::minutes{written.time.minute} + std::chrono::seconds{written.time.second} - offset;
}

std::string Joined(const std::string& parent, std::string_view key) {
  return parent.empty() ? Printable(key, 60) : fmt::format("{}.{}", parent, Printable(key, 60));
}

}  // namespace

// Copies the tree of the library, so that no header here includes it.
class TomlBuilder {
 public:
  explicit TomlBuilder(const std::string& file) : file_(file) {}

  Toml Copy(const toml::node& node, const std::string& key) const {
    Toml copy;
    copy.file_ = file_;
    copy.key_ = key;
    copy.line_ = static_cast<std::uint32_t>(node.source().begin.line);
    if (const auto* table = node.as_table()) {
      copy.value_ = CopyTable(*table, key);
    } else if (const auto* array = node.as_array()) {
      copy.value_ = CopyArray(*array, key);
    } else {
      CopyScalar(node, copy);
    }
    return copy;
  }

 private:
  Toml::Table CopyTable(const toml::table& table, const std::string& key) const {
    Toml::Table members;
    for (const auto& [name, value] : table) {
      members.emplace_back(std::string(name.str()), Copy(value, Joined(key, name.str())));
      // The line of the key. The line of the table is that of its first bracket, which is the same or later.
      members.back().second.line_ = static_cast<std::uint32_t>(name.source().begin.line);
    }
    // The library sorts by name. In file order, the first fault reported is the first in the file.
    std::ranges::stable_sort(members, {}, [](const Toml::Member& member) { return member.second.line_; });
    return members;
  }

  Toml::Array CopyArray(const toml::array& array, const std::string& key) const {
    Toml::Array elements;
    for (const toml::node& element : array)
      elements.push_back(Copy(element, fmt::format("{}[{}]", key, elements.size())));
    return elements;
  }

  static void CopyScalar(const toml::node& node, Toml& copy) {
    if (const auto* flag = node.as_boolean()) copy.value_ = flag->get();
    if (const auto* whole = node.as_integer()) copy.value_ = whole->get();
    if (const auto* number = node.as_floating_point()) copy.value_ = number->get();
    if (const auto* text = node.as_string()) copy.value_ = text->get();
    if (const auto* day = node.as_date()) CopyTime(toml::date_time{day->get(), toml::time{}}, copy);
    if (const auto* time = node.as_date_time()) CopyTime(time->get(), copy);
  }

  static void CopyTime(const toml::date_time& time, Toml& copy) {
    if (const auto instant = InstantOf(time)) copy.value_ = *instant;
  }

  const std::string& file_;
};

Result<Toml> Toml::Parse(std::string_view text, const std::string& file) {
  if (text.find('\0') != std::string_view::npos) {
    return Fail(ErrorCode::kInvalidArgument, file, "is not text", "a TOML file");
  }
  if (const auto line = LineOfStrayCharacter(text)) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}:{}", file, *line),
                "a character outside ASCII is not in quotes",
                "such characters are accepted in quotes and comments only");
  }
  const toml::parse_result parsed = toml::parse(text);
  if (parsed) return TomlBuilder(file).Copy(parsed.table(), "");
  const toml::parse_error& error = parsed.error();
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}:{}", file, error.source().begin.line),
              std::string(error.description()), "must be TOML 1.0");
}

std::string_view Toml::TypeName() const {
  constexpr std::string_view kNames[] = {"neither date nor number",
                                         "true or false",
                                         "a number",
                                         "a whole number",
                                         "text",
                                         "a date",
                                         "an array",
                                         "a table"};
  return kNames[value_.index()];
}

std::string Toml::where() const { return line_ == 0 ? file_ : fmt::format("{}:{}", file_, line_); }

tl::unexpected<Error> Toml::Refuse(std::string_view what, std::string allowed) const {
  return Fail(ErrorCode::kInvalidArgument, where(), fmt::format("{} {}", key_.empty() ? "the document" : key_, what),
              std::move(allowed));
}

Result<double> Toml::Number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(&value_);
  if (number == nullptr) return Refuse(fmt::format("is {}", TypeName()), "must be a number");
  if (!std::isfinite(*number)) return Refuse(fmt::format("is {}", *number), "must be a finite number");
  return *number;
}

Result<std::int64_t> Toml::Integer() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return *whole;
  if (const auto* number = std::get_if<double>(&value_)) {
    return Refuse(fmt::format("is {}", *number), "must be a whole number, without a decimal point");
  }
  return Refuse(fmt::format("is {}", TypeName()), "must be a whole number");
}

Result<std::string> Toml::Text() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  return Refuse(fmt::format("is {}", TypeName()), "must be text in quotes");
}

Result<Instant> Toml::Time() const {
  if (const auto* instant = std::get_if<Instant>(&value_)) return *instant;
  if (const auto* text = std::get_if<std::string>(&value_)) return ParseInstant(*text, where());
  return Refuse(fmt::format("is {}", TypeName()), "must be a date and time such as 2023-06-05T00:00:00Z");
}

Result<const Toml::Array*> Toml::Elements() const {
  if (const auto* array = std::get_if<Array>(&value_)) return array;
  return Refuse(fmt::format("is {}", TypeName()), fmt::format("must be an array, written [[{}]]", key_));
}

Result<const Toml::Table*> Toml::Members() const {
  if (const auto* table = std::get_if<Table>(&value_)) return table;
  return Refuse(fmt::format("is {}", TypeName()), "must be a table");
}

const Toml* Toml::Find(std::string_view key) const {
  const auto* table = std::get_if<Table>(&value_);
  if (table == nullptr) return nullptr;
  const auto found = std::ranges::find(*table, key, &Member::first);
  return found == table->end() ? nullptr : &found->second;
}

Result<const Toml*> Toml::Get(std::string_view key) const {
  if (const auto table = Members(); !table) return Propagate(table);
  if (const Toml* found = Find(key)) return found;
  return Fail(ErrorCode::kInvalidArgument, where(), fmt::format("{} is missing", Joined(key_, key)), "it is needed");
}

Status Toml::RefuseOtherKeys(std::span<const std::string_view> known) const {
  const auto members = Members();
  if (!members) return Propagate(members);
  for (const Member& member : **members) {
    if (std::ranges::find(known, member.first) != known.end()) continue;
    return member.second.Refuse("is not known", OneOf(member.first, known));
  }
  return {};
}

}  // namespace heliostat::io
