#include "heliostat/model/history/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heliostat::history {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using workload::Hardware;

constexpr Instant kZero{std::chrono::sys_days{std::chrono::year{2024} / 3 / 1}};

const workload::Catalogue& Library() {
  static const workload::Catalogue kCatalogue({}, 3, profile::Margin::kErrorBar);
  return kCatalogue;
}

PastJob Job(std::string id, Duration start, Duration end, int gpus, std::vector<std::string> hosts,
            std::string type = "a100") {
  return {.id = std::move(id),
          .runs = {{{kZero + start, kZero + end}, std::move(hosts)}},
          .gpus = gpus,
          .type = std::move(type)};
}

Result<Site> SiteFor(std::vector<PastJob> jobs, const SiteOptions& options = {}) {
  Record record;
  record.jobs = std::move(jobs);
  return SiteOf(record, options, Library(), "dump.txt");
}

TEST(SiteTest, NodesHaveTheMostGpusInUseAtATime) {
  const auto site = SiteFor({Job("1", 0h, 2h, 3, {"n1"}), Job("2", 1h, 3h, 2, {"n1"}), Job("3", 2h, 4h, 1, {"n1"}),
                             Job("4", 0h, 2h, 2, {"v7"}, "v100")});
  ASSERT_TRUE(site.has_value()) << site.error().Line();
  EXPECT_THAT(site->hardware, UnorderedElementsAre(Hardware{"A100", 1, 5}, Hardware{"V100", 1, 2}));
  EXPECT_EQ(site->gpus[3], "V100");
}

// Job 2 takes the GPUs that job 1 frees in the same second.
TEST(SiteTest, GpusThatAreFreedCountOnce) {
  const auto site = SiteFor({Job("1", 0h, 2h, 4, {"n1"}), Job("2", 2h, 3h, 4, {"n1"})});
  EXPECT_THAT(site->hardware, UnorderedElementsAre(Hardware{"A100", 1, 4}));
}

TEST(SiteTest, NodesOfOneNameAreAlike) {
  const auto site = SiteFor({Job("1", 0h, 2h, 8, {"gpu01"}), Job("2", 0h, 2h, 5, {"gpu02"}),
                             Job("3", 0h, 2h, 4, {"big1"}), Job("4", 0h, 2h, 15, {"gpu03", "gpu04"})});
  EXPECT_THAT(site->hardware, UnorderedElementsAre(Hardware{"A100", 4, 8}, Hardware{"A100", 1, 4}));
  EXPECT_THAT(site->notes, Contains(HasSubstr("2 nodes were never fully in use")));
  const scenario::Recorded& spread = site->recorded[3];
  EXPECT_EQ(site->hardware[*spread.group].nodes, 4);
  EXPECT_EQ(spread.runs[0].nodes, (std::vector<scenario::NodeShare>{{2, 8}, {3, 7}}));
}

TEST(SiteTest, ATypeThatIsNotToldIsThatOfTheNode) {
  const auto site = SiteFor({Job("1", 0h, 2h, 8, {"n1"}), Job("2", 3h, 4h, 2, {"n1"}, "")});
  ASSERT_TRUE(site.has_value()) << site.error().Line();
  EXPECT_EQ(site->gpus[1], "A100");
}

TEST(SiteTest, TypesAreKnownByManyNames) {
  for (const char* type : {"a100", "A100", "nvidia_a100-sxm4-80gb", "a100_80gb", "NVIDIA_A100_80GB_PCIe", "a100-40"}) {
    EXPECT_EQ(GpuOfType(type, Library()), "A100") << type;
  }
  EXPECT_EQ(GpuOfType("rtx4090", Library()), "RTX4090");
  EXPECT_EQ(GpuOfType("tesla_v100-sxm2-32gb", Library()), "V100");
  EXPECT_EQ(GpuOfType("nvidia_geforce_rtx_4090", Library()), "RTX4090");
  for (const char* type : {"a100_1g.5gb", "1g.5gb", "gtx1080ti", "t4", ""}) {
    EXPECT_EQ(GpuOfType(type, Library()), std::nullopt) << type;
  }
}

