#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "heliostat/cli/command.h"
#include "heliostat/io/file.h"
#include "heliostat/report/zones_page.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::string folder = "out/demo";
  int year = 2023;
  std::uint64_t seed = 1;
};

}  // namespace

Command InstallDemo(CLI::App& app, Options& /*options*/) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("--report", arguments->folder, "Folder for the HTML report")->capture_default_str();
  app.add_option("--year", arguments->year, "Year to show")->capture_default_str()->check(CLI::Range(1901, 2299));
  app.add_option("--seed", arguments->seed, "Another seed gives other weather")->capture_default_str();
  return [arguments]() -> Result<Output> {
    const report::ZonesOptions zones{arguments->year, arguments->seed};
    const auto text = report::ZonesText(zones, {80, report::IsUtf8Terminal()});
    if (!text) return Propagate(text);
    const auto page = report::ZonesPage(zones);
    if (!page) return Propagate(page);
    if (const auto made = io::MakeDirectories(arguments->folder); !made) return Propagate(made);
    const std::string path = std::filesystem::absolute(arguments->folder) / "index.html";
    if (const auto written = io::WriteFileAtomically(path, *page); !written) return Propagate(written);
    Output output;
    output.text = *text + fmt::format("\nreport: {}\n", path);
    output.json.Set("report", path)
        .Set("year", arguments->year)
        .Set("seed", static_cast<std::int64_t>(arguments->seed));
    return output;
  };
}

}  // namespace heliostat::cli
