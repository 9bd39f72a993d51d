#include "heliostat/node/device/nvml_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/node/device/open_driver.h"

namespace heliostat::device {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(NvmlLibraryTest, ALibraryThatIsNotThereIsNotFound) {
  const auto library = nvml::Library::Load("/nowhere/libnvidia-ml.so.1");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(library.error().Line(), StartsWith("/nowhere/libnvidia-ml.so.1: is not installed; "));
  EXPECT_THAT(library.error().Line(), HasSubstr("name a library with HELIOSTAT_NVML"));
}

// Any library of the machine loads; only NVML has NVML's functions.
TEST(NvmlLibraryTest, ALibraryWithoutItsFunctionsIsUnsupportedAndAllRequiredOnesAreNamed) {
  const auto library = nvml::Library::Load("libm.so.6");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, ErrorCode::kUnsupported);
#define HELIOSTAT_EXPECT_NAMED(name, type) EXPECT_THAT(library.error().what, HasSubstr(#name));
  HELIOSTAT_NVML_REQUIRED(HELIOSTAT_EXPECT_NAMED)
#undef HELIOSTAT_EXPECT_NAMED
  EXPECT_THAT(library.error().what, ::testing::Not(HasSubstr("nvmlErrorString")));
}

TEST(OpenDriverTest, ALibraryThatIsNotNvmlIsNoDriver) {
  const auto driver = OpenDriver([](const std::string&) { return std::optional<std::string>("libm.so.6"); });
  EXPECT_EQ(driver->name(), "none");
  EXPECT_EQ(driver->version(), "");
  ASSERT_EQ(driver->troubles().size(), 1U);
  EXPECT_THAT(driver->troubles().front(), StartsWith("libm.so.6: has no nvmlInit_v2"));
  EXPECT_TRUE(driver->Gpus()->empty());
}

TEST(OpenDriverTest, TheVariableIsAskedByItsName) {
  std::vector<std::string> asked;
  (void)OpenDriver([&](const std::string& name) {
    asked.push_back(name);
    return std::optional<std::string>("/nowhere");
  });
  EXPECT_THAT(asked, ::testing::ElementsAre("HELIOSTAT_NVML"));
}

}  // namespace
}  // namespace heliostat::device
