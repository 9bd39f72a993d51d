#include "heliostat/base/io/system.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace heliostat::io {

tl::unexpected<Error> SystemError(const std::string& path, std::string_view doing) {
  const int number = errno;
  const ErrorCode code = number == ENOENT || number == ENOTDIR                    ? ErrorCode::kNotFound
                         : number == EACCES || number == EPERM || number == EROFS ? ErrorCode::kPermissionDenied
                                                                                  : ErrorCode::kInternal;
  return Fail(code, path, fmt::format("cannot {}: {}", doing, std::strerror(number)));
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace heliostat::io
