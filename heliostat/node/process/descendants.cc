#include "heliostat/node/process/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace heliostat::process {
namespace {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
};

std::optional<Process> ReadProcess(pid_t pid) {
  const int fd = ::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::array<char, 512> bytes{};
  const ssize_t got = ::read(fd, bytes.data(), bytes.size() - 1);
  ::close(fd);
  if (got <= 0) return std::nullopt;
  // "12 (any (name)) S 1 12 …": a name may contain anything, so parsing starts behind the last bracket.
  const char* end = std::strrchr(bytes.data(), ')');
  if (end == nullptr || std::strlen(end) < 4) return std::nullopt;
  Process process{pid, 0, 0};
  char* next = nullptr;
  process.parent = static_cast<pid_t>(std::strtol(end + 3, &next, 10));
  process.group = static_cast<pid_t>(std::strtol(next, &next, 10));
  return process;
}

std::vector<Process> AllProcesses() {
  std::vector<Process> all;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return all;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name(&entry->d_name[0]);
    pid_t pid = 0;
    const auto [end, trouble] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (trouble != std::errc() || end != name.data() + name.size()) continue;
    if (const auto process = ReadProcess(pid)) all.push_back(*process);
  }
  ::closedir(folder);
  return all;
}

std::set<pid_t> FamilyOf(pid_t root, const std::vector<Process>& all) {
  std::set<pid_t> family{root};
  // A child may precede its parent in the list: repeat until none is added.
  for (std::size_t before = 0; before != family.size();) {
    before = family.size();
    for (const Process& process : all) {
      if (family.count(process.parent) != 0) family.insert(process.pid);
    }
  }
  return family;
}

}  // namespace

std::vector<pid_t> ProcessesUnder(pid_t root) {
  const std::set<pid_t> family = FamilyOf(root, AllProcesses());
  return {family.begin(), family.end()};
}

std::vector<pid_t> GroupsUnder(pid_t root) {
  const std::vector<Process> all = AllProcesses();
  const std::set<pid_t> family = FamilyOf(root, all);
  std::set<pid_t> groups;
  for (const Process& process : all) {
    if (family.count(process.pid) != 0 && process.group > 1) groups.insert(process.group);
  }
  return {groups.begin(), groups.end()};
}

}  // namespace heliostat::process
