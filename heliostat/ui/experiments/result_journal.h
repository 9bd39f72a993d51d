#pragma once

#include <map>
#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"

namespace heliostat::experiments {

// Results on disk, one line each, safe against an end at any moment: a line is synced before the next begins, and a
// last line that was cut off is dropped when the file is opened again. Has an owner: a second run is refused while the
// first one writes. Not thread-safe.
class ResultJournal {
 public:
  // Made when it is not there.
  static Result<ResultJournal> Open(const std::string& path);
  ResultJournal(ResultJournal&& other) noexcept;
  ResultJournal& operator=(ResultJournal&&) = delete;
  ResultJournal(const ResultJournal&) = delete;
  ResultJournal& operator=(const ResultJournal&) = delete;
  ~ResultJournal();

  // What was there when it was opened and what was added since, by key; the last of equal keys.
  const std::map<std::string, io::Json>& entries() const { return entries_; }
  Status Append(const std::string& key, io::Json value);

 private:
  explicit ResultJournal(std::string path) : path_(std::move(path)) {}
  Status Load();

  std::string path_;
  int file_ = -1;
  std::map<std::string, io::Json> entries_;
};

}  // namespace heliostat::experiments
