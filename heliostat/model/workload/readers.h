#pragma once

#include <array>
#include <string_view>

#include "heliostat/model/workload/rows.h"
#include "heliostat/model/workload/trace.h"

namespace heliostat::workload {

// One way to write a trace down. Readers hand back what they read up to the first thing wrong, which rows.status()
// tells; jobs come in the file's order.
struct TraceReader {
  TraceFormat format;
  // Columns by which the format is known.
  std::array<std::string_view, 3> columns;
  Trace (*read)(Rows& rows);
};

Trace ReadPhilly(Rows& rows);
Trace ReadChronus(Rows& rows);
Trace ReadPollux(Rows& rows);
Trace ReadPai(Rows& rows);
Trace ReadOwn(Rows& rows);

}  // namespace heliostat::workload
