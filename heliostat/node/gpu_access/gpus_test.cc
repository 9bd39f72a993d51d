#include "heliostat/node/gpu_access/gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/node/gpu_access/testing/two_cards.h"

namespace heliostat::gpu_access {
namespace {

using ::testing::HasSubstr;

TEST(GpusTest, AreNamedByIndexUuidOrItsBeginning) {
  const Gpus gpus = TwoGpus();
  const std::string uuid = gpus.all[1]->identity().uuid;
  for (const std::string& name : {std::string("1"), uuid}) {
    const auto chosen = gpus.Select({name});
    ASSERT_TRUE(chosen) << name;
    EXPECT_EQ(chosen->front(), gpus.all[1].get());
  }
  EXPECT_EQ(gpus.Select({"all"})->size(), 2U);
  EXPECT_EQ(gpus.Select({"0", "0", "all"})->size(), 2U) << "none twice";
}

TEST(GpusTest, ABeginningThatSeveralShareIsRefused) {
  const Gpus gpus = TwoGpus();
  const auto chosen = gpus.Select({"GPU-51a7ed00"});
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().Line(), HasSubstr("several"));
  EXPECT_EQ(gpus.Select({"2"}).error().code, ErrorCode::kInvalidArgument);
}

TEST(GpusTest, ARefusalNamesThoseThatAreThere) {
  const Gpus gpus = TwoGpus();
  const auto chosen = gpus.Select({"0", "GPU-nobody"});
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().what, HasSubstr("not on this machine"));
  for (const auto& gpu : gpus.all) EXPECT_THAT(chosen.error().allowed, HasSubstr(gpu->identity().uuid));
}

TEST(GpusTest, AMachineWithoutADriverHasNoneAndSaysWhyWhenOneIsNamed) {
  const auto gpus = OpenGpus([](const std::string& name) {
    return name == "HELIOSTAT_NVML" ? std::optional<std::string>("/nowhere/libnvml.so") : std::nullopt;
  });
  ASSERT_TRUE(gpus);
  EXPECT_TRUE(gpus->all.empty());
  EXPECT_TRUE(gpus->Select({})->empty());
  EXPECT_THAT(gpus->Select({"0"}).error().Line(), HasSubstr("/nowhere/libnvml.so"));
}

}  // namespace
}  // namespace heliostat::gpu_access
