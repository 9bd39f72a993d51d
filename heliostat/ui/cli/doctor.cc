#include "heliostat/ui/console/doctor.h"

#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {

Command InstallDoctor(const Syntax& syntax, Options& /*options*/) {
  syntax.Footer("Changes nothing.\n\nExample: heliostat doctor");
  return []() -> Result<Output> {
    console::TextAndJson told = console::Tell(console::Examine(ProcessEnvironment()), report::IsUtf8Terminal());
    return Output{std::move(told.text), std::move(told.json)};
  };
}

}  // namespace heliostat::cli
