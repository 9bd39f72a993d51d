#include "heliostat/node/device/host_energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heliostat::device {
namespace {

namespace fs = std::filesystem;

// A folder as the kernel shows it: two packages, one with cores and memory, and the whole platform.
class HostEnergyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    Add("intel-rapl:0", "package-0", 1'000'000);
    Add("intel-rapl:0:0", "core", 500'000);
    Add("intel-rapl:0:1", "dram", 200'000);
    Add("intel-rapl:1", "package-1", 999'000'000);
    Add("intel-rapl:2", "psys", 7);
    Add("intel-rapl-mmio:0", "package-0", 1'000'000);
  }
  void TearDown() override { fs::remove_all(root_); }
  void Add(const std::string& folder, const std::string& name, std::uint64_t count) {
    fs::create_directories(root_ + "/" + folder);
    std::ofstream(root_ + "/" + folder + "/name") << name << "\n";
    std::ofstream(root_ + "/" + folder + "/max_energy_range_uj") << "1000000000\n";
    Set(folder, count);
  }
  void Set(const std::string& folder, std::uint64_t count) {
    std::ofstream(root_ + "/" + folder + "/energy_uj") << count << "\n";
  }
  Result<HostEnergy> Open() const {
    return HostEnergy::Open(
        [this](const std::string& name) { return name == "HELIOSTAT_POWERCAP" ? std::optional(root_) : std::nullopt; });
  }

  std::string root_ = testing::TempDir() + "powercap";
};

TEST_F(HostEnergyTest, SumsPackagesAndMemoryOnce) {
  auto host = Open();
  ASSERT_TRUE(host) << host.error().Line();
  EXPECT_THAT(host->names(), ::testing::ElementsAre("package-0", "dram", "package-1"));
  EXPECT_EQ(host->energy(), Joules{0});
  Set("intel-rapl:0", 3'000'000);
  Set("intel-rapl:0:0", 2'000'000);
  Set("intel-rapl:0:1", 700'000);
  Set("intel-rapl:2", 9'000'000);
  host->Sample();
  EXPECT_DOUBLE_EQ(host->energy().value, 2.5);
}

TEST_F(HostEnergyTest, ACounterThatStartsAgainLosesNothing) {
  auto host = Open();
  ASSERT_TRUE(host);
  Set("intel-rapl:1", 4'000'000);  // 1 J to its highest value, then 4 J
  host->Sample();
  EXPECT_DOUBLE_EQ(host->energy().value, 5.0);
  host->Sample();
  EXPECT_DOUBLE_EQ(host->energy().value, 5.0);
}

TEST_F(HostEnergyTest, SaysWhatIsMissing) {
  for (const char* const folder : {"intel-rapl:0", "intel-rapl:0:1", "intel-rapl:1"}) {
    fs::remove(root_ + "/" + folder + "/energy_uj");
    fs::create_directories(root_ + "/" + folder + "/energy_uj");  // cannot be read, by root either
  }
  EXPECT_THAT(Open().error().Line(), ::testing::HasSubstr("may not be read; permit it with: sudo chmod a+r " + root_));
  fs::remove_all(root_);
  EXPECT_EQ(Open().error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace heliostat::device
