#include "heliostat/ui/user_config/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "heliostat/base/core/home_path.h"
#include "heliostat/base/core/knob.h"
#include "heliostat/base/core/nearest.h"
#include "heliostat/base/core/units.h"
#include "heliostat/base/io/file.h"
#include "heliostat/base/io/number.h"
#include "heliostat/base/io/time_zone.h"
#include "heliostat/base/io/toml.h"
#include "heliostat/signals/provider/registry.h"

namespace heliostat::user_config {
namespace {

namespace fs = std::filesystem;

constexpr std::array<KeyFacts, kKeys> kFacts{{
    {Key::kZone, "zone", "HELIOSTAT_ZONE", "", "zone of the electricity grid: DE, GB, US-CAL-CISO, or a built-in zone"},
    {Key::kProvider, "provider", "HELIOSTAT_PROVIDER", "", "live provider of the zone's carbon intensity"},
    {Key::kCarbon, "carbon", "HELIOSTAT_CARBON", "", "file of carbon intensity, instead of a zone"},
    {Key::kPrice, "price", "HELIOSTAT_PRICE", "", "file of prices"},
    {Key::kCurrency, "currency", "HELIOSTAT_CURRENCY", "", "currency of prices: EUR, USD, ..."},
    {Key::kPue, "pue", "HELIOSTAT_PUE", "1", "facility energy divided by IT energy, 1 to 5"},
    {Key::kKnob, "knob", "HELIOSTAT_KNOB", "power-limit", "what runs turn: power-limit, core-clock or pace"},
    {Key::kEta, "eta", "HELIOSTAT_ETA", "0.5", "weight of carbon against time, 0 to 1"},
    {Key::kMaxSlowdown, "max_slowdown", "HELIOSTAT_MAX_SLOWDOWN", "", "least carbon within this much more time: 2.5%"},
    {Key::kRuns, "runs", "HELIOSTAT_RUNS", "", "folder of runs"},
    {Key::kTimeZone, "time_zone", "HELIOSTAT_TIME_ZONE", "", "local time: Europe/Berlin (default: the machine's)"},
    {Key::kLogFormat, "log_format", "HELIOSTAT_LOG_FORMAT", "text", "lines on stderr: text or json"},
}};

std::vector<std::string_view> Names() {
  std::vector<std::string_view> names;
  for (const KeyFacts& facts : kFacts) names.push_back(facts.name);
  return names;
}

tl::unexpected<Error> Refuse(const std::string& where, std::string_view text, std::string_view what,
                             std::string allowed) {
  return Fail(ErrorCode::kInvalidArgument, where, fmt::format("'{}' is not {}", Printable(text, 60), what),
              std::move(allowed));
}

Result<std::string> CheckRange(std::string_view text, const std::string& where, double least, double most) {
  const auto number = io::ParseNumber(text);
  if (number && *number >= least && *number <= most) return std::string(text);
  return Refuse(where, text, "in the range", fmt::format("a number from {:g} to {:g}", least, most));
}

Result<std::string> CheckOneOf(std::string_view text, const std::string& where, std::string_view what,
                               std::span<const std::string_view> known) {
  if (std::ranges::find(known, text) != known.end()) return std::string(text);
  return Refuse(where, text, what, OneOf(text, known));
}

Result<std::string> CheckProvider(std::string_view text, const std::string& where) {
  std::vector<std::string_view> names;
  for (const provider::ProviderFacts& facts : provider::ProviderList()) names.push_back(facts.name);
  return CheckOneOf(text, where, "a provider", names);
}

Result<std::string> CheckPath(std::string_view text, const std::string& where, const std::string& base) {
  if (text.starts_with('/')) return std::string(text);
  if (!base.empty()) return (fs::path(base) / text).lexically_normal().string();
  return Refuse(where, text, "an absolute path", "a path that begins with /");
}

Result<std::string> CheckZone(std::string_view text, const std::string& where) {
  const bool is_name =
      text.size() <= 60 && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
      });
  if (is_name) return std::string(text);
  return Refuse(where, text, "a zone", "letters, digits, - and _, such as DE or US-CAL-CISO");
}

// The values of one file or of the environment, by key.
using Layer = std::array<std::optional<Value>, kKeys>;

Status RefuseBoth(const Layer& layer) {
  const auto& eta = layer[static_cast<std::size_t>(Key::kEta)];
  const auto& slowdown = layer[static_cast<std::size_t>(Key::kMaxSlowdown)];
  if (!eta || !slowdown) return {};
  return Fail(ErrorCode::kInvalidArgument, slowdown->where, fmt::format("eta is set too, at {}", eta->where),
              "either eta or max_slowdown");
}

Result<Layer> ReadLayer(const std::string& path, Origin origin) {
  Layer layer;
  std::error_code ignored;
  if (path.empty() || !fs::exists(path, ignored)) return layer;
  const auto bytes = io::ReadFile(path);
  if (!bytes) return Propagate(bytes);
  const auto document = io::Toml::Parse(*bytes, path);
  if (!document) return Propagate(document);
  if (const auto known = document->RefuseOtherKeys(Names()); !known) return Propagate(known);
  for (const KeyFacts& facts : kFacts) {
    const io::Toml* const found = document->Find(facts.name);
    if (found == nullptr) continue;
    const auto number = found->Number();
    const auto text = number ? Result<std::string>(fmt::format("{}", *number)) : found->Text();
    if (!text) return Propagate(text);
    const std::string where = found->where();
    auto checked = CheckValue(facts.key, *text, fmt::format("{}: {}", where, facts.name));
    if (!checked) return Propagate(checked);
    layer[static_cast<std::size_t>(facts.key)] = Value{*std::move(checked), origin, where};
  }
  if (const auto bad = RefuseBoth(layer); !bad) return Propagate(bad);
  return layer;
}

