#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"
#include "heliostat/node/process/ending.h"
#include "heliostat/ui/cli/syntax.h"
#include "heliostat/ui/report/html.h"

namespace heliostat::cli {

// The options that all commands share: how much they print and where the result goes.
struct Options {
  bool quiet = false;
  bool verbose = false;
  std::string log_format;  // empty: as configured
  bool wants_json = false;
  std::string json_file;             // empty: stdout; only used with wants_json
  std::string fake_gpus;             // of --fake-gpu; empty: the GPUs of this machine
  std::vector<std::string> program;  // what follows "--": the program of `heliostat run` and its arguments
  report::MadeBy made_by;            // this version and command line, for the footer of pages
};

// The result of a command: `text` is printed for users, or `json` with --json. Both hold the same facts.
struct Output {
  std::string text;
  io::Json json;
  // Printed to stderr unless --quiet is given: for `heliostat run`, whose program owns stdout.
  std::string note{};
  // Lines that name the files the command has written, such as "report: PATH\n". They follow `text`, and are printed
  // when the document goes to a file, too, together with the name of that file. Nothing: none of this is printed.
  std::optional<std::string> files{};
  // A result that is a failure, such as "no plan is feasible". The result is printed as usual, then this error; it also
  // sets the exit status.
  std::optional<Error> verdict{};
  // How the program of `heliostat run` ended. This process ends in the same way.
  struct Ending {
    process::Ending how;
    bool had_terminal = false;
  };
  std::optional<Ending> ending{};
};

// Returns `file`, or the file of --json if `file` is empty: in "inspect --json tariff.json" the file is the input, and
// the result goes to stdout. Clears options.json_file in that case.
std::string InputOrTakenByJson(const std::string& file, Options& options);
// Fails with kInvalidArgument if the file of --json is the input.
Status RefuseOverwrite(const std::string& input, const Options& options);

// Runs a command once, after the arguments are parsed.
using Command = std::function<Result<Output>()>;
// Declares the options of a command on `syntax` and returns the function that runs it. `options` must outlive that
// function.
using Install = Command (*)(const Syntax& syntax, Options& options);

Command InstallClusterCheck(const Syntax& syntax, Options& options);
Command InstallClusterJobs(const Syntax& syntax, Options& options);
Command InstallClusterMode(const Syntax& syntax, Options& options);
Command InstallClusterNodes(const Syntax& syntax, Options& options);
Command InstallClusterPlan(const Syntax& syntax, Options& options);
Command InstallClusterRelease(const Syntax& syntax, Options& options);
Command InstallClusterReport(const Syntax& syntax, Options& options);
Command InstallClusterStatus(const Syntax& syntax, Options& options);
Command InstallClusterWhy(const Syntax& syntax, Options& options);
Command InstallConfig(const Syntax& syntax, Options& options);
Command InstallConfigPath(const Syntax& syntax, Options& options);
Command InstallConfigSet(const Syntax& syntax, Options& options);
Command InstallConfigUnset(const Syntax& syntax, Options& options);
Command InstallDemo(const Syntax& syntax, Options& options);
Command InstallSignalInspect(const Syntax& syntax, Options& options);
Command InstallSignalConvert(const Syntax& syntax, Options& options);
Command InstallSignalFetch(const Syntax& syntax, Options& options);
Command InstallSignalGenerate(const Syntax& syntax, Options& options);
Command InstallSignalZones(const Syntax& syntax, Options& options);
Command InstallForecastBacktest(const Syntax& syntax, Options& options);
Command InstallForecastLengths(const Syntax& syntax, Options& options);
Command InstallForecastShow(const Syntax& syntax, Options& options);
Command InstallForecastModels(const Syntax& syntax, Options& options);
Command InstallWhen(const Syntax& syntax, Options& options);
Command InstallScenarioMake(const Syntax& syntax, Options& options);
Command InstallPlan(const Syntax& syntax, Options& options);
Command InstallSubmit(const Syntax& syntax, Options& options);
Command InstallSimulate(const Syntax& syntax, Options& options);
Command InstallReplay(const Syntax& syntax, Options& options);
Command InstallReproduce(const Syntax& syntax, Options& options);
Command InstallDeviceList(const Syntax& syntax, Options& options);
Command InstallDeviceShow(const Syntax& syntax, Options& options);
Command InstallDeviceWatch(const Syntax& syntax, Options& options);
Command InstallDeviceSet(const Syntax& syntax, Options& options);
Command InstallDeviceRestore(const Syntax& syntax, Options& options);
Command InstallDeviceReset(const Syntax& syntax, Options& options);
Command InstallDeviceLeases(const Syntax& syntax, Options& options);
Command InstallDoctor(const Syntax& syntax, Options& options);
Command InstallRun(const Syntax& syntax, Options& options);
Command InstallProfileLibrary(const Syntax& syntax, Options& options);
Command InstallProfileImport(const Syntax& syntax, Options& options);
Command InstallProfileMeasure(const Syntax& syntax, Options& options);
Command InstallProfileTransfer(const Syntax& syntax, Options& options);
Command InstallRuns(const Syntax& syntax, Options& options);
Command InstallRunsList(const Syntax& syntax, Options& options);
Command InstallRunsShow(const Syntax& syntax, Options& options);
Command InstallRunsCompare(const Syntax& syntax, Options& options);
Command InstallRunsExport(const Syntax& syntax, Options& options);
Command InstallRunsPlot(const Syntax& syntax, Options& options);
Command InstallReport(const Syntax& syntax, Options& options);

}  // namespace heliostat::cli
