#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/node/process/child.h"

// For tests: runs Heliostat's part in a separate process, on pipes or a terminal; the test acts as the user.
namespace heliostat::process::testing {

inline constexpr std::chrono::seconds kPatience{20};

// Does what `heliostat run` does with a Child, and nothing else. `turn` runs after each Poll() once the program has
// written something, which shows that it has started.
[[noreturn]] inline void PlayHeliostat(const ProgramCommand& command, const std::function<void(Child&)>& turn = {}) {
  Ending ending;
  bool had_terminal = false;
  {
    bool has_written = false;
    auto child = Child::Start(command, [&](std::string_view) { has_written = true; });
    if (!child) ::_exit(StatusOfFailedStart(child.error()));
    while (!(*child)->is_done()) {
      (*child)->Poll(std::chrono::milliseconds(20));
      if (turn && has_written) turn(**child);
    }
    ending = *(*child)->ending();
    had_terminal = (*child)->had_terminal();
  }
  EndLike(ending, had_terminal);
}

inline ProgramCommand Shell(std::string script) { return {{"sh", "-c", std::move(script)}, {}}; }

class Stage {
 public:
  using Play = std::function<void()>;

  // Heliostat's output and error on a pipe each.
  static Stage OnPipes(const Play& play) {
    Stage stage;
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) std::abort();
    (void)std::fflush(nullptr);  // or both processes would write what waits
    stage.pid_ = ::fork();
    if (stage.pid_ == 0) {
      ::dup2(out[1], 1);
      ::dup2(err[1], 2);
      for (const int fd : {out[0], out[1], err[0], err[1]}) ::close(fd);
      play();
      ::_exit(99);
    }
    ::close(out[1]);
    ::close(err[1]);
    stage.out_ = out[0];
    stage.err_ = err[0];
    return stage;
  }

  // Heliostat in the foreground of a terminal of 33 by 101, with a shell's process above it that waits for it.
  static Stage OnTerminal(const Play& play) {
    Stage stage;
    winsize size{33, 101, 0, 0};
    (void)std::fflush(nullptr);
    stage.pid_ = ::forkpty(&stage.out_, nullptr, nullptr, &size);
    if (stage.pid_ != 0) return stage;
    const pid_t heliostat = ::fork();
    if (heliostat == 0) {
      ::setpgid(0, 0);
      std::signal(SIGTTOU, SIG_IGN);
      ::tcsetpgrp(0, ::getpid());
      std::signal(SIGTTOU, SIG_DFL);
      play();
      ::_exit(99);
    }
    std::signal(SIGTTOU, SIG_IGN);
    std::signal(SIGHUP, SIG_IGN);
    for (;;) {
      int status = 0;
      ::waitpid(heliostat, &status, WUNTRACED);
      if (!WIFSTOPPED(status)) ::_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
      // As a user would: sees that the job stopped, and says "fg".
      ::tcsetpgrp(0, ::getpgrp());
      ::dprintf(1, "[stopped %d]", WSTOPSIG(status));
      ::tcsetpgrp(0, heliostat);
      ::kill(-heliostat, SIGCONT);
    }
  }

  Stage(Stage&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        out_(std::exchange(other.out_, -1)),
        err_(std::exchange(other.err_, -1)),
        text_(std::move(other.text_)) {}
  ~Stage() {
    if (out_ >= 0) ::close(out_);
    if (err_ >= 0) ::close(err_);
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);  // a test that failed must not wait for ever
    (void)Status();
  }

  // Everything up to and including `wanted`, or until there is no more or patience ends.
  std::string ReadUntil(const std::string& wanted) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (text_.find(wanted) == std::string::npos && std::chrono::steady_clock::now() < end) {
      if (!ReadSome(out_, text_)) break;
    }
    const std::size_t at = text_.find(wanted);
    const std::size_t size = at == std::string::npos ? text_.size() : at + wanted.size();
    std::string taken = text_.substr(0, size);
    text_.erase(0, size);
    return taken;
  }
  // To the end.
  std::pair<std::string, std::string> ReadAll() {
    std::string err;
    bool has_out = true;
    bool has_err = err_ >= 0;
    while (has_out || has_err) {
      std::array<pollfd, 2> wanted{pollfd{has_out ? out_ : -1, POLLIN, 0}, pollfd{has_err ? err_ : -1, POLLIN, 0}};
      if (::poll(wanted.data(), 2, 20000) <= 0) break;
      if (wanted[0].revents != 0) has_out = ReadSome(out_, text_);
      if (wanted[1].revents != 0) has_err = ReadSome(err_, err);
    }
    return {std::exchange(text_, {}), err};
  }
  void Type(const std::string& keys) const { (void)!::write(out_, keys.data(), keys.size()); }
  void CloseOutput() { ::close(std::exchange(out_, -1)); }

  // As a shell sees it.
  int Status() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  bool WasKilledBy(int number) {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == number;
  }
  pid_t pid() const { return pid_; }
  int terminal() const { return out_; }

 private:
  Stage() = default;
  static bool ReadSome(int fd, std::string& text) {
    pollfd wanted{fd, POLLIN, 0};
    if (::poll(&wanted, 1, 20000) <= 0) return false;
    std::array<char, 65536> bytes{};
    const ssize_t got = ::read(fd, bytes.data(), bytes.size());
    if (got <= 0) return false;
    text.append(bytes.data(), static_cast<std::size_t>(got));
    return true;
  }

  pid_t pid_ = 0;
  int out_ = -1;
  int err_ = -1;
  std::string text_;
};

// 0 when there is no such process.
inline pid_t ParentOf(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/status";
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return 0;
  std::array<char, 256> line{};
  pid_t parent = 0;
  while (std::fgets(line.data(), line.size(), file) != nullptr && std::sscanf(line.data(), "PPid: %d", &parent) != 1) {
  }
  (void)std::fclose(file);
  return parent;
}

// The state of a process: 'T' is stopped, 'R' and 'S' run; 0 when there is no such process.
inline char StateOf(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  std::array<char, 256> bytes{};
  const ssize_t got = ::read(fd, bytes.data(), bytes.size() - 1);
  ::close(fd);
  if (got <= 0) return 0;
  const std::string text(bytes.data());
  return text[text.rfind(')') + 2];
}

inline bool WaitFor(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

}  // namespace heliostat::process::testing
