#pragma once

#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"

// What files and journals need of the system. For this layer alone.
namespace heliostat::io {

// "PATH: cannot DOING: why", from errno.
tl::unexpected<Error> SystemError(const std::string& path, std::string_view doing);
// False, with errno, when not all of it could be written.
bool WriteAll(int fd, std::string_view bytes);

}  // namespace heliostat::io
