#include "heliostat/ui/cli/syntax.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/number.h"

namespace heliostat::cli {
namespace {

// The parser would take -1 for the largest number there is.
CLI::Option* Unsigned(CLI::Option* option) {
  option->check(CLI::Validator(
      [](std::string& text) -> std::string {
        return text.starts_with('-') ? fmt::format("{} is out of range, must be 0 or more", Printable(text, 40)) : "";
      },
      ""));
  return option;
}

// The parser would take nan, inf and 0x10.
CLI::Option* Finite(CLI::Option* option) {
  option->check(CLI::Validator(
      [](std::string& text) -> std::string {
        const auto number = io::ParseNumber(text);
        return number ? "" : fmt::format("'{}' is not a number", Printable(text, 40));
      },
      ""));
  return option;
}

// "-o, --output" without the value that a flag sets.
std::string NamesOf(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  return names;
}

// "FILE...", "ID ID...".
std::string NamesOfArgument(const CLI::Option& argument) {
  if (!argument.get_option_text().empty()) return argument.get_option_text();
  const std::string name = argument.get_name(true, false);
  std::string names = name;
  for (int i = 1; i < argument.get_expected_min(); ++i) names += " " + name;
  return argument.get_expected_max() > std::max(argument.get_expected_min(), 1) ? names + "..." : names;
}

// A default of several values is "[a,b]" to the parser.
std::string DefaultOf(const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  return text;
}

HelpOption Describe(const CLI::Option& option) {
  HelpOption help;
  help.names = option.get_positional() ? NamesOfArgument(option) : NamesOf(option);
  help.about = option.get_description();
  help.is_required = option.get_required();
  if (option.get_type_size() == 0) return help;
  help.default_value = DefaultOf(option);
  // The parser joins the descriptions of the checks to the name of the type, which is empty.
  const std::string checks = option.get_type_name();
  help.range = checks.substr(std::min(checks.find_first_not_of(':'), checks.size()));
  if (option.get_positional()) return help;
  help.value = option.get_option_text();
  return help;
}

// "--power-limit W" as names and value. Without a value, the last word of an option's name: "--memory-clock" is a
// CLOCK.
std::pair<std::string, std::string> NamesAndValue(const std::string& names) {
  const auto space = names.find(' ');
  if (space != std::string::npos) return {names.substr(0, space), names.substr(space + 1)};
  if (!names.starts_with('-')) return {names, ""};
  std::string value = names.substr(names.rfind('-') + 1);
  for (char& c : value) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return {names, value};
}

}  // namespace

OptionSyntax& OptionSyntax::Required() {
  option_->required();
  return *this;
}

OptionSyntax& OptionSyntax::ShowDefault() {
  option_->capture_default_str();
  return *this;
}

OptionSyntax& OptionSyntax::SplitAt(char delimiter) {
  option_->delimiter(delimiter);
  return *this;
}

OptionSyntax& OptionSyntax::Values(int least, int most) {
  option_->expected(least, most);
  return *this;
}

OptionSyntax& OptionSyntax::OneEach() {
  option_->allow_extra_args(false);
  return *this;
}

OptionSyntax& OptionSyntax::Positive() {
  option_->check(CLI::Validator(
      [](std::string& text) -> std::string {
        const auto number = io::ParseNumber(text);
        return number && *number > 0.0 ? "" : fmt::format("{} is out of range, must be above 0", Printable(text, 40));
      },
      "above 0"));
  return *this;
}

OptionSyntax& OptionSyntax::Between(int least, int most) { return Between(double{1.0} * least, double{1.0} * most); }

OptionSyntax& OptionSyntax::Between(double least, double most) {
  const std::string range = fmt::format("{:g} to {:g}", least, most);
  option_->check(CLI::Validator(
      [least, most, range](std::string& text) -> std::string {
        const auto number = io::ParseNumber(text);
        if (number && *number >= least && *number <= most) return "";
        return fmt::format("{} is out of range, must be from {}", Printable(text, 40), range);
      },
      range));
  return *this;
}

Syntax Syntax::Group(const std::string& heading) const {
  Syntax grouped = *this;
  grouped.heading_ = heading;
  return grouped;
}

template <typename T>
CLI::Option* Syntax::Add(const std::string& names, T& value, const std::string& help) const {
  const auto [all, kind] = NamesAndValue(names);
  return app_->add_option(all, value, help)->option_text(kind)->type_name("")->group(heading_);
}

OptionSyntax Syntax::AddOption(const std::string& names, std::string& value, const std::string& help) const {
  return OptionSyntax(Add(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::vector<std::string>& value,
                               const std::string& help) const {
  return OptionSyntax(Add(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::vector<double>& value, const std::string& help) const {
  return OptionSyntax(Finite(Add(names, value, help)));
}

OptionSyntax Syntax::AddOption(const std::string& names, double& value, const std::string& help) const {
  return OptionSyntax(Finite(Add(names, value, help)));
}

OptionSyntax Syntax::AddOption(const std::string& names, int& value, const std::string& help) const {
  return OptionSyntax(Add(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, unsigned& value, const std::string& help) const {
  return OptionSyntax(Unsigned(Add(names, value, help)));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::int64_t& value, const std::string& help) const {
  return OptionSyntax(Add(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::uint64_t& value, const std::string& help) const {
  return OptionSyntax(Unsigned(Add(names, value, help)));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::optional<double>& value, const std::string& help) const {
  return OptionSyntax(Finite(Add(names, value, help)));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::optional<int>& value, const std::string& help) const {
  return OptionSyntax(Add(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::optional<std::size_t>& value,
                               const std::string& help) const {
  return OptionSyntax(Unsigned(Add(names, value, help)));
}

OptionSyntax Syntax::AddFlag(const std::string& names, bool& value, const std::string& help) const {
  return OptionSyntax(app_->add_flag(names, value, help)->group(heading_));
}

void Syntax::Describe(const std::string& text) const { app_->description(text); }

void Syntax::Footer(const std::string& text) const { app_->footer(text); }

std::string Syntax::OfParent(const std::string& option) const {
  const CLI::Option* const found = app_->get_parent()->get_option_no_throw(option);
  return found != nullptr && found->count() > 0 ? found->results().front() : "";
}

std::string FullName(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* up = app.get_parent(); up != nullptr; up = up->get_parent()) {
    name.insert(0, up->get_name() + " ");
  }
  return name;
}

Status CheckLists(const CLI::App& app, const std::vector<std::string>& arguments) {
  for (const CLI::Option* option : app.get_options()) {
    const char comma = option->get_delimiter();
    if (comma == '\0' || option->count() == 0) continue;
    const std::string name = "--" + option->get_lnames().front();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool is_joined = arguments[i].starts_with(name + "=");
      if (!is_joined && (arguments[i] != name || i + 1 == arguments.size())) continue;
      const std::string list = is_joined ? arguments[i].substr(name.size() + 1) : arguments[i + 1];
      if (!list.starts_with(comma) && !list.ends_with(comma) && list.find(std::string(2, comma)) == std::string::npos)
        continue;
      return Fail(ErrorCode::kInvalidArgument, name, fmt::format("'{}' has an empty entry", Printable(list, 60)),
                  fmt::format("entries with one '{}' between", comma));
    }
    std::vector<std::string> entries = option->results();
    std::ranges::sort(entries);
    if (const auto twice = std::ranges::adjacent_find(entries); twice != entries.end()) {
      return Fail(ErrorCode::kInvalidArgument, name, fmt::format("'{}' is given twice", Printable(*twice, 60)),
                  "each entry once");
    }
  }
  return {};
}

HelpPage PageOf(const CLI::App& app) {
  HelpPage page{.command = FullName(app), .about = app.get_description(), .notes = app.get_footer()};
  page.is_command_required = app.get_require_subcommand_min() > 0;
  for (const CLI::Option* option : app.get_options()) {
    // The program's own page explains these two for all commands.
    const bool is_help = option == app.get_help_ptr() || option == app.get_help_all_ptr();
    if (is_help && app.get_parent() != nullptr) continue;
    if (option->get_positional()) {
      page.arguments.push_back(Describe(*option));
    } else if (!option->get_group().empty()) {
      const auto same = [&](const HelpGroup& group) { return group.heading == option->get_group(); };
      auto group = std::ranges::find_if(page.groups, same);
      if (group == page.groups.end()) group = page.groups.insert(group, {option->get_group(), {}});
      group->options.push_back(Describe(*option));
    }
  }
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) page.commands.emplace_back(command->get_name(), command->get_description());
  }
  return page;
}

}  // namespace heliostat::cli
