#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>

#include "heliostat/base/core/clock.h"
#include "heliostat/control/cluster/checkup.h"
#include "heliostat/control/cluster/slurm_cluster.h"
#include "heliostat/ui/cli/cluster_ask.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/console/doctor.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {
namespace {

using console::DoctorFinding;
using console::Health;

Health HealthOf(cluster::Health health) {
  switch (health) {
    case cluster::Health::kOk:
      return Health::kOk;
    case cluster::Health::kNote:
      return Health::kNote;
    case cluster::Health::kProblem:
      return Health::kProblem;
  }
  return Health::kProblem;
}

// What this user sees of the cluster, by the commands of Slurm.
void CheckCluster(std::vector<DoctorFinding>& findings) {
  const SystemClock clock;
  cluster::ProcessRunner commands(ProcessVariables());
  cluster::SlurmCluster slurm(commands, clock, RandomStream(std::random_device{}()));
  const auto facts = slurm.Facts();
  if (!facts) {
    findings.push_back({"cluster", Health::kProblem, facts.error().Line(),
                        "squeue and scontrol have to work here: see PATH, SLURM_CONF and `scontrol ping`"});
    return;
  }
  const auto snapshot = slurm.Look();
  if (!snapshot) {
    findings.push_back({"cluster", Health::kProblem, snapshot.error().Line(),
                        "squeue and `scontrol show node` have to work for this user: see PrivateData in slurm.conf"});
    return;
  }
  for (cluster::Finding& finding : cluster::Checkup(*facts, *snapshot)) {
    findings.push_back({finding.subject, HealthOf(finding.health), std::move(finding.what), std::move(finding.fix)});
  }
}

void CheckController(const ControllerAddress& address, std::vector<DoctorFinding>& findings) {
  const auto status = AskController(address, io::Json().Set("ask", "status"));
  if (!status) {
    const Error& error = status.error();
    findings.push_back({"controller", Health::kNote, error.where + ": " + error.what,
                        "without it nothing is accounted: heliostatctld --config FILE"});
    return;
  }
  const io::Json* const problems = status->Find("problems");
  const auto lines = problems == nullptr ? Result<const io::Json::Array*>(nullptr) : problems->Elements();
  const std::string looked = TextIn(*status, "looked");
  findings.push_back(
      {"controller", Health::kOk,
       fmt::format("runs in mode {}; last look {}", TextIn(*status, "mode"), looked.empty() ? "none yet" : looked),
       ""});
  if (!lines || *lines == nullptr) return;
  for (const io::Json& line : **lines)
    findings.push_back({"controller", Health::kNote, Printable(line.Text().value_or(""), 10'000), ""});
}

}  // namespace

Command InstallClusterCheck(const Syntax& syntax, Options& /*options*/) {
  auto address = std::make_shared<ControllerAddress>();
  AddControllerAddress(syntax, *address);
  syntax.Footer(
      "Looks at Slurm with its own commands, so it also works before heliostatctld runs. Changes nothing.\n"
      "Exit status 1 when it finds a problem.\n\nExample: heliostat cluster check");
  return [address]() -> Result<Output> {
    std::vector<DoctorFinding> findings;
    CheckCluster(findings);
    CheckController(*address, findings);
    const auto problems = std::ranges::count(findings, Health::kProblem, &DoctorFinding::health);
    console::TextAndJson told = console::Tell(findings, report::IsUtf8Terminal());
    Output output{std::move(told.text), std::move(told.json)};
    if (problems > 0) {
      output.verdict = Error{ErrorCode::kInternal, "cluster check",
                             fmt::format("{} problem{} found", problems, problems == 1 ? "" : "s"),
                             "the lines marked above, with what to do"};
    }
    return output;
  };
}

}  // namespace heliostat::cli
