#pragma once

#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"

namespace heliostat::io {

// Reads all bytes of a file. Refuses a directory, and a file or stream of more than 2 GiB. Errors name the path.
Result<std::string> ReadFile(const std::string& path);

// Reads a file of text, as ReadFile() does, but refuses binary data and an endless first line after the first bytes: a
// device or a stream has no size, and may have no end.
Result<std::string> ReadTextFile(const std::string& path);
// The same for the standard input of this process. Errors name "stdin".
Result<std::string> ReadStandardInput();

// Replaces the file at `path` as a whole or leaves it as it was: writes a temporary file next to it, syncs that and
// renames it. A reader, or a crash at any moment, sees the old or the new bytes. Follows a symbolic link, and refuses a
// device, pipe or socket. Reads the umask of the process by setting it to 0 for a moment.
Status WriteFileAtomically(const std::string& path, std::string_view bytes);

// Makes the folder `path` and its parents. An existing folder is not an error.
Status MakeDirectories(const std::string& path);

}  // namespace heliostat::io
