// The double as those see it who load it.

#include "fakes/nvml/library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

#include "fakes/nvml/fault.h"
#include "fakes/nvml/testing/scratch_state.h"
#include "programs.h"

namespace heliostat::nvml_double {
namespace {

namespace nvml = device::nvml;
using device::Knob;
using device::Setting;
using ::testing::ElementsAre;
using ::testing::SizeIs;

// The functions of a library that was loaded at run time.
struct Functions {
#define HELIOSTAT_TEST_POINTER(name, type) std::add_pointer_t<type> name = nullptr;
  HELIOSTAT_NVML_REQUIRED(HELIOSTAT_TEST_POINTER)
  HELIOSTAT_NVML_OPTIONAL(HELIOSTAT_TEST_POINTER)
#undef HELIOSTAT_TEST_POINTER

  explicit Functions(const char* path) {
    void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    Check(library != nullptr, "the library that is tested");
#define HELIOSTAT_TEST_FIND(name, type) name = reinterpret_cast<std::add_pointer_t<type>>(::dlsym(library, #name));
    HELIOSTAT_NVML_REQUIRED(HELIOSTAT_TEST_FIND)
    HELIOSTAT_NVML_OPTIONAL(HELIOSTAT_TEST_FIND)
#undef HELIOSTAT_TEST_FIND
  }
};

const Functions& Library() {
  static const Functions functions(HELIOSTAT_DOUBLE_LIBRARY);
  return functions;
}

class LibraryTest : public ::testing::Test {
 protected:
  LibraryTest() { ::setenv("HELIOSTAT_DOUBLE", scratch_.path().c_str(), 1); }
  ~LibraryTest() override {
    state_.Reload(false);  // whatever a test left open is void
    ::unsetenv("HELIOSTAT_DOUBLE");
  }

  nvml::Device Gpu(unsigned index) {
    nvml::Device device = nullptr;
    EXPECT_EQ(nv_.nvmlInit_v2(), nvml::kSuccess);
    EXPECT_EQ(nv_.nvmlDeviceGetHandleByIndex_v2(index, &device), nvml::kSuccess);
    return device;
  }
  void Fault(int gpu, std::string_view kind, std::string_view value = "") {
    state_.Update(gpu, [&](GpuState& now) { ASSERT_TRUE(AddFault(now.faults, kind, value, RealSeconds())); });
  }
  void ClearFaults(int gpu) {
    state_.Update(gpu, [](GpuState& now) { now.faults = Faults{}; });
  }
  unsigned Limit(nvml::Device device) {
    unsigned milliwatts = 0;
    EXPECT_EQ(nv_.nvmlDeviceGetPowerManagementLimit(device, &milliwatts), nvml::kSuccess);
    return milliwatts;
  }

