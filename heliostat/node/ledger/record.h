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

// The records of a run's ledger: one Begin, then Periods and Notes in order of time, then one EndRecord. Each is one
// line of the file. Together they hold all that the bill needs.

// The process that writes the ledger. Start and boot distinguish it from a later process with the same id.
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

// How a run starts: what runs, where, and with which options.
struct Begin {
  Instant start;
  std::vector<std::string> command;
  std::string host;
  Author author;
  std::vector<GpuName> gpus;
  std::string knob;        // "power-limit", "core-clock", "pace"
  std::string level_unit;  // "W", "MHz", "%"
  double default_level = 0.0;
  std::string mode;                                          // "eta 0.5", "max-slowdown 2.5%", for display
  std::vector<std::pair<std::string, std::string>> options;  // as given: {"eta", "0.5"}
  std::string signal_source;                                 // "file carbon.csv", "neso GB"
  std::string signal_unit;                                   // "g/kWh"
  std::string profile_key;
  std::string step_name = "steps";  // what is counted: "steps", "samples"; "work" from GPU counters alone
  double pue = 1.0;
  bool is_shadow = false;      // decides and accounts, but turns nothing
  bool only_measures = false;  // had no signal to follow
  // False: the energy is that of the machine's processors and memory, because the run has no GPU.
  bool has_gpus() const { return !gpus.empty(); }
  Watts node_power;  // of the node without its GPUs, as far as charged to this run
  std::optional<Currency> currency;
  friend bool operator==(const Begin&, const Begin&) = default;
};

// How good the intensity of a period is.
using signal::Freshness;
// "measured", "stale by 12 min".
std::string TextOf(Freshness freshness, Duration age);

// Where the number of steps comes from, the best first.
enum class ProgressSource { kReported, kOutput, kCounters, kNone };
std::string_view NameOf(ProgressSource progress);

// A number and its standard error.
struct Estimate {
  double value = 0.0;
  double error = 0.0;
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

// What the profile predicts for one level: all GPUs of the run together.
struct LevelPrediction {
  double level = 0.0;
  Estimate power_w;
  Estimate steps_per_s;
  friend bool operator==(const LevelPrediction&, const LevelPrediction&) = default;
};

// A time in which one level held. A long one is written in parts, so that a kill loses only the last part; the parts
// share the number of their decision. The bill does not depend on where a period was cut.
struct Period {
  Instant start;
  Instant end;
  Seconds elapsed{};          // by a monotone clock; start and end are of the wall clock, for charts
  std::int64_t decision = 0;  // counts up from 0
  double level = 0.0;
  bool is_probe = false;  // chosen to learn, not to save
  std::string why;
  // In the unit of the file, so that reading returns exactly what was written.
  std::optional<double> forecast_g_per_kwh;  // when the level was chosen
  std::optional<double> carbon_g_per_kwh;    // that energy is charged at; absent: not known, no carbon is charged
  Freshness freshness = Freshness::kMeasured;
  Duration signal_age{0};               // of a stale one
  std::optional<double> price_per_kwh;  // in the run's currency
  std::vector<Joules> energy;           // by GPU, as the run's Begin lists them
  // By GPU: what other programs on the same GPUs used, beside `energy`. Empty: the GPUs were not shared.
  std::vector<Joules> others;
  // Of a run without GPUs: what processors and memory of the whole machine used.
  Joules host_energy;
  double steps = 0.0;
  ProgressSource progress = ProgressSource::kReported;
  // The part of elapsed and energy that no level changes: start-up, evaluation, waiting for input. Charged equally to
  // the run and to what it is compared with.
  Seconds aside{};
  Joules aside_energy;
  // Absent without a profile. The period is then compared with itself.
  std::optional<LevelPrediction> at_default;
  std::optional<LevelPrediction> at_optimum;  // the level with the least energy per step

  // Of a shadow: the level that it would have set.
  std::optional<LevelPrediction> at_shadow;

  // What the run is charged: its part of all GPUs, or the machine's processors and memory.
  Joules total_energy() const;
  Joules others_energy() const;
  // Both 0 for no time.
  Watts mean_power() const;
  double mean_steps_per_s() const;
  friend bool operator==(const Period&, const Period&) = default;
};

// How `why` of a period begins at whose start the knob was refused, and how the note with the reason begins.
inline constexpr std::string_view kKnobRefused = "the knob could not be turned; ";
inline constexpr std::string_view kNotTurned = "not turned: ";

// A message for the user: a warning, an outage, an agent that came back.
struct Note {
  Instant time;
  std::string text;
  friend bool operator==(const Note&, const Note&) = default;
};

// How the run ended.
struct EndRecord {
  Instant time;
  int exit_status = 0;  // as a shell reports it: 128 plus the number of a signal
  std::string reason;   // "exited", "killed by SIGTERM"
  // The program's own count of steps, which may be more than the sum over periods; absent without one.
  std::optional<double> steps_done{};
  friend bool operator==(const EndRecord&, const EndRecord&) = default;
};

io::Json ToJson(const Begin& begin);
io::Json ToJson(const Period& period);
io::Json ToJson(const Note& note);
io::Json ToJson(const EndRecord& end);

// Errors name the place in the record. Members that this version does not know are appended to `unknown` and ignored: a
// newer version has written them.
using UnknownKeys = std::vector<std::string>;
Result<Begin> ReadBegin(const io::Json& json, UnknownKeys& unknown);
Result<Period> ReadPeriod(const io::Json& json, UnknownKeys& unknown);
Result<Note> ReadNote(const io::Json& json, UnknownKeys& unknown);
Result<EndRecord> ReadEnd(const io::Json& json, UnknownKeys& unknown);

// Check what holds for every record, written or read: finite numbers, no negative energy, one energy per GPU.
// kInvalidArgument otherwise. `where` is for messages.
Status CheckBegin(const Begin& begin, const std::string& where);
Status CheckPeriod(const Period& period, const Begin& begin, const std::string& where);

}  // namespace heliostat::ledger
