// Any bytes are one document or one error. A document that is written, read and written again gives the same text.
#include "heliostat/base/io/json.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heliostat/base/core/check.h"

namespace {

using heliostat::io::Json;

// Visits every value through the typed functions, as the reader of a format does.
void Visit(const Json& value) {
  (void)value.Number();
  (void)value.Integer();
  (void)value.Boolean();
  (void)value.Text();
  if (const auto elements = value.Elements()) {
    for (const Json& element : **elements) Visit(element);
  }
  if (const auto members = value.Members()) {
    for (const auto& [key, member] : **members) {
      heliostat::Check(member.is_null() || value.Get(key).value() == &member, "a key finds another member");
      Visit(member);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = Json::Parse(text, "fuzz.json");
  if (!document) {
    heliostat::Check(!document.error().Line().empty(), "an error has no text");
    return 0;
  }
  Visit(*document);
  const std::string written = document->Dump();
  const auto again = Json::Parse(written, "again.json");
  heliostat::Check(again.has_value(), "the written text cannot be read");
  heliostat::Check(again->Dump() == written, "a document changes when it is written and read again");
  return 0;
}
