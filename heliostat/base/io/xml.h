#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::io {

// An element of an XML document, without the prefix of its name space. Holds what
// data documents use: elements and their text. Attributes, comments and
// processing instructions are left out; entities other than XML's own five are
// not expanded, so a small document cannot become a large one.
struct XmlElement {
  std::string name;
  std::string text;  // of an element without children, blanks at its ends dropped
  std::vector<XmlElement> children;
  std::string where;  // "provider entsoe: TimeSeries.Period", for messages

  // The first child of that name; nullptr when there is none.
  const XmlElement* Find(std::string_view child) const;
  // A child that must be there.
  Result<const XmlElement*> Get(std::string_view child) const;
  // The text of a child that must be there.
  Result<std::string> TextOf(std::string_view child) const;
};

// The root of one well-formed document, at most 32 levels deep. `where` names the
// file or the provider in this and later messages.
Result<XmlElement> ParseXml(std::string_view text, const std::string& where);

}  // namespace heliostat::io
