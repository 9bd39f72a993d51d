#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::io {

// An element of an XML document: its name without prefix, its text and its child elements. Drops attributes, comments
// and processing instructions. Expands only the five entities of XML itself, so a small document cannot become a large
// one.
struct XmlElement {
  std::string name;
  std::string text;  // without blanks at its ends; empty when there are children
  std::vector<XmlElement> children;
  std::string where;  // "provider entsoe: TimeSeries.Period", for messages

  // The first child of that name; nullptr when there is none.
  const XmlElement* Find(std::string_view child) const;
  // The first child of that name; kInvalidArgument when there is none.
  Result<const XmlElement*> Get(std::string_view child) const;
  // The text of that child; kInvalidArgument when there is no such child.
  Result<std::string> TextOf(std::string_view child) const;
};

// Parses one well-formed document, at most 32 levels deep, and returns its root. `where` names the file or the provider
// in this and later messages.
Result<XmlElement> ParseXml(std::string_view text, const std::string& where);

}  // namespace heliostat::io
