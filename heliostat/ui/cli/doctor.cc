#include "heliostat/ui/console/doctor.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/clock.h"

#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {

Command InstallDoctor(const Syntax& syntax, Options& /*options*/) {
  syntax.Footer("Changes nothing. Exit status 1 when it finds a problem.\n\nExample: heliostat doctor");
  return []() -> Result<Output> {
    auto findings = console::Examine(ProcessEnvironment());
    const auto more = console::ExamineSetup(ProcessEnvironment(), SystemClock().Now());
    findings.insert(findings.end(), more.begin(), more.end());
    for (console::DoctorFinding& finding : findings) finding.fix = WithFlags(std::move(finding.fix));
    const auto problems = std::ranges::count(findings, console::Health::kProblem, &console::DoctorFinding::health);
    console::TextAndJson told = console::Tell(findings, report::IsUtf8Terminal());
    Output output{std::move(told.text), std::move(told.json)};
    if (problems > 0) {
      output.verdict =
          Error{ErrorCode::kInternal, "doctor", fmt::format("{} problem{} found", problems, problems == 1 ? "" : "s"),
                "the lines marked above, with what to do"};
    }
    return output;
  };
}

}  // namespace heliostat::cli
