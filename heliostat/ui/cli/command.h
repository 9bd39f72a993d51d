#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"
#include "heliostat/node/process/ending.h"
#include "heliostat/ui/cli/syntax.h"

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
    process::Ending how;
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
using Install = Command (*)(const Syntax& syntax, Options& options);

Command InstallDemo(const Syntax& syntax, Options& options);
Command InstallSignalInspect(const Syntax& syntax, Options& options);
Command InstallSignalConvert(const Syntax& syntax, Options& options);
Command InstallSignalFetch(const Syntax& syntax, Options& options);
Command InstallSignalGenerate(const Syntax& syntax, Options& options);
Command InstallSignalZones(const Syntax& syntax, Options& options);
Command InstallForecastBacktest(const Syntax& syntax, Options& options);
Command InstallForecastShow(const Syntax& syntax, Options& options);
Command InstallForecastModels(const Syntax& syntax, Options& options);
Command InstallScenarioMake(const Syntax& syntax, Options& options);
Command InstallPlan(const Syntax& syntax, Options& options);
Command InstallSimulate(const Syntax& syntax, Options& options);
Command InstallReplay(const Syntax& syntax, Options& options);
Command InstallReproduce(const Syntax& syntax, Options& options);
Command InstallDeviceList(const Syntax& syntax, Options& options);
Command InstallDeviceShow(const Syntax& syntax, Options& options);
Command InstallDeviceWatch(const Syntax& syntax, Options& options);
Command InstallDeviceSet(const Syntax& syntax, Options& options);
Command InstallDeviceReset(const Syntax& syntax, Options& options);
Command InstallDeviceLeases(const Syntax& syntax, Options& options);
Command InstallDoctor(const Syntax& syntax, Options& options);
Command InstallRun(const Syntax& syntax, Options& options);
Command InstallProfileLibrary(const Syntax& syntax, Options& options);
Command InstallProfileImport(const Syntax& syntax, Options& options);
Command InstallProfileTransfer(const Syntax& syntax, Options& options);
Command InstallRuns(const Syntax& syntax, Options& options);
Command InstallRunsList(const Syntax& syntax, Options& options);
Command InstallRunsShow(const Syntax& syntax, Options& options);
Command InstallRunsCompare(const Syntax& syntax, Options& options);
Command InstallRunsExport(const Syntax& syntax, Options& options);
Command InstallRunsPlot(const Syntax& syntax, Options& options);
Command InstallReport(const Syntax& syntax, Options& options);

}  // namespace heliostat::cli
