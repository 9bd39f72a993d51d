#include "heliostat/ui/cli/parser_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "heliostat/base/core/nearest.h"

namespace heliostat::cli {

Error InPlainWords(std::string what, const std::string& help) {
  for (char& c : what) c = c == '\n' ? ' ' : c;
  const auto at = [&](std::string where, std::string rest, std::string allowed) {
    return Error{ErrorCode::kInvalidArgument, std::move(where), std::move(rest), std::move(allowed)};
  };
  constexpr std::string_view kConversion = "Could not convert: ";
  if (const auto equals = what.find(" = "); what.starts_with(kConversion) && equals != std::string::npos) {
    return at(what.substr(kConversion.size(), equals - kConversion.size()),
              fmt::format("'{}' is not a number", Printable(what.substr(equals + 3), 40)), help);
  }
  if (what.starts_with("A subcommand is required")) return at("command line", "no command is given", help);
  if (what.ends_with(" is required")) return at(what.substr(0, what.size() - 12), "is missing", help);
  const auto colon = what.find(": ");
  if (colon == std::string::npos) return at("command line", what, help);
  const std::string where = what.substr(0, colon);
  const std::string rest = what.substr(colon + 2);
  if (rest.ends_with(" missing")) return at(where, "is given without its value", help);  // "1 required W missing"
  constexpr std::string_view kMust = ", must be ";
  const auto must = rest.find(kMust);
  if (must == std::string::npos) return at(where, rest, help);
  return at(where, rest.substr(0, must), rest.substr(must + kMust.size()));
}

Error UnknownWord(const std::string& word, const Surroundings& place) {
  const bool is_option = word.starts_with("-");
  const std::string name = word.substr(0, is_option ? word.find('=') : word.size());
  const std::string letters = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  // A letter or two resemble too many names.
  std::string near(letters.size() > 2
                       ? Nearest(letters, std::vector<std::string_view>(place.names.begin(), place.names.end()))
                       : "");
  if (!near.empty() && is_option) near = "--" + near;
  if (near.empty() && !is_option && !place.names.empty()) near = place.elsewhere;
  const std::string see = fmt::format("ee {} --help", place.command);
  const std::string kind = is_option ? "an option" : place.names.empty() ? "an argument" : "a command";
  return {ErrorCode::kInvalidArgument, "command line",
          fmt::format("'{}' is not {} of {}", Printable(name, 40), kind, place.command),
          near.empty() ? "s" + see : fmt::format("did you mean {}? S{}", near, see)};
}

}  // namespace heliostat::cli
