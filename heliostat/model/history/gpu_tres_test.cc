#include "heliostat/model/history/gpu_tres.h"

#include <gtest/gtest.h>

namespace heliostat::history {
namespace {

TEST(GpuTresTest, EverySpellingOfGpusIsRead) {
  const std::vector<std::pair<std::string, GpuTres>> cases{
      {"", {}},
      {"billing=8,cpu=8,mem=64G,node=1", {}},
      {"cpu=8,gres/gpu=4,node=1", {4}},
      {"gres/gpu:a100=4", {4, {{"a100", 4}}}},
      {"billing=12,cpu=8,gres/gpu:rtx4090=2,gres/gpu=2,mem=1G", {2, {{"rtx4090", 2}}}},
      {"gres/gpu=6,gres/gpu:a100=4,gres/gpu:v100=2", {6, {{"a100", 4}, {"v100", 2}}}},
      {"gres/gpu=2,gres/gpumem=80G,gres/gpuutil=100", {2}},
      {"gres/gpu:nvidia_h100_80gb_hbm3=8", {8, {{"nvidia_h100_80gb_hbm3", 8}}}},
      {"gpu:4", {4}},
      {"gpu:a100:2", {2, {{"a100", 2}}}},
      {"gpu:a100", {1, {{"a100", 1}}}},
      {"gpu", {1}},
      {"gpu:a100:2(IDX:0,2)", {2, {{"a100", 2}}}},
      {"craynetwork:1,gpu:2(S:0-1)", {2}},
      {"gres/gpu:a100=0,gres/gpu=0", {0}},
      {"gres/shard=3", {}},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(ParseGpuTres(text), expected) << text;
}

TEST(GpuTresTest, ANumberThatCannotBeReadIsNothing) {
  for (const char* text : {"gres/gpu=", "gres/gpu=x", "gres/gpu:a100=-1", "gpu:a100:", "gres/gpu=4.5"}) {
    EXPECT_EQ(ParseGpuTres(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace heliostat::history
