#pragma once

// For tests: a munged with a key of its own in a temporary folder, and commands that stand in for those of MUNGE.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/io/testing/scratch.h"
#include "heliostat/node/munge_channel/munge_commands.h"

namespace heliostat::munge_channel {

class MungeDaemon {
 public:
  // `key`: the byte that its key consists of. Daemons with the same key accept each other's credentials.
  explicit MungeDaemon(char key = 'k') : key_(key) { Start(); }
  ~MungeDaemon() { Kill(); }
  MungeDaemon(const MungeDaemon&) = delete;
  MungeDaemon& operator=(const MungeDaemon&) = delete;

  static bool IsInstalled() {
    for (const char* folder : {"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"}) {
      if (::access((std::string(folder) + "/munged").c_str(), X_OK) == 0) return true;
    }
    return false;
  }
  bool is_running() const { return pid_ > 0; }
  MungeCommands commands() const {
    MungeCommands commands;
    commands.socket = Path("socket");
    commands.time = std::chrono::seconds(30);
    return commands;
  }
  void Kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  void Freeze() const { ::kill(pid_, SIGSTOP); }
  void Thaw() const { ::kill(pid_, SIGCONT); }
  // As a new process, which remembers no credential.
  void Restart() {
    Kill();
    std::filesystem::remove(Path("socket"));
    Start();
  }

 private:
  std::string Path(const std::string& name) const { return scratch_.folder() / name; }
  void Start() {
    std::filesystem::permissions(scratch_.folder(), std::filesystem::perms(0755));
    if (!std::filesystem::exists(Path("key"))) std::ofstream(Path("key")) << std::string(128, key_);
    std::filesystem::permissions(Path("key"), std::filesystem::perms(0400));
    std::vector<std::string> words{"munged",
                                   "--foreground",
                                   "--key-file=" + Path("key"),
                                   "--socket=" + Path("socket"),
                                   "--pid-file=" + Path("pid"),
                                   "--log-file=" + Path("log"),
                                   "--seed-file=" + Path("seed")};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::vector<std::string> variables{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"};
    std::array<char*, 2> environment{variables[0].data(), nullptr};
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    for (const int fd : {1, 2}) ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
    if (::posix_spawnp(&pid_, "munged", &actions, nullptr, arguments.data(), environment.data()) != 0) pid_ = -1;
    ::posix_spawn_file_actions_destroy(&actions);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (pid_ > 0 && !Decode(commands(), Encode(commands(), "", ::geteuid()).value_or(""))) {
      if (std::chrono::steady_clock::now() > deadline) Kill();
    }
  }

  const io::Scratch scratch_;
  char key_;
  pid_t pid_ = -1;
};

// A command in a shell script, in the folder of `scratch`; returns its path.
inline std::string Script(const io::Scratch& scratch, const std::string& name, const std::string& text) {
  const std::string path = scratch.folder() / name;
  std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
  std::filesystem::permissions(path, std::filesystem::perms(0755));
  return path;
}

}  // namespace heliostat::munge_channel
