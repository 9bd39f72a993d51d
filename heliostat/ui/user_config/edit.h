#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heliostat/ui/user_config/config.h"

namespace heliostat::user_config {

// `text`, a configuration file, with `key` set to `value`, which must be checked; std::nullopt removes the key. All
// other lines stay as they are, comments included. `file` names the file in errors. Fails when the file is not valid,
// and when the line of the key cannot be replaced alone, as of a text over several lines.
Result<std::string> Edited(std::string_view text, const std::string& file, Key key,
                           const std::optional<std::string>& value);

// Does the same to a file, which is replaced as a whole. A file that does not exist is made, and its folder too. A
// symbolic link stays one.
Status EditFile(const std::string& path, Key key, const std::optional<std::string>& value);

}  // namespace heliostat::user_config
