#include "heliostat/ui/cli/syntax.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/number.h"

namespace heliostat::cli {
namespace {

// The parser would take -1 for the largest number there is.
OptionSyntax Unsigned(CLI::Option* option) {
  option->check(CLI::Validator(
      [](std::string& text) -> std::string {
        return text.starts_with('-') ? fmt::format("{} is out of range, must be 0 or more", Printable(text, 40)) : "";
      },
      ""));
  return OptionSyntax(option);
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

OptionSyntax Syntax::AddOption(const std::string& names, std::string& value, const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::vector<std::string>& value,
                               const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::vector<double>& value, const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, double& value, const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, int& value, const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, unsigned& value, const std::string& help) const {
  return Unsigned(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::int64_t& value, const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::uint64_t& value, const std::string& help) const {
  return Unsigned(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::optional<double>& value, const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::optional<int>& value, const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::optional<std::size_t>& value,
                               const std::string& help) const {
  return Unsigned(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddFlag(const std::string& names, bool& value, const std::string& help) const {
  return OptionSyntax(app_->add_flag(names, value, help));
}

void Syntax::Describe(const std::string& text) const { app_->description(text); }

void Syntax::Footer(const std::string& text) const { app_->footer(text); }

std::string Syntax::OfParent(const std::string& option) const {
  const CLI::Option* const found = app_->get_parent()->get_option_no_throw(option);
  return found != nullptr && found->count() > 0 ? found->results().front() : "";
}

}  // namespace heliostat::cli
