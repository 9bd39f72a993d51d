#include "heliostat/node/training_run/run_control.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "heliostat/base/core/hash.h"
#include "heliostat/base/core/home_path.h"
#include "heliostat/base/core/log.h"
#include "heliostat/base/io/file.h"
#include "heliostat/node/gpu_access/control.h"
#include "heliostat/node/lease/machine.h"
#include "heliostat/node/process/descendants.h"
#include "heliostat/node/training_run/host_session.h"
#include "heliostat/node/training_run/levels.h"
#include "heliostat/node/training_run/program_gpus.h"
#include "heliostat/node/training_run/training_session.h"

namespace heliostat::training_run {
namespace {

// A shorter try does not show a speed. A program that is held for a part of each second needs several seconds.
constexpr Duration kShortestTry{4};
constexpr Duration kShortestPacedTry{14};
// How often GPUs are looked for when there are none.
constexpr std::chrono::seconds kLookAgain{10};

// Identifies a profile: the program and its GPUs. The program's arguments include batch and model.
std::string KeyOf(const RunOptions& options, const std::vector<device::Gpu*>& gpus) {
  const std::string program =
      options.profile.empty() ? fmt::format("{}", fmt::join(options.command, " ")) : options.profile;
  return fmt::format("{} | {} x {} | {}", program, gpus.size(), gpus.front()->identity().name,
                     level_control::NameOf(options.knob));
}

Result<std::string> ProfilePath(const std::string& key, const Environment& environment) {
  const auto folder =
      HomePath({"folder of profiles", "HELIOSTAT_PROFILES", HomeFolder::kCache, "profiles"}, environment);
  if (!folder) return Propagate(folder);
  // A name that any file system accepts. The file contains the key, which is checked.
  return fmt::format("{}/{:016x}.json", *folder, Hash64(key));
}

void LoadProfile(level_control::SpeedProfile& profile, const std::string& path) {
  const auto bytes = io::ReadFile(path);
  if (!bytes) return;  // Never profiled.
  const auto json = io::Json::Parse(*bytes, path);
  const auto loaded = json ? profile.Load(*json) : Status(Propagate(json));
  if (loaded) {
    Log(LogLevel::kInfo, "using the profile of an earlier run: {}", path);
  } else {
    Log(LogLevel::kWarning, "{}; profiled again", loaded.error().Line());
  }
}

// Begins the profile with speeds that were measured before the run. Like the profile of an earlier run, it is checked
// before it is relied on.
void BeginProfile(level_control::SpeedProfile& profile, const RunOptions& options,
                  const std::vector<device::Gpu*>& gpus) {
  if (!options.known_speeds || !profile.Options().empty()) return;
  const auto speeds = options.known_speeds(gpus.front()->identity().name, gpus.size());
  if (!speeds) {
    Log(LogLevel::kWarning, "{}; it is not used, and the run learns its own", speeds.error().Line());
    return;
  }
  level_control::SpeedProfile known(profile.key(), profile.knob(), profile.levels());
  for (const level_control::SteadySpell& spell : *speeds) known.AddStretch(spell);
  if (const auto begun = profile.Load(known.Save()); !begun) {
    Log(LogLevel::kWarning, "{}; the run learns its own profile", begun.error().Line());
  } else {
    Log(LogLevel::kInfo, "the profile begins with {} measured levels", speeds->size());
  }
}

void SaveProfile(const level_control::Controller& controller, const std::string& path) {
  if (controller.profile() == nullptr || controller.profile()->Options().empty()) return;
  auto saved = io::MakeDirectories(std::filesystem::path(path).parent_path());
  if (saved) saved = io::WriteFileAtomically(path, controller.profile()->Save().Dump());
  if (!saved) Log(LogLevel::kWarning, "the profile cannot be saved: {}", saved.error().Line());
}

// The cost of the signals is set when they are known.
level_control::Settings SettingsOf(const RunOptions& options, std::vector<double> levels, Watts most_power,
                                   bool has_price) {
  level_control::Settings settings;
  settings.mode = options.mode;
  settings.eta = options.eta;
  settings.period = options.period;
  settings.max_slowdown = options.max_slowdown;
  settings.deadline = options.deadline;
  settings.knob = options.knob;
  settings.levels = std::move(levels);
  settings.most_power = most_power;
  if (has_price) settings.cost_unit = "a kWh";
  // A shadow turns nothing, so it learns nothing and uses the profile of earlier runs.
  settings.probing.share = options.is_dry ? 0.0 : options.probing_share;
  // Short periods leave less time to learn.
  const Duration shortest = options.knob == Knob::kPace ? kShortestPacedTry : kShortestTry;
  settings.probing.shortest = std::clamp<Duration>(options.period / 60, shortest, Duration(20));
  settings.probing.longest = std::max<Duration>(settings.probing.shortest, options.period / 6);
  return settings;
}

ledger::Begin BeginOf(const RunOptions& options, const std::vector<device::Gpu*>& gpus, double default_level,
                      const live_signal::SignalSource& carbon, const std::string& key, Instant now) {
  ledger::Begin begin;
  begin.start = now;
  begin.command = options.command;
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  begin.host = host.data();
  const auto machine = lease::ThisMachine();
  const auto self = machine->Find(::getpid());
  begin.author = {::getpid(), self ? self->start_ticks : 0, machine->BootId()};
  for (const device::Gpu* gpu : gpus) begin.gpus.push_back({gpu->identity().uuid, gpu->identity().name});
  begin.knob = level_control::NameOf(options.knob);
  begin.level_unit = options.knob == Knob::kPowerLimit ? "W" : options.knob == Knob::kCoreClock ? "MHz" : "";
  begin.default_level = default_level;
  begin.mode = options.max_slowdown ? fmt::format("max-slowdown {:g} %", 100.0 * *options.max_slowdown)
               : options.deadline   ? "deadline " + FormatInstant(*options.deadline)
                                    : fmt::format("eta {:g}", options.eta);
  begin.options = options.told;
  begin.signal_source = carbon.name();
  begin.signal_unit = "g/kWh";
  begin.profile_key = key;
  begin.currency = options.currency;
  begin.pue = options.pue;
  begin.is_shadow = options.is_dry && !options.only_measures;
  begin.only_measures = options.only_measures;
  if (options.only_measures) begin.mode = "measuring only";
  return begin;
}

// Turns the knob once, so that a missing right shows at once.
void TryOut(KnobActuator& actuator, Knob knob, const std::vector<double>& levels) {
  if (levels.size() < 2) return;
  const auto turned = actuator.Turn({knob, levels[levels.size() - 2]}, false);
  actuator.Release();
  if (turned) return;
  Log(LogLevel::kWarning,
      "the {} cannot be set: {}; the program runs at its default, and it is tried again each period",
      level_control::NameOf(knob), turned.error().Line());
  if (turned.error().code != ErrorCode::kPermissionDenied && turned.error().code != ErrorCode::kUnsupported) return;
  LogLine(LogLevel::kWarning, "pace needs no privilege; heliostat doctor shows what the other knobs need");
}

std::string ReasonOf(const process::Ending& ending) {
  return ending.signal != 0 ? fmt::format("killed by signal {}", ending.signal) : "exited";
}

// A program that ends well has done all the steps that the user has named, whether or not it printed the last one.
std::optional<double> StepsDone(const RunOptions& options, std::optional<double> counted,
                                const process::Ending& ending) {
  if (!counted || !options.total_steps || ending.Status() != 0) return counted;
  return std::max(*counted, *options.total_steps);
}

}  // namespace

Status CheckOptions(const RunOptions& options) {
  const auto settings = SettingsOf(options, {1.0}, Watts{}, false);
  const level_control::SpeedProfile none("", options.knob, settings.levels, settings.probing);
  const auto made = level_control::Controller::Make(settings, none);
  if (!made) return Propagate(made);
  return {};
}

RunControl::RunControl(const RunOptions& options, live_signal::SignalSource& carbon, live_signal::SignalSource* price,
                       const Environment& environment, const Clock& clock, StepTracker tracker)
    : options_(options),
      carbon_(carbon),
      price_(price),
      environment_(environment),
      clock_(clock),
      tracker_(std::move(tracker)) {}

Result<gpu_access::Gpus> RunControl::FindGpus(std::vector<device::Gpu*>& chosen) const {
  auto all = gpu_access::OpenGpus(environment_);
  if (!all) return all;
  const auto gpus = all->Select(GpuNames(options_.gpus, environment_));
  if (!gpus) return Propagate(gpus);
  chosen = *gpus;
  return all;
}

std::unique_ptr<KnobActuator> RunControl::MakeActuator(const gpu_access::Gpus& all,
                                                       const std::vector<device::Gpu*>& gpus,
                                                       process::Program& program) const {
  if (options_.is_dry) return std::make_unique<DryActuator>();
  if (options_.knob == Knob::kPace) return std::make_unique<PaceActuator>(program);
  const auto connect = [this, &all] { return gpu_access::OpenControl(environment_, all); };
  return std::make_unique<LeaseActuator>(connect, gpus, options_.knob, "heliostat run", program, clock_);
}

Result<ledger::Writer> RunControl::OpenLedger(const std::vector<device::Gpu*>& gpus, double default_level,
                                              const std::string& key) const {
  const auto folder = ledger::RunsFolder(environment_);
  const ledger::Begin begin = BeginOf(options_, gpus, default_level, carbon_, key, clock_.Now());
  auto writer = ledger::Writer::Create(folder.value_or(""), begin);
  if (!writer) return writer;
  const Status written = folder ? writer->Flush() : Propagate(folder);
  if (!written) {
    Log(LogLevel::kWarning, "{}; the records of this run stay in memory until they can be written",
        written.error().Line());
  }
  return writer;
}

std::optional<ledger::Run> RunControl::Follow(process::Program& program) {
  options_.is_dry = options_.is_dry || options_.only_measures;
  carbon_.Begin();
  if (price_ != nullptr) price_->Begin();
  std::vector<device::Gpu*> gpus;
  auto all = FindGpus(gpus);
  if (all) return FollowOn(*all, gpus, program);
  Log(LogLevel::kWarning, "{}; the program runs at its default, and GPUs are looked for again every {} s",
      all.error().Line(), kLookAgain.count());
  const auto look_again = [&] {
    all = FindGpus(gpus);
    return all.has_value();
  };
  auto run = FollowWithoutGpus(program, look_again);
  if (!all) return run;
  Log(LogLevel::kInfo, "found {} x {}, used from now on{}", gpus.size(), gpus.front()->identity().name,
      run ? fmt::format("; run {} has the time before", run->id) : "");
  return FollowOn(*all, gpus, program);
}

std::optional<ledger::Run> RunControl::FollowWithoutGpus(process::Program& program,
                                                         const std::function<bool()>& has_gpus) {
  auto energy = device::HostEnergy::Open(environment_);
  LogLine(LogLevel::kInfo, energy ? "measuring the processors and memory of the whole machine (" +
                                        fmt::format("{}", fmt::join(energy->names(), ", ")) + ")"
                                  : "no energy is measured: " + energy.error().Line());
  auto writer = OpenLedger({}, 0.0, "");
  if (!writer) {
    Log(LogLevel::kWarning, "{}; the program runs unmeasured at its default", writer.error().Line());
    while (!program.is_done() && !has_gpus()) program.Wait(kLookAgain);
    return std::nullopt;
  }
  HostSession(carbon_, price_, tracker_, *writer, std::move(energy), clock_).Follow(program, has_gpus);
  const process::Ending ending = program.ending().value_or(process::Ending{});
  const std::string reason = program.is_done() ? ReasonOf(ending) : "a GPU was found; the next run has the rest";
  const auto finished =
      writer->Finish({clock_.Now(), ending.Status(), reason, StepsDone(options_, tracker_.done(), ending)});
  if (!finished) Log(LogLevel::kWarning, "{}; the records of this run are lost", finished.error().Line());
  return writer->run();
}

std::optional<ledger::Run> RunControl::FollowOn(const gpu_access::Gpus& all, const std::vector<device::Gpu*>& gpus,
                                                process::Program& program) {
  auto levels = LevelsOf(options_.knob, gpus);
  if (!levels) {
    Log(LogLevel::kWarning, "{}; the program runs at its default and is only measured", levels.error().Line());
    options_.is_dry = true;
    options_.knob = Knob::kPace;
    levels = LevelsOf(Knob::kPace, gpus);
  }
  const std::string key = KeyOf(options_, gpus);
  const auto settings = SettingsOf(options_, *levels, MostPowerOf(gpus), price_ != nullptr);
  level_control::SpeedProfile profile(key, options_.knob, *levels, settings.probing);
  const auto profile_path = ProfilePath(key, environment_);
  if (profile_path) LoadProfile(profile, *profile_path);
  BeginProfile(profile, options_, gpus);
  auto controller = level_control::Controller::Make(settings, std::move(profile));
  auto writer = OpenLedger(gpus, levels->back(), key);
  if (!controller || !writer) {
    const Error& failure = controller ? writer.error() : controller.error();
    Log(LogLevel::kWarning, "{}; the program runs unmeasured at its default", failure.Line());
    return std::nullopt;
  }
  const auto actuator = MakeActuator(all, gpus, program);
  TryOut(*actuator, options_.knob, *levels);
  const OwnProcesses own = [] { return process::ProcessesUnder(::getpid()); };
  TrainingSession session({&options_, &carbon_, price_, gpus, actuator.get(), &clock_, own}, std::move(*controller),
                          std::move(*writer), std::move(tracker_));
  session.Follow(program);
  const process::Ending ending = program.ending().value_or(process::Ending{});
  if (const auto finished = session.writer().Finish(
          {clock_.Now(), ending.Status(), ReasonOf(ending), StepsDone(options_, session.steps_done(), ending)});
      !finished) {
    Log(LogLevel::kWarning, "{}; the records of this run are lost", finished.error().Line());
  }
  if (profile_path) SaveProfile(session.controller(), *profile_path);
  return session.writer().run();
}

}  // namespace heliostat::training_run
