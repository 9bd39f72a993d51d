#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "heliostat/model/profile/library.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/cli/profile_files.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::cli {
namespace {

constexpr const char* kAbout = R"(Column 'figures', the origin of a profile:
  measured   fitted to measurements of that model on that GPU, over its settings
  top-only   measured at the highest setting; lower settings follow the usual curve of the GPU
  predicted  transferred from another GPU; plans assume less speed and more power, by the error

Example: heliostat profile library --gpu H200 --json)";

Result<Output> List(const std::string& gpu) {
  const auto gpus = profile::LibraryGpus();
  if (!gpu.empty() && std::ranges::find(gpus, gpu) == gpus.end()) {
    return Fail(ErrorCode::kInvalidArgument, "--gpu", fmt::format("'{}' is not in the library", Printable(gpu, 40)),
                fmt::format("one of {}", fmt::join(gpus, ", ")));
  }
  Output output;
  report::HtmlTable table{
      .header = {"gpu", "model", "for", "figures", "source", "per s", "W", "speed error", "power error"},
      .rows = {},
      .text_columns = 5};
  io::Json profiles{io::Json::Array{}};
  for (const profile::LibraryEntry& entry : profile::LibraryEntries()) {
    if (!gpu.empty() && entry.gpu != gpu) continue;
    const char* const use = entry.is_training ? "training" : "inference";
    table.rows.push_back({std::string(entry.gpu), std::string(entry.model), use,
                          std::string(profile::NameOf(entry.origin)), std::string(entry.source),
                          report::NumberText(entry.speed_per_s, 4), report::NumberText(entry.power_w, 3),
                          PercentText(entry.speed_error), PercentText(entry.power_error)});
    io::Json row;
    row.Set("gpu", entry.gpu).Set("model", entry.model).Set("use", use);
    row.Set("origin", profile::NameOf(entry.origin)).Set("source", entry.source);
    row.Set("speed_per_s", entry.speed_per_s).Set("power_w", entry.power_w);
    row.Set("speed_error_percent", 100.0 * entry.speed_error).Set("power_error_percent", 100.0 * entry.power_error);
    profiles.Append(std::move(row));
  }
  output.text = TextOf(table);
  output.json.Set("profiles", std::move(profiles));
  return output;
}

}  // namespace

Command InstallProfileLibrary(const Syntax& syntax, Options& /*options*/) {
  auto gpu = std::make_shared<std::string>();
  syntax.AddOption("--gpu NAME", *gpu, "List only the profiles of this GPU");
  syntax.Footer(kAbout);
  return [gpu] { return List(*gpu); };
}

}  // namespace heliostat::cli
