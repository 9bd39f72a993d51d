#pragma once

#include <string>

#include "heliostat/model/workload/to_scenario.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {

// The trace of jobs and how to read it, as given on the command line.
struct TraceArguments {
  std::string file;  // "-": standard input
  std::string format = "auto";
  std::string columns;
  std::string time_zone;
  std::string length_unit;
  std::string decimal;
  std::string date_order;
  bool skips_bad_rows = false;
  std::string offset = "busiest";
};

void AddTraceArguments(const Syntax& syntax, TraceArguments& arguments);
// Only those that say how to read the file.
void AddFormatArguments(const Syntax& syntax, TraceArguments& arguments);

// Reads the file of the trace.
Result<workload::Trace> ReadTraceOf(const TraceArguments& arguments);

// Reads the trace into the recipe, which must have its horizon. Without a file, fails only for wrong options.
Status ReadJobs(const TraceArguments& arguments, workload::ScenarioRecipe& recipe);

// Adds which rows were skipped because of a wrong value.
void TellBadRows(const std::vector<workload::BadRow>& skipped, Output& output);

// Adds what the reader of the trace assumed and skipped.
void TellTrace(const workload::Trace& trace, Output& output);

// Adds to the output of `heliostat scenario make` what became of the jobs of a trace: which are left out, what was
// drawn for the others, which deadlines were moved. Of generated jobs only the last is told.
void TellJobs(const workload::MadeScenario& made, const workload::ScenarioRecipe& recipe, Output& output);

}  // namespace heliostat::cli
