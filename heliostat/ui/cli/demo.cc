#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/compare_policies.h"
#include "heliostat/ui/cli/demo_scenario.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/cli/simulate_report.h"
#include "heliostat/ui/simulation_page/simulation_page.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::string folder = "out/demo";
  std::string zone = "duck-curve";
  std::uint64_t seed = 1;
};

constexpr const char* kForecastModel = "auto";

Result<sim::Comparison> CompareIn(const DemoWorld& world, std::uint64_t seed, const Options& options) {
  const auto foresight = sim::ForecastForesight(world.scenario, world.past, kForecastModel);
  if (!foresight) return Propagate(foresight);
  sim::CompareOptions wanted;
  wanted.policies = StandardPolicies();
  wanted.world.seed = seed;
  wanted.with_split = true;
  wanted.threads = 0;
  return CompareAloud(world.scenario, **foresight, wanted, options);
}

Result<Output> Show(const Arguments& arguments, const Options& options) {
  if (const auto bad = RefuseReport(arguments.folder, {}, options); !bad) return Propagate(bad);
  const auto world = AtFlags(MakeDemoWorld(arguments.zone, arguments.seed), {{"synthetic zone", "--zone"}});
  if (!world) return Propagate(world);
  const auto comparison = CompareIn(*world, arguments.seed, options);
  if (!comparison) return Propagate(comparison);
  const auto page = Render(simulation_page::SimulationPage{
      world->scenario,
      *comparison,
      fmt::format(
          "The data is generated, not measured: a built-in zone and generated jobs, seed {}. Policies saw forecasts "
          "(model {}) made from the eight weeks before.",
          arguments.seed, kForecastModel),
      {},
      options.made_by});
  if (!page) return Propagate(page);
  const auto path = WriteReport(arguments.folder, *page);
  if (!path) return Propagate(path);
  Output output;
  output.text = TextOf(world->scenario, *comparison, isatty(STDOUT_FILENO) != 0) + "\n";
  output.files = fmt::format("report: {}\n", *path);
  output.json = JsonOf(world->scenario, *comparison, options.wants_json);
  output.json.Set("report", *path).Set("zone", arguments.zone).Set("seed", static_cast<std::int64_t>(arguments.seed));
  return output;
}

}  // namespace

Command InstallDemo(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("--report DIR", arguments->folder, "Folder for the HTML report").ShowDefault();
  syntax.AddOption("--zone ZONE", arguments->zone, "Built-in zone; 'heliostat signal zones' lists them").ShowDefault();
  syntax.AddOption("--seed N", arguments->seed, "Random seed of weather and jobs").ShowDefault();
  syntax.Footer("Example: heliostat demo --zone wind-heavy --report out/demo");
  return [arguments, &options] { return Show(*arguments, options); };
}

}  // namespace heliostat::cli
