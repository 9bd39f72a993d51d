#pragma once

// For tests: a folder, a machine, an audit log and two cards with their workers. The test sets the time.

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "heliostat/node/agent/gpu_workers.h"
#include "heliostat/node/agent/testing/shared_card.h"

namespace heliostat::agent {

class ScratchFolder {
 public:
  ScratchFolder() {
    const std::filesystem::path root =
        std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
    path_ = root / ("heliostat_agent_" + std::to_string(::getpid()) + "_" + std::to_string(next_++));
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ / name; }
  std::string Read(const std::string& name) const {
    std::ifstream in(path_ / name);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  static inline int next_ = 0;
  std::filesystem::path path_;
};

// A machine whose clocks stand still and whose processes the test starts and kills. Thread-safe.
class FixedMachine final : public lease::Machine {
 public:
  std::string BootId() const override { return "boot"; }
  std::chrono::seconds SinceBoot() const override { return std::chrono::seconds(5000); }
  Instant Now() const override { return Instant(std::chrono::seconds(1'700'000'000)); }
  std::optional<lease::Process> Find(pid_t pid) const override {
    const std::lock_guard hold(mutex_);
    return living_.count(pid) > 0 ? std::optional(lease::Process{pid, 7}) : std::nullopt;
  }
  void Start(pid_t pid) {
    const std::lock_guard hold(mutex_);
    living_.insert(pid);
  }
  void Kill(pid_t pid) {
    const std::lock_guard hold(mutex_);
    living_.erase(pid);
  }

 private:
  mutable std::mutex mutex_;
  std::set<pid_t> living_;
};

struct SmallWorkers {
  explicit SmallWorkers(const lease::Machine* other_machine = nullptr) {
    std::vector<std::unique_ptr<device::Gpu>> gpus;
    for (const auto& card : cards) gpus.push_back(std::make_unique<CardHandle>(card));
    const lease::Machine* its = other_machine != nullptr ? other_machine : &machine;
    // Samples only on request.
    workers = std::make_unique<GpuWorkers>(
        std::move(gpus),
        GpuWorkers::Parts{its, &audit, now(), folder / "state", std::chrono::hours(1), std::chrono::seconds(5)});
    EXPECT_TRUE(Await([this] { return workers->IsOpen(); }));
  }

  SteadyNow now() {
    return [this] { return SteadyTime(std::chrono::seconds(seconds.load())); };
  }
  // Collects what workers have done until `holds`; false when it never does.
  template <typename F>
  bool Await(const F& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      pollfd ready{workers->event_fd(), POLLIN, 0};
      ::poll(&ready, 1, 20);
      workers->Collect();
    }
    return true;
  }
  std::size_t leases() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < workers->size(); ++i) count += workers->worker(i).snapshot()->leases.size();
    return count;
  }

  ScratchFolder folder;
  std::string state = [this] {
    std::filesystem::create_directories(folder / "state");
    return folder / "state";
  }();
  FixedMachine machine;
  std::atomic<int> seconds{1000};
  Audit audit{folder / "audit.log", [this] { return machine.Now(); }};
  std::vector<std::shared_ptr<SharedCard>> cards{std::make_shared<SharedCard>(0), std::make_shared<SharedCard>(1)};
  std::unique_ptr<GpuWorkers> workers;
};

}  // namespace heliostat::agent
