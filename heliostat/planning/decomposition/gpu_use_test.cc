#include "heliostat/planning/decomposition/gpu_use.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>

namespace heliostat::decomposition {
namespace {

constexpr int kStep = 60;

// Compares every result with a count per second.
TEST(GpuUse, AgreesWithCountingBySeconds) {
  rc::check([] {
    GpuUse use;
    std::array<int, kStep> seconds{};
    struct Added {
      int begin, end, gpus;
    };
    std::vector<Added> added;
    for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
      if (!added.empty() && *rc::gen::inRange(0, 4) == 0) {  // removes what was added
        const Added gone = added.back();
        added.pop_back();
        use.Add(gone.begin, gone.end, -gone.gpus, kStep);
        for (int s = gone.begin; s < gone.end; ++s) seconds[static_cast<std::size_t>(s)] -= gone.gpus;
        continue;
      }
      const int begin = *rc::gen::inRange(0, kStep);
      const int end = *rc::gen::inRange(begin + 1, kStep + 1);
      const int gpus = *rc::gen::inRange(1, 9);
      use.Add(begin, end, gpus, kStep);
      added.push_back({begin, end, gpus});
      for (int s = begin; s < end; ++s) seconds[static_cast<std::size_t>(s)] += gpus;
    }
    RC_ASSERT(use.peak() == *std::ranges::max_element(seconds));
    const int begin = *rc::gen::inRange(0, kStep);
    const int end = *rc::gen::inRange(begin + 1, kStep + 1);
    const int limit = *rc::gen::inRange(0, 20);
    const auto first = seconds.begin() + begin;
    const auto last = seconds.begin() + end;
    RC_ASSERT(use.Peak(begin, end) == *std::max_element(first, last));
    const auto over = [&](int used) { return used > limit; };
    RC_ASSERT(use.Prefix(begin, end, limit) == std::find_if(first, last, over) - first);
    int suffix = 0;
    while (suffix < end - begin && !over(seconds[static_cast<std::size_t>(end - 1 - suffix)])) ++suffix;
    RC_ASSERT(use.Suffix(begin, end, limit) == suffix);
    int from = 0;
    const int longest = use.Longest(begin, end, limit, from);
    int best = 0;
    int run = 0;
    for (int s = begin; s < end; ++s) {
      run = over(seconds[static_cast<std::size_t>(s)]) ? 0 : run + 1;
      best = std::max(best, run);
    }
    RC_ASSERT(longest == best);
    for (int s = from; s < from + longest; ++s) RC_ASSERT(!over(seconds[static_cast<std::size_t>(s)]));
  });
}

}  // namespace
}  // namespace heliostat::decomposition
