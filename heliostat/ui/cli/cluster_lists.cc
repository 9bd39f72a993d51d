// The lists of `heliostat cluster`: jobs, nodes, plan.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "heliostat/ui/cli/cluster_ask.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/html.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {
namespace {

using io::Json;

std::string TableOf(const Json& rows, report::HtmlTable table,
                    const std::function<std::vector<std::string>(const Json&)>& row) {
  const auto elements = rows.Elements();
  if (!elements || (*elements)->empty()) return "no nodes to show\n";
  for (const Json& element : **elements) table.rows.push_back(row(element));
  // A column in which no row says anything only takes room.
  for (std::size_t c = table.header.size(); c-- > 1;) {
    if (!std::ranges::all_of(table.rows, [c](const auto& cells) { return cells[c].empty(); })) continue;
    table.header.erase(table.header.begin() + static_cast<std::ptrdiff_t>(c));
    for (auto& cells : table.rows) cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(c));
    if (c < table.text_columns) --table.text_columns;
  }
  return report::TextOf(table);
}

// "2026-11-18T08:00:00Z" as "11-18 08:00"; UTC.
std::string ShortTime(const std::string& time) {
  return time.size() < 16 ? time : time.substr(5, 5) + " " + time.substr(11, 5);
}

// Empty for a job that has used nothing.
std::string NumberOf(const Json& job, std::string_view key) {
  const double number = NumberIn(job, key);
  return number > 0.0 ? report::NumberText(number) : "";
}
std::string EnergyOf(const Json& job) { return NumberOf(job, "energy_kwh"); }
std::string CarbonOf(const Json& job) { return NumberOf(job, "carbon_kg"); }

// Below a table of jobs.
constexpr const char* kHint = "Times are UTC. `heliostat cluster why JOB` explains a job.\n";

std::string JobsText(const Json& jobs) {
  if (const auto rows = jobs.Elements(); !rows || (*rows)->empty()) return "no jobs to show\n";
  return TableOf(jobs,
                 {.header = {"id", "user", "job", "state", "Heliostat", "best start", "latest", "kWh", "kg CO2e"},
                  .rows = {},
                  .text_columns = 7},
                 [](const Json& job) {
                   return std::vector<std::string>{TextIn(job, "id"),
                                                   TextIn(job, "user"),
                                                   TextIn(job, "job", kNameLimit),
                                                   TextIn(job, "state"),
                                                   TextIn(job, "standing"),
                                                   ShortTime(TextIn(job, "planned_start")),
                                                   ShortTime(TextIn(job, "latest_start")),
                                                   EnergyOf(job),
                                                   CarbonOf(job)};
                 }) +
         kHint;
}

std::string EndedText(const Json& jobs) {
  if (const auto rows = jobs.Elements(); !rows || (*rows)->empty()) return "no job has ended yet\n";
  return TableOf(jobs,
                 {.header = {"id", "user", "job", "ended as", "end", "Heliostat", "kWh", "kg CO2e"},
                  .rows = {},
                  .text_columns = 6},
                 [](const Json& job) {
                   return std::vector<std::string>{TextIn(job, "id"),
                                                   TextIn(job, "user"),
                                                   TextIn(job, "job", kNameLimit),
                                                   TextIn(job, "ended_as"),
                                                   ShortTime(TextIn(job, "end")),
                                                   TextIn(job, "standing"),
                                                   EnergyOf(job),
                                                   CarbonOf(job)};
                 }) +
         kHint;
}

std::string NodesText(const Json& nodes) {
  return TableOf(
      nodes,
      {.header = {"node", "group", "state", "GPUs", "in use", "W (estimated)", "kWh"}, .rows = {}, .text_columns = 3},
      [](const Json& node) {
        return std::vector<std::string>{TextIn(node, "name"),
                                        TextIn(node, "group"),
                                        TextIn(node, "state"),
                                        fmt::format("{:g}", NumberIn(node, "gpus")),
                                        fmt::format("{:g}", NumberIn(node, "gpus_in_use")),
                                        fmt::format("{:.0f}", NumberIn(node, "power_w")),
                                        report::NumberText(NumberIn(node, "energy_kwh"))};
      });
}

// A sparkline of the expected carbon, and the jobs that wait or would wait.
std::string TextOfPlan(const Json& plan) {
  std::string text;
  std::vector<double> carbon;
  const Json* const slots = plan.Find("slots");
  if (slots != nullptr && slots->Elements()) {
    for (const Json& slot : **slots->Elements()) carbon.push_back(NumberIn(slot, "carbon_g_per_kwh"));
  }
  if (carbon.empty() || *std::max_element(carbon.begin(), carbon.end()) <= 0.0) {
    text += "carbon intensity: not known\n";
  } else {
    if (const auto line = report::LabelledSparkline("next 48 h", carbon, "gCO2e/kWh", report::ThisTerminal()))
      text += *line + "\n";
  }
  const Json* const jobs = plan.Find("jobs");
  const auto rows = jobs == nullptr ? Result<const Json::Array*>(nullptr) : jobs->Elements();
  if (!rows || *rows == nullptr || (*rows)->empty()) return text + "no job may wait\n";
  return text + JobsText(*jobs);
}

Command ListCommand(const Syntax& syntax, const char* what, std::string (*text)(const Json&),
                    const std::string& footer) {
  auto address = std::make_shared<ControllerAddress>();
  AddControllerAddress(syntax, *address);
  syntax.Footer(footer);
  return [address, what, text]() -> Result<Output> {
    auto answer = AskController(*address, Json().Set("ask", what));
    if (!answer) return Propagate(answer);
    return Output{text(*answer), *std::move(answer)};
  };
}

}  // namespace

Command InstallClusterJobs(const Syntax& syntax, Options& /*options*/) {
  auto address = std::make_shared<ControllerAddress>();
  auto ended = std::make_shared<bool>(false);
  AddControllerAddress(syntax, *address);
  syntax.AddFlag("--ended", *ended, "List the newest jobs that have ended, with what they used");
  syntax.Footer(
      "The column Heliostat tells what the controller makes of a job; `heliostat cluster why JOB` tells the reason. "
      "Times\n"
      "are UTC. With PrivateData=jobs in slurm.conf only operators see the jobs of others.\n\n"
      "Example: heliostat cluster jobs --ended");
  return [address, ended]() -> Result<Output> {
    auto jobs = AskController(*address, Json().Set("ask", *ended ? "ended" : "jobs"));
    if (!jobs) return Propagate(jobs);
    return Output{*ended ? EndedText(*jobs) : JobsText(*jobs), *std::move(jobs)};
  };
}

Command InstallClusterNodes(const Syntax& syntax, Options& /*options*/) {
  return ListCommand(syntax, "nodes", NodesText, "Example: heliostat cluster nodes");
}

Command InstallClusterPlan(const Syntax& syntax, Options& /*options*/) {
  return ListCommand(
      syntax, "plan", TextOfPlan,
      "Lists jobs that have slack, with the start that would emit the least.\n\nExample: heliostat cluster plan");
}

}  // namespace heliostat::cli
