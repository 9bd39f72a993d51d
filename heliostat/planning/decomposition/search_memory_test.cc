#include "heliostat/planning/decomposition/search_memory.h"

#include <gtest/gtest.h>

#include <functional>

#include "heliostat/planning/decomposition/testing/made.h"
#include "heliostat/planning/decomposition/to_plan.h"
#include "heliostat/planning/plan/check.h"

namespace heliostat::decomposition {
namespace {

using testing::kCarbon;
using testing::Made;
using testing::Small;

// The same cluster some slots later, without jobs that have ended.
scenario::Scenario Later(const scenario::Scenario& now, std::size_t slots) {
  scenario::Scenario later = now;
  const auto count = static_cast<std::ptrdiff_t>(slots);
  later.start = now.SlotSpan(slots).begin;
  later.slots = now.slots - slots;
  later.carbon.erase(later.carbon.begin(), later.carbon.begin() + count);
  later.renewable.erase(later.renewable.begin(), later.renewable.begin() + count);
  if (!later.price_per_kwh.empty()) {
    later.price_per_kwh.erase(later.price_per_kwh.begin(), later.price_per_kwh.begin() + count);
  }
  for (auto& service : later.services) {
    service.requests_per_s.erase(service.requests_per_s.begin(), service.requests_per_s.begin() + count);
  }
  std::erase_if(later.jobs, [&](const scenario::Job& job) { return job.submit < later.start; });
  return later;
}

TEST(SearchMemory, NeverCostsFeasibility) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const scenario::Scenario now = scenario::Generate(Small(seed));
    SearchMemory memory;
    if (!Solve({now, kCarbon, {}}, {}, &memory).has_plan()) continue;
    const scenario::Scenario then = Later(now, seed % 6);
    const plan::Outcome cold = Solve({then, kCarbon, {}}, {});
    const plan::Outcome warm = Solve({then, kCarbon, {}}, {Seconds{60.0}, 1e-3, seed % 2 == 0}, &memory);
    ASSERT_EQ(cold.has_plan(), warm.has_plan()) << seed;
    if (!warm.has_plan()) continue;
    EXPECT_TRUE(plan::Violations(then, {}, warm.plan()).empty()) << seed;
    EXPECT_LE(warm.bound, cold.value * (1.0 + 1e-9)) << seed;
    EXPECT_LE(cold.bound, warm.value * (1.0 + 1e-9)) << seed;
  }
}

TEST(SearchMemory, OfAnotherObjectiveOrStepIsNotUsed) {
  const scenario::Scenario now = scenario::Generate(Small(3));
  SearchMemory memory;
  ASSERT_TRUE(Solve({now, kCarbon, {}}, {}, &memory).has_plan());
  const plan::Weights cost{0.0, 1.0, 0.0, 0.0};
  SearchMemory other = memory;
  const plan::Outcome cold = Solve({now, cost, {}}, {});
  const plan::Outcome warm = Solve({now, cost, {}}, {}, &other);
  ASSERT_TRUE(cold.has_plan() && warm.has_plan());
  EXPECT_EQ(cold.value, warm.value);
  EXPECT_EQ(cold.bound, warm.bound);
}

TEST(SearchMemory, WithoutPricesSchedulesStay) {
  SearchMemory none;
  none.ForgetPrices();
  EXPECT_EQ(none.content, nullptr);
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Made now(Small(seed));
    const plan::Outcome cold = Solve(now.problem, {.proof = false});
    SearchMemory memory;
    auto improving = plan::Rounds::AtMost(2);
    const plan::Outcome improved = Solve(now.problem, {.proof = false, .improving = &improving}, &memory);
    if (!improved.has_plan()) continue;
    const SearchMemory with = memory;
    memory.ForgetPrices();
    EXPECT_TRUE(memory.content->energy.empty());
    EXPECT_EQ(memory.content->jobs.size(), now.scenario.jobs.size());
    EXPECT_FALSE(with.content->energy.empty()) << "the copy has its own prices";
    const plan::Outcome fresh = Solve(now.problem, {.proof = false}, &memory);
    EXPECT_LE(fresh.value, improved.value * (1.0 + 1e-9)) << seed;
    better += improved.value < cold.value * (1.0 - 1e-6) ? 1 : 0;
  }
  EXPECT_GE(better, 1) << "no schedules to keep";
}

TEST(SearchMemory, PricesAreKeptByTheInstant) {
  const Made now(Small(4));
  SearchMemory memory;
  ASSERT_TRUE(Solve(now.problem, {}, &memory).has_plan());
  const scenario::Scenario then = Later(now.scenario, 3);
  std::vector<double> energy(then.slots, -1.0);
  DraftPlan::Rents shortage(then.groups.size(), std::vector<double>(then.slots, -1.0));
  ASSERT_TRUE(Recall(then, *memory.content, energy, shortage));
  for (std::size_t t = 0; t < then.slots; ++t) {
    EXPECT_EQ(energy[t], memory.content->energy.at(then.SlotSpan(t).begin));
    EXPECT_GE(shortage[0][t], 0.0);
  }
  scenario::Scenario much_later = then;
  much_later.start += std::chrono::hours(24 * 365);
  EXPECT_FALSE(Recall(much_later, *memory.content, energy, shortage));
}

TEST(SearchMemory, ASchedulePlannedIsTheScheduleRecalled) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Made made(Small(seed));
    SearchMemory memory;
    const plan::Outcome outcome = Solve(made.problem, {}, &memory);
    if (!outcome.has_plan()) continue;
    std::size_t recalled = 0;
    for (std::size_t j = 0; j < made.model.jobs.size(); ++j) {
      const Schedule schedule = Recall(made.scenario, made.model, j, *memory.content);
      if (schedule.pieces.empty()) continue;
      ++recalled;
      EXPECT_GE(SamplesOf(made.model.jobs[j], schedule), made.model.jobs[j].samples);
      const plan::JobPlan again = SegmentsOf(made.scenario, made.model.jobs[j], schedule);
      EXPECT_EQ(again.segments.front().span.begin, outcome.plan().jobs[j].segments.front().span.begin);
      EXPECT_EQ(again.segments.back().span.end, outcome.plan().jobs[j].segments.back().span.end);
    }
    EXPECT_GT(recalled, 0U) << seed;
  }
}

TEST(SearchMemory, AScheduleThatNoLongerFitsIsForgotten) {
  const Made made(Small(5));
  SearchMemory memory;
  ASSERT_TRUE(Solve(made.problem, {}, &memory).has_plan());
  const auto recalled = [&](const std::function<void(scenario::Scenario&)>& change) {
    scenario::Scenario other = made.scenario;
    change(other);
    const Made changed(std::move(other));
    std::size_t count = 0;
    for (std::size_t j = 0; j < changed.model.jobs.size(); ++j) {
      count += Recall(changed.scenario, changed.model, j, *memory.content).pieces.empty() ? 0 : 1;
    }
    return count;
  };
  EXPECT_GT(recalled([](scenario::Scenario&) {}), 0U);
  EXPECT_EQ(recalled([](scenario::Scenario& s) {
              for (auto& job : s.jobs) job.samples *= 3.0;
            }),
            0U)
      << "too few samples";
  EXPECT_EQ(recalled([](scenario::Scenario& s) {
              for (auto& job : s.jobs) job.samples *= 0.3;
            }),
            0U)
      << "far too many";
  EXPECT_EQ(recalled([](scenario::Scenario& s) {
              for (auto& job : s.jobs) job.id += " renamed";
            }),
            0U);
}

}  // namespace
}  // namespace heliostat::decomposition
