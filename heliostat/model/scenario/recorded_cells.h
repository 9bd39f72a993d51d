#pragma once

#include <optional>
#include <string>

#include "heliostat/model/scenario/csv_table.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::scenario {

// How jobs.csv writes Job::recorded: the columns recorded_start, recorded_end, recorded_group and recorded_nodes. A job
// with several runs has a list in each cell, separated by semicolons. The nodes of a run are "0:8 1:8": the number of
// each node in its group, from 0 on, and its GPUs.
inline constexpr std::string_view kRecordedColumns = "recorded_start,recorded_end,recorded_group,recorded_nodes";

// The four cells. Empty ones for a job without a record.
std::string RecordedCells(const Job& job, const Scenario& scenario);

// Reads the cells of the current row. Nothing where they are empty, or the table does not have them. A wrong cell ends
// the table.
std::optional<Recorded> ReadRecorded(CsvTable& table, const Scenario& scenario);

}  // namespace heliostat::scenario
