#pragma once

#include <map>
#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"

namespace heliostat::experiments {

// Results in a file, one line each. An append is synced before it returns; an incomplete last line, after a crash, is
// dropped when the file is opened again. The file is locked: a second process cannot open it. Not thread-safe.
class ResultJournal {
 public:
  // Creates the file if it does not exist. Fails if another process has it open, or if it is not a journal.
  static Result<ResultJournal> Open(const std::string& path);
  ResultJournal(ResultJournal&& other) noexcept;
  ResultJournal& operator=(ResultJournal&&) = delete;
  ResultJournal(const ResultJournal&) = delete;
  ResultJournal& operator=(const ResultJournal&) = delete;
  ~ResultJournal();

  // All entries by key, read and appended; of equal keys the last.
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
