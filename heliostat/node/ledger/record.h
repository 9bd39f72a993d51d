#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/core/units.h"
#include "heliostat/base/io/json.h"
#include "heliostat/signals/signal/freshness.h"

namespace heliostat::ledger {

// What a run's ledger is made of: one Begin, then Periods and Notes as they come, then one End. Each is a line of the
// file and holds all that is needed to compute the bill from the file alone.

// Whoever writes the ledger, told apart from a later process with the same number.
struct Author {
  std::int64_t pid = 0;
  std::uint64_t start_ticks = 0;  // since boot, as the kernel counts
  std::string boot;               // the kernel's boot id
  friend bool operator==(const Author&, const Author&) = default;
};

struct GpuName {
  std::string uuid;
  std::string name;  // "NVIDIA H200"
  friend bool operator==(const GpuName&, const GpuName&) = default;
};

struct Begin {
  Instant start;
  std::vector<std::string> command;
  std::string host;
  Author author;
  std::vector<GpuName> gpus;
  std::string knob;        // "power-limit", "core-clock", "pace"
  std::string level_unit;  // "W", "MHz", "%"
  double default_level = 0.0;
  std::string mode;                                          // "eta 0.5", "max-slowdown 2.5%", for people
  std::vector<std::pair<std::string, std::string>> options;  // as given: {"eta", "0.5"}
  std::string signal_source;                                 // "file carbon.csv", "neso GB"
  std::string signal_unit;                                   // "g/kWh"
  std::string profile_key;
  std::string step_name = "steps";  // what is counted: "steps", "samples", "work" where only counters tell
  double pue = 1.0;
  Watts node_power;  // that the node draws beside its GPUs and that this run has to answer for
  std::optional<Currency> currency;
  friend bool operator==(const Begin&, const Begin&) = default;
};

// How the intensity of a period was known.
using signal::Freshness;
// "measured", "stale by 12 min".
std::string TextOf(Freshness freshness, Duration age);

// Where progress was seen, the best first.
enum class ProgressSource { kReported, kOutput, kCounters, kNone };
std::string_view NameOf(ProgressSource progress);

// A number and its standard error.
struct Estimate {
  double value = 0.0;
  double error = 0.0;
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

// What the profile says of one level: all GPUs of the job together.
struct LevelPrediction {
  double level = 0.0;
  Estimate power_w;
  Estimate steps_per_s;
  friend bool operator==(const LevelPrediction&, const LevelPrediction&) = default;
};

// A stretch in which one setting held. A long one is written in parts, so that a kill loses the last part only; parts
// have the number of their decision in common. Nothing in a bill depends on where it was cut.
struct Period {
  Instant start;
  Instant end;
  Seconds elapsed{};          // by a clock that does not jump; the wall clock's start and end are for charts
  std::int64_t decision = 0;  // counts up from 0
  double level = 0.0;
  bool is_probe = false;  // chosen to learn, not to save
  std::string why;
  // As they stand in the file, so that what is read is what was written to the last bit.
  std::optional<double> forecast_g_per_kwh;  // when the level was chosen
  std::optional<double> carbon_g_per_kwh;    // that energy is charged at; nothing: not known, no carbon is charged
  Freshness freshness = Freshness::kMeasured;
  Duration signal_age{0};               // of a stale one
  std::optional<double> price_per_kwh;  // in the run's currency
  std::vector<Joules> energy;           // by GPU, as the run's Begin lists them
  double steps = 0.0;
  ProgressSource progress = ProgressSource::kReported;
  // Of elapsed and energy, what no setting changes: start-up, evaluation, a program that waits for its input. Charged
  // to the run and to what it is compared with alike.
  Seconds aside{};
  Joules aside_energy;
  // Nothing: no profile yet. The period is then compared with itself.
  std::optional<LevelPrediction> at_default;
  std::optional<LevelPrediction> at_optimum;  // the level with the least energy a step

  // Of all GPUs.
  Joules gpu_energy() const;
  // Both 0 for no time.
  Watts mean_power() const;
  double mean_steps_per_s() const;
  friend bool operator==(const Period&, const Period&) = default;
};

// What people should know: a warning, an outage, an agent that came back.
struct Note {
  Instant time;
  std::string text;
  friend bool operator==(const Note&, const Note&) = default;
};

struct EndRecord {
  Instant time;
  int exit_status = 0;  // as a shell sees it: 128 and more for signals
  std::string reason;   // "exited", "killed by SIGTERM"
  friend bool operator==(const EndRecord&, const EndRecord&) = default;
};

io::Json ToJson(const Begin& begin);
io::Json ToJson(const Period& period);
io::Json ToJson(const Note& note);
io::Json ToJson(const EndRecord& end);

// Errors name the place in the record. A member that is not known is put into `strangers` and left alone: a newer
// version has written it.
using UnknownKeys = std::vector<std::string>;
Result<Begin> ReadBegin(const io::Json& json, UnknownKeys& unknown);
Result<Period> ReadPeriod(const io::Json& json, UnknownKeys& unknown);
Result<Note> ReadNote(const io::Json& json, UnknownKeys& unknown);
Result<EndRecord> ReadEnd(const io::Json& json, UnknownKeys& unknown);

// What must hold of records that are written as of those that are read: finite numbers, no negative energy, an energy
// for each GPU. `where` is for messages.
Status CheckBegin(const Begin& begin, const std::string& where);
Status CheckPeriod(const Period& period, const Begin& begin, const std::string& where);

}  // namespace heliostat::ledger
