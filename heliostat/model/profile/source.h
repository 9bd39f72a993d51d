#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/read.h"

namespace heliostat::profile {

// A file as its reader gets it. The members outlive the reader.
struct Source {
  std::string_view text;
  const std::string& file;
  const ReadOptions& options;
  std::vector<Error>* skipped = nullptr;  // errors of skipped rows; null: a wrong row is an error

  std::string_view header() const { return text.substr(0, text.find('\n')); }
  // The GPU of a row whose cell says `cell`: the user's or else the cell's, in one spelling.
  std::string GpuOr(std::string_view cell) const;
  // The GPU of a file without a column of GPUs: the user's, or the known GPU that the file name contains.
  Result<std::string> GpuOfFile() const;
};

}  // namespace heliostat::profile
