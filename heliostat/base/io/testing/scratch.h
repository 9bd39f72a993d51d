#pragma once

// For tests: a temporary folder, a full disk and a read-only disk.

#include <sys/resource.h>
#include <sys/stat.h>
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

// While it exists, this process can read a folder and its files and cannot write them, as on a read-only disk. A root
// process acts as another user meanwhile, because permissions do not bind root.
class ReadOnlyDisk {
 public:
  explicit ReadOnlyDisk(std::filesystem::path folder) : folder_(std::move(folder)), is_root_(::geteuid() == 0) {
    SetAll(0400, 0500, is_root_ ? kNobody : ::geteuid());
    if (is_root_) (void)!::seteuid(kNobody);
  }
  ~ReadOnlyDisk() {
    if (is_root_) (void)!::seteuid(0);
    SetAll(0600, 0700, ::geteuid());
  }
  ReadOnlyDisk(const ReadOnlyDisk&) = delete;
  ReadOnlyDisk& operator=(const ReadOnlyDisk&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;

  void SetAll(mode_t file, mode_t folder, uid_t owner) const {
    (void)!::chmod(folder_.c_str(), 0700);
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      (void)!::chmod(entry.path().c_str(), file);
      (void)!::chown(entry.path().c_str(), owner, static_cast<gid_t>(-1));
    }
    (void)!::chmod(folder_.c_str(), folder);
    (void)!::chown(folder_.c_str(), owner, static_cast<gid_t>(-1));
  }

  std::filesystem::path folder_;
  bool is_root_;
};

}  // namespace heliostat::io
