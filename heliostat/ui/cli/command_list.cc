#include "heliostat/ui/cli/command_list.h"

#include <array>

namespace heliostat::cli {

std::span<const ListedCommand> CommandList() {
  static constexpr std::array kCommands = std::to_array<ListedCommand>({
      {"demo", "Simulate a week of a cluster under five policies, on built-in data, and write a report", InstallDemo},
      {"signal", "Inspect, convert, fetch and generate signals: carbon intensity, price, renewable power", nullptr,
       "heliostat signal inspect carbon.csv"},
      {"signal inspect", "Describe a signal file: format, zone, unit, step, range, gaps, mean", InstallSignalInspect},
      {"signal convert", "Convert signal files of any known format to one canonical CSV file", InstallSignalConvert},
      {"signal fetch", "Fetch a signal from a live provider, store it and report how fresh it is", InstallSignalFetch},
      {"signal generate", "Generate carbon intensity, solar power, wind power and price of a built-in zone",
       InstallSignalGenerate},
      {"signal zones", "Compare the built-in zones: one week of each, or a page with a whole year", InstallSignalZones},
      {"forecast", "Forecast a signal, and measure how well models forecast it", nullptr,
       "heliostat forecast show carbon.csv"},
      {"forecast backtest", "Test models on past data: forecast each day from earlier values only",
       InstallForecastBacktest},
      {"forecast show", "Forecast a signal, with bands and possible futures", InstallForecastShow},
      {"forecast models", "List the forecast models", InstallForecastModels},
      {"when", "Say when to start a job so that it emits or costs the least", InstallWhen},
      {"scenario", "Make scenarios: a cluster, its signals and its work", nullptr, "heliostat scenario make -o week"},
      {"scenario make", "Write a scenario with built-in or real signals and with generated or recorded jobs",
       InstallScenarioMake},
      {"plan", "Plan when, where and how fast jobs run, with a bound that no plan can beat", InstallPlan},
      {"simulate", "Compare policies on one scenario, and each with a bound that none can beat", InstallSimulate},
      {"replay", "Repeat the decisions of a decision log and compare them with the log", InstallReplay},
      {"run", "Run a training program and set its GPUs by the carbon intensity or price of the grid", InstallRun, "",
       true},
      {"reproduce", "Reproduce published results over many grids and seasons", InstallReproduce},
      {"profile", "List, measure, import and predict profiles: speed and power of models on GPUs", nullptr,
       "heliostat profile library"},
      {"profile library", "List the built-in profiles, their sources and their errors", InstallProfileLibrary},
      {"profile import", "Fit curves to measurements and write profile tables", InstallProfileImport},
      {"profile measure", "Measure speed and power of a program over the settings of a GPU", InstallProfileMeasure, "",
       true},
      {"profile transfer", "Predict models on GPUs on which they never ran, with the expected error",
       InstallProfileTransfer},
      {"config", "Show and change the values that commands share: zone, provider, knob", InstallConfig},
      {"config path", "Print the path of the user's configuration file", InstallConfigPath},
      {"config set", "Set a value in the user's configuration file", InstallConfigSet},
      {"config unset", "Remove a value from the user's configuration file", InstallConfigUnset},
      {"device", "Read GPUs, and set power limits and clocks for a limited time (leases)", nullptr,
       "heliostat device list", true},
      {"device list", "List the GPUs of this machine and their state", InstallDeviceList},
      {"device show", "Show everything about one GPU", InstallDeviceShow},
      {"device watch", "Show power, clocks, load and energy of GPUs live", InstallDeviceWatch},
      {"device set", "Set a power limit or a clock for a limited time (a lease)", InstallDeviceSet},
      {"device reset", "End leases and restore the settings from before them", InstallDeviceReset},
      {"device restore", "Put back the settings of programs that have died, where no agent does it",
       InstallDeviceRestore},
      {"device leases", "List leases: setting, user, process, time left", InstallDeviceLeases},
      {"doctor", "Check driver, permissions and agent on this machine, and show how to fix problems", InstallDoctor, "",
       true},
      {"runs", "List, show, compare, export and plot past and present runs of `heliostat run`", InstallRuns},
      {"runs list", "List all runs, newest first; the same as `runs` alone", InstallRunsList},
      {"runs show", "Show every decision of a run and its reason", InstallRunsShow},
      {"runs compare", "Compare runs side by side", InstallRunsCompare},
      {"runs export", "Write a run as CSV, JSON or one HTML page", InstallRunsExport},
      {"runs plot", "Plot a run over time in the terminal", InstallRunsPlot},
      {"report", "Show energy, carbon, cost and time of a run, compared with the default GPU setting", InstallReport},
  });
  return kCommands;
}

}  // namespace heliostat::cli
