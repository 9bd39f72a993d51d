#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::user_config {

// The values that several commands share.
enum class Key {
  kZone,
  kProvider,
  kCarbon,
  kPrice,
  kCurrency,
  kPue,
  kKnob,
  kEta,
  kMaxSlowdown,
  kRuns,
  kTimeZone,
  kLogFormat,
};
inline constexpr std::size_t kKeys = 12;

// What is known of one key.
struct KeyFacts {
  Key key;
  std::string_view name;      // in files: "max_slowdown"
  const char* variable;       // of the environment: "HELIOSTAT_MAX_SLOWDOWN"
  std::string_view fallback;  // the default; may be empty
  std::string_view about;
};
// All keys, in the order of Key.
std::span<const KeyFacts> Keys();
const KeyFacts& FactsOf(Key key);
// The key that a user names; a hyphen counts as an underscore. kInvalidArgument, with the nearest name, for any other.
Result<Key> KeyNamed(std::string_view name);
// `text` in the form in which it is stored: a relative path becomes absolute when `base`, a folder, is given. The error
// names `where`.
Result<std::string> CheckValue(Key key, std::string_view text, const std::string& where, const std::string& base = "");
// "2.5%" or "0.025" as 0.025. The error names `where`.
Result<double> ParseShare(std::string_view text, const std::string& where);

// The configuration files. The user's file overrides the one of the system.
struct Files {
  std::string user;  // empty when the user has no home
  std::string system;
};
// $HELIOSTAT_CONFIG, else config.toml in $XDG_CONFIG_HOME/heliostat, else in ~/.config/heliostat; and
// /etc/heliostat/config.toml.
Files FilesOf(const Environment& environment);

// Where a value comes from, the weakest first. An option of the command line is stronger than all of these.
enum class Origin { kDefault, kSystemFile, kUserFile, kEnvironment };

struct Value {
  std::string text;  // checked; empty when there is none
  Origin origin = Origin::kDefault;
  std::string where;  // "default", "/etc/heliostat/config.toml:3", "HELIOSTAT_ZONE"
};

// The value of each key: from the environment, else the user's file, else the system's, else the default. An empty
// variable counts as not set. `eta` and `max_slowdown` exclude each other: the stronger origin wins. Immutable, so safe
// to share between threads.
class Config {
 public:
  // A missing file is no error. kInvalidArgument, with file and line or variable, for an unknown key, a malformed
  // value, and for `eta` and `max_slowdown` of the same origin.
  static Result<Config> Read(const Environment& environment, const Files& files);
  static Result<Config> Read(const Environment& environment) { return Read(environment, FilesOf(environment)); }

  const Value& at(Key key) const { return values_[static_cast<std::size_t>(key)]; }
  const std::string& text(Key key) const { return at(key).text; }
  const Files& files() const { return files_; }
  // `environment`, in which variables of keys that are not set have the values of the files. Layers that look up
  // HELIOSTAT_RUNS thereby follow the files too.
  Environment Over(Environment environment) const;

 private:
  std::array<Value, kKeys> values_;
  Files files_;
};

}  // namespace heliostat::user_config