  const Functions& nv_ = Library();
  const ScratchState scratch_{std::vector<std::string>{"H200", "A40", "V100"}};
  State state_ = scratch_.Open();
};

TEST_F(LibraryTest, NothingWorksBeforeInitAndAfterTheLastShutdown) {
  unsigned count = 0;
  EXPECT_EQ(nv_.nvmlDeviceGetCount_v2(&count), nvml::kUninitialized);
  EXPECT_EQ(nv_.nvmlShutdown(), nvml::kUninitialized);
  const nvml::Device device = Gpu(0);
  EXPECT_EQ(nv_.nvmlInit_v2(), nvml::kSuccess);
  EXPECT_EQ(nv_.nvmlShutdown(), nvml::kSuccess);
  EXPECT_EQ(nv_.nvmlDeviceGetCount_v2(&count), nvml::kSuccess);
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(nv_.nvmlShutdown(), nvml::kSuccess);
  unsigned power = 0;
  EXPECT_EQ(nv_.nvmlDeviceGetPowerUsage(device, &power), nvml::kUninitialized);
  EXPECT_EQ(nv_.nvmlShutdown(), nvml::kUninitialized);
}

TEST_F(LibraryTest, WithoutAStateThereIsNoDriver) {
  ::setenv("HELIOSTAT_DOUBLE", "/nonexistent/state", 1);
  EXPECT_EQ(nv_.nvmlInit_v2(), nvml::kDriverNotLoaded);
}

TEST_F(LibraryTest, GpusAreFoundByNumberAndByUuid) {
  const nvml::Device device = Gpu(1);
  std::array<char, nvml::kUuidSize> uuid{};
  ASSERT_EQ(nv_.nvmlDeviceGetUUID(device, uuid.data(), uuid.size()), nvml::kSuccess);
  EXPECT_STREQ(uuid.data(), state_.Look(1).uuid.data());
  nvml::Device again = nullptr;
  EXPECT_EQ(nv_.nvmlDeviceGetHandleByUUID(uuid.data(), &again), nvml::kSuccess);
  EXPECT_EQ(again, device);
  EXPECT_EQ(nv_.nvmlDeviceGetHandleByUUID("GPU-0", &again), nvml::kNotFound);
  EXPECT_EQ(nv_.nvmlDeviceGetHandleByIndex_v2(3, &again), nvml::kInvalidArgument);
  EXPECT_EQ(nv_.nvmlDeviceGetHandleByIndex_v2(0, nullptr), nvml::kInvalidArgument);
  unsigned power = 0;
  EXPECT_EQ(nv_.nvmlDeviceGetPowerUsage(nullptr, &power), nvml::kInvalidArgument);
  EXPECT_EQ(nv_.nvmlDeviceGetPowerUsage(device, nullptr), nvml::kInvalidArgument);
}

TEST_F(LibraryTest, TextsNeedRoom) {
  const nvml::Device device = Gpu(0);
  std::array<char, nvml::kNameSize> name{};
  EXPECT_EQ(nv_.nvmlDeviceGetName(device, name.data(), 11), nvml::kInsufficientSize);
  EXPECT_EQ(nv_.nvmlDeviceGetName(device, name.data(), 12), nvml::kSuccess);
  EXPECT_STREQ(name.data(), "NVIDIA H200");
}

TEST_F(LibraryTest, ListsSayHowLongTheyAreAndFallFromTheHighestClock) {
  const nvml::Device device = Gpu(0);
  unsigned count = 0;
  EXPECT_EQ(nv_.nvmlDeviceGetSupportedMemoryClocks(device, &count, nullptr), nvml::kInsufficientSize);
  ASSERT_EQ(count, 2U);
  std::vector<unsigned> memory(count);
  EXPECT_EQ(nv_.nvmlDeviceGetSupportedMemoryClocks(device, &count, memory.data()), nvml::kSuccess);
  EXPECT_THAT(memory, ElementsAre(3201, 2201));
  count = 5;
  std::vector<unsigned> core(5);
  EXPECT_EQ(nv_.nvmlDeviceGetSupportedGraphicsClocks(device, 3201, &count, core.data()), nvml::kInsufficientSize);
  ASSERT_EQ(count, 110U);
  core.resize(count);
  EXPECT_EQ(nv_.nvmlDeviceGetSupportedGraphicsClocks(device, 3201, &count, core.data()), nvml::kSuccess);
  EXPECT_EQ(core.front(), 1980U);
  EXPECT_EQ(core.back(), 345U);
  EXPECT_TRUE(std::is_sorted(core.rbegin(), core.rend()));
  EXPECT_EQ(nv_.nvmlDeviceGetSupportedGraphicsClocks(device, 3000, &count, core.data()), nvml::kNotFound);
}

TEST_F(LibraryTest, ReadingsFollowTheLoad) {
  const nvml::Device device = Gpu(0);
  unsigned long long reasons = 0;
  EXPECT_EQ(nv_.nvmlDeviceGetCurrentClocksEventReasons(device, &reasons), nvml::kSuccess);
  EXPECT_EQ(reasons, nvml::kReasonIdle);
  state_.Update(0, [](GpuState& gpu) { Put(gpu, {.model = "resnet50"}, ::getpid()); });
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, 250'000), nvml::kSuccess);
  unsigned long long before = 0;
  EXPECT_EQ(nv_.nvmlDeviceGetTotalEnergyConsumption(device, &before), nvml::kSuccess);
  state_.Advance(20.0);
  unsigned power = 0;
  unsigned mhz = 0;
  unsigned long long millijoules = 0;
  EXPECT_EQ(nv_.nvmlDeviceGetPowerUsage(device, &power), nvml::kSuccess);
  EXPECT_EQ(nv_.nvmlDeviceGetClockInfo(device, nvml::kClockSm, &mhz), nvml::kSuccess);
  EXPECT_EQ(nv_.nvmlDeviceGetTotalEnergyConsumption(device, &millijoules), nvml::kSuccess);
  EXPECT_EQ(nv_.nvmlDeviceGetCurrentClocksThrottleReasons(device, &reasons), nvml::kSuccess);
  EXPECT_LE(power, 250'000U);
  EXPECT_GT(power, 200'000U);
  EXPECT_LT(mhz, 1980U);
  EXPECT_NEAR(static_cast<double>(millijoules - before), 20.0 * power, 0.01 * 20 * power);
  EXPECT_EQ(reasons, nvml::kReasonPowerCap);
  nvml::Utilization rates{};
  EXPECT_EQ(nv_.nvmlDeviceGetUtilizationRates(device, &rates), nvml::kSuccess);
  EXPECT_EQ(rates.gpu, 100U);
  unsigned count = 4;
  std::array<nvml::ProcessInfo, 4> processes{};
  EXPECT_EQ(nv_.nvmlDeviceGetComputeRunningProcesses_v3(device, &count, processes.data()), nvml::kSuccess);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(processes[0].pid, static_cast<unsigned>(::getpid()));
  std::array<nvml::ProcessUtilization, 4> used{};
  count = 4;
  EXPECT_EQ(nv_.nvmlDeviceGetProcessUtilization(device, used.data(), &count, 0), nvml::kSuccess);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(used[0].pid, static_cast<unsigned>(::getpid()));
  EXPECT_EQ(used[0].sm, 100U);
  EXPECT_EQ(nv_.nvmlDeviceGetProcessUtilization(Gpu(1), used.data(), &count, 0), nvml::kNotFound) << "nothing runs";
}

TEST_F(LibraryTest, LimitsOutsideTheRangeAreRefusedAndChangeNothing) {
  const nvml::Device device = Gpu(1);
  unsigned low = 0;
  unsigned high = 0;
  ASSERT_EQ(nv_.nvmlDeviceGetPowerManagementLimitConstraints(device, &low, &high), nvml::kSuccess);
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, low - 1), nvml::kInvalidArgument);
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, high + 1), nvml::kInvalidArgument);
  EXPECT_EQ(Limit(device), 300'000U);
  EXPECT_EQ(state_.Look(1).writes[0], 0U);
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, low), nvml::kSuccess);
  EXPECT_EQ(Limit(device), low);
}