TEST(SiteTest, UnknownTypesAreToldWithTheKnownOnes) {
  const std::vector<PastJob> jobs{Job("1", 0h, 2h, 1, {"n1"}, "t4"), Job("2", 0h, 2h, 1, {"n2"}, "")};
  const auto site = SiteFor({jobs[0]});
  ASSERT_FALSE(site.has_value());
  EXPECT_THAT(site.error().Line(),
              HasSubstr("dump.txt: there is no profile of its GPU type 't4' (1 jobs); known are A40"));
  const auto untold = SiteFor({jobs[1]});
  ASSERT_FALSE(untold.has_value());
  EXPECT_THAT(untold.error().Line(), HasSubstr("does not tell the type of the GPUs of 1 jobs"));
  const auto named = SiteFor(jobs, {.gpu_types = {{"t4", "V100"}, {"", "A40"}}});
  ASSERT_TRUE(named.has_value()) << named.error().Line();
  EXPECT_EQ(named->gpus, (std::vector<std::string>{"V100", "A40"}));
  EXPECT_TRUE(SiteFor(jobs, {.hardware = {{"A40", 2, 4}}}).has_value());
}

TEST(SiteTest, WithoutNamesThereAreEnoughNodes) {
  std::vector<PastJob> jobs{Job("1", 0h, 2h, 8, {}), Job("2", 1h, 2h, 9, {})};
  auto site = SiteFor(jobs);
  ASSERT_TRUE(site.has_value()) << site.error().Line();
  EXPECT_THAT(site->hardware, UnorderedElementsAre(Hardware{"A100", 3, 8}));
  EXPECT_THAT(site->notes, Contains(HasSubstr("3 nodes of 8 GPUs (assumed), for the 17 in use at a time")));
  EXPECT_EQ(site->recorded[0].group, 0U);
  EXPECT_TRUE(site->recorded[0].runs[0].nodes.empty());
  jobs[0].nodes = 2;
  site = SiteFor(jobs);
  EXPECT_THAT(site->hardware, UnorderedElementsAre(Hardware{"A100", 5, 4}));
}

TEST(SiteTest, GivenGroupsHoldTheNamedNodes) {
  const std::vector<PastJob> jobs{Job("1", 0h, 2h, 4, {"n1"}), Job("2", 0h, 2h, 8, {"n2"})};
  const auto site = SiteFor(jobs, {.hardware = {{"A100", 3, 8}, {"A100", 1, 4}, {"V100", 5, 4}}});
  ASSERT_TRUE(site.has_value()) << site.error().Line();
  EXPECT_EQ(site->hardware.size(), 3U);
  EXPECT_EQ(site->recorded[0].group, 1U);
  EXPECT_EQ(site->recorded[1].group, 0U);
  const auto few = SiteFor(jobs, {.hardware = {{"A100", 1, 8}}});
  ASSERT_FALSE(few.has_value());
  EXPECT_THAT(few.error().Line(), HasSubstr("cluster: has 8 GPUs of A100, but 12 were in use at a time"));
  const auto wide = SiteFor(jobs, {.hardware = {{"A100", 1, 16}}});
  ASSERT_TRUE(wide.has_value()) << wide.error().Line();
  EXPECT_THAT(wide->notes, Contains(HasSubstr("1 named nodes do not fit")));
}

TEST(SiteTest, ARunAcrossGroupsIsPackedAnew) {
  const auto site =
      SiteFor({Job("1", 0h, 2h, 8, {"n1"}), Job("2", 0h, 2h, 4, {"m1"}), Job("3", 3h, 4h, 2, {"n1", "m1"})});
  ASSERT_TRUE(site.has_value()) << site.error().Line();
  EXPECT_EQ(site->recorded[2].group, std::nullopt);
  EXPECT_TRUE(site->recorded[2].runs[0].nodes.empty());
  EXPECT_THAT(site->notes, Contains(HasSubstr("1 runs used nodes of several groups")));
}

}  // namespace
}  // namespace heliostat::history
