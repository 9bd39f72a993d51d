// The project's NVML driver on the double: loading included, the whole way that it goes on a real machine.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>

#include "fakes/nvml/fault.h"
#include "fakes/nvml/testing/scratch_state.h"
#include "heliostat/node/device/open_driver.h"
#include "heliostat/node/device/testing/gpu_contract.h"
#include "programs.h"

namespace heliostat::nvml_double {
namespace {

using device::Knob;
using device::SetOutcome;
using device::Setting;
using ::testing::HasSubstr;

std::unique_ptr<device::GpuDriver> Open(const char* library) {
  return device::OpenDriver([library](const std::string& name) {
    return name == "HELIOSTAT_NVML" ? std::optional<std::string>(library) : std::nullopt;
  });
}

// The number of threads of this process.
std::size_t Threads() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

// Waits until there are no more threads than `count`.
void AwaitThreads(std::size_t count) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (Threads() > count && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

// A GPU that brings its driver and state along, for the contract.
std::unique_ptr<device::Gpu> MakeForContract(const std::string& card) {
  static std::unique_ptr<ScratchState> scratch;  // gone when the next one comes
  scratch = std::make_unique<ScratchState>(std::vector<std::string>{card});
  ::setenv("HELIOSTAT_DOUBLE", scratch->path().c_str(), 1);
  auto gpus = Open(HELIOSTAT_DOUBLE_LIBRARY)->Gpus();
  return gpus && !gpus->empty() ? std::move(gpus->front()) : nullptr;
}

}  // namespace
}  // namespace heliostat::nvml_double

namespace heliostat::device {
namespace {

INSTANTIATE_TEST_SUITE_P(NvmlH200, GpuContract, ::testing::Values([] { return nvml_double::MakeForContract("H200"); }));
INSTANTIATE_TEST_SUITE_P(NvmlA40, GpuContract, ::testing::Values([] { return nvml_double::MakeForContract("A40"); }));

}  // namespace
}  // namespace heliostat::device

namespace heliostat::nvml_double {
namespace {

class DriverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("HELIOSTAT_DOUBLE", scratch_.path().c_str(), 1);
    driver_ = Open(HELIOSTAT_DOUBLE_LIBRARY);
    auto gpus = driver_->Gpus();
    ASSERT_TRUE(gpus) << gpus.error().Line();
    gpus_ = std::move(*gpus);
    ASSERT_EQ(gpus_.size(), 2U);
  }
  void TearDown() override { ::unsetenv("HELIOSTAT_DOUBLE"); }
  void Fault(std::string_view kind, std::string_view value = "") {
    state_.Update(0, [&](GpuState& now) { ASSERT_TRUE(AddFault(now.faults, kind, value, RealSeconds())); });
  }

