#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heliostat::cli {

// One option of a command while it is declared: each call narrows what users may give.
class OptionSyntax {
 public:
  explicit OptionSyntax(CLI::Option* option) : option_(option) {}

  OptionSyntax& Required();
  OptionSyntax& ShowDefault();  // help prints the value that the variable has now
  OptionSyntax& SplitAt(char delimiter);
  OptionSyntax& Values(int least, int most);
  OptionSyntax& Positive();
  OptionSyntax& Between(int least, int most);
  OptionSyntax& Between(double least, double most);

 private:
  CLI::Option* option_;
};

// What a command takes on the command line. A handle that may be copied; the parser behind it lives as long as the
// program. Only this adapter and app.cc include the parser's header, which costs seconds per source that does.
class Syntax {
 public:
  explicit Syntax(CLI::App& app) : app_(&app) {}

  // `names` as in "-o,--output" or, for a positional argument, "file". The variable outlives the parse.
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

  // Replaces the one line about the command.
  void Describe(const std::string& text) const;
  // Printed below the options.
  void Footer(const std::string& text) const;
  // What the command above this one was given for an option; empty when nothing.
  std::string OfParent(const std::string& option) const;

 private:
  CLI::App* app_;
};

}  // namespace heliostat::cli
