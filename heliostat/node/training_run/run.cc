#include "heliostat/node/training_run/run.h"

#include "heliostat/node/training_run/run_control.h"
#include "heliostat/node/training_run/supervise.h"

namespace heliostat::training_run {

Result<RunOutcome> Run(const RunOptions& options, live_signal::SignalSource& carbon, live_signal::SignalSource* price,
                       const Environment& environment, const Clock& clock) {
  if (const auto bad = CheckOptions(options); !bad) return Propagate(bad);
  auto tracker = StepTracker::Make(options.progress_regex, environment, clock);
  if (!tracker) return Propagate(tracker);
  const process::ProgramCommand command = CommandFor(options.command, *tracker, options.restore);
  RunControl control(options, carbon, price, environment, clock, std::move(*tracker));
  std::optional<ledger::Run> run;
  SupervisedEnd end = Supervise(
      command, [&](process::Program& program) { run = control.Follow(program); }, "the bill of this run is lost");
  return RunOutcome{end.ending, end.had_terminal, std::move(end.not_started), std::move(run)};
}

}  // namespace heliostat::training_run
