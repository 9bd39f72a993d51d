#include "heliostat/control/loop/replay.h"

#include <fmt/format.h>

#include <memory>

#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {
namespace {

constexpr const char* kAbout =
    R"(Asks the policy that a decision log names again, with every observation of the log, and compares its decisions with
those on record, to the letter. Exit status 0: all are the same; 1: the first difference is printed. A log that
replays to the same decisions on another machine is the best report of a fault.

Example:
  heliostat simulate scenario.toml --policies ca-rm-performance --decision-log day.jsonl
  heliostat replay day.jsonl)";

Result<Output> Answer(const std::string& file) {
  const auto replayed = loop::Replay(file);
  if (!replayed) return Propagate(replayed);
  Output output;
  output.json.Set("file", file).Set("policy", replayed->policy).Set("steps", replayed->steps);
  output.json.Set("same", !replayed->difference.has_value());
  if (!replayed->difference) {
    output.text = fmt::format("{}: {} decides the same in all {} steps\n", file, replayed->policy, replayed->steps);
    return output;
  }
  const loop::Replayed::Difference& difference = *replayed->difference;
  output.text = fmt::format("step {} at {}\n  on record: {}\n  replayed:  {}\n", difference.step,
                            FormatInstant(difference.now), difference.recorded, difference.replayed);
  io::Json json;
  json.Set("step", difference.step).Set("time", FormatInstant(difference.now));
  json.Set("recorded", difference.recorded).Set("replayed", difference.replayed);
  output.json.Set("difference", std::move(json));
  output.verdict = Error{ErrorCode::kInternal, file,
                         fmt::format("{} decides otherwise in step {}", replayed->policy, difference.step), ""};
  return output;
}

}  // namespace

Command InstallReplay(const Syntax& syntax, Options& /*options*/) {
  auto file = std::make_shared<std::string>();
  syntax.AddOption("FILE", *file, "A decision log").Required();
  syntax.Footer(kAbout);
  return [file] { return Answer(*file); };
}

}  // namespace heliostat::cli
