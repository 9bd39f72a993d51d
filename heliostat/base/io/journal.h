#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"

namespace heliostat::io {

// An append-only file of JSON records, one per line with a checksum. Records are on disk when Append() returns, and
// survive a power cut. A record that was only partly written is dropped when the file is opened again. One process may
// write at a time; the journal does not enforce it. Not thread-safe.
class Journal {
 public:
  // The readable records of the file and the damage in it.
  struct Found {
    std::vector<Json> records;
    std::vector<std::string> troubles;  // messages such as "the last 17 bytes are torn, dropped"
  };

  // Opens the journal at `path`, or makes it if there is none; sets its mode to 0600. Cuts off a torn end, so that the
  // next record begins on a line of its own. Skips a damaged line in the middle (bad disk, a text editor), reports it
  // in `found`, and reads the lines after it. Refuses a file of more than 64 MiB.
  static Result<Journal> Open(const std::string& path, Found& found);
  // The records in `bytes`, as Open() reads them. Never fails: damage is reported in `troubles`.
  static Found Parse(std::string_view bytes);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  // Writes all records in one call; they are on disk when it returns. After a failure such as a full disk, the file
  // ends where it ended before. A crash during the call can leave the first few of the records. Fails for a record over
  // 64 KiB.
  Status Append(std::span<const Json> records);
  // Replaces all records, as a whole or not at all.
  Status Replace(std::span<const Json> records);

  // The size of the file.
  std::uint64_t bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  Journal(std::string path, int fd, std::uint64_t bytes) : path_(std::move(path)), fd_(fd), bytes_(bytes) {}

  std::string path_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
};

}  // namespace heliostat::io
