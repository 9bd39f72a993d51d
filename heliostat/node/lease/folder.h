#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::lease {

// The folder of a machine's journals, one a GPU, held by one program at a time: the agent while it runs, or commands
// that do without one, each for as long as it takes to turn a knob.
class Folder {
 public:
  // Makes it, for its owner's eyes only. kUnavailable, and who, when another program holds it for longer than
  // `patience`.
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

// The journal of a GPU in such a folder.
std::string JournalPath(const std::string& folder, std::string_view gpu_uuid);
// All journals in a folder, whoever holds it; none when there is no such folder.
std::vector<std::string> JournalsIn(const std::string& folder);

}  // namespace heliostat::lease
