#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::lease {

// The locked folder with the lease journals of a machine, one journal per GPU. One program holds it at a time: the
// agent while it runs, or a command that works without the agent, for as long as it takes to turn a knob. The lock ends
// with the object or the process. Not thread-safe.
class Folder {
 public:
  // Creates the folder when it does not exist; a new folder is accessible to its owner only. kUnavailable, with the id
  // of the holder, when another program still holds it after `patience`. kPermissionDenied when this user may not open
  // the lock file, and for a folder that other users could write: it must be a folder, not a symbolic link, belong to
  // root or this user, and be writable by its owner only. A folder that cannot be written, on a read-only disk for
  // example, is locked all the same.
  static Result<Folder> Open(const std::string& path, std::chrono::milliseconds patience = {});
  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&& other) noexcept;
  ~Folder();

  const std::string& path() const { return path_; }

 private:
  Folder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_ = -1;
};

// The path of a GPU's journal in such a folder. Characters of the UUID that are not letters, digits or '-' become '_'.
std::string JournalPath(const std::string& folder, std::string_view gpu_uuid);
// The paths of all journals in a folder, sorted; needs no lock. Empty when the folder does not exist.
std::vector<std::string> JournalsIn(const std::string& folder);
// True when a journal was or is damaged, so that it may have lost a setting of its GPU.
bool IsDamaged(const std::string& journal);
// True when, by its journal, a GPU may have a setting that was to end, or the journal cannot be read. On a read-only
// disk the journal also names settings that are put back.
bool NamesSetting(const std::string& journal);

}  // namespace heliostat::lease
