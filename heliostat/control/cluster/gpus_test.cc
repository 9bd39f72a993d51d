#include "heliostat/control/cluster/gpus.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace heliostat::cluster {
namespace {

TEST(Gpus, ReadsEverySpelling) {
  for (const auto& [text, gpus] : std::vector<std::pair<const char*, GpusByType>>{
           {"gpu:a100:4", {{"a100", 4}}},
           {"gpu:a100:4(S:0-1)", {{"a100", 4}}},
           {"gpu:a100:3(IDX:0,2-3),gpu:a40:1(IDX:1)", {{"a100", 3}, {"a40", 1}}},
           {"gres:gpu:2", {{"", 2}}},
           {"gres/gpu:2", {{"", 2}}},
           {"gres/gpu:a100:2", {{"a100", 2}}},
           {"gres/gpu:a100=2", {{"a100", 2}}},
           {"gres:gpu:a100", {{"a100", 1}}},
           {"gpu", {{"", 1}}},
           {"cpu=8,mem=62.50G,node=1,billing=8,gres/gpu=4,gres/gpu:a100=4", {{"a100", 4}}},
           {"gres/gpu=5,gres/gpu:a100=4", {{"", 1}, {"a100", 4}}},
           {"gpu:nvidia_a100-sxm4-80gb:8", {{"nvidia_a100-sxm4-80gb", 8}}},
           {"cpu=8,license/gpu=4", {}},
           {"gpu:a100:0(IDX:N/A)", {}},
           {"shard:16,gpumem:40G", {}},
           {"(null)", {}},
           {"N/A", {}},
           {"", {}},
       }) {
    EXPECT_EQ(ParseGpus(text), gpus) << text;
  }
}

TEST(Gpus, MultipliesANumberPerNode) {
  EXPECT_EQ(Times({{"a100", 4}, {"", 1}}, 3), (GpusByType{{"a100", 12}, {"", 3}}));
  EXPECT_EQ(Times({{"a100", 4}}, 0), GpusByType{});
  EXPECT_EQ(CountOf({{"a100", 4}, {"a40", 2}}), 6);
}

RC_GTEST_PROP(GpusLaws, TypesAndTotalsInAnyOrderCountOnce, ()) {
  const int a = *rc::gen::inRange(1, 100);
  const int b = *rc::gen::inRange(1, 100);
  std::vector<std::string> parts{"cpu=4", fmt::format("gres/gpu:x={}", a), fmt::format("gres/gpu:y={}", b),
                                 fmt::format("gres/gpu={}", a + b)};
  for (int i = *rc::gen::inRange(0, 24); i > 0; --i) std::next_permutation(parts.begin(), parts.end());
  const GpusByType gpus = ParseGpus(fmt::format("{}", fmt::join(parts, ",")));
  RC_ASSERT(gpus == (GpusByType{{"x", a}, {"y", b}}));
}

}  // namespace
}  // namespace heliostat::cluster
