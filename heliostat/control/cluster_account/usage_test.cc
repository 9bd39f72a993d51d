#include "heliostat/control/cluster_account/usage.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::cluster_account {
namespace {

constexpr Instant kStart{std::chrono::seconds{1'795'000'000}};
const NodePower kPower{Watts{300}, Watts{20}, Watts{50}, Watts{400}};

Instant At(std::int64_t seconds) { return kStart + Duration{seconds}; }
JobSpan Job(std::int64_t number, std::int64_t begin, std::int64_t end, std::vector<GpusOnNode> on) {
  return {{number, {}, kStart}, {At(begin), At(end)}, std::move(on)};
}

TEST(Usage, OfAnIdleNodeBelongsToNobody) {
  const Usage usage = Measure({At(0), At(100)}, std::vector{NodeSpan{kPower, 4, false}}, {});
  EXPECT_DOUBLE_EQ(usage.total().value, (300 + 4 * 50) * 100);
  EXPECT_DOUBLE_EQ(usage.unused.value, usage.total().value);
}

TEST(Usage, OfANodeThatSleepsIsItsSleep) {
  const Usage usage = Measure({At(0), At(100)}, std::vector{NodeSpan{kPower, 4, true}}, {});
  EXPECT_DOUBLE_EQ(usage.total().value, 20 * 100);
}

TEST(Usage, OfANodeThatWakesIsSleepBeforeAndNotAfter) {
  const NodeSpan wakes{kPower, 4, true, At(30)};
  EXPECT_DOUBLE_EQ(Measure({At(0), At(100)}, std::vector{wakes}, {}).total().value, 20 * 30 + (300 + 4 * 50) * 70);
  const NodeSpan falls_asleep{kPower, 4, false, At(30)};
  const Usage usage = Measure({At(0), At(100)}, std::vector{falls_asleep}, std::vector{Job(1, 0, 20, {{0, 4}})});
  EXPECT_DOUBLE_EQ(usage.of_jobs[0].value, (4 * 400 + 300) * 20);
  EXPECT_DOUBLE_EQ(usage.total().value, (4 * 400 + 300) * 20 + (300 + 4 * 50) * 10 + 20 * 70);
}

TEST(Usage, OfAJobIsItsGpusAndItsPartOfTheNode) {
  const Usage usage =
      Measure({At(0), At(100)}, std::vector{NodeSpan{kPower, 4, false}}, std::vector{Job(1, 0, 100, {{0, 1}})});
  EXPECT_DOUBLE_EQ(usage.of_jobs[0].value, (400 + 300 / 4.0) * 100);
  EXPECT_DOUBLE_EQ(usage.total().value, (300 + 3 * 50 + 400) * 100);
}

TEST(Usage, CountsOnlyTheSpan) {
  const std::vector nodes{NodeSpan{kPower, 4, false}};
  const Usage usage =
      Measure({At(0), At(100)}, nodes, std::vector{Job(1, -500, 30, {{0, 4}}), Job(2, 200, 300, {{0, 4}})});
  EXPECT_DOUBLE_EQ(usage.of_jobs[0].value, (4 * 400 + 300) * 30);
  EXPECT_DOUBLE_EQ(usage.of_jobs[1].value, 0.0);
}

// Law: nodes and jobs are two views of the same electricity, and a span is the sum of its parts.
RC_GTEST_PROP(Usage, OfNodesIsThatOfJobsAndOfNobody, ()) {
  const auto some = [](int from, int to) { return *rc::gen::inRange(from, to); };
  std::vector<NodeSpan> nodes;
  for (int n = some(1, 5); n > 0; --n) {
    nodes.push_back({{Watts(some(0, 500)), Watts(some(0, 40)), Watts(some(0, 90)), Watts(some(90, 700))},
                     some(0, 9),
                     some(0, 4) == 0,
                     some(0, 2) == 0 ? std::optional(At(some(-20, 120))) : std::nullopt});
  }
  std::vector<JobSpan> jobs;
  for (int j = some(0, 6); j > 0; --j) {
    const int begin = some(-50, 150);
    std::vector<GpusOnNode> on;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (nodes[n].gpus > 0 && some(0, 2) == 0) on.push_back({n, some(1, nodes[n].gpus + 1)});
    }
    jobs.push_back(Job(j, begin, begin + some(0, 100), on));
  }
  const int cut = some(0, 101);
  const Usage whole = Measure({At(0), At(100)}, nodes, jobs);
  const Usage first = Measure({At(0), At(cut)}, nodes, jobs);
  const Usage second = Measure({At(cut), At(100)}, nodes, jobs);
  Joules shared = whole.unused;
  for (const Joules of_job : whole.of_jobs) shared += of_job;
  const double tolerance = 1e-9 * (1.0 + whole.total().value);
  RC_ASSERT(std::abs((shared - whole.total()).value) <= tolerance);
  RC_ASSERT(std::abs((first.total() + second.total() - whole.total()).value) <= tolerance);
}

}  // namespace
}  // namespace heliostat::cluster_account
