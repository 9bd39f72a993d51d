#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/process/ending.h"
#include "heliostat/node/process/guard.h"
#include "heliostat/node/process/program.h"
#include "heliostat/node/training_run/step_tracker.h"

namespace heliostat::training_run {

// The command of a program as all programs here are started: it finds the file for its steps, and gets no API keys.
// `restore`: puts cards back when this process has died.
process::ProgramCommand CommandFor(const std::vector<std::string>& argv, const StepTracker& tracker,
                                   const std::vector<std::string>& restore);

// How a supervised program ended.
struct SupervisedEnd {
  process::Ending ending;
  bool had_terminal = false;
  std::optional<Error> not_started;  // why the program could not be started; the ending is then that of a shell
};

// Starts a program and follows it to its end in this thread. `control` runs in a thread of its own, because it may wait
// for a driver, an agent, a disk or a network; it must return soon after the program is done. Returns when both have
// ended. When `control` hangs after the program's end, says `lost` and ends this process as the program ended.
SupervisedEnd Supervise(const process::ProgramCommand& command, const std::function<void(process::Program&)>& control,
                        const std::string& lost);

}  // namespace heliostat::training_run