  const ScratchState scratch_{std::vector<std::string>{"H200", "A40"}};
  State state_ = scratch_.Open();
  std::unique_ptr<device::GpuDriver> driver_;
  std::vector<std::unique_ptr<device::Gpu>> gpus_;
};

TEST_F(DriverTest, TellsWhatIsThere) {
  EXPECT_EQ(driver_->name(), "NVML");
  EXPECT_FALSE(driver_->version().empty());
  EXPECT_TRUE(driver_->troubles().empty());
  EXPECT_EQ(gpus_[0]->identity().name, "NVIDIA H200");
  EXPECT_EQ(gpus_[0]->abilities().core_clocks_mhz.size(), 110U);
  EXPECT_EQ(gpus_[1]->abilities().highest_limit, Watts{300});
}

TEST_F(DriverTest, WithoutTheRightToWriteItSaysWhoCan) {
  Fault("no-permission");
  const auto applied = gpus_[0]->Apply(Setting::PowerLimit(Watts{300}));
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(applied.error().Line(), HasSubstr("heliostatd"));
}

TEST_F(DriverTest, AGpuThatHangsWhileItIsOpenedDoesNotHoldUpTheOther) {
  Fault("hang");
  const std::size_t threads = Threads();
  const auto driver =
      device::OpenDriver([](const std::string&) { return std::optional<std::string>(HELIOSTAT_DOUBLE_LIBRARY); },
                         std::chrono::milliseconds(200));
  const auto gpus = driver->Gpus();
  // The thread that hangs keeps the library open, which the next test must not find.
  state_.Update(0, [](GpuState& now) { now.faults = {}; });
  AwaitThreads(threads);
  ASSERT_TRUE(gpus) << gpus.error().Line();
  ASSERT_EQ(gpus->size(), 1U);
  EXPECT_EQ(gpus->front()->identity().name, "NVIDIA A40");
  EXPECT_EQ(gpus->front()->identity().index, 1);
  EXPECT_THAT(driver->troubles(), ::testing::ElementsAre(HasSubstr("GPU 0: the driver does not answer")));
}

TEST_F(DriverTest, AGpuThatHungWhileItWasOpenedIsFoundLaterByTheSameThread) {
  Fault("hang");
  const std::size_t threads = Threads();
  const auto driver =
      device::OpenDriver([](const std::string&) { return std::optional<std::string>(HELIOSTAT_DOUBLE_LIBRARY); },
                         std::chrono::milliseconds(50));
  ASSERT_EQ(driver->Gpus()->size(), 1U);
  EXPECT_FALSE(driver->is_complete());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(driver->Gpus()->empty());
  EXPECT_EQ(Threads(), threads + 1) << "one thread waits, not one per look";
  EXPECT_EQ(driver->troubles().size(), 1U);
  state_.Update(0, [](GpuState& now) { now.faults = {}; });
  AwaitThreads(threads);
  const auto later = driver->Gpus();
  ASSERT_EQ(later->size(), 1U);
  EXPECT_EQ(later->front()->identity().index, 0);
  EXPECT_TRUE(driver->is_complete());
  EXPECT_TRUE(driver->troubles().empty());
}

TEST_F(DriverTest, ALostGpuIsUnavailableAndTheOtherIsNot) {
  Fault("lost");
  const auto reading = gpus_[0]->Read();
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(gpus_[1]->Read());
}

TEST_F(DriverTest, WhatTheDriverClampsOrIgnoresIsToldAsSuch) {
  Fault("clamp", "400:500");
  const auto clamped = gpus_[0]->Apply(Setting::PowerLimit(Watts{300}));
  ASSERT_TRUE(clamped);
  EXPECT_EQ(clamped->outcome, SetOutcome::kClamped);
  EXPECT_EQ(clamped->stands, Setting::PowerLimit(Watts{400}));
  Fault("ignore");
  const auto ignored = gpus_[0]->Apply(Setting::PowerLimit(Watts{450}));
  ASSERT_TRUE(ignored);
  EXPECT_EQ(ignored->outcome, SetOutcome::kIgnored);
}

TEST_F(DriverTest, AClockLockThatDoesNothingIsSeenOnTheClock) {
  state_.Update(0, [](GpuState& gpu) { Put(gpu, {.model = "resnet50"}); });
  Fault("ignore");
  const auto applied = gpus_[0]->Apply(Setting::Clock(Knob::kCoreClock, Megahertz(600), Megahertz(900)));
  ASSERT_TRUE(applied) << applied.error().Line();
  EXPECT_EQ(applied->outcome, SetOutcome::kIgnored);
}

TEST_F(DriverTest, ALimitFromElsewhereShowsInWhatIsEnforced) {
  Fault("out-of-band", "350");
  EXPECT_EQ(gpus_[0]->Stands(Knob::kPowerLimit)->limit(), Watts{700});
  EXPECT_EQ(gpus_[0]->Read()->enforced_limit, Watts{350});
}

TEST_F(DriverTest, ACardIsFoundAgainAfterTheDriverWasLoadedAnew) {
  ASSERT_TRUE(gpus_[0]->Apply(Setting::PowerLimit(Watts{300})));
  state_.Reload(false);
  const auto stands = gpus_[0]->Stands(Knob::kPowerLimit);
  ASSERT_TRUE(stands) << stands.error().Line();
  EXPECT_EQ(stands->limit(), Watts{700});
  EXPECT_TRUE(gpus_[1]->Read()) << "another thread's restart must not leave this one behind";
}

TEST_F(DriverTest, WhatACardDoesNotSupportIsAbsentNotAnError) {
  Fault("unsupported", "nvmlDeviceGetTemperature");
  const auto reading = gpus_[0]->Read();
  ASSERT_TRUE(reading);
  EXPECT_FALSE(reading->temperature_c);
  EXPECT_TRUE(reading->power);
}

TEST_F(DriverTest, AnOldLibraryWorksAndSaysWhatItLacks) {
  const auto old = Open(HELIOSTAT_OLD_LIBRARY);
  EXPECT_EQ(old->name(), "NVML");
  EXPECT_THAT(old->troubles(), ::testing::Contains(HasSubstr("nvmlDeviceSetPowerManagementLimit")));
  const auto gpus = old->Gpus();
  ASSERT_TRUE(gpus);
  ASSERT_FALSE(gpus->empty());
  EXPECT_TRUE(gpus->front()->Read()->power);
  EXPECT_FALSE(gpus->front()->abilities().has_power_limit);
  EXPECT_EQ(gpus->front()->Apply(Setting::PowerLimit(Watts{300})).error().code, ErrorCode::kUnsupported);
}

TEST_F(DriverTest, ALibraryOfAnotherKindIsRefusedWithWhatItLacks) {
  const auto other = Open("libc.so.6");
  EXPECT_EQ(other->name(), "none");
  EXPECT_THAT(other->troubles().front(), HasSubstr("nvmlInit_v2"));
}

}  // namespace
}  // namespace heliostat::nvml_double
