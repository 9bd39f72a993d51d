#include "heliostat/node/level_control/budget_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heliostat/base/core/check.h"

namespace heliostat::level_control {
namespace {

constexpr Seconds kDay{86400.0};
constexpr double kRounding = 1e-8;  // share of the work or of a slot that counts as 0
constexpr int kHalvings = 60;

// The options that no mixture of others beats, slowest first (the convex hull of power over speed).
std::vector<std::size_t> HullOf(std::span<const LevelOption> options) {
  std::vector<std::size_t> order(options.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&options](std::size_t a, std::size_t b) {
    if (options[a].power != options[b].power) return options[a].power < options[b].power;
    return options[a].speed > options[b].speed;
  });
  std::vector<std::size_t> hull;
  for (const std::size_t next : order) {
    const LevelOption& c = options[next];
    if (!hull.empty() && c.speed <= options[hull.back()].speed) continue;  // slower for as much power
    while (hull.size() >= 2) {
      const LevelOption& a = options[hull[hull.size() - 2]];
      const LevelOption& b = options[hull.back()];
      const double first = (b.power - a.power).value * (c.speed - b.speed);
      const double second = (c.power - b.power).value * (b.speed - a.speed);
      if (first < second) break;
      hull.pop_back();
    }
    hull.push_back(next);
  }
  return hull;
}

// The step from one vertex of the hull to the next, in one slot: more work for more cost.
struct Increment {
  std::size_t slot = 0;
  std::size_t step = 0;  // from vertex `step` to the next
  double price = 0.0;    // of a unit of work
};

// The cost of a run that ends at a given time.
struct Ending {
  double cost = 0.0;
  double price = 0.0;       // of the last unit of work: what a little more time would spare
  double next_price = 0.0;  // of one unit more: what a little less time would cost; differs where an increment ends
};

class Solver {
 public:
  Solver(std::span<const LevelOption> options, std::vector<Slot> slots, double work)
      : options_(options), hull_(HullOf(options)), slots_(std::move(slots)), work_(work) {
    double begin = 0.0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slots_[i].cost_per_joule = std::max(0.0, slots_[i].cost_per_joule);
      begins_.push_back(begin);
      begin += slots_[i].length.count();
      for (std::size_t j = 0; j + 1 < hull_.size(); ++j) {
        const double slope = (Vertex(j + 1).power - Vertex(j).power).value / (Vertex(j + 1).speed - Vertex(j).speed);
        increments_.push_back({i, j, slots_[i].cost_per_joule * slope});
      }
    }
    begins_.push_back(begin);
    std::ranges::stable_sort(increments_, {}, &Increment::price);
  }

  double earliest() const { return work_ / Vertex(hull_.size() - 1).speed; }
  double latest() const { return work_ / Vertex(0).speed; }

  // The cheapest end between the earliest possible and `budget`.
  double BestEnd(double budget) const {
    std::vector<double> ends{earliest()};
    const double last = std::min(budget, latest());
    for (const double boundary : begins_) {
      if (boundary > ends.front() && boundary < last) ends.push_back(boundary);
    }
    if (last > ends.back()) ends.push_back(last);
    double best = ends.front();
    double least = EndAt(best).cost;
    const auto consider = [&](double end, double cost) {
      if (cost >= least) return;
      least = cost;
      best = end;
    };
    Ending left = EndAt(ends.front());
    for (std::size_t i = 1; i < ends.size(); ++i) {
      const Ending right = EndAt(ends[i]);
      consider(ends[i], right.cost);
      // Between boundaries cost is convex in the end: a valley inside shows in the slopes at both sides.
      const std::size_t slot = SlotAt(0.5 * (ends[i - 1] + ends[i]));
      if (Slope(slot, left.price) < 0.0 && Slope(slot, right.next_price) > 0.0) {
        const double inside = Valley(slot, ends[i - 1], ends[i]);
        consider(inside, EndAt(inside).cost);
      }
      left = right;
    }
    return best;
  }

  BudgetPlan PlanEndingAt(double end) const {
    BudgetPlan plan{true, Seconds{end}, 0.0, 0.0, {}};
    std::vector<std::vector<double>> filled(slots_.size(), std::vector<double>(hull_.size(), 0.0));
    const Ending ending = Fill(end, &filled);
    plan.cost = ending.cost;
    plan.work_price = ending.price;
    for (std::size_t i = 0; i < slots_.size() && begins_[i] < end; ++i)
      plan.slots.push_back(SharesOf(i, end, filled[i]));
    return plan;
  }