TEST_F(LibraryTest, ClocksAreLockedInsideTheRangeAndUnlocked) {
  const nvml::Device device = Gpu(0);
  EXPECT_EQ(nv_.nvmlDeviceSetGpuLockedClocks(device, 900, 600), nvml::kInvalidArgument);
  EXPECT_EQ(nv_.nvmlDeviceSetGpuLockedClocks(device, 300, 600), nvml::kInvalidArgument);
  EXPECT_EQ(nv_.nvmlDeviceSetGpuLockedClocks(device, 600, 1995), nvml::kInvalidArgument);
  EXPECT_TRUE(state_.Look(0).At(Knob::kCoreClock).is_default);
  EXPECT_EQ(nv_.nvmlDeviceSetGpuLockedClocks(device, 600, 900), nvml::kSuccess);
  EXPECT_EQ(state_.Look(0).At(Knob::kCoreClock), (Setting{Knob::kCoreClock, false, 600, 900}));
  EXPECT_EQ(nv_.nvmlDeviceResetGpuLockedClocks(device), nvml::kSuccess);
  EXPECT_TRUE(state_.Look(0).At(Knob::kCoreClock).is_default);
  EXPECT_EQ(nv_.nvmlDeviceSetMemoryLockedClocks(device, 2201, 2201), nvml::kSuccess);
  unsigned mhz = 0;
  EXPECT_EQ(nv_.nvmlDeviceGetClockInfo(device, nvml::kClockMemory, &mhz), nvml::kSuccess);
  EXPECT_EQ(mhz, 2201U);
  EXPECT_EQ(nv_.nvmlDeviceResetMemoryLockedClocks(device), nvml::kSuccess);
  EXPECT_EQ(nv_.nvmlDeviceSetMemoryLockedClocks(Gpu(2), 877, 877), nvml::kNotSupported);
}

