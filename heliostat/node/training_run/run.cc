#include "heliostat/node/training_run/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/hash.h"
#include "heliostat/base/core/home_path.h"
#include "heliostat/base/core/log.h"
#include "heliostat/base/core/split.h"
#include "heliostat/base/io/file.h"
#include "heliostat/node/gpu_access/control.h"
#include "heliostat/node/lease/machine.h"
#include "heliostat/node/process/child.h"
#include "heliostat/node/training_run/levels.h"
#include "heliostat/node/training_run/training_session.h"

namespace heliostat::training_run {
namespace {

// A shorter try does not show a speed. A program that is held for a part of each second needs several seconds.
constexpr Duration kShortestTry{4};
constexpr Duration kShortestPacedTry{14};

std::vector<std::string> GpusOf(const RunOptions& options, const Environment& environment) {
  if (!options.gpus.empty()) return options.gpus;
  const auto visible = environment("CUDA_VISIBLE_DEVICES");
  auto named = SplitAtCommas(visible.value_or(""));
  std::erase(named, "");
  return named.empty() ? std::vector<std::string>{"all"} : named;
}

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

void SaveProfile(const level_control::Controller& controller, const std::string& path) {
  if (controller.profile() == nullptr || controller.profile()->Options().empty()) return;
  auto saved = io::MakeDirectories(std::filesystem::path(path).parent_path());
  if (saved) saved = io::WriteFileAtomically(path, controller.profile()->Save().Dump());
  if (!saved) Log(LogLevel::kWarning, "the profile cannot be saved: {}", saved.error().Line());
}

level_control::Settings SettingsOf(const RunOptions& options, const std::vector<device::Gpu*>& gpus,
                                   std::vector<double> levels, SignalSource& carbon, SignalSource* price, Instant now) {
  level_control::Settings settings;
  settings.mode = options.mode;
  settings.eta = options.eta;
  settings.period = options.period;
  settings.max_slowdown = options.max_slowdown;
  settings.deadline = options.deadline;
  settings.knob = options.knob;
  settings.levels = std::move(levels);
  settings.most_power = MostPowerOf(gpus);
  settings.highest_cost =
      level_control::CostPerJoule(options.weights, GramsPerKwh(carbon.HighestOfDay(now)),
                                  price == nullptr ? 0.0 : price->HighestOfDay(now) / kJoulesPerKwh);
  if (price != nullptr) settings.cost_unit = "a kWh";
  // A shadow turns nothing, so it learns nothing and uses the profile of earlier runs.
  settings.probing.share = options.is_dry ? 0.0 : options.probing_share;
  // Short periods leave less time to learn.
  const Duration shortest = options.knob == Knob::kPace ? kShortestPacedTry : kShortestTry;
  settings.probing.shortest = std::clamp<Duration>(options.period / 60, shortest, Duration(20));
  settings.probing.longest = std::max<Duration>(settings.probing.shortest, options.period / 6);
  return settings;
}

ledger::Begin BeginOf(const RunOptions& options, const std::vector<device::Gpu*>& gpus, double default_level,
                      const SignalSource& carbon, const std::string& key, Instant now) {
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
  return begin;
}

Result<std::unique_ptr<KnobActuator>> HandOf(const RunOptions& options, const Environment& environment,
                                             const gpu_access::Gpus& all, const std::vector<device::Gpu*>& gpus,
                                             const Clock& clock) {
  if (options.is_dry) return std::make_unique<DryActuator>();
  if (options.knob == Knob::kPace) return std::make_unique<PaceActuator>();
  const auto connect = [&environment, &all] { return gpu_access::OpenControl(environment, all); };
  return LeaseActuator::Make(connect, gpus, options.knob, "heliostat run", clock);
}

// Turns the knob once before the program starts, so that a missing right shows at once.
Status TryOut(KnobActuator& actuator, Knob knob, const std::vector<double>& levels) {
  if (levels.size() < 2) return {};
  const auto turned = actuator.Turn({knob, levels[levels.size() - 2]}, false);
  actuator.Release(nullptr);
  const bool is_hopeless = !turned && (turned.error().code == ErrorCode::kPermissionDenied ||
                                       turned.error().code == ErrorCode::kUnsupported);
  if (!is_hopeless) return {};
  return Fail(turned.error().code, "knob", turned.error().Line(),
              "use pace, which needs no privilege; heliostat doctor shows what the other knobs need");
}

}  // namespace

Result<RunOutcome> Run(const RunOptions& options, SignalSource& carbon, SignalSource* price,
                       const Environment& environment, const Clock& clock) {
  const auto all = gpu_access::OpenGpus(environment);
  if (!all) return Propagate(all);
  const auto gpus = all->Select(GpusOf(options, environment));
  if (!gpus) return Propagate(gpus);
  if (gpus->empty()) {
    return Fail(ErrorCode::kInvalidArgument, "GPU", "this machine has none to measure",
                all->driver->troubles().empty() ? "" : all->driver->troubles().front());
  }
  const auto levels = LevelsOf(options.knob, *gpus);
  if (!levels) return Propagate(levels);
  const std::string key = KeyOf(options, *gpus);
  const level_control::Settings settings = SettingsOf(options, *gpus, *levels, carbon, price, clock.Now());
  level_control::SpeedProfile profile(key, options.knob, *levels, settings.probing);
  const auto profile_path = ProfilePath(key, environment);
  if (!profile_path) return Propagate(profile_path);
  LoadProfile(profile, *profile_path);
  auto controller = level_control::Controller::Make(settings, std::move(profile));
  if (!controller) return Propagate(controller);
  auto actuator = HandOf(options, environment, *all, *gpus, clock);
  if (!actuator) return Propagate(actuator);
  if (const auto may = TryOut(**actuator, options.knob, *levels); !may) return Propagate(may);
  auto tracker = StepTracker::Make(options.progress_regex, environment, clock);
  if (!tracker) return Propagate(tracker);
  const auto folder = ledger::RunsFolder(environment);
  if (!folder) return Propagate(folder);
  auto writer = ledger::Writer::Create(*folder, BeginOf(options, *gpus, levels->back(), carbon, key, clock.Now()));
  if (!writer) return Propagate(writer);

  const std::string steps = tracker->steps_path();
  TrainingSession session({&options, &carbon, price, *gpus, actuator->get(), &clock}, std::move(*controller),
                          std::move(*writer), std::move(*tracker));
  auto child = process::Child::Start({options.command, {{"HELIOSTAT_STEPS", steps}}},
                                     [&session](std::string_view bytes) { session.Observe(bytes); });
  if (!child) {
    (void)session.writer().Finish({clock.Now(), process::StatusOfFailedStart(child.error()), "not started"});
    return Propagate(child);
  }
  session.Follow(**child);
  const process::Ending ending = (*child)->ending().value_or(process::Ending{});
  const std::string reason = ending.signal != 0 ? fmt::format("killed by signal {}", ending.signal) : "exited";
  if (const auto finished = session.writer().Finish({clock.Now(), ending.Status(), reason}); !finished) {
    LogLine(LogLevel::kWarning, finished.error().Line());
  }
  SaveProfile(session.controller(), *profile_path);
  const ledger::Run& run = session.writer().run();
  return RunOutcome{ending, (*child)->had_terminal(), run, ledger::BillOf(run)};
}

}  // namespace heliostat::training_run
