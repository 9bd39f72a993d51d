#include "heliostat/signals/provider/url.h"

#include <fmt/format.h>

namespace heliostat::provider {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

std::string PercentEncoded(std::string_view text, std::string_view kept = {}) {
  std::string encoded;
  for (const char c : text) {
    if (IsUnreserved(c) || kept.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace

Url& Url::Segment(std::string_view segment) {
  const std::string text = "/" + PercentEncoded(segment, ":");  // keeps times in a path readable; RFC 3986 allows it
  full_ += text;
  shown_ += text;
  return *this;
}

void Url::Add(std::string_view name, std::string_view value, std::string_view shown_value) {
  const std::string start = (has_query_ ? "&" : "?") + PercentEncoded(name) + "=";
  full_ += start + PercentEncoded(value);
  shown_ += start + PercentEncoded(shown_value);
  has_query_ = true;
}

Url& Url::Query(std::string_view name, std::string_view value) {
  Add(name, value, value);
  return *this;
}

Url& Url::Query(std::string_view name, const Secret& value) {
  Add(name, value.Reveal(), "REDACTED");
  has_secret_ = true;
  return *this;
}

}  // namespace heliostat::provider
