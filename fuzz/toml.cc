// Any bytes are a document or one error. Every value of a document can be read as any type, with a value or an error.
#include "heliostat/base/io/toml.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/base/core/check.h"

namespace {

using heliostat::Check;
using heliostat::io::Toml;

// At most one of the types fits; none for an invalid date and for true and false.
void Visit(const Toml& value) {
  const int kinds = static_cast<int>(value.Text().has_value()) + static_cast<int>(value.Integer().has_value()) +
                    static_cast<int>(value.Elements().has_value()) + static_cast<int>(value.Members().has_value());
  Check(kinds <= 1, "a value has two types");
  Check(!value.Integer() || value.Number(), "an integer is not a number");
  if (const auto time = value.Time(); !time) Check(!time.error().Line().empty(), "an error has no text");
  if (const auto elements = value.Elements()) {
    for (const Toml& element : **elements) Visit(element);
  }
  if (const auto members = value.Members()) {
    for (const Toml::Member& member : **members) {
      Check(value.Find(member.first) != nullptr, "a member is not found");
      Visit(member.second);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = Toml::Parse({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  if (document) {
    Visit(*document);
  } else {
    Check(!document.error().Line().empty(), "an error has no text");
  }
  return 0;
}
