#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heliostat/base/io/json.h"

namespace heliostat::cli {

// An option or an argument of a command, as --help shows it.
struct HelpOption {
  std::string names;  // "-o, --output"; of an argument "FILE", "ID ID..." or "-- PROGRAM", which follows the options
  std::string value;  // the unit or kind of its value: "W", "SHARE", "FILE"; empty for a flag
  std::string about{};
  std::string range{};          // "0 to 1"; empty: not limited, or `about` says it
  std::string default_value{};  // empty: none, or `about` says it
  bool is_required = false;
};

// Options under one heading.
struct HelpGroup {
  std::string heading;
  std::vector<HelpOption> options;
};

// What --help says about a command. `notes` is the text below the options: paragraphs, whose line breaks do not count,
// and lines that begin with a space, which stay lines: examples and tables of two columns.
struct HelpPage {
  std::string command;  // "heliostat signal inspect"; empty for a page about something else
  std::string about;
  std::vector<HelpOption> arguments;
  std::vector<HelpGroup> groups;
  std::vector<std::pair<std::string, std::string>> commands;  // name and description of each command below it
  bool is_command_required = true;
  std::string notes;
};

// The page as text of at most `width` columns, at least 40, except where a single word is longer.
std::string TextOf(const HelpPage& page, std::size_t width);
// {command, about, arguments[], options[] {names, value, about, range, default, required, group}, commands[], notes}.
io::Json JsonOf(const HelpPage& page);

// Fills notes, as described at HelpPage, to lines of at most `width` columns. A command that is too long is continued
// with a backslash, so that it can be copied.
std::string Filled(std::string_view notes, std::size_t width);

}  // namespace heliostat::cli
