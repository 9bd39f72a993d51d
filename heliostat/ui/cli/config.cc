#include "heliostat/ui/user_config/config.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/report/terminal.h"
#include "heliostat/ui/user_config/edit.h"
#include "heliostat/ui/user_config/grid.h"

namespace heliostat::cli {
namespace {

using user_config::Config;
using user_config::Key;
using user_config::KeyFacts;

constexpr const char* kAbout =
    R"(Lists every value that commands share, and where it comes from. The order is: option of the command line, variable of the
environment, the user's file, the system's file, default.

Examples:
  heliostat config
  heliostat config set zone DE
  heliostat config unset zone
  heliostat config path)";

std::string StateOf(const std::string& file) {
  std::error_code ignored;
  if (file.empty()) return "none: HOME is not set";
  return file + (std::filesystem::exists(file, ignored) ? "" : " (does not exist)");
}

Result<Output> Show() {
  const auto config = Config::Read(ProcessEnvironment());
  if (!config) return Propagate(config);
  report::HtmlTable table{.header = {"key", "value", "from", "what it is"}, .rows = {}, .text_columns = 4};
  io::Json values;
  for (const KeyFacts& facts : user_config::Keys()) {
    user_config::Value value = config->at(facts.key);
    if (facts.key == Key::kZone && value.text.empty()) {
      const user_config::Grid grid = user_config::ChooseGrid(*config, ProcessEnvironment(), "", "");
      if (!grid.zone.empty()) value = {grid.zone, value.origin, grid.from};
    }
    const bool is_set = !value.text.empty();
    table.rows.push_back({std::string(facts.name), is_set ? Printable(value.text, 80) : "–",
                          is_set ? Printable(value.where, 120) : "not set", std::string(facts.about)});
    io::Json one;
    one.Set("value", is_set ? io::Json(value.text) : io::Json())
        .Set("from", is_set ? io::Json(value.where) : io::Json());
    values.Set(std::string(facts.name), std::move(one.Set("variable", facts.variable)));
  }
  Output output;
  output.text = report::TextOf(table) + fmt::format("\nuser's file:   {}\nsystem's file: {}\n",
                                                    StateOf(config->files().user), StateOf(config->files().system));
  output.json.Set("values", std::move(values)).Set("user_file", config->files().user);
  output.json.Set("system_file", config->files().system);
  return output;
}

struct Arguments {
  std::string key;
  std::string value;
  bool is_system = false;
};

Result<std::string> FileOf(bool is_system) {
  const user_config::Files files = user_config::FilesOf(ProcessEnvironment());
  if (is_system) return files.system;
  if (!files.user.empty()) return files.user;
  return Fail(ErrorCode::kNotFound, "configuration", "has no path: HOME is not set",
              "set HOME, or HELIOSTAT_CONFIG to a path");
}

// `value`: absent to remove the key.
Result<Output> Change(const Arguments& arguments, const std::optional<std::string>& value) {
  const auto key = user_config::KeyNamed(arguments.key);
  if (!key) return Propagate(key);
  const KeyFacts& facts = user_config::FactsOf(*key);
  std::optional<std::string> stored;
  if (value) {
    auto checked =
        user_config::CheckValue(*key, *value, std::string(facts.name), std::filesystem::current_path().string());
    if (!checked) return Propagate(checked);
    stored = *std::move(checked);
  }
  const auto file = FileOf(arguments.is_system);
  if (!file) return Propagate(file);
  if (const auto edited = user_config::EditFile(*file, *key, stored); !edited) return Propagate(edited);
  // What holds now may come from elsewhere, and the file may have another fault.
  const auto config = Config::Read(ProcessEnvironment());
  if (!config) return Propagate(config);
  const user_config::Value& now = config->at(*key);
  Output output;
  output.text = stored ? fmt::format("{} = {} in {}\n", facts.name, *stored, *file)
                       : fmt::format("{} is not set in {}\n", facts.name, *file);
  if (now.text != stored.value_or(std::string(facts.fallback))) {
    output.text += fmt::format("in force is {}, from {}\n", now.text.empty() ? "none" : now.text, now.where);
  }
  output.json.Set("key", facts.name).Set("value", stored ? io::Json(*stored) : io::Json()).Set("file", *file);
  output.json.Set("in_force", now.text).Set("from", now.where);
  return output;
}

void AddKey(const Syntax& syntax, Arguments& arguments) {
  syntax.AddOption("KEY", arguments.key, "Key; heliostat config lists them").Required();
  syntax.AddFlag("--system", arguments.is_system, "Change the system's file, /etc/heliostat/config.toml");
}

}  // namespace

Command InstallConfig(const Syntax& syntax, Options& /*options*/) {
  syntax.Footer(kAbout);
  return [] { return Show(); };
}

Command InstallConfigPath(const Syntax& syntax, Options& /*options*/) {
  syntax.Footer("Example: heliostat config path");
  return []() -> Result<Output> {
    const auto file = FileOf(false);
    if (!file) return Propagate(file);
    Output output{*file + "\n", {}};
    output.json.Set("path", *file);
    return output;
  };
}

Command InstallConfigSet(const Syntax& syntax, Options& /*options*/) {
  auto arguments = std::make_shared<Arguments>();
  AddKey(syntax, *arguments);
  syntax.AddOption("VALUE", arguments->value, "Its value").Required();
  syntax.Footer("Comments and other lines of the file stay.\n\nExample: heliostat config set zone DE");
  return [arguments] { return Change(*arguments, arguments->value); };
}

Command InstallConfigUnset(const Syntax& syntax, Options& /*options*/) {
  auto arguments = std::make_shared<Arguments>();
  AddKey(syntax, *arguments);
  syntax.Footer("Example: heliostat config unset zone");
  return [arguments] { return Change(*arguments, std::nullopt); };
}

}  // namespace heliostat::cli
