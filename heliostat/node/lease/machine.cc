#include "heliostat/node/lease/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <string_view>

#include "heliostat/node/lease/process_stat.h"

namespace heliostat::lease {
namespace {

constexpr std::uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD

// The first 1024 bytes of a file in /proc, or "". The files read here are shorter and arrive in one read.
std::string ReadShort(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::array<char, 1024> bytes{};
  ssize_t got = -1;
  do {
    got = ::read(fd, bytes.data(), bytes.size());
  } while (got < 0 && errno == EINTR);
  ::close(fd);
  return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : std::string();
}

template <typename T>
std::optional<T> Whole(std::string_view text) {
  T value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class LinuxMachine final : public Machine {
 public:
  LinuxMachine() : boot_id_(ReadShort("/proc/sys/kernel/random/boot_id")) {
    while (!boot_id_.empty() && boot_id_.back() == '\n') boot_id_.pop_back();
  }

  std::string BootId() const override { return boot_id_; }

  std::chrono::seconds SinceBoot() const override {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return std::chrono::seconds(now.tv_sec);
  }

  Instant Now() const override { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

  std::optional<Process> Find(pid_t pid) const override {
    if (pid <= 0) return std::nullopt;
    return ReadProcessStat(ReadShort(fmt::format("/proc/{}/stat", pid)));
  }

 private:
  std::string boot_id_;
};

}  // namespace

std::optional<Process> ReadProcessStat(std::string_view text) {
  // "PID (command) state ...": the command may contain blanks and parentheses, the rest does not.
  const std::size_t open = text.find(" (");
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  const auto pid = Whole<pid_t>(text.substr(0, open));
  std::string_view rest = text.substr(close + 1);
  std::string_view state;
  std::optional<std::uint64_t> flags;
  std::optional<int> threads;
  std::optional<std::uint64_t> start;
  // Fields are counted from 1 in proc(5), where the state is the third.
  for (int field = 3; field <= 22; ++field) {
    const std::size_t begin = rest.find_first_not_of(" \n");
    if (begin == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(begin);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \n"));
    rest.remove_prefix(word.size());
    if (field == 3) state = word;
    if (field == 9) flags = Whole<std::uint64_t>(word);
    if (field == 20) threads = Whole<int>(word);
    if (field == 22) start = Whole<std::uint64_t>(word);
  }
  if (!pid || !flags || !threads || !start) return std::nullopt;
  if ((*flags & kKernelThread) != 0) return std::nullopt;
  // A process whose first thread has ended shows as a zombie too, while its other threads run.
  const bool is_over = state == "X" || state == "x" || (state == "Z" && *threads <= 1);
  if (is_over) return std::nullopt;
  return Process{*pid, *start};
}

std::unique_ptr<Machine> ThisMachine() { return std::make_unique<LinuxMachine>(); }

}  // namespace heliostat::lease
