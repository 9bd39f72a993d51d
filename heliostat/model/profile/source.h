#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/table_sample.h"
#include "heliostat/model/profile/read.h"
#include "heliostat/model/scenario/csv_table.h"

namespace heliostat::profile {

// A file as its reader gets it. The members outlive the reader.
struct Source {
  std::string_view text;
  const std::string& file;
  const ReadOptions& options;
  const io::TableSample& sample;
  std::vector<Error>* skipped = nullptr;  // errors of skipped rows; null: a wrong row is an error

  std::string_view header() const { return text.substr(0, text.find('\n')); }
  // The table, which ends at once when it lacks one of `columns`, or when the numbers in `columns` and `numbers` do not
  // tell their decimal mark.
  scenario::CsvTable Table(std::span<const std::string_view> columns,
                           std::span<const std::string_view> numbers = {}) const;
  // The GPU of a row whose cell says `cell`: the user's or else the cell's, in one spelling.
  std::string GpuOr(std::string_view cell) const;
  // The GPU of a file without a column of GPUs: the user's, or the known GPU that the file name contains.
  Result<std::string> GpuOfFile() const;
};

}  // namespace heliostat::profile
