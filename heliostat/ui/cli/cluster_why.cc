#include <fmt/format.h>

#include <memory>

#include "heliostat/ui/cli/cluster_ask.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/report/axis.h"
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

std::string MoneyOf(const io::Json& job, std::string_view key) {
  const std::string currency = TextIn(job, "currency");
  return currency.empty() ? "" : fmt::format(", {} {}", report::NumberText(NumberIn(job, key)), currency);
}

std::string GpusText(const io::Json& job) {
  const double gpus = NumberIn(job, "gpus");
  return fmt::format("{:g} GPU{}", gpus, gpus == 1.0 ? "" : "s");
}

// When it starts, or when it ran.
std::string TimesText(const io::Json& job) {
  const std::string start = TextIn(job, "start");
  const std::string end = TextIn(job, "end");
  if (!end.empty()) return fmt::format("ran              {} to {}\n", start, end);
  const std::string state = TextIn(job, "state");
  const bool waits = state == "waiting" || state == "held";
  std::string text;
  if (!start.empty()) text += fmt::format("{:<17}{}\n", waits ? "expected start" : "started", start);
  if (const std::string latest = TextIn(job, "latest_start"); !latest.empty())
    text += fmt::format("latest start     {}\n", latest);
  if (const std::string best = TextIn(job, "planned_start"); !best.empty()) {
    text += fmt::format("best start       {}\n", best);
    if (const double saves = NumberIn(job, "saves_carbon_kg"); saves > 0.0)
      text += fmt::format("that saves       {} kg CO2e{} (estimated)\n", report::NumberText(saves, 2),
                          MoneyOf(job, "saves_cost"));
  }
  const io::Json* const length = job.Find("length");
  if (length == nullptr) return text;
  return text + fmt::format("expected length  {}, at most {} ({})\n",
                            report::LengthText(Duration{static_cast<std::int64_t>(NumberIn(*length, "median_s"))}),
                            report::LengthText(Duration{static_cast<std::int64_t>(NumberIn(*length, "highest_s"))}),
                            TextIn(*length, "from"));
}

std::string TextOf(const io::Json& job) {
  const std::string ended_as = TextIn(job, "ended_as");
  std::string text =
      fmt::format("job {} '{}' of {}: {}, {}\n", TextIn(job, "id"), TextIn(job, "job", kNameLimit), TextIn(job, "user"),
                  ended_as.empty() ? TextIn(job, "state") : "ended (" + ended_as + ")", GpusText(job));
  text += Sentence(TextIn(job, "reason"));
  text += Sentence(TextIn(job, "advice"));
  text += fmt::format("\nits user allows  {}\n", TextIn(job, "allowed"));
  text += TimesText(job);
  text += fmt::format("used             {} kWh, {} kg CO2e{}\n", report::NumberText(NumberIn(job, "energy_kwh")),
                      report::NumberText(NumberIn(job, "carbon_kg")), MoneyOf(job, "cost"));
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