Result<Layer> ReadEnvironment(const Environment& environment) {
  Layer layer;
  for (const KeyFacts& facts : kFacts) {
    const auto text = environment(facts.variable);
    if (!text || text->empty()) continue;
    // The folder of runs may be relative there: it has been since before there were files.
    auto checked =
        facts.key == Key::kRuns ? Result<std::string>(*text) : CheckValue(facts.key, *text, facts.variable, ".");
    if (!checked) return Propagate(checked);
    layer[static_cast<std::size_t>(facts.key)] = Value{*std::move(checked), Origin::kEnvironment, facts.variable};
  }
  if (const auto bad = RefuseBoth(layer); !bad) return Propagate(bad);
  return layer;
}

}  // namespace

std::span<const KeyFacts> Keys() { return kFacts; }

const KeyFacts& FactsOf(Key key) { return kFacts[static_cast<std::size_t>(key)]; }

Result<Key> KeyNamed(std::string_view name) {
  std::string written(name);
  std::ranges::replace(written, '-', '_');
  for (const KeyFacts& facts : kFacts) {
    if (facts.name == written) return facts.key;
  }
  return Fail(ErrorCode::kInvalidArgument, "key", fmt::format("'{}' is not known", Printable(name, 40)),
              OneOf(written, Names()));
}

Result<double> ParseShare(std::string_view text, const std::string& where) {
  const bool is_percent = text.ends_with('%');
  const auto number = io::ParseNumber(text.substr(0, text.size() - (is_percent ? 1 : 0)));
  const double share = number ? *number / (is_percent ? 100.0 : 1.0) : -1.0;
  if (share >= 0.0 && share <= 10.0) return share;
  return Fail(ErrorCode::kInvalidArgument, where, "'" + Printable(text, 40) + "' is not a share of time",
              "0 to 1000%, such as 2.5%");
}

Result<std::string> CheckValue(Key key, std::string_view text, const std::string& where, const std::string& base) {
  constexpr std::array<std::string_view, 3> kKnobs{"power-limit", "core-clock", "pace"};
  constexpr std::array<std::string_view, 2> kFormats{"text", "json"};
  if (text.empty()) return Fail(ErrorCode::kInvalidArgument, where, "is empty", "a value");
  switch (key) {
    case Key::kZone:
      return CheckZone(text, where);
    case Key::kProvider:
      return CheckProvider(text, where);
    case Key::kCarbon:
    case Key::kPrice:
    case Key::kRuns:
      return CheckPath(text, where, base);
    case Key::kCurrency:
      if (Currency::Parse(text)) return std::string(text);
      return Refuse(where, text, "a currency", "three capital letters, such as EUR");
    case Key::kPue:
      return CheckRange(text, where, 1.0, 5.0);
    case Key::kEta:
      return CheckRange(text, where, 0.0, 1.0);
    case Key::kKnob:
      return CheckOneOf(text, where, "a knob of runs", kKnobs);
    case Key::kMaxSlowdown:
      if (const auto share = ParseShare(text, where); !share) return Propagate(share);
      return std::string(text);
    case Key::kTimeZone:
      if (io::TimeZone::Find(text)) return std::string(text);
      return Refuse(where, text, "a time zone", "a name such as Europe/Berlin or UTC");
    case Key::kLogFormat:
      return CheckOneOf(text, where, "a format of log lines", kFormats);
  }
  return std::string(text);
}

Files FilesOf(const Environment& environment) {
  const auto user = HomePath({"configuration", "HELIOSTAT_CONFIG", HomeFolder::kConfig, "config.toml"}, environment);
  return {user.value_or(""), "/etc/heliostat/config.toml"};
}

Result<Config> Config::Read(const Environment& environment, const Files& files) {
  Config config;
  config.files_ = files;
  for (const KeyFacts& facts : kFacts) {
    config.values_[static_cast<std::size_t>(facts.key)] = {std::string(facts.fallback), Origin::kDefault, "default"};
  }
  const Result<Layer> layers[] = {ReadLayer(files.system, Origin::kSystemFile),
                                  ReadLayer(files.user, Origin::kUserFile), ReadEnvironment(environment)};
  for (const Result<Layer>& layer : layers) {
    if (!layer) return Propagate(layer);
    for (std::size_t i = 0; i < kKeys; ++i) {
      if ((*layer)[i]) config.values_[i] = *(*layer)[i];
    }
  }
  Value& eta = config.values_[static_cast<std::size_t>(Key::kEta)];
  Value& slowdown = config.values_[static_cast<std::size_t>(Key::kMaxSlowdown)];
  if (!slowdown.text.empty() && eta.origin > slowdown.origin) slowdown = {"", Origin::kDefault, "default"};
  return config;
}

Environment Config::Over(Environment environment) const {
  return [values = values_, environment = std::move(environment)](const std::string& name) {
    auto set = environment(name);
    if (set && !set->empty()) return set;
    for (const KeyFacts& facts : kFacts) {
      const Value& value = values[static_cast<std::size_t>(facts.key)];
      if (name == facts.variable && value.origin != Origin::kDefault) return std::optional(value.text);
    }
    return set;
  };
}

}  // namespace heliostat::user_config
