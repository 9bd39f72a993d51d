#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"

namespace heliostat::io {

// An append-only file of records, one a line with a checksum. What Append() returned for is on disk and survives a
// power cut; a record that was being written when the power went is found torn and dropped. Not thread-safe; one
// writer.
class Journal {
 public:
  // What stood in the file, and what did not hold.
  struct Found {
    std::vector<Json> records;
    std::vector<std::string> troubles;  // "the last 17 bytes are torn, dropped"
  };

  // Makes the file, readable by its owner only, where there is none. A torn end is cut off, so that what is appended
  // next stands on a line of its own. A damaged line in the middle (bad disk, an editor) is left out, told, and does
  // not stop those behind it from being read.
  static Result<Journal> Open(const std::string& path, Found& found);
  // The records in `bytes`, as Open() reads them.
  static Found Parse(std::string_view bytes);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  // All of them in one write, on disk when it returns. After a failure (disk full) the file ends where it ended before.
  Status Append(std::span<const Json> records);
  // Replaces everything, as a whole or not at all.
  Status Replace(std::span<const Json> records);

  std::uint64_t bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  Journal(std::string path, int fd, std::uint64_t bytes) : path_(std::move(path)), fd_(fd), bytes_(bytes) {}

  std::string path_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
};

}  // namespace heliostat::io
