#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/log.h"
#include "heliostat/base/core/made_up.h"
#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"
#include "heliostat/node/ledger/run.h"
#include "heliostat/node/training_run/measure.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/fake_gpus.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::cli {
namespace {

constexpr const char* kAbout =
    R"(Starts the program and runs it at one level of the knob after the other: power limits, locked core clocks, or paces.
Levels are visited several times in random order, so that a drift does not bend the curve; the time in which a card
settles does not count. The file has the columns of training profiles, and takes part wherever these do: in scenarios,
plans and `heliostat run --profile FILE.csv`; rows of --knob pace are left out there. It is written after each
measurement.

Speed comes from the program's progress, as in `heliostat run`. Limits and clocks are leases: the card goes back whatever
happens. Without the right to set them, only the default is measured; --knob pace needs no right. When all is measured
the program is ended (SIGTERM), unless --let-finish is given.

Examples:
  heliostat profile measure -o profile.csv -- python train.py
  heliostat profile measure --knob pace --levels 0.4,0.6,0.8 --minutes 3 -o pace.csv -- python train.py
  heliostat profile measure --fake-gpu A40 --minutes 2 -o a40.csv -- stand-in-train --steps 1000000)";

constexpr std::size_t kBarWidth = 24;

struct Arguments {
  std::vector<std::string> gpus;
  std::string knob = "power-limit";
  std::string levels = "6";
  double minutes = 5.0;
  double wanted_percent = 0.5;
  std::string out;
  std::string model;
  int batch = 1;
  std::string regex;
  bool repeats = false;
  bool lets_finish = false;
  std::vector<std::string> before;  // words before --, which belong after it
};

// "6" is a number of levels; "200,300,450", "300 W" and "0.5" are levels.
Status ReadLevels(const std::string& text, training_run::MeasureOptions& options) {
  const auto parts = SplitAtCommas(text);
  for (std::string part : parts) {
    while (!part.empty() && part.back() == ' ') part.pop_back();
    const auto number = io::ParseNumber(part);
    if (!number || !(*number > 0.0) || *number > 1e6) {
      return Fail(ErrorCode::kInvalidArgument, "--levels", fmt::format("'{}' is not a level", Printable(part, 40)),
                  "a count such as 6, or levels in W, MHz or shares of time such as 300,450,600");
    }
    options.levels.push_back(*number);
  }
  constexpr double kMostLevels = 50.0;
  const double first = options.levels.front();
  if (parts.size() == 1 && first == std::floor(first) && first >= 1.0 && first <= kMostLevels) {
    options.level_count = static_cast<std::size_t>(first);
    options.levels.clear();
  }
  return {};
}

Result<training_run::MeasureOptions> OptionsOf(const Arguments& arguments, const Options& shared) {
  training_run::MeasureOptions options;
  options.command = shared.program;
  if (!arguments.before.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "command line",
                fmt::format("'{}' stands before --", Printable(arguments.before.front(), 40)),
                "name the program after --: heliostat profile measure -- python train.py");
  }
  if (options.command.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "command line", "no program is given",
                "name it after --: heliostat profile measure -o profile.csv -- python train.py");
  }
  options.gpus = arguments.gpus;
  const auto knob = level_control::ParseKnob(arguments.knob, "--knob");
  if (!knob) return Propagate(knob);
  options.knob = *knob;
  if (const auto bad = ReadLevels(arguments.levels, options); !bad) return Propagate(bad);
  options.time = Duration(std::llround(60.0 * arguments.minutes));
  options.wanted_error = arguments.wanted_percent / 100.0;
  options.model = arguments.model.empty() ? ledger::ProgramName(options.command) : arguments.model;
  options.batch = arguments.batch;
  options.progress_regex = arguments.regex;
  options.repeats = arguments.repeats;
  options.lets_finish = arguments.lets_finish;
  options.restore = {"/proc/self/exe", "device", "restore", "--quiet"};
  return options;
}

std::string BarOf(double share) {
  const auto filled = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * kBarWidth));
  std::string bar;
  for (std::size_t i = 0; i < filled; ++i) bar += report::IsUtf8Terminal() ? "█" : "#";
  return bar;
}

