#include "heliostat/node/process/capture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace heliostat::process {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t kMostErrorBytes = 4096;

// A file descriptor that is closed at the end.
class File {
 public:
  explicit File(int fd = -1) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { Close(); }
  void Close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  void Open(int fd) { fd_ = fd; }
  int fd() const { return fd_; }

 private:
  int fd_;
};

struct Pipe {
  File read;
  File write;

  bool Open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read.Open(ends[0]);
    write.Open(ends[1]);
    return ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
  }
};

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  // The callee does not write to them.
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));  // NOLINT
  pointers.push_back(nullptr);
  return pointers;
}

// A file in memory with these bytes, to be read from the begin. False and errno when there is no memory.
bool OpenInput(File& file, std::string_view bytes) {
  file.Open(::memfd_create("input", MFD_CLOEXEC));
  while (file.fd() >= 0 && !bytes.empty()) {
    const ssize_t wrote = ::write(file.fd(), bytes.data(), bytes.size());
    if (wrote < 0 && errno != EINTR) return false;
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(0, wrote)));
  }
  return file.fd() >= 0 && ::lseek(file.fd(), 0, SEEK_SET) == 0;
}

// Returns errno, or 0. The child begins with no signal blocked or ignored, whatever holds in this process.
int Spawn(const std::vector<std::string>& command, const std::vector<std::string>& environment, int in, int out,
          int err, pid_t& pid) {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  (void)::posix_spawn_file_actions_init(&actions);
  (void)::posix_spawnattr_init(&attributes);
  (void)::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  (void)::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  (void)::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  sigset_t none{};
  sigset_t all{};
  (void)::sigemptyset(&none);
  (void)::sigfillset(&all);
  (void)::posix_spawnattr_setsigmask(&attributes, &none);
  (void)::posix_spawnattr_setsigdefault(&attributes, &all);
  (void)::posix_spawnattr_setpgroup(&attributes, 0);
  (void)::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int failure = ::posix_spawnp(&pid, command[0].c_str(), &actions, &attributes, Pointers(command).data(),
                                     Pointers(environment).data());
  (void)::posix_spawn_file_actions_destroy(&actions);
  (void)::posix_spawnattr_destroy(&attributes);
  return failure;
}

// Appends what is there to read, up to `most` bytes in all, and drops the rest. Closes the file at its end.
// Returns false when something was dropped.
bool ReadAvailable(File& file, std::string& text, std::size_t most) {
  std::array<char, 65536> buffer{};
  bool has_all = true;
  while (file.fd() >= 0) {
    const ssize_t got = ::read(file.fd(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return has_all;
    if (got <= 0) {
      file.Close();
      return has_all;
    }
    const std::size_t room = most - text.size();
    text.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
    if (static_cast<std::size_t>(got) > room) {
      has_all = false;
      if (most == text.size()) return has_all;
    }
  }
  return has_all;
}

enum class Outcome { kEnded, kTooLate, kTooLong };

// Reads until the command ends or a limit is reached.
Outcome Follow(int process, Pipe& out, Pipe& err, Captured& captured, const CaptureLimits& limits) {
  const SteadyTime until = std::chrono::steady_clock::now() + limits.time;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return Outcome::kTooLate;
    std::array<pollfd, 3> files{pollfd{process, POLLIN, 0}, pollfd{out.read.fd(), POLLIN, 0},
                                pollfd{err.read.fd(), POLLIN, 0}};
    (void)::poll(files.data(), files.size(), static_cast<int>(std::min<std::int64_t>(left, 1'000'000)));
    const bool has_ended = files[0].revents != 0;
    if (!ReadAvailable(out.read, captured.output, limits.output_bytes)) return Outcome::kTooLong;
    (void)ReadAvailable(err.read, captured.errors, kMostErrorBytes);  // a flood of errors says no more than its begin
    if (has_ended) return Outcome::kEnded;
  }
}

Ending Collect(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace

Result<Captured> Capture(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                         const CaptureLimits& limits, std::string_view input) {
  if (command.empty() || command[0].empty()) {
    return Fail(ErrorCode::kInvalidArgument, "command", "is empty", "name a program to run");
  }
  File in;
  Pipe out;
  Pipe err;
  if (!OpenInput(in, input) || !out.Open() || !err.Open())
    return Fail(ErrorCode::kInternal, command[0], std::strerror(errno));
  pid_t pid = 0;
  if (const int number = Spawn(command, environment, in.fd(), out.write.fd(), err.write.fd(), pid); number != 0) {
    const ErrorCode code = number == ENOENT || number == ENOTDIR   ? ErrorCode::kNotFound
                           : number == EACCES || number == ENOEXEC ? ErrorCode::kPermissionDenied
                                                                   : ErrorCode::kInternal;
    return Fail(code, command[0], fmt::format("cannot be started: {}", std::strerror(number)),
                "it must be installed and on PATH");
  }
  out.write.Close();
  err.write.Close();
  Captured captured;
  const File process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const Outcome outcome = Follow(process.fd(), out, err, captured, limits);
  // Before it is collected: until then no other process has its number.
  (void)::kill(-pid, SIGKILL);
  captured.ending = Collect(pid);
  if (outcome == Outcome::kTooLate) {
    return Fail(ErrorCode::kUnavailable, command[0], fmt::format("does not end within {} ms", limits.time.count()));
  }
  if (outcome == Outcome::kTooLong) {
    return Fail(ErrorCode::kCorrupt, command[0], fmt::format("writes more than {} bytes", limits.output_bytes));
  }
  return captured;
}

}  // namespace heliostat::process
