#pragma once

// For tests: a machine whose time, boots and processes the test sets.

#include <set>
#include <string>

#include "heliostat/node/lease/machine.h"

namespace heliostat::lease {

class FakeMachine final : public Machine {
 public:
  std::string BootId() const override { return "boot-" + std::to_string(boots_); }
  std::chrono::seconds SinceBoot() const override { return since_boot_; }
  Instant Now() const override { return Instant(std::chrono::seconds(1'700'000'000)) + passed_; }
  std::optional<Process> Find(pid_t pid) const override {
    return living_.count(pid) > 0 ? std::optional(Process{pid, static_cast<std::uint64_t>(pid) * 7}) : std::nullopt;
  }

  Process Start(pid_t pid) {
    living_.insert(pid);
    return *Find(pid);
  }
  void Kill(pid_t pid) { living_.erase(pid); }
  void Pass(std::chrono::seconds time) {
    since_boot_ += time;
    passed_ += time;
  }
  // Does not change any card.
  void Boot() {
    ++boots_;
    living_.clear();
    since_boot_ = std::chrono::seconds(20);
  }

 private:
  int boots_ = 1;
  std::set<pid_t> living_;
  std::chrono::seconds since_boot_{5000};
  std::chrono::seconds passed_{0};
};

}  // namespace heliostat::lease
