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

}  // namespace heliostat::workload
