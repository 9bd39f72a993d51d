#pragma once

#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"

// System calls that files and journals share. Internal to this layer.
namespace heliostat::io {

// The error "PATH: cannot DOING: REASON" for the present value of errno.
tl::unexpected<Error> SystemError(const std::string& path, std::string_view doing);
// Writes all of `bytes`. False, with errno set, when it could not; some bytes may be written then.
bool WriteAll(int fd, std::string_view bytes);

}  // namespace heliostat::io
