#include <memory>

#include "heliostat/agent/client.h"
#include "heliostat/cli/command.h"
#include "heliostat/console/gpus.h"

namespace heliostat::cli {
namespace {

// The leases on one GPU as the agent tells them; null when there is none to ask.
io::Json LeasesOn(const device::Gpu& gpu) {
  auto client = agent::Client::Connect(agent::SocketPath(ProcessEnvironment()));
  if (!client) return {};
  io::Json question;
  const auto answer = client->Ask(question.Set("do", "leases").Set("all", true));
  const io::Json* const leases = answer ? answer->Find("leases") : nullptr;
  if (leases == nullptr || !leases->is_array()) return {};
  io::Json here{io::Json::Array{}};
  for (const io::Json& lease : **leases->Elements()) {
    const io::Json* const uuid = lease.Find("gpu");
    if (uuid != nullptr && uuid->Text().value_or("") == gpu.identity().uuid) here.Append(lease);
  }
  return here;
}

Result<Output> Show(const std::string& name) {
  const auto gpus = console::OpenGpus(ProcessEnvironment());
  if (!gpus) return Propagate(gpus);
  const auto chosen = gpus->Select({name});
  if (!chosen) return Propagate(chosen);
  Output output;
  io::Json rows{io::Json::Array{}};
  for (device::Gpu* gpu : *chosen) {
    auto told = console::Show(*gpu, LeasesOn(*gpu));
    if (!told) return Propagate(told);
    output.text += told->text;
    rows.Append(std::move(told->json));
  }
  // One GPU is one object; several, which only "all" names, are a list.
  if (name == "all") {
    output.json = std::move(rows);
  } else {
    output.json = (*rows.Elements())->front();
  }
  return output;
}

}  // namespace

Command InstallDeviceShow(const Syntax& syntax, Options& /*options*/) {
  auto name = std::make_shared<std::string>("0");
  syntax.AddOption("gpu", *name, "Its index, its UUID or the beginning of it, or all").ShowDefault();
  syntax.Footer("Example: heliostat device show 0");
  return [name] { return Show(*name); };
}

}  // namespace heliostat::cli
