#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "heliostat/model/workload/trace.h"

namespace heliostat::workload::testing {

inline std::string Cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// A trace in Heliostat's own format; ReadTrace() returns an equal trace.
inline std::string Written(const Trace& trace) {
  std::string text =
      "id,submit_s,length_s,gpus,model,deadline_s,best_effort,wait_s,user,account,name,state,"
      "time_limit_s\n";
  for (const TraceJob& job : trace.jobs) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{:d},{},{},{},{},{},{}\n", Cell(job.id),
                   job.submit.count(), job.length.count(), job.gpus, Cell(job.model.value_or("")),
                   job.deadline ? fmt::format("{}", job.deadline->count()) : "", job.is_best_effort, job.wait.count(),
                   Cell(job.user), Cell(job.account), Cell(job.name), Cell(job.state),
                   job.time_limit ? fmt::format("{}", job.time_limit->count()) : "");
  }
  return text;
}

}  // namespace heliostat::workload::testing
