#pragma once

#include <string>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat {

// The kinds of files that the XDG base directory specification tells apart.
enum class HomeFolder {
  kCache,  // can be made again: $XDG_CACHE_HOME, else ~/.cache
  kData,   // cannot: $XDG_DATA_HOME, else ~/.local/share
  kState,  // of this machine: $XDG_STATE_HOME, else ~/.local/state
};

// One kind of our files.
struct HomeFile {
  const char* what;      // for errors: "signal store"
  const char* variable;  // that names its place outright: "HELIOSTAT_STORE"
  HomeFolder folder;
  const char* name;  // below heliostat/ there; empty: that folder itself
};

// Where a user's files of a kind are: where the variable says, else in the user's folder of the kind. A variable that
// is empty counts as not set, and so does a folder that is not absolute. Fails when HOME is needed and is not set:
// a shared folder such as /tmp is no substitute, as what others may write there must not be trusted.
Result<std::string> HomePath(const HomeFile& file, const Environment& environment);

}  // namespace heliostat