 private:
  const LevelOption& Vertex(std::size_t j) const { return options_[hull_[j]]; }
  double TimeIn(std::size_t slot, double end) const {
    return std::clamp(end - begins_[slot], 0.0, slots_[slot].length.count());
  }
  std::size_t SlotAt(double t) const {
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), t);
    const auto index = static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, after - begins_.begin()) - 1);
    return std::min(index, slots_.size() - 1);
  }

  Ending EndAt(double end) const { return Fill(end, nullptr); }

  // Everything at the slowest vertex first, then the cheapest increments until the work is done by `end`. `filled`, if
  // any, gets the share of each increment of each slot.
  Ending Fill(double end, std::vector<std::vector<double>>* filled) const {
    Ending result;
    double missing = work_;
    for (std::size_t i = 0; i < slots_.size() && begins_[i] < end; ++i) {
      const double time = TimeIn(i, end);
      missing -= time * Vertex(0).speed;
      result.cost += time * Vertex(0).power.value * slots_[i].cost_per_joule;
    }
    for (const Increment& one : increments_) {
      const double time = TimeIn(one.slot, end);
      if (time <= 0.0) continue;
      result.next_price = one.price;
      if (missing <= kRounding * work_) break;
      result.price = one.price;
      const double most = time * (Vertex(one.step + 1).speed - Vertex(one.step).speed);
      const double share = std::min(1.0, missing / most);
      missing -= share * most;
      result.cost += share * most * one.price;
      if (filled != nullptr) (*filled)[one.slot][one.step] = share;
      if (share < 1.0) break;
    }
    return result;
  }

  // How the cost moves with the end, inside a slot, when work has this price: what another second costs less what its
  // work spares elsewhere.
  double Slope(std::size_t slot, double price) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < hull_.size(); ++j) {
      const double cost = Vertex(j).power.value * slots_[slot].cost_per_joule - price * Vertex(j).speed;
      least = std::min(least, cost);
    }
    return least;
  }

  double Valley(std::size_t slot, double low, double high) const {
    for (int i = 0; i < kHalvings && high - low > 1e-6; ++i) {
      const double middle = 0.5 * (low + high);
      (Slope(slot, EndAt(middle).price) < 0.0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  // Increments of one slot are filled in order: only the last begun one mixes two vertices.
  std::vector<Share> SharesOf(std::size_t slot, double end, const std::vector<double>& filled) const {
    const double time = TimeIn(slot, end);
    std::size_t vertex = 0;
    while (vertex + 1 < hull_.size() && filled[vertex] >= 1.0) ++vertex;
    double part = vertex + 1 < hull_.size() ? filled[vertex] : 0.0;
    if (part < kRounding || part > 1.0 - kRounding) part = std::round(part);
    std::vector<Share> shares;
    if (part > 0.0) shares.push_back({hull_[vertex + 1], Seconds{time * part}});
    if (part < 1.0) shares.push_back({hull_[vertex], Seconds{time * (1.0 - part)}});
    return shares;
  }

  std::span<const LevelOption> options_;
  std::vector<std::size_t> hull_;
  std::vector<Slot> slots_;
  double work_;
  std::vector<double> begins_;  // of the slots, and the end of the last
  std::vector<Increment> increments_;
};

BudgetPlan AllFastest(std::span<const LevelOption> options, std::span<const Slot> slots, double work) {
  const std::size_t fastest = FastestOf(options);
  BudgetPlan plan;
  plan.takes = Seconds{work / options[fastest].speed};
  double left = plan.takes.count();
  for (const Slot& slot : slots) {
    const double time = std::min(left, slot.length.count());
    if (time <= 0.0) break;
    plan.slots.push_back({{fastest, Seconds{time}}});
    plan.cost += time * options[fastest].power.value * slot.cost_per_joule;
    left -= time;
  }
  return plan;
}

}  // namespace

std::vector<Slot> Extended(std::vector<Slot> slots, Seconds length) {
  Seconds total{};
  for (const Slot& slot : slots) total += slot.length;
  Check(total.count() > 0.0, "no time ahead");
  std::size_t first = slots.size();
  Seconds day{};
  while (first > 0 && day < kDay) day += slots[--first].length;
  const std::size_t count = slots.size() - first;
  for (std::size_t i = 0; total < length; ++i) {
    slots.push_back(slots[first + i % count]);
    total += slots.back().length;
  }
  return slots;
}

BudgetPlan PlanWithin(std::span<const LevelOption> options, std::span<const Slot> slots, double work, Seconds budget) {
  Check(!options.empty() && work > 0.0, "a plan needs options and work");
  const double fastest = options[FastestOf(options)].speed;
  const Seconds needed{work / fastest};
  const Seconds longest{work / std::ranges::min_element(options, {}, &LevelOption::speed)->speed};
  std::vector<Slot> ahead = Extended({slots.begin(), slots.end()}, std::max(needed, std::min(budget, longest)));
  // A budget that was spent to the last second must not fail by a rounding error.
  if (needed.count() > budget.count() * (1.0 + kRounding)) return AllFastest(options, ahead, work);
  const Solver solver(options, std::move(ahead), work);
  return solver.PlanEndingAt(solver.BestEnd(budget.count()));
}

}  // namespace heliostat::level_control
