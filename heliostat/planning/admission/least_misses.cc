#include "heliostat/planning/admission/least_misses.h"

#include <algorithm>
#include <map>
#include <set>

#include "heliostat/model/serving/options.h"
#include "heliostat/planning/admission/ways.h"

namespace heliostat::admission {
namespace {

using scenario::Scenario;

// A job counts as done a little before its last sample (plan::Violations), so the proof needs a little more room.
constexpr double kTolerance = 1e-5;
// The most begins of spans to test.
constexpr std::size_t kMostBegins = 200;

// A job that can be done in time if it is alone.
struct Wish {
  Interval window;
  double gpu_seconds = 0.0;
  std::set<std::size_t> groups;
};

// The least GPU-seconds of all services from the start to the end of each slot.
std::vector<double> ServiceGpuSeconds(const Scenario& scenario) {
  std::vector<double> sums{0.0};
  for (std::size_t t = 0; t < scenario.slots; ++t) {
    double gpus = 0.0;
    for (const scenario::Service& service : scenario.services) {
      int least = service.max_replicas;
      for (const auto& option : serving::OptionsFor(scenario, service, t, false)) {
        least = std::min(least, option.replicas);
      }
      gpus += least;
    }
    sums.push_back(sums.back() + gpus * Seconds(scenario.step).count());
  }
  return sums;
}

// The fewest jobs to leave out until `excess` is gone: the largest first.
std::size_t FewestAbove(const std::multiset<double>& needs, double excess) {
  std::size_t count = 0;
  for (auto at = needs.rbegin(); at != needs.rend() && excess > 0.0; ++at, ++count) excess -= *at;
  return count;
}

// GPU time between two instants. Only whole slots count for services, so it is never underestimated.
class Supply {
 public:
  Supply(const Scenario& scenario, double gpus, std::vector<double> served)
      : scenario_(scenario), gpus_(gpus), served_(std::move(served)) {}

  double Between(Instant begin, Instant end) const {
    const auto step = scenario_.step.count();
    const auto first = static_cast<std::size_t>((begin - scenario_.start + Duration(step - 1)).count() / step);
    const auto last = static_cast<std::size_t>((end - scenario_.start).count() / step);
    const double taken = last > first ? served_[last] - served_[first] : 0.0;
    return std::max(0.0, gpus_ * Seconds(end - begin).count() - taken);
  }

 private:
  const Scenario& scenario_;
  double gpus_;
  std::vector<double> served_;
};

std::vector<Instant> BeginsOf(const std::vector<Wish>& wishes) {
  std::vector<Instant> begins;
  begins.reserve(wishes.size());
  for (const Wish& wish : wishes) begins.push_back(wish.window.begin);
  std::ranges::sort(begins);
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  if (begins.size() <= kMostBegins) return begins;
  std::vector<Instant> some;
  for (std::size_t i = 0; i < kMostBegins; ++i) some.push_back(begins[i * begins.size() / kMostBegins]);
  return some;
}

// All spans from a begin to the end of a window in which more jobs must miss than in any shorter span.
std::vector<Shortage> ShortagesOf(const std::vector<Wish>& by_end, const Supply& supply) {
  std::vector<Shortage> found;
  for (const Instant begin : BeginsOf(by_end)) {
    std::multiset<double> needs;
    double wanted = 0.0;
    std::size_t most = 0;
    for (const Wish& wish : by_end) {
      if (wish.window.begin < begin) continue;
      needs.insert(wish.gpu_seconds);
      wanted += wish.gpu_seconds;
      const double there = supply.Between(begin, wish.window.end);
      const std::size_t least = FewestAbove(needs, wanted * (1.0 - kTolerance) - there);
      if (least <= most) continue;
      most = least;
      found.push_back({{begin, wish.window.end}, wanted, there, least});
    }
  }
  return found;
}

// The most misses in spans that do not overlap: no job's window lies in two of them.
std::size_t MostTogether(std::vector<Shortage> shortages) {
  std::ranges::sort(shortages, {}, [](const Shortage& shortage) { return shortage.span.end; });
  std::map<Instant, std::size_t> until{{Instant::min(), 0}};  // the most misses up to an end; never falls
  for (const Shortage& shortage : shortages) {
    const std::size_t before = std::prev(until.upper_bound(shortage.span.begin))->second;
    const std::size_t most = std::max(before + shortage.least, until.rbegin()->second);
    until[shortage.span.end] = std::max(until[shortage.span.end], most);
  }
  return until.rbegin()->second;
}

}  // namespace

MissBound LeastMisses(const Scenario& scenario, const plan::Limits& limits) {
  MissBound bound;
  std::vector<Wish> wishes;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const scenario::Job& job = scenario.jobs[j];
    if (!MustBeDone(job, limits)) continue;
    const Interval window = scenario.WindowOf(job);
    const std::vector<Way> ways = WaysOf(scenario, job);
    const Seconds there = Seconds(window.length()) * (1.0 + kTolerance);
    if (ShortestTime(ways, job) > there) {
      bound.alone.push_back(j);
      continue;
    }
    Wish& wish = wishes.emplace_back(Wish{window, LeastGpuSeconds(ways, job, there), {}});
    for (const Way& way : ways) wish.groups.insert(way.group);
  }
  std::ranges::stable_sort(wishes, {}, [](const Wish& wish) { return wish.window.end; });
  double gpus = 0.0;
  for (const scenario::Group& group : scenario.groups) gpus += group.gpus();
  bound.shortages = ShortagesOf(wishes, Supply(scenario, gpus, ServiceGpuSeconds(scenario)));
  std::size_t inside = MostTogether(bound.shortages);
  // The same for each group with the jobs that only it can run; services may be in other groups.
  std::size_t by_group = 0;
  for (std::size_t g = 0; g < scenario.groups.size() && scenario.groups.size() > 1; ++g) {
    std::vector<Wish> bound_to;
    for (const Wish& wish : wishes) {
      if (wish.groups.size() == 1 && *wish.groups.begin() == g) bound_to.push_back(wish);
    }
    const Supply supply(scenario, scenario.groups[g].gpus(), std::vector<double>(scenario.slots + 1, 0.0));
    const std::vector<Shortage> shortages = ShortagesOf(bound_to, supply);
    by_group += MostTogether(shortages);
    bound.shortages.insert(bound.shortages.end(), shortages.begin(), shortages.end());
  }
  bound.least = bound.alone.size() + std::max(inside, by_group);
  return bound;
}

}  // namespace heliostat::admission
