#include <fmt/format.h>

#include <memory>

#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/report/zones_page.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::string folder;
  int year = 2023;
  std::uint64_t seed = 1;
};

}  // namespace

Command InstallSignalZones(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("--report DIR", arguments->folder,
                   "Write index.html, a page with a day, a week and a year of every zone, into this folder");
  syntax.AddOption("--year YEAR", arguments->year, "Year to show").ShowDefault().Between(1901, 2299);
  syntax.AddOption("--seed N", arguments->seed, "Random seed of the weather").ShowDefault();
  syntax.Footer("Example: heliostat signal zones --report zones");
  return [arguments, &options]() -> Result<Output> {
    if (const auto bad = RefuseReport(arguments->folder, {}, options); !bad) return Propagate(bad);
    const report::ZonesOptions zones{arguments->year, arguments->seed};
    const auto text = report::ZonesText(zones, report::ThisTerminal());
    if (!text) return Propagate(text);
    Output output;
    output.text = *text;
    output.json.Set("year", arguments->year).Set("seed", static_cast<std::int64_t>(arguments->seed));
    io::Json names = io::Json::Array();
    for (const synthetic::ZoneFacts& zone : synthetic::Zones()) names.Append(std::string(zone.name));
    output.json.Set("zones", std::move(names));
    if (arguments->folder.empty()) return output;
    const auto page = report::ZonesPage(zones, options.made_by);
    if (!page) return Propagate(page);
    const auto path = WriteReport(arguments->folder, *page);
    if (!path) return Propagate(path);
    output.text += fmt::format("\nreport: {}\n", *path);
    output.json.Set("report", *path);
    return output;
  };
}

}  // namespace heliostat::cli
