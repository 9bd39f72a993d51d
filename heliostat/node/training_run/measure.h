#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/node/training_run/level_survey.h"
#include "heliostat/node/training_run/profile_file.h"
#include "heliostat/node/training_run/supervise.h"

namespace heliostat::training_run {

// The options of `heliostat profile measure`.
struct MeasureOptions {
  std::vector<std::string> command;
  std::vector<std::string> gpus;  // empty: those that CUDA_VISIBLE_DEVICES names, else all
  Knob knob = Knob::kPowerLimit;
  std::size_t level_count = 6;  // evenly spread over the range of the card
  std::vector<double> levels;   // instead; the default level is measured in any case
  Duration time{300};           // of all measurements, without the start of the program
  double wanted_error = 0.005;  // as MeasuredLevel::error
  std::string model;
  int batch = 1;  // samples that one GPU trains in a step
  std::string progress_regex;
  bool repeats = false;              // starts a program that ends too early again
  bool lets_finish = false;          // lets the program run to its end, instead of ending it when all is measured
  std::vector<std::string> restore;  // command that puts cards back when this process has died
};

// What is known so far.
struct MeasuredProfile {
  Knob knob = Knob::kPowerLimit;
  std::string gpu;  // as the driver names it
  std::vector<MeasuredLevel> levels;
  std::vector<double> missing;
  ledger::ProgressSource source = ledger::ProgressSource::kNone;
  std::vector<ProfileRow> rows;  // of the file
};

struct MeasureOutcome {
  MeasuredProfile profile;
  SupervisedEnd end;
  bool was_ended = false;              // by Heliostat, when all was measured
  std::optional<Error> cannot_be_set;  // why only the default was measured
  int starts = 0;                      // of the program
};

// Runs a program at each level of a knob and measures its speed and power. `keep` gets what is known after each
// measurement, so that nothing is lost however the process ends. Errors are of the options and the machine; the program
// was then not started. The GPUs are put back in any case, as after Run().
Result<MeasureOutcome> MeasureProfile(const MeasureOptions& options, const Environment& environment, const Clock& clock,
                                      const std::function<void(const MeasuredProfile&)>& keep);

// The levels to measure, ascending, the default last. `all`: those that the GPUs support (LevelsOf()).
// kInvalidArgument for a level out of their range.
Result<std::vector<double>> LevelsToMeasure(const MeasureOptions& options, const std::vector<double>& all);

}  // namespace heliostat::training_run
