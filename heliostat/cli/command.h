#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/core/error.h"
#include "heliostat/io/json.h"
#include "heliostat/launch/ending.h"

namespace CLI {
class App;
}

namespace heliostat::cli {

// What every command shares: how loud it is and where its result goes.
struct Options {
  bool quiet = false;
  bool verbose = false;
  bool wants_json = false;
  std::string json_file;             // empty: stdout
  std::vector<std::string> program;  // what stands after "--"
};

// A command's result: text for people, the same as JSON for programs.
struct Output {
  std::string text;
  io::Json json;
  // For people, on stderr: beside a program's own output, which has stdout.
  std::string note{};
  // An answer that is bad news ("nothing is feasible"): delivered like any other, then told as an error is.
  std::optional<Error> verdict{};
  // Of a program that was run: its ending is ours.
  struct Ending {
    launch::Ending how;
    bool had_terminal = false;
  };
  std::optional<Ending> ending{};
};

// "inspect --json tariff.json" means the input, not a place for the result:
// a command that got no FILE takes back what --json took.
std::string InputOrTakenByJson(const std::string& file, Options& options);
// Refuses a result that would overwrite an input.
Status RefuseOverwrite(const std::string& input, const Options& options);

// Registers its options on the sub-command and returns what runs it. `options`
// outlives the call.
using Command = std::function<Result<Output>()>;
using Install = Command (*)(CLI::App& app, Options& options);

Command InstallDemo(CLI::App& app, Options& options);
Command InstallSignalInspect(CLI::App& app, Options& options);
Command InstallSignalConvert(CLI::App& app, Options& options);
Command InstallSignalFetch(CLI::App& app, Options& options);
Command InstallSignalGenerate(CLI::App& app, Options& options);
Command InstallSignalZones(CLI::App& app, Options& options);
Command InstallForecastBacktest(CLI::App& app, Options& options);
Command InstallForecastShow(CLI::App& app, Options& options);
Command InstallForecastModels(CLI::App& app, Options& options);
Command InstallScenarioMake(CLI::App& app, Options& options);
Command InstallPlan(CLI::App& app, Options& options);
Command InstallSimulate(CLI::App& app, Options& options);
Command InstallReproduce(CLI::App& app, Options& options);
Command InstallDeviceList(CLI::App& app, Options& options);
Command InstallDeviceShow(CLI::App& app, Options& options);
Command InstallDeviceWatch(CLI::App& app, Options& options);
Command InstallDeviceSet(CLI::App& app, Options& options);
Command InstallDeviceReset(CLI::App& app, Options& options);
Command InstallDeviceLeases(CLI::App& app, Options& options);
Command InstallDoctor(CLI::App& app, Options& options);
Command InstallRun(CLI::App& app, Options& options);
Command InstallProfileLibrary(CLI::App& app, Options& options);
Command InstallProfileImport(CLI::App& app, Options& options);
Command InstallProfileTransfer(CLI::App& app, Options& options);
Command InstallRuns(CLI::App& app, Options& options);
Command InstallRunsList(CLI::App& app, Options& options);
Command InstallRunsShow(CLI::App& app, Options& options);
Command InstallRunsCompare(CLI::App& app, Options& options);
Command InstallRunsExport(CLI::App& app, Options& options);
Command InstallRunsPlot(CLI::App& app, Options& options);
Command InstallReport(CLI::App& app, Options& options);

}  // namespace heliostat::cli
