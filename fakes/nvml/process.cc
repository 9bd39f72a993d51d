#include "fakes/nvml/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace heliostat::nvml_double {
namespace {

// Fields of /proc/PID/stat after the name, which may contain anything: the state is the first, the start the twentieth.
constexpr int kStartField = 19;

std::string ReadStat(pid_t pid) {
  const int fd = ::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::array<char, 1024> bytes{};
  const ssize_t count = ::read(fd, bytes.data(), bytes.size());
  ::close(fd);
  return count <= 0 ? std::string() : std::string(bytes.data(), static_cast<std::size_t>(count));
}

}  // namespace

std::optional<ProcessState> LookAt(pid_t pid) {
  const std::string stat = ReadStat(pid);
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return std::nullopt;
  std::size_t at = name_end + 2;
  const char state = stat[at];
  if (state == 'Z' || state == 'X') return std::nullopt;
  for (int field = 0; field < kStartField; ++field) {
    at = stat.find(' ', at);
    if (at == std::string::npos) return std::nullopt;
    ++at;
  }
  return ProcessState{std::strtoull(stat.c_str() + at, nullptr, 10), state == 'T' || state == 't'};
}

}  // namespace heliostat::nvml_double
