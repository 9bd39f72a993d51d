#pragma once

#include <string>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat {

// The kinds of files in the XDG base directory specification.
enum class HomeFolder {
  kCache,   // files that can be made again: $XDG_CACHE_HOME, else ~/.cache
  kData,    // files that cannot: $XDG_DATA_HOME, else ~/.local/share
  kState,   // state of this machine: $XDG_STATE_HOME, else ~/.local/state
  kConfig,  // files that users write: $XDG_CONFIG_HOME, else ~/.config
};

// Where one kind of Heliostat file is looked for.
struct HomeFile {
  const char* what;      // what it holds, for errors: "signal store"
  const char* variable;  // overrides the path: "HELIOSTAT_STORE"
  HomeFolder folder;
  const char* name;  // below heliostat/ in `folder`; empty for heliostat/ itself
};

// The path of a file or folder of the user: the value of `file.variable` if set, else a path below the XDG folder.
// Ignores an empty variable, and an XDG folder or HOME that is not absolute. Fails with kNotFound when HOME is needed
// and not set. There is no fallback to a shared folder such as /tmp, because other users can write there.
Result<std::string> HomePath(const HomeFile& file, const Environment& environment);

}  // namespace heliostat