TEST_F(LibraryTest, EveryWriteIsOnRecord) {
  const nvml::Device device = Gpu(0);
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, 300'000), nvml::kSuccess);
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, 1), nvml::kInvalidArgument);
  EXPECT_EQ(nv_.nvmlDeviceSetGpuLockedClocks(device, 600, 900), nvml::kSuccess);
  const GpuState gpu = state_.Look(0);
  EXPECT_THAT(gpu.writes, ElementsAre(1, 1, 0));
  ASSERT_EQ(gpu.recorded, 3U);
  EXPECT_EQ(gpu.record[0].high, 300'000);
  EXPECT_EQ(gpu.record[0].pid, ::getpid());
  EXPECT_EQ(gpu.record[1].result, nvml::kInvalidArgument);
  EXPECT_EQ(NameOf(gpu.record[2].function), "nvmlDeviceSetGpuLockedClocks");
}

TEST_F(LibraryTest, OnlyRootWritesWhereSettingsAreRoots) {
  const ScratchState strict(Plan{.gpus = {"H200"}, .is_root_only = true, .is_manual = true});
  ::setenv("HELIOSTAT_DOUBLE", strict.path().c_str(), 1);
  const nvml::Device device = Gpu(0);
  if (::geteuid() == 0) {
    EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, 300'000), nvml::kSuccess);
  }
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(99);
    ::_exit(nv_.nvmlDeviceSetPowerManagementLimit(device, 400'000));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), nvml::kNoPermission);
  EXPECT_EQ(Limit(device), ::geteuid() == 0 ? 300'000U : 700'000U);
  EXPECT_EQ(nv_.nvmlShutdown(), nvml::kSuccess);
}

TEST_F(LibraryTest, NoPermissionRefusesWritesOnly) {
  const nvml::Device device = Gpu(0);
  Fault(0, "no-permission");
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, 300'000), nvml::kNoPermission);
  EXPECT_EQ(nv_.nvmlDeviceSetGpuLockedClocks(device, 600, 900), nvml::kNoPermission);
  EXPECT_EQ(nv_.nvmlDeviceResetGpuLockedClocks(device), nvml::kNoPermission);
  EXPECT_EQ(Limit(device), 700'000U);
  EXPECT_THAT(state_.Look(0).writes, ElementsAre(0, 0, 0));
  ClearFaults(0);
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, 300'000), nvml::kSuccess);
}

TEST_F(LibraryTest, ALostGpuAnswersNothingAndTheOthersDo) {
  const nvml::Device lost = Gpu(0);
  const nvml::Device other = Gpu(1);
  Fault(0, "lost");
  unsigned number = 0;
  nvml::Device handle = nullptr;
  EXPECT_EQ(nv_.nvmlDeviceGetPowerUsage(lost, &number), nvml::kGpuIsLost);
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(lost, 300'000), nvml::kGpuIsLost);
  EXPECT_EQ(nv_.nvmlDeviceGetHandleByIndex_v2(0, &handle), nvml::kGpuIsLost);
  EXPECT_EQ(nv_.nvmlDeviceGetPowerUsage(other, &number), nvml::kSuccess);
  ClearFaults(0);
  EXPECT_EQ(nv_.nvmlDeviceGetPowerUsage(lost, &number), nvml::kSuccess);
}

TEST_F(LibraryTest, AHangingCallWaitsUntilTheFaultIsClearedAndHoldsUpNobodyElse) {
  const nvml::Device hanging = Gpu(0);
  const nvml::Device other = Gpu(1);
  Fault(0, "hang");
  auto call = std::async(std::launch::async, [&] { return nv_.nvmlDeviceSetPowerManagementLimit(hanging, 300'000); });
  EXPECT_EQ(call.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(other, 200'000), nvml::kSuccess);
  EXPECT_EQ(state_.Look(0).At(Knob::kPowerLimit).high, 700'000);
  ClearFaults(0);
  EXPECT_EQ(call.get(), nvml::kSuccess);
  EXPECT_EQ(Limit(hanging), 300'000U);
}

TEST_F(LibraryTest, OneFunctionHangsAloneAndForAWhile) {
  const nvml::Device device = Gpu(0);
  const double before = RealSeconds();
  Fault(0, "hang", "nvmlDeviceGetTotalEnergyConsumption:0.05");
  EXPECT_EQ(Limit(device), 700'000U);
  unsigned long long millijoules = 0;
  EXPECT_EQ(nv_.nvmlDeviceGetTotalEnergyConsumption(device, &millijoules), nvml::kSuccess);
  EXPECT_GE(RealSeconds() - before, 0.05);
}

TEST_F(LibraryTest, LimitsAreClampedRoundedOrIgnored) {
  const nvml::Device device = Gpu(0);
  Fault(0, "clamp", "400:500");
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, 300'000), nvml::kSuccess);
  EXPECT_EQ(Limit(device), 400'000U);
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, 600'000), nvml::kSuccess);
  EXPECT_EQ(Limit(device), 500'000U);
  ClearFaults(0);
  Fault(0, "round", "5000");
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, 304'999), nvml::kSuccess);
  EXPECT_EQ(Limit(device), 300'000U);
  ClearFaults(0);
  Fault(0, "ignore");
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, 450'000), nvml::kSuccess);
  EXPECT_EQ(nv_.nvmlDeviceSetGpuLockedClocks(device, 600, 900), nvml::kSuccess);
  EXPECT_EQ(Limit(device), 300'000U);
  EXPECT_TRUE(state_.Look(0).At(Knob::kCoreClock).is_default);
}

TEST_F(LibraryTest, TheEnforcedLimitTellsWhatComesFromElsewhere) {
  const nvml::Device device = Gpu(0);
  Fault(0, "out-of-band", "450");
  unsigned enforced = 0;
  EXPECT_EQ(nv_.nvmlDeviceGetEnforcedPowerLimit(device, &enforced), nvml::kSuccess);
  EXPECT_EQ(enforced, 450'000U);
  EXPECT_EQ(Limit(device), 700'000U);
}

TEST_F(LibraryTest, WhatIsUnsupportedSaysSo) {
  const nvml::Device device = Gpu(0);
  Fault(0, "unsupported", "nvmlDeviceSetGpuLockedClocks");
  Fault(0, "no-energy-counter");
  unsigned long long millijoules = 0;
  EXPECT_EQ(nv_.nvmlDeviceSetGpuLockedClocks(device, 600, 900), nvml::kNotSupported);
  EXPECT_EQ(nv_.nvmlDeviceGetTotalEnergyConsumption(device, &millijoules), nvml::kNotSupported);
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(device, 300'000), nvml::kSuccess);
}

TEST_F(LibraryTest, MigIsTold) {
  unsigned current = 7;
  unsigned pending = 7;
  nvml::Utilization rates{};
  EXPECT_EQ(nv_.nvmlDeviceGetMigMode(Gpu(1), &current, &pending), nvml::kNotSupported);
  EXPECT_EQ(nv_.nvmlDeviceGetMigMode(Gpu(0), &current, &pending), nvml::kSuccess);
  EXPECT_EQ(current, 0U);
  Fault(0, "mig");
  EXPECT_EQ(nv_.nvmlDeviceGetMigMode(Gpu(0), &current, &pending), nvml::kSuccess);
  EXPECT_EQ(current, 1U);
  EXPECT_EQ(nv_.nvmlDeviceGetUtilizationRates(Gpu(0), &rates), nvml::kNotSupported);
}

TEST_F(LibraryTest, AReloadEndsEverySessionUntilTheNextInit) {
  const nvml::Device old = Gpu(0);
  EXPECT_EQ(nv_.nvmlDeviceSetPowerManagementLimit(old, 300'000), nvml::kSuccess);
  state_.Advance(10.0);
  state_.Reload(false);
  unsigned number = 0;
  EXPECT_EQ(nv_.nvmlDeviceGetPowerUsage(old, &number), nvml::kUninitialized);
  EXPECT_EQ(nv_.nvmlDeviceGetCount_v2(&number), nvml::kUninitialized);
  const nvml::Device fresh = Gpu(0);
  EXPECT_EQ(nv_.nvmlDeviceGetPowerUsage(old, &number), nvml::kInvalidArgument);
  EXPECT_EQ(Limit(fresh), 700'000U);
  unsigned long long millijoules = 1;
  EXPECT_EQ(nv_.nvmlDeviceGetTotalEnergyConsumption(fresh, &millijoules), nvml::kSuccess);
  EXPECT_EQ(millijoules, 0U);
}

TEST_F(LibraryTest, EveryFunctionIsThere) {
#define HELIOSTAT_TEST_IS_THERE(name, type) EXPECT_NE(nv_.name, nullptr) << #name;
  HELIOSTAT_NVML_REQUIRED(HELIOSTAT_TEST_IS_THERE)
  HELIOSTAT_NVML_OPTIONAL(HELIOSTAT_TEST_IS_THERE)
#undef HELIOSTAT_TEST_IS_THERE
}

TEST(OldLibraryTest, HasWhatIsRequiredAndNothingElse) {
  const Functions old(HELIOSTAT_OLD_LIBRARY);
#define HELIOSTAT_TEST_IS_THERE(name, type) EXPECT_NE(old.name, nullptr) << #name;
#define HELIOSTAT_TEST_IS_MISSING(name, type) EXPECT_EQ(old.name, nullptr) << #name;
  HELIOSTAT_NVML_REQUIRED(HELIOSTAT_TEST_IS_THERE)
  HELIOSTAT_NVML_OPTIONAL(HELIOSTAT_TEST_IS_MISSING)
#undef HELIOSTAT_TEST_IS_THERE
#undef HELIOSTAT_TEST_IS_MISSING
}

TEST(FaultTest, NonsenseIsRefusedAndChangesNothing) {
  for (const auto& [kind, value] : std::vector<std::pair<std::string, std::string>>{{"nothing", ""},
                                                                                    {"lost", "1"},
                                                                                    {"hang", "nvmlNothing"},
                                                                                    {"hang", ":-1"},
                                                                                    {"hang", "all:x"},
                                                                                    {"clamp", "500"},
                                                                                    {"clamp", "500:400"},
                                                                                    {"clamp", ""},
                                                                                    {"round", "0"},
                                                                                    {"unsupported", "x"}}) {
    Faults faults;
    EXPECT_FALSE(AddFault(faults, kind, value, 0.0).has_value()) << kind << " " << value;
    EXPECT_EQ(faults.hanging, 0U);
    EXPECT_FALSE(faults.is_lost);
    EXPECT_EQ(faults.round_mw, 1);
    EXPECT_EQ(faults.clamp_high_mw, 0);
  }
}

}  // namespace
}  // namespace heliostat::nvml_double
