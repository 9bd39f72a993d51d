#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/ui/cli/help_page.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heliostat::cli {

// Handle of one option while a command declares it. Each call restricts the values that the parser accepts. The parser
// owns the option. Not thread-safe.
class OptionSyntax {
 public:
  explicit OptionSyntax(CLI::Option* option) : option_(option) {}

  OptionSyntax& Required();
  OptionSyntax& ShowDefault();  // --help prints the current value of the variable
  OptionSyntax& SplitAt(char delimiter);
  OptionSyntax& Values(int least, int most);  // how many values
  OptionSyntax& OneEach();                    // each use takes one value, and there may be several
  OptionSyntax& Positive();
  OptionSyntax& Between(int least, int most);
  OptionSyntax& Between(double least, double most);

 private:
  CLI::Option* option_;
};

// Handle through which a command declares its options. Copies refer to the same parser, which must outlive them. Only
// syntax.cc and app.cc include the parser's header: it adds seconds to the compile time of each source. Not
// thread-safe.
class Syntax {
 public:
  explicit Syntax(CLI::App& app) : app_(&app) {}

  // The same command; --help lists the options that are added through the result under this heading.
  Syntax Group(const std::string& heading) const;

  // `names` is "-o,--output FILE" or "--power-limit W": the names and, for --help, the unit or kind of the value. For a
  // positional argument it is "FILE", or "PROGRAM -- PROGRAM ..." where --help shows another text than its name. The
  // parser writes `value`, which must outlive the parse.
  OptionSyntax AddOption(const std::string& names, std::string& value, const std::string& help) const;
  OptionSyntax AddOption(const std::string& names, std::vector<std::string>& value, const std::string& help) const;
  OptionSyntax AddOption(const std::string& names, std::vector<double>& value, const std::string& help) const;
  OptionSyntax AddOption(const std::string& names, double& value, const std::string& help) const;
  OptionSyntax AddOption(const std::string& names, int& value, const std::string& help) const;
  OptionSyntax AddOption(const std::string& names, unsigned& value, const std::string& help) const;
  OptionSyntax AddOption(const std::string& names, std::int64_t& value, const std::string& help) const;
  OptionSyntax AddOption(const std::string& names, std::uint64_t& value, const std::string& help) const;
  OptionSyntax AddOption(const std::string& names, std::optional<double>& value, const std::string& help) const;
  OptionSyntax AddOption(const std::string& names, std::optional<int>& value, const std::string& help) const;
  OptionSyntax AddOption(const std::string& names, std::optional<std::size_t>& value, const std::string& help) const;
  OptionSyntax AddFlag(const std::string& names, bool& value, const std::string& help) const;

  // Replaces the one-line description of the command.
  void Describe(const std::string& text) const;
  // Sets the text that --help prints below the options.
  void Footer(const std::string& text) const;
  // The value that the parent command got for an option; empty if it got none. Call it after the parse.
  std::string OfParent(const std::string& option) const;

 private:
  template <typename T>
  CLI::Option* Add(const std::string& names, T& value, const std::string& help) const;

  CLI::App* app_;
  std::string heading_ = "Options";
};

// "heliostat signal inspect".
std::string FullName(const CLI::App& app);
// What --help says about a command.
HelpPage PageOf(const CLI::App& app);
// Fails if a list that a comma separates has an empty or a repeated entry. Call it after the parse of `arguments`; the
// parser drops empty entries.
Status CheckLists(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace heliostat::cli
