#include "heliostat/base/io/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>

#include "heliostat/base/core/split.h"

namespace heliostat::io {
namespace {

constexpr int kDeepest = 32;

std::string_view LocalName(std::string_view name) {
  const auto colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

tl::unexpected<Error> Refuse(const std::string& where, std::string what) {
  return Fail(ErrorCode::kInvalidArgument, where, std::move(what), "must be one XML document");
}

Result<XmlElement> Copy(const pugi::xml_node& node, std::string where, int depth) {
  if (depth > kDeepest) return Refuse(where, fmt::format("is nested deeper than {} levels", kDeepest));
  XmlElement element;
  element.name = LocalName(node.name());
  element.where = std::move(where);
  for (const auto& child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      element.text += child.value();
    } else if (child.type() == pugi::node_element) {
      const auto separator = depth == 0 ? ": " : ".";
      auto copy = Copy(child, fmt::format("{}{}{}", element.where, separator, LocalName(child.name())), depth + 1);
      if (!copy) return copy;
      element.children.push_back(std::move(*copy));
    }
  }
  element.text = element.children.empty() ? std::string(Trimmed(element.text)) : std::string();
  return element;
}

}  // namespace

const XmlElement* XmlElement::Find(std::string_view child) const {
  const auto found = std::ranges::find(children, child, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

Result<const XmlElement*> XmlElement::Get(std::string_view child) const {
  if (const XmlElement* found = Find(child)) return found;
  return Fail(ErrorCode::kInvalidArgument, where, fmt::format("has no '{}'", child),
              fmt::format("'{}' is needed", child));
}

Result<std::string> XmlElement::TextOf(std::string_view child) const {
  const auto found = Get(child);
  if (!found) return Propagate(found);
  return (*found)->text;
}

Result<XmlElement> ParseXml(std::string_view text, const std::string& where) {
  pugi::xml_document document;
  const auto outcome = document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!outcome) return Refuse(where, fmt::format("is not valid XML at byte {}", outcome.offset));
  const auto is_element = [](const pugi::xml_node& node) { return node.type() == pugi::node_element; };
  if (std::count_if(document.begin(), document.end(), is_element) != 1) return Refuse(where, "does not have one root");
  return Copy(document.document_element(), where, 0);
}

}  // namespace heliostat::io
