#include "heliostat/ui/cli/syntax.h"

#include <CLI/CLI.hpp>

namespace heliostat::cli {

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
  option_->check(CLI::PositiveNumber);
  return *this;
}

OptionSyntax& OptionSyntax::Between(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

OptionSyntax& OptionSyntax::Between(double least, double most) {
  option_->check(CLI::Range(least, most));
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
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::int64_t& value, const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::uint64_t& value, const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::optional<double>& value, const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::optional<int>& value, const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::optional<std::size_t>& value,
                               const std::string& help) const {
  return OptionSyntax(app_->add_option(names, value, help));
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
