#include <fmt/format.h>

#include <memory>

#include "heliostat/ui/cli/cluster_ask.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {

Command InstallClusterMode(const Syntax& syntax, Options& /*options*/) {
  auto address = std::make_shared<ControllerAddress>();
  auto mode = std::make_shared<std::string>();
  syntax.AddOption("MODE", *mode, "Either observe (only accounts) or shadow (also decides, and changes nothing)")
      .Required();
  AddControllerAddress(syntax, *address);
  syntax.Footer(
      "For operators: root, the user of heliostatctld, and those whom its config names. The mode holds over restarts,\n"
      "until the config names another one. A shadow that ends forgets what it would have saved.\n\n"
      "Example: heliostat cluster mode observe");
  return [address, mode]() -> Result<Output> {
    auto answer = AskController(*address, io::Json().Set("ask", "mode").Set("mode", *mode));
    if (!answer) return Propagate(answer);
    return Output{fmt::format("mode {} from the next look on\n", TextIn(*answer, "mode")), *std::move(answer)};
  };
}

Command InstallClusterRelease(const Syntax& syntax, Options& /*options*/) {
  auto address = std::make_shared<ControllerAddress>();
  AddControllerAddress(syntax, *address);
  syntax.Footer(
      "Lets go of every job that heliostatctld holds. The modes observe and shadow hold none.\n\n"
      "Example: heliostat cluster release");
  return [address]() -> Result<Output> {
    auto answer = AskController(*address, io::Json().Set("ask", "release"));
    if (!answer) return Propagate(answer);
    const double released = NumberIn(*answer, "released");
    return Output{released > 0.0 ? fmt::format("released {:g} jobs\n", released) : "no job was held\n",
                  *std::move(answer)};
  };
}

}  // namespace heliostat::cli
