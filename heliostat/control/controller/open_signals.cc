#include "heliostat/control/controller/open_signals.h"

#include <fmt/format.h>

#include <filesystem>

#include "heliostat/base/core/log.h"
#include "heliostat/forecasting/live_signal/feed_signal.h"
#include "heliostat/signals/signal_files/read.h"

namespace heliostat::controller {

using live_signal::SignalSource;

namespace {

constexpr const char* kModel = "auto";

// The kind of a signal, and what its values are measured in.
struct Wanted {
  signal::Kind kind;
  const char* name;
};

Result<signal::Signal> ReadFile(const SignalConfig& config, const Wanted& wanted) {
  signal_files::ReadOptions options;
  if (!config.column.empty()) options.table.columns = {config.column};
  options.table.unit = config.unit;
  const auto table = signal_files::ReadSignals(config.file, options);
  if (!table) return Propagate(table);
  const auto column = table->Find(config.column);
  if (!column) return Propagate(column);
  signal::Signal found = (*column)->signal;
  if (found.meaning.kind != wanted.kind) {
    return Fail(ErrorCode::kInvalidArgument, config.file,
                fmt::format("column '{}' does not hold {}", Printable(found.name, 60), wanted.name),
                "name the column, or its unit with unit = \"…\"");
  }
  const signal::CanonicalUnit canonical = signal::ToCanonical(wanted.kind, found.meaning.unit);
  found.series = found.series.Scaled(canonical.factor);
  found.meaning.unit = canonical.unit;
  return found;
}

Result<std::unique_ptr<SignalSource>> FromFile(const SignalConfig& config, const signal::Signal& signal,
                                               Instant begun) {
  std::string name = "file " + std::filesystem::path(config.file).filename().string();
  if (config.replay_from) name += ", replayed from " + FormatInstant(*config.replay_from);
  return live_signal::RecordedSignal::Make(name, signal, {begun, config.replay_from.value_or(begun), 1.0}, kModel);
}

}  // namespace

Result<Signals> OpenConfigured(const Config& config, Instant begun, const Environment& environment,
                               const Clock& clock) {
  Signals signals;
  struct Part {
    const std::optional<SignalConfig>& config;
    std::unique_ptr<SignalSource>& source;
    Wanted wanted;
  };
  for (const Part& part : {Part{config.carbon, signals.carbon, {signal::Kind::kCarbonIntensity, "carbon intensity"}},
                           Part{config.price, signals.price, {signal::Kind::kPrice, "prices"}},
                           Part{config.renewable, signals.renewable, {signal::Kind::kPower, "power"}}}) {
    if (!part.config) continue;
    if (part.config->file.empty()) {
      auto source = live_signal::FeedSignal::Open(part.config->provider, part.config->zone, kModel, environment, clock);
      if (!source) return Propagate(source);
      part.source = *std::move(source);
      continue;
    }
    const auto signal = ReadFile(*part.config, part.wanted);
    if (!signal) return Propagate(signal);
    if (part.wanted.kind == signal::Kind::kPrice) signals.currency = signal->meaning.currency;
    auto source = FromFile(*part.config, *signal, begun);
    if (!source) return Propagate(source);
    part.source = *std::move(source);
  }
  if (config.currency) signals.currency = config.currency;
  if (config.renewable) signals.renewable_carbon = config.renewable->carbon;
  return signals;
}

}  // namespace heliostat::controller
