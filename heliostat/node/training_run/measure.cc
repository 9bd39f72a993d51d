#include "heliostat/node/training_run/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/log.h"
#include "heliostat/base/core/made_up.h"
#include "heliostat/model/profile/cells.h"
#include "heliostat/node/gpu_access/control.h"
#include "heliostat/node/training_run/levels.h"
#include "heliostat/node/training_run/program_gpus.h"

namespace heliostat::training_run {
namespace {

// A program that is shorter than this shows no speed, however often it is started.
constexpr int kFruitlessStarts = 2;

ProfileRow RowOf(const MeasuredLevel& level, const MeasureOptions& options, const device::Gpu& gpu, int workers,
                 ledger::ProgressSource source) {
  ProfileRow row{.model = options.model, .gpu = profile::GpuName(gpu.identity().name), .workers = workers};
  if (options.knob == Knob::kPowerLimit) row.power_limit_w = level.level;
  if (options.knob == Knob::kCoreClock) row.core_mhz = level.level;
  if (options.knob == Knob::kPace) row.pace = level.level;
  row.samples_per_s = level.steps_per_s * options.batch * workers;
  row.power = level.power;
  row.error = level.error;
  row.batch = options.batch;
  row.measured = level.duration;
  row.source = IsMadeUp(gpu.identity().name)                 ? "made-up"
               : source == ledger::ProgressSource::kCounters ? "counters"
                                                             : "measured";
  return row;
}

// Measures one program after another with one survey. Used from one thread at a time.
class Measuring {
 public:
  Measuring(const MeasureOptions& options, const gpu_access::Gpus& all, std::vector<device::Gpu*> gpus,
            std::vector<double> levels, const Environment& environment, const Clock& clock,
            const std::function<void(const MeasuredProfile&)>& keep)
      : options_(options),
        all_(all),
        gpus_(std::move(gpus)),
        environment_(environment),
        clock_(clock),
        keep_(keep),
        survey_(PlanFor(std::move(levels))) {}

  // Controls one program, in a thread of its own.
  void Follow(process::Program& program, StepTracker tracker) {
    const auto actuator = MakeActuator(program);
    TryOut(*actuator);
    RunMeter meter(gpus_, std::move(tracker), LevelSurvey::Grain(options_.knob), clock_,
                   [](const std::string& text) { LogLine(LogLevel::kWarning, text); });
    survey_.Follow(program, meter, *actuator, clock_);
    if (!survey_.is_complete()) return;
    if (!options_.lets_finish && !program.is_done()) {
      LogLine(LogLevel::kInfo, "all is measured: the program is ended");
      was_ended_ = true;
      program.End();
    }
    while (!program.is_done()) {
      program.Wait(std::chrono::milliseconds(500));
      (void)program.TakeOutput();
    }
  }

  MeasuredProfile profile() const {
    MeasuredProfile profile{.knob = options_.knob, .gpu = gpus_.front()->identity().name};
    profile.levels = survey_.tally().All();
    profile.missing = survey_.missing();
    profile.source = survey_.source();
    for (const MeasuredLevel& level : profile.levels) {
      profile.rows.push_back(RowOf(level, options_, *gpus_.front(), static_cast<int>(gpus_.size()), survey_.source()));
    }
    return profile;
  }
  bool is_complete() const { return survey_.is_complete(); }
  bool was_ended() const { return was_ended_; }
  const std::optional<Error>& cannot_be_set() const { return cannot_be_set_; }

 private:
  LevelSurvey PlanFor(std::vector<double> levels) {
    LevelSurvey::Plan plan{.knob = options_.knob,
                           .levels = std::move(levels),
                           .time = options_.time,
                           .wanted_error = options_.wanted_error};
    return {std::move(plan), [this](const LevelSurvey& survey, const MeasuredLevel& level) { Tell(survey, level); }};
  }

  // Turns the knob once, so that a missing right shows at once. Then only the default is measured.
  void TryOut(KnobActuator& actuator) {
    const std::vector<double>& levels = survey_.plan().levels;
    if (levels.size() < 2 || !survey_.tally().empty()) return;
    const auto turned = actuator.Turn({options_.knob, levels[levels.size() - 2]}, false);
    actuator.Release();
    if (turned) return;
    cannot_be_set_ = turned.error();
    Log(LogLevel::kWarning, "the {} cannot be set: {}; only the default is measured",
        level_control::NameOf(options_.knob), turned.error().Line());
    LogLine(LogLevel::kWarning, "pace needs no privilege; heliostat doctor shows what the other knobs need");
    survey_.MeasureDefaultOnly();
  }

  std::unique_ptr<KnobActuator> MakeActuator(process::Program& program) const {
    if (options_.knob == Knob::kPace) return std::make_unique<PaceActuator>(program);
    if (cannot_be_set_) return std::make_unique<DryActuator>();
    const auto connect = [this] { return gpu_access::OpenControl(environment_, all_); };
    return std::make_unique<LeaseActuator>(connect, gpus_, options_.knob, "heliostat profile measure", program, clock_);
  }