std::string LevelsText(Knob knob, const std::vector<double>& levels) {
  std::vector<std::string> texts;
  for (const double level : levels) texts.push_back(level_control::Level{knob, level}.Text());
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Table and chart in one: a bar per level.
std::string TextOf(const training_run::MeasuredProfile& profile) {
  if (profile.rows.empty()) return {};
  const training_run::ProfileRow& top = profile.rows.back();
  const std::string unit = top.batch * top.workers == 1 ? "step" : "sample";
  report::HtmlTable table{
      .header = {"level", "", unit + "s/s", "± %", "W", "J/" + unit, "speed", "energy"}, .rows = {}, .text_columns = 2};
  const double top_joules = top.power.value / top.samples_per_s;
  for (std::size_t i = 0; i < profile.rows.size(); ++i) {
    const training_run::ProfileRow& row = profile.rows[i];
    const double speed = row.samples_per_s / top.samples_per_s;
    const double joules = row.power.value / row.samples_per_s;
    table.rows.push_back({level_control::Level{profile.knob, profile.levels[i].level}.Text(), BarOf(speed),
                          report::NumberText(row.samples_per_s, 4), report::NumberText(100.0 * row.error, 2),
                          report::NumberText(row.power.value, 4), report::NumberText(joules, 3),
                          fmt::format("{:.1f} %", 100.0 * speed),
                          fmt::format("{:.1f} %", 100.0 * joules / top_joules)});
  }
  return report::TextOf(table);
}

io::Json JsonOf(const training_run::MeasureOutcome& outcome, const training_run::MeasureOptions& options) {
  const training_run::MeasuredProfile& profile = outcome.profile;
  io::Json json;
  json.Set("model", options.model).Set("gpu", profile.gpu).Set("knob", level_control::NameOf(profile.knob));
  if (IsMadeUp(profile.gpu)) json.Set("made_up_gpu", true);
  json.Set("progress", ledger::NameOf(profile.source)).Set("batch", options.batch);
  io::Json levels{io::Json::Array{}};
  for (std::size_t i = 0; i < profile.rows.size(); ++i) {
    const training_run::ProfileRow& one = profile.rows[i];
    io::Json row;
    row.Set("level", profile.levels[i].level).Set("samples_per_s", one.samples_per_s);
    row.Set("speed_error_percent", 100.0 * one.error).Set("power_w", one.power.value);
    row.Set("joules_per_sample", one.power.value / one.samples_per_s);
    levels.Append(row.Set("measured_s", one.measured.count()).Set("visits", profile.levels[i].visits));
  }
  io::Json missing{io::Json::Array{}};
  for (const double level : profile.missing) missing.Append(level);
  json.Set("levels", std::move(levels)).Set("missing", std::move(missing));
  json.Set("cannot_be_set", outcome.cannot_be_set ? io::Json(outcome.cannot_be_set->Line()) : io::Json());
  json.Set("starts", outcome.starts).Set("was_ended", outcome.was_ended);
  return json.Set("exit_status", outcome.end.ending.Status());
}

std::string NoteOf(const training_run::MeasureOutcome& outcome, const training_run::MeasureOptions& options,
                   const std::string& out) {
  const training_run::MeasuredProfile& profile = outcome.profile;
  std::string note = fmt::format("{} on {} x {} by {}\n{}", Printable(options.model, 60),
                                 profile.rows.empty() ? 0 : profile.rows.front().workers, Printable(profile.gpu, 60),
                                 level_control::NameOf(profile.knob), TextOf(profile));
  note += "± is half of the 95 % interval of the speed; speed and energy per step are relative to the last row.\n";
  if (IsMadeUp(profile.gpu)) note += "The GPU is made up: all figures are simulated.\n";
  if (profile.source == ledger::ProgressSource::kCounters) {
    note += "The program reports no progress: speeds are estimated from GPU counters, and are no samples per second.\n";
  }
  if (outcome.cannot_be_set) note += "The knob could not be set: only the default was measured.\n";
  if (!profile.missing.empty()) {
    note += fmt::format("Missing: {}. {}\n", LevelsText(profile.knob, profile.missing),
                        options.repeats ? "The program ended before." : "A longer program or --repeat measures them.");
  }
  if (!out.empty()) note += fmt::format("{}: {} rows\n", out, profile.rows.size());
  return note;
}

std::optional<Error> VerdictOf(const training_run::MeasureOutcome& outcome) {
  if (outcome.end.not_started) return outcome.end.not_started;
  const int status = outcome.end.ending.Status();
  const std::string measured = outcome.profile.rows.empty() ? "nothing was measured" : "not all was measured";
  if (status != 0 && !outcome.was_ended) {
    return Error{ErrorCode::kUnavailable, "program", fmt::format("ended with status {}: {}", status, measured), ""};
  }
  if (outcome.profile.rows.empty()) {
    return Error{ErrorCode::kUnavailable, "program", "ended before a speed was known: nothing was measured",
                 "a program that runs for minutes and reports its progress"};
  }
  return std::nullopt;
}

Result<Output> Measure(const Arguments& arguments, const Options& shared) {
  const auto options = OptionsOf(arguments, shared);
  if (!options) return Propagate(options);
  std::vector<OutputFile> files{{"-o", arguments.out, ""}};
  if (const auto bad = RefuseTargets(files, {}, shared); !bad) return Propagate(bad);
  std::string told;
  const auto keep = [&](const training_run::MeasuredProfile& profile) {
    files[0].text = training_run::ProfileTable(profile.rows);
    const auto written = WriteAll(files);
    if (written || std::exchange(told, written.error().Line()) == written.error().Line()) return;
    LogLine(LogLevel::kWarning, written.error().Line());
  };
  const SystemClock clock{};
  const auto outcome = AtFlags(
      training_run::MeasureProfile(*options, ProcessEnvironment(), clock, keep),
      {{"level", "--levels"}, {"time", "--minutes"}, {"knob", "--knob"}, {"progress pattern", "--progress-regex"}});
  if (!outcome) return Propagate(outcome);
  if (!outcome->profile.rows.empty()) {
    if (const auto written = WriteAll(files); !written) return Propagate(written);
  }
  Output output;
  output.json = JsonOf(*outcome, *options);
  // The program owns stdout.
  if (!outcome->profile.rows.empty()) output.note = NoteOf(*outcome, *options, arguments.out);
  output.verdict = VerdictOf(*outcome);
  if (outcome->end.not_started) output.ending = {outcome->end.ending, false};
  return output;
}

}  // namespace

