#include "heliostat/ui/cli/help_page.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliostat::cli {
namespace {

constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kAboutColumn = 30;    // where descriptions begin
constexpr std::size_t kLeastForAbout = 30;  // columns; with less the description goes below the name

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Columns on the screen: UTF-8 characters.
std::size_t ColumnsOf(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// The words of `text` in lines of at most `width` columns. The first line begins at column `used`, all others after
// `indent` spaces; `joint` ends each line but the last.
std::string Wrapped(std::string_view text, std::size_t used, std::size_t indent, std::size_t width,
                    std::string_view joint = "") {
  std::string lines;
  bool is_line_begun = false;
  for (const std::string_view word : Split(text, ' ')) {
    if (word.empty()) continue;
    if (is_line_begun && used + 1 + ColumnsOf(word) + joint.size() > width) {
      lines.append(joint).append("\n").append(indent, ' ');
      used = indent;
      is_line_begun = false;
    }
    if (is_line_begun) lines += ' ';
    used += ColumnsOf(word) + (is_line_begun ? 1 : 0);
    lines += word;
    is_line_begun = true;
  }
  return lines + "\n";
}

std::string Row(const std::string& name, const std::string& about, std::size_t width) {
  const bool is_narrow = width < kAboutColumn + kLeastForAbout;
  const std::size_t column = is_narrow ? 6 : kAboutColumn;
  std::string row = "  " + name;
  const std::size_t used = ColumnsOf(row);
  if (is_narrow || used + 2 > column) {
    row.append("\n").append(column, ' ');
  } else {
    row.append(column - used, ' ');
  }
  return row + Wrapped(about, column, column, width);
}

// "Weight of carbon (0 to 1; default: 0.5)". Adds to the brackets at the end of the description, if there are any.
std::string AboutOf(const HelpOption& option) {
  std::vector<std::string> facts;
  if (option.is_required && option.names.starts_with('-')) facts.emplace_back("required");
  if (!option.range.empty()) facts.push_back(option.range);
  if (!option.default_value.empty()) facts.push_back("default: " + option.default_value);
  if (facts.empty()) return option.about;
  const std::size_t bracket = option.about.rfind(" (");
  if (!option.about.ends_with(')') || bracket == std::string::npos) {
    return fmt::format("{} ({})", option.about, fmt::join(facts, "; "));
  }
  const std::string inside = option.about.substr(bracket + 2, option.about.size() - bracket - 3);
  facts.insert(inside.starts_with("default") ? facts.end() : facts.begin(), inside);
  return fmt::format("{} ({})", option.about.substr(0, bracket), fmt::join(facts, "; "));
}

std::string Row(const HelpOption& option, std::size_t width) {
  return Row(option.value.empty() ? option.names : option.names + " " + option.value, AboutOf(option), width);
}

std::string UsageOf(const HelpPage& page) {
  std::string usage = page.command;
  std::string last;
  for (const HelpOption& argument : page.arguments) {
    if (argument.names.starts_with("--")) {
      last += " " + argument.names;
    } else {
      usage += argument.is_required ? " " + argument.names : fmt::format(" [{}]", argument.names);
    }
  }
  if (!page.groups.empty()) usage += " [OPTIONS]";
  if (!page.commands.empty()) usage += page.is_command_required ? " COMMAND" : " [COMMAND]";
  return usage + last;
}

// The column at which the second column of a table row begins; of other lines, where the text begins.
std::size_t HangOf(std::string_view line) {
  const std::size_t start = line.find_first_not_of(' ');
  const std::size_t gap = line.find("  ", start);
  const std::size_t second = gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
  return second == std::string_view::npos ? start : second;
}

// Stands for a blank at which a line must not break.
constexpr char kTie = '\x01';

// A command in which each option is tied to the word after it, unless that is an option too.
std::string WithValuesTied(std::string_view command) {
  std::string tied;
  bool is_after_option = false;
  for (const std::string_view word : Split(command, ' ')) {
    const bool is_option = word.starts_with('-');
    if (!tied.empty()) tied += is_after_option && !is_option ? kTie : ' ';
    tied += word;
    is_after_option = is_option;
  }
  return tied;
}

std::string FilledLine(std::string_view line, std::size_t width) {
  const std::size_t start = line.find_first_not_of(' ');
  const std::size_t indent = std::min(start, width / 2);  // leaves room for words
  const std::string_view text = line.substr(start);
  if (text.starts_with("heliostat ")) {
    std::string command = Wrapped(WithValuesTied(text), indent, indent + 4, width, " \\");
    std::ranges::replace(command, kTie, ' ');
    return std::string(indent, ' ') + command;
  }
  const std::size_t hang = HangOf(line);
  if (hang == start || hang + 20 > width) return std::string(indent, ' ') + Wrapped(text, indent, indent, width);
  return std::string(line.substr(0, hang)) + Wrapped(line.substr(hang), hang, hang, width);
}

io::Json JsonOf(const HelpOption& option) {
  io::Json json;
  json.Set("names", option.names)
      .Set("value", option.value)
      .Set("about", option.about)
      .Set("range", option.range)
      .Set("default", option.default_value)
      .Set("required", option.is_required);
  return json;
}

}  // namespace

std::string Filled(std::string_view notes, std::size_t width) {
  constexpr std::string_view kExample = "Example: ";
  std::string filled;
  std::string open;  // a paragraph or an indented line that the next line may continue
  const auto close = [&] {
    if (open.empty()) return;
    filled += open.starts_with(' ') ? FilledLine(open, width) : Wrapped(open, 0, 0, width);
    open.clear();
  };
  for (std::string_view line : Split(notes, '\n')) {
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    const bool is_blank = start == line.size();
    const bool continues = !open.empty() && !is_blank &&
                           (open.starts_with(' ') ? start > 0 && start == HangOf(open) && start > 2 : start == 0);
    if (continues) {
      open.append(" ").append(line.substr(start));
      continue;
    }
    close();
    if (line.starts_with(kExample)) {
      filled += "Example:\n";
      open = "  " + std::string(line.substr(kExample.size()));
    } else if (is_blank) {
      filled += "\n";
    } else {
      open = line;
    }
  }
  close();
  return filled;
}

std::string TextOf(const HelpPage& page, std::size_t width) {
  width = std::max(width, kNarrowest);
  std::string text = Filled(page.about, width);
  if (!page.command.empty()) text += "\nUsage: " + Wrapped(UsageOf(page), 7, 11, width);
  if (!page.arguments.empty()) text += "\n";
  for (const HelpOption& argument : page.arguments) text += Row(argument, width);
  for (const HelpGroup& group : page.groups) {
    text += fmt::format("\n{}:\n", group.heading);
    for (const HelpOption& option : group.options) text += Row(option, width);
  }
  if (!page.commands.empty()) text += "\nCommands:\n";
  for (const auto& [name, about] : page.commands) text += Row(name, about, width);
  if (!page.notes.empty()) text += "\n" + Filled(page.notes, width);
  return text;
}

io::Json JsonOf(const HelpPage& page) {
  io::Json::Array arguments;
  io::Json::Array options;
  io::Json::Array commands;
  for (const HelpOption& argument : page.arguments) arguments.push_back(JsonOf(argument));
  for (const HelpGroup& group : page.groups) {
    for (const HelpOption& option : group.options) {
      options.push_back(JsonOf(option));
      options.back().Set("group", group.heading);
    }
  }
  for (const auto& [name, about] : page.commands) {
    io::Json command;
    commands.push_back(std::move(command.Set("name", name).Set("about", about)));
  }
  io::Json json;
  json.Set("command", page.command)
      .Set("about", page.about)
      .Set("arguments", std::move(arguments))
      .Set("options", std::move(options))
      .Set("commands", std::move(commands))
      .Set("notes", page.notes);
  return json;
}

}  // namespace heliostat::cli
