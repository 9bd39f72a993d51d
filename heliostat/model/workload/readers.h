#pragma once

#include <array>
#include <string_view>

#include "heliostat/model/workload/rows.h"
#include "heliostat/model/workload/trace.h"

namespace heliostat::workload {

// A trace format and its reader. A reader returns the jobs up to the first error, which is in rows.status(); jobs are
// in the order of the file.
struct TraceReader {
  TraceFormat format;
  // Columns that identify the format.
  std::array<std::string_view, 3> columns;
  Trace (*read)(Rows& rows);
};

Trace ReadPhilly(Rows& rows);
Trace ReadChronus(Rows& rows);
Trace ReadPollux(Rows& rows);
Trace ReadPai(Rows& rows);
Trace ReadOwn(Rows& rows);
// Reads any table, by the columns of the options and by guesses.
Trace ReadTable(Rows& rows, const TraceOptions& options);

// Adds the job of the current row. A job without a GPU or without a length is left out, and so is a bad row.
void Keep(const Rows& rows, TraceJob job, Trace& trace);
// The name of a job that has none: after its line.
std::string NameByLine(std::int64_t line);
// Turns dates into times since the midnight before the first.
void BeginAtMidnight(Trace& trace);

}  // namespace heliostat::workload