Command InstallProfileMeasure(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("PROGRAM -- PROGRAM [ARGUMENT...]", arguments->before, "The training program, unchanged");
  const Syntax what = syntax.Group("What to measure");
  what.AddOption("--knob KNOB", arguments->knob,
                 "GPU setting to measure at: power-limit, core-clock or pace, the share of time it runs")
      .ShowDefault();
  what.AddOption("--levels N|LIST", arguments->levels,
                 "Number of levels over the range of the card, or the levels in W, MHz or shares of time: 300,450,600")
      .ShowDefault();
  what.AddOption("--minutes MINUTES", arguments->minutes, "Time for all measurements, without the start of the program")
      .ShowDefault()
      .Between(0.1, 1e4);
  what.AddOption("--error PERCENT", arguments->wanted_percent,
                 "Measure a level no further when its speed is known to this many percent")
      .ShowDefault()
      .Between(0.0, 50.0);
  what.AddOption("-o,--out FILE", arguments->out, "Write the profile to this CSV file");
  const Syntax program = syntax.Group("About the program");
  program.AddOption("--gpu GPU", arguments->gpus, "GPUs of the program (default: CUDA_VISIBLE_DEVICES, else all)");
  program.AddOption("--model NAME", arguments->model, "Name of the model in the profile (default: the program's name)");
  program.AddOption("--batch N", arguments->batch, "Samples that one GPU trains in a step; with 1, a sample is a step")
      .ShowDefault()
      .Between(1, 1'000'000'000);
  program.AddOption("--progress-regex REGEX", arguments->regex,
                    "Regular expression for the step count in the output: one group, or two with the total");
  program.AddFlag("--repeat", arguments->repeats, "Start the program again when it ends before all is measured");
  program.AddFlag("--let-finish", arguments->lets_finish, "Let the program run to its end when all is measured");
  syntax.Footer(kAbout);
  return [arguments, &options] {
    if (!options.fake_gpus.empty()) TellHowToLoadFakeGpus(options.program);
    return Measure(*arguments, options);
  };
}

}  // namespace heliostat::cli
