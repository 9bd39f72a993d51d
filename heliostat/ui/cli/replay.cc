#include "heliostat/control/loop/replay.h"

#include <fmt/format.h>

#include <memory>

#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {
namespace {

constexpr const char* kAbout =
    R"(Gives every observation of a decision log to the policy of the log again, and compares the new decisions with
those of the log. They must be identical. Exit status 0: all decisions are the same; 1: at least one differs, and the
first difference is printed. A log that replays on another machine makes a good bug report.

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
    output.text =
        fmt::format("{}: the decisions of {} are the same in all {} steps\n", file, replayed->policy, replayed->steps);
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
                         fmt::format("{} decides differently in step {}", replayed->policy, difference.step), ""};
  return output;
}

}  // namespace

Command InstallReplay(const Syntax& syntax, Options& /*options*/) {
  auto file = std::make_shared<std::string>();
  syntax.AddOption("FILE", *file, "Decision log, from heliostat simulate --decision-log").Required();
  syntax.Footer(kAbout);
  return [file] { return Answer(*file); };
}

}  // namespace heliostat::cli
