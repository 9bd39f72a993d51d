#pragma once

// For tests: a temporary folder, and a full disk.

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace heliostat::io {

// A temporary folder per test, removed at the end. In memory (/dev/shm) where possible: thousands of syncs to a busy
// disk take minutes, and these tests end a process, not the power.
class Scratch {
 public:
  Scratch() : folder_(Root() / ("heliostat_scratch_" + std::to_string(::getpid()) + "_" + std::to_string(next_++))) {
    std::filesystem::create_directories(folder_);
  }
  ~Scratch() { std::filesystem::remove_all(folder_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string journal() const { return folder_ / "gpu.journal"; }
  std::filesystem::path folder() const { return folder_; }
  std::string Bytes() const {
    std::ifstream in(journal(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void Write(std::string_view bytes) const {
    std::ofstream out(journal(), std::ios::binary | std::ios::trunc);
    out << bytes;
  }

 private:
  static std::filesystem::path Root() {
    return std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
  }

  static inline int next_ = 0;
  std::filesystem::path folder_;
};

// While it exists, no file of this process can grow beyond `bytes`: writes fail as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes = 0) : before_signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit tight{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tight);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, before_signal_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*before_signal_)(int);
};

}  // namespace heliostat::io
