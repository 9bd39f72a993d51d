#pragma once

#include <cstdint>
#include <optional>
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
    // A line is damaged or none is whole: a power cut does not do that to a journal that began with Replace().
    bool is_damaged = false;
  };

  // Opens the journal at `path`, or makes it if there is none; sets its mode to 0600. Cuts off a torn end, so that the
  // next record begins on a line of its own. Skips a damaged line in the middle (bad disk, a text editor), reports it
  // in `found`, and reads the lines after it. Refuses a file of more than 64 MiB, and a symbolic link.
  static Result<Journal> Open(const std::string& path, Found& found);
  // The same for a journal whose records count even when it cannot be written: where Open() would fail to write, on a
  // read-only disk for example, this reads the records, and unwritable() says why. It leaves a damaged file as it is.
  // In both cases Append() fails until Replace() has written the file anew.
  static Result<Journal> OpenReadable(const std::string& path, Found& found);
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

  // Gives the file, as it is now, a second name beside it: "PATH.damaged-CHECKSUM". Replace() then leaves that one.
  Status KeepDamaged() const;
  // The files that KeepDamaged() has left beside a journal, sorted.
  static std::vector<std::string> DamagedCopies(const std::string& path);

  // Why Append() fails; absent when the file can be written.
  const std::optional<Error>& unwritable() const { return unwritable_; }
  // The size of the file.
  std::uint64_t bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  Journal(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  // Reads the open file; `bytes_` is then the end of its last whole line.
  Status ReadFile(Found& found);
  // Sets the mode, removes what is behind `bytes_`, and brings a new file's name to disk.
  Status MakeReady() const;
  void Close();

  std::string path_;
  int fd_ = -1;  // -1: not writable
  std::uint64_t bytes_ = 0;
  std::optional<Error> unwritable_;
};

}  // namespace heliostat::io
