#pragma once

#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"

namespace heliostat::io {

// The bytes of a regular file. Errors name the path; a file over 2 GiB is refused.
Result<std::string> ReadFile(const std::string& path);

// Replaces `path` as a whole or leaves it as it was: writes beside it, syncs,
// then renames. A reader, or a crash at any moment, sees the old or the new bytes.
Status WriteFileAtomically(const std::string& path, std::string_view bytes);

// Makes `path` and its parents; fine if it is there already.
Status MakeDirectories(const std::string& path);

}  // namespace heliostat::io