  void Tell(const LevelSurvey& survey, const MeasuredLevel& level) const {
    Log(LogLevel::kInfo, "{}: {:.4g} steps/s ± {:.2g} %, {:.0f} W; {} of {} levels known, at most {} left",
        level_control::Level{options_.knob, level.level}.Text(), level.steps_per_s, 100.0 * level.error,
        level.power.value, survey.plan().levels.size() - survey.missing().size(), survey.plan().levels.size(),
        FormatDuration(survey.left()));
    if (keep_) keep_(profile());
  }

  const MeasureOptions& options_;
  const gpu_access::Gpus& all_;
  std::vector<device::Gpu*> gpus_;
  const Environment& environment_;
  const Clock& clock_;
  const std::function<void(const MeasuredProfile&)>& keep_;
  std::optional<Error> cannot_be_set_;
  bool was_ended_ = false;
  LevelSurvey survey_;
};

// A short program is started again as long as that adds measurements; not when the user or a failure has ended it.
bool ShouldRepeat(const MeasureOptions& options, const SupervisedEnd& end, const Measuring& measuring, int fruitless) {
  return options.repeats && !measuring.is_complete() && !end.not_started && end.ending.Status() == 0 &&
         fruitless < kFruitlessStarts;
}

// Before the program starts: the power of a GPU is that of all programs on it.
void WarnOfOthers(const std::vector<device::Gpu*>& gpus) {
  for (device::Gpu* gpu : gpus) {
    const auto details = gpu->Inspect();
    if (!details || details->processes.empty()) continue;
    Log(LogLevel::kWarning, "GPU {} runs {} other programs: its power includes theirs, and they may slow this one down",
        gpu->identity().index, details->processes.size());
  }
}

Seconds MeasuredTime(const MeasuredProfile& profile) {
  Seconds sum{0};
  for (const MeasuredLevel& level : profile.levels) sum += level.duration;
  return sum;
}

}  // namespace

Result<std::vector<double>> LevelsToMeasure(const MeasureOptions& options, const std::vector<double>& all) {
  std::vector<double> levels;
  const double lowest = options.knob == Knob::kPace ? 0.05 : all.front();
  for (const double level : options.levels) {
    if (!(level >= lowest && level <= all.back())) {
      return Fail(ErrorCode::kInvalidArgument, "level", fmt::format("{:g} is out of range", level),
                  fmt::format("{:g} to {:g}", lowest, all.back()));
    }
    levels.push_back(level);
  }
  const std::size_t count = std::min(options.level_count, all.size());
  for (std::size_t i = 0; options.levels.empty() && i + 1 < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    levels.push_back(all[static_cast<std::size_t>(std::lround(share * static_cast<double>(all.size() - 1)))]);
  }
  levels.push_back(all.back());
  std::ranges::sort(levels);
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  const Duration least = LevelSurvey::LeastTime(options.knob, levels.size());
  if (options.time < least) {
    return Fail(ErrorCode::kInvalidArgument, "time",
                fmt::format("{} is too short for {} levels", FormatDuration(options.time), levels.size()),
                fmt::format("{} or more, or fewer levels", FormatDuration(least)));
  }
  return levels;
}

Result<MeasureOutcome> MeasureProfile(const MeasureOptions& options, const Environment& environment, const Clock& clock,
                                      const std::function<void(const MeasuredProfile&)>& keep) {
  auto tracker = StepTracker::Make(options.progress_regex, environment, clock);
  if (!tracker) return Propagate(tracker);
  const auto all = gpu_access::OpenGpus(environment);
  if (!all) return Propagate(all);
  const auto gpus = ChooseGpus(*all, GpuNames(options.gpus, environment));
  if (!gpus) return Propagate(gpus);
  const auto supported = LevelsOf(options.knob, *gpus);
  if (!supported) return Propagate(supported);
  const auto levels = LevelsToMeasure(options, *supported);
  if (!levels) return Propagate(levels);
  WarnOfOthers(*gpus);
  Measuring measuring(options, *all, *gpus, *levels, environment, clock, keep);
  MeasureOutcome outcome;
  int fruitless = 0;
  do {
    if (outcome.starts > 0) {
      LogLine(LogLevel::kInfo, "the program has ended before all is measured: it is started again");
      tracker = StepTracker::Make(options.progress_regex, environment, clock);
      if (!tracker) return Propagate(tracker);
    }
    const Seconds before = MeasuredTime(measuring.profile());
    const process::ProgramCommand command = CommandFor(options.command, *tracker, options.restore);
    outcome.end = Supervise(
        command, [&](process::Program& program) { measuring.Follow(program, std::move(*tracker)); },
        "what was measured since the last report is lost");
    ++outcome.starts;
    fruitless = MeasuredTime(measuring.profile()) > before ? 0 : fruitless + 1;
  } while (ShouldRepeat(options, outcome.end, measuring, fruitless));
  outcome.profile = measuring.profile();
  outcome.was_ended = measuring.was_ended();
  outcome.cannot_be_set = measuring.cannot_be_set();
  return outcome;
}

}  // namespace heliostat::training_run
