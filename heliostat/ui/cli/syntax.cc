#include "heliostat/ui/cli/syntax.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <utility>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/number.h"

namespace heliostat::cli {
namespace {

// What the value of an option is, where the last word of its name does not say it.
constexpr auto kPlaceholders = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"at", "TIME"},
    {"batch", "N"},
    {"carbon", "FILE"},
    {"carbon-start", "TIME"},
    {"core-clock", "MHZ"},
    {"csv", "FILE"},
    {"data", "DIR"},
    {"deadline", "TIME"},
    {"decision-log", "FILE"},
    {"elasticity", "SHARE"},
    {"end", "TIME"},
    {"estimate-error", "SHARE"},
    {"eta", "SHARE"},
    {"every", "SECONDS"},
    {"explain", "JOB"},
    {"fill", "RULE"},
    {"folder", "DIR"},
    {"for", "DURATION"},
    {"forecast", "MODEL"},
    {"forecast-error", "FACTOR"},
    {"gap", "PERCENT"},
    {"horizon", "DURATION"},
    {"html", "FILE"},
    {"issued", "FILE"},
    {"issued-lead", "DURATION"},
    {"job", "NAME"},
    {"jobs", "TRACE"},
    {"journal", "FILE"},
    {"load", "FACTOR"},
    {"log-format", "text|json"},
    {"longest-gap", "DURATION"},
    {"max-age", "DURATION"},
    {"max-slowdown", "PERCENT"},
    {"max-stale", "DURATION"},
    {"memory-clock", "MHZ"},
    {"origins", "DURATION"},
    {"out", "FILE"},
    {"output", "FILE"},
    {"pareto", "AXIS,AXIS"},
    {"patience", "DURATION"},
    {"performance-floor", "X"},
    {"period", "DURATION"},
    {"planning-rounds", "N"},
    {"planning-time", "DURATION"},
    {"points", "N"},
    {"power-limit", "W"},
    {"price", "FILE"},
    {"price-weight", "SHARE"},
    {"profile", "NAME"},
    {"pue", "RATIO"},
    {"rates", "FILE"},
    {"refit", "DURATION"},
    {"renewable", "FILE"},
    {"report", "DIR"},
    {"requests", "SERVICE=FILE"},
    {"risk", "SHARE"},
    {"save", "FILE"},
    {"scenarios", "N"},
    {"scenarios-csv", "FILE"},
    {"seed", "N"},
    {"services", "N"},
    {"slack", "FACTOR"},
    {"slots", "N"},
    {"speed-up", "FACTOR"},
    {"start", "TIME"},
    {"step", "DURATION"},
    {"steps", "N"},
    {"store", "FILE"},
    {"tariff", "FILE"},
    {"threads", "N"},
    {"time-limit", "SECONDS"},
    {"train", "DURATION"},
    {"wake-failure", "SHARE"},
    {"width", "COLUMNS"},
});

std::string InCapitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return capitals;
}

// The longest name without dashes, nor the value of a flag in braces: "keep-deadlines".
std::string LongName(const CLI::Option& option) {
  if (option.get_lnames().empty()) return option.get_single_name();
  return option.get_lnames().front();
}

// --help in words of users: no types, no counts, no braces. Shows ranges and defaults behind the description.
class HelpFormat final : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (is_positional) return InCapitals(option->get_name(true, false));
    std::string names;
    for (const std::string& name : option->get_snames()) names += "-" + name + ",";
    return names + "--" + LongName(*option);
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional() || IsFlag(*option)) return "";
    return fmt::format(" {}{}", PlaceholderOf(*option), IsMany(*option) ? " ..." : "");
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    std::vector<std::string> more;
    const std::string type = option->get_type_name();
    if (const auto colon = type.find(':'); colon != std::string::npos) more.push_back(type.substr(colon + 1));
    if (!option->get_positional() && option->get_required()) more.emplace_back("required");
    if (!IsFlag(*option) && !option->get_default_str().empty()) {
      more.push_back("default " + option->get_default_str());
    }
    if (more.empty()) return option->get_description();
    return fmt::format("{} ({})", option->get_description(), fmt::join(more, ", "));
  }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    return CLI::detail::find_and_replace(Formatter::make_help(app, std::move(name), mode), "\n\n\n", "\n\n");
  }
  std::string make_option_usage(const CLI::Option* option) const override {
    std::string name = make_option_name(option, true);
    std::string text = name;
    for (int i = 1; i < option->get_expected_min(); ++i) text += " " + name;
    if (IsMany(*option)) text += "...";
    return option->get_required() ? text : "[" + text + "]";
  }

 private:
  static bool IsFlag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }
  static bool IsMany(const CLI::Option& option) { return option.get_expected_max() > 1; }
  static std::string PlaceholderOf(const CLI::Option& option) {
    const std::string name = LongName(option);
    for (const auto& [known, placeholder] : kPlaceholders) {
      if (known == name) return std::string(placeholder);
    }
    const auto dash = name.rfind('-');
    return InCapitals(dash == std::string::npos ? name : name.substr(dash + 1));
  }
};

// The parser would take -1 for the largest number there is.
CLI::Option* Unsigned(CLI::Option* option) {
  option->check(CLI::Validator(
      [](std::string& text) -> std::string {
        return text.starts_with('-') ? fmt::format("{} is out of range, must be 0 or more", Printable(text, 40)) : "";
      },
      ""));
  return option;
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

Syntax Syntax::Group(const std::string& heading) const {
  Syntax grouped = *this;
  grouped.heading_ = heading;
  return grouped;
}

OptionSyntax Syntax::Placed(CLI::Option* option) const {
  if (!heading_.empty()) option->group(heading_);
  return OptionSyntax(option);
}

OptionSyntax Syntax::AddOption(const std::string& names, std::string& value, const std::string& help) const {
  return Placed(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::vector<std::string>& value,
                               const std::string& help) const {
  return Placed(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::vector<double>& value, const std::string& help) const {
  return Placed(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, double& value, const std::string& help) const {
  return Placed(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, int& value, const std::string& help) const {
  return Placed(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, unsigned& value, const std::string& help) const {
  return Placed(Unsigned(app_->add_option(names, value, help)));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::int64_t& value, const std::string& help) const {
  return Placed(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::uint64_t& value, const std::string& help) const {
  return Placed(Unsigned(app_->add_option(names, value, help)));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::optional<double>& value, const std::string& help) const {
  return Placed(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::optional<int>& value, const std::string& help) const {
  return Placed(app_->add_option(names, value, help));
}

OptionSyntax Syntax::AddOption(const std::string& names, std::optional<std::size_t>& value,
                               const std::string& help) const {
  return Placed(Unsigned(app_->add_option(names, value, help)));
}

OptionSyntax Syntax::AddFlag(const std::string& names, bool& value, const std::string& help) const {
  return Placed(app_->add_flag(names, value, help));
}

void Syntax::Describe(const std::string& text) const { app_->description(text); }

void Syntax::Footer(const std::string& text) const { app_->footer(text); }

void UseOurHelp(CLI::App& app) { app.formatter(std::make_shared<HelpFormat>()); }

std::string Syntax::OfParent(const std::string& option) const {
  const CLI::Option* const found = app_->get_parent()->get_option_no_throw(option);
  return found != nullptr && found->count() > 0 ? found->results().front() : "";
}

}  // namespace heliostat::cli
