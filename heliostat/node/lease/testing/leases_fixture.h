#pragma once

// For tests: a card, a machine and a journal, which outlive the GpuLeases that are opened on them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/base/io/testing/scratch.h"
#include "heliostat/node/device_model/simulated_gpu.h"
#include "heliostat/node/lease/gpu_leases.h"
#include "heliostat/node/lease/testing/fake_machine.h"

namespace heliostat::lease {

inline device::Setting Limit(int watts) { return device::Setting::PowerLimit(Watts{static_cast<double>(watts)}); }
inline device::Setting Lock(int mhz) {
  return device::Setting::Clock(device::Knob::kCoreClock, Megahertz(mhz), Megahertz(mhz));
}

struct World {
  World() { gpu.Advance(Seconds(1000)); }

  GpuLeases Open() { return Open(gpu); }
  GpuLeases Open(device::Gpu& card, const OpenOptions& options = {}) {
    said.clear();
    const auto say = [this](LogLevel level, const std::string& line) { said.emplace_back(level, line); };
    auto leases = GpuLeases::Open(scratch.journal(), card, machine, say, options);
    if (!leases) ADD_FAILURE() << leases.error().Line();
    return std::move(*leases);
  }
  // A request of process `pid`, which is started.
  LeaseRequest By(pid_t pid, device::Setting wanted, int ttl = 3600) {
    return {{1000, "ada", machine.Start(pid), "train"}, wanted, std::chrono::seconds(ttl)};
  }
  static LeaseRequest WithoutProcess(device::Setting wanted, int ttl = 3600) {
    return {{1000, "ada", std::nullopt, ""}, wanted, std::chrono::seconds(ttl)};
  }
  int limit_w() {
    gpu.FailReads(std::nullopt);
    return static_cast<int>(gpu.Stands(device::Knob::kPowerLimit)->high / 1000);
  }
  void Reboot() {
    machine.Boot();
    gpu.Reload();
  }
  int Said(LogLevel level) const {
    return static_cast<int>(std::count_if(said.begin(), said.end(), [=](const auto& s) { return s.first == level; }));
  }
  std::string text() const {
    std::string all;
    for (const auto& [level, line] : said) all += line + "\n";
    return all;
  }

  io::Scratch scratch;
  FakeMachine machine;
  device_model::SimulatedGpu gpu{*device_model::FindCardModel("H200"), 0};  // 200 to 700 W, default 700 W
  std::vector<std::pair<LogLevel, std::string>> said;
};

inline const Error kLost{ErrorCode::kUnavailable, "GPU 0", "is lost", ""};
inline const Error kDenied{ErrorCode::kPermissionDenied, "GPU 0", "may not be set", "run as root"};

class GpuLeasesTest : public ::testing::Test {
 protected:
  // No setting, lease or owed knob is left, and another Open() writes nothing.
  void ExpectAllIsBack(GpuLeases& leases, int watts) {
    EXPECT_EQ(world_.limit_w(), watts);
    EXPECT_THAT(leases.leases(), ::testing::IsEmpty());
    EXPECT_THAT(leases.owed(), ::testing::IsEmpty());
    const int writes = world_.gpu.writes();
    GpuLeases again = world_.Open();
    again.Tick();
    EXPECT_EQ(world_.gpu.writes(), writes) << "a second restore";
    EXPECT_EQ(world_.limit_w(), watts);
  }
  Lease Only(const GpuLeases& leases) {
    const auto all = leases.leases();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? Lease() : all.front();
  }

  World world_;
};

}  // namespace heliostat::lease
