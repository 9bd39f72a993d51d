#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/core/units.h"

namespace heliostat::workload {

// What a column of a table of jobs may hold.
enum class JobField {
  kId,
  kSubmit,
  kStart,
  kEnd,
  kLength,
  kGpus,
  kModel,
  kDeadline,
  kBestEffort,
  kState,
  kUser,
  kAccount,
  kName,
  kTimeLimit
};

// The column of each field, by its name in the header.
using JobColumns = std::map<JobField, std::string>;

// "gpus".
std::string_view NameOf(JobField field);
// The names of all fields, in the order of JobField.
std::vector<std::string_view> JobFieldNames();

// Reads "id=JobID,submit=Submit,gpus=ReqGPUS". `where` is the place in errors.
Result<JobColumns> ParseJobColumns(std::string_view text, std::string_view where);

// The columns of a header whose names tell what they hold, such as "Job ID", "num_gpus" or "elapsed_s". `named` columns
// stay as they are and are not used for another field. A field that has several such columns gets the most telling one.
JobColumns GuessJobColumns(std::span<const std::string> header, const JobColumns& named);

// The unit that the name of a column ends with: 60 s for "duration_min". Nothing without one.
std::optional<Seconds> UnitInName(std::string_view column);

}  // namespace heliostat::workload
