#include <fmt/format.h>

#include <memory>

#include "heliostat/ui/cli/cluster_ask.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/report/plan_tables.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {
namespace {

// "it waits for …" as a sentence.
std::string Sentence(std::string clause) {
  if (clause.empty()) return "";
  if (clause[0] >= 'a' && clause[0] <= 'z') clause[0] = static_cast<char>(clause[0] - 'a' + 'A');
  return clause + ".\n";
}

std::string TextOf(const io::Json& job) {
  std::string text = fmt::format("job {} '{}' of {}: {}, {:g} GPUs\n", TextIn(job, "id"), TextIn(job, "job"),
                                 TextIn(job, "user"), TextIn(job, "state"), NumberIn(job, "gpus"));
  text += Sentence(TextIn(job, "reason"));
  text += Sentence(TextIn(job, "advice"));
  if (const std::string flaw = TextIn(job, "comment_flaw"); !flaw.empty()) text += "comment: " + flaw + "\n";
  text += fmt::format("\nits user allows: {}\n", TextIn(job, "allowed"));
  if (const io::Json* const length = job.Find("length")) {
    text += fmt::format("expected length: {}, at most {} ({})\n",
                        report::LengthText(Duration{static_cast<std::int64_t>(NumberIn(*length, "median_s"))}),
                        report::LengthText(Duration{static_cast<std::int64_t>(NumberIn(*length, "highest_s"))}),
                        TextIn(*length, "from"));
  }
  text += fmt::format("used: {:.3g} kWh, {:.3g} kg CO2e\n", NumberIn(job, "energy_kwh"), NumberIn(job, "carbon_kg"));
  return report::Wrapped(text, report::TerminalWidth());
}

}  // namespace

Command InstallClusterWhy(const Syntax& syntax, Options& /*options*/) {
  auto address = std::make_shared<ControllerAddress>();
  auto number = std::make_shared<std::string>();
  syntax.AddOption("JOB", *number, "Its number, as squeue shows it: 17, or 17_3 for an element of an array").Required();
  AddControllerAddress(syntax, *address);
  syntax.Footer(
      "Says why a job waits or runs, until when it may wait at the latest, what that saves, and what would change "
      "it.\n\n"
      "Example: heliostat cluster why 1234");
  return [address, number]() -> Result<Output> {
    auto job = AskController(*address, io::Json().Set("ask", "why").Set("job", *number));
    if (!job) return Propagate(job);
    return Output{TextOf(*job), *std::move(job)};
  };
}

}  // namespace heliostat::cli
