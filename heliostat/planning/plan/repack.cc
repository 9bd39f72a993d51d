#include "heliostat/planning/plan/repack.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "heliostat/base/core/random.h"

namespace heliostat::plan {
namespace {

constexpr std::size_t kMostAtOnce = 4;  // stretches packed again together; more rarely lower the cost
constexpr int kDraws = 3;               // the emptiest of this many is picked
constexpr double kSpreadAfter = 0.6;    // share of the steps after which runs may be spread
// Steps in a row without a gain that end the search: this share of all steps, but at least so many.
constexpr double kMostIdle = 0.1;
constexpr double kLeastIdle = 20'000.0;
constexpr double kRounding = 1e-9;
// A step is one test of one stretch for one part, about 50 ns. Small groups get more steps per run.
constexpr double kSteps = 1e6;
constexpr double kStepsARun = 400.0;
constexpr double kMostStepsARun = 2000.0;
constexpr double kMostSteps = 8e6;

class Repacker {
 public:
  Repacker(const GroupLoad& load, std::vector<Stretch>& stretches)
      : load_(load),
        stretches_(stretches),
        tally_(load),
        shelf_(load, tally_),
        alive_(load.cost.size()),
        held_(load.cost.size(), 0) {
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      tally_.TurnOn(stretches_[i].first(), stretches_[i].last());
      CountHeld(stretches_[i], 1);
      Register(i);
    }
  }

  void Run(double steps) {
    const double idle = std::max(kLeastIdle, kMostIdle * steps);
    RunUntil(kSpreadAfter * steps, idle, false);
    RunUntil(steps, idle, true);
  }

 private:
  using Keyed = std::pair<double, Part>;

  // Ends when `steps` are done, or when `most_idle` in a row have gained nothing.
  void RunUntil(double steps, double most_idle, bool spread) {
    double progress = steps_;
    while (steps_ < steps && steps_ < progress + most_idle) {
      const std::size_t slot = SomeWastefulSlot();
      if (slot == load_.cost.size()) return;
      if (Pick(slot) && Try(spread)) progress = steps_;
    }
  }

  // Nodes that must be on only for replicas that do not fit on the other nodes.
  int ForReplicas(std::size_t slot) const {
    if (load_.replicas[slot] == 0) return 0;
    const int size = load_.gpus_per_node;
    const int needed = (held_[slot] + load_.replicas[slot] + size - 1) / size;
    return std::max(0, needed - std::max(tally_.OnIn(slot), load_.fewest[slot]));
  }

  int Held(const Stretch& stretch, std::size_t slot) const {
    const std::int64_t begin = static_cast<std::int64_t>(slot) * load_.step;
    return stretch.Peak(begin, begin + load_.step);
  }

  void CountHeld(const Stretch& stretch, int times) {
    if (stretch.empty()) return;
    for (std::size_t t = stretch.first(); t <= stretch.last(); ++t) held_[t] += times * Held(stretch, t);
  }

  // A random slot in which fewer nodes may be enough; the number of slots when none is found.
  std::size_t SomeWastefulSlot() {
    for (std::size_t attempt = 0; attempt < 4 * load_.cost.size(); ++attempt) {
      steps_ += 1.0;
      const auto slot = static_cast<std::size_t>(random_.Below(load_.cost.size()));
      if (tally_.OnIn(slot) > load_.fewest[slot] || ForReplicas(slot) > 0) return slot;
    }
    return load_.cost.size();
  }

  // Picks a few stretches that are on in the slot, preferably those that hold little. False when one node less cannot
  // hold them.
  bool Pick(std::size_t slot) {
    const std::vector<std::size_t>& from = alive_[slot];
    picked_.clear();
    if (from.size() < 2) return false;
    const std::size_t count = 2 + random_.Below(std::min(from.size(), kMostAtOnce) - 1);
    int held = 0;
    while (picked_.size() < count) {
      std::size_t emptiest = from[random_.Below(from.size())];
      int least = Held(stretches_[emptiest], slot);
      for (int i = 1; i < kDraws; ++i) {
        const std::size_t other = from[random_.Below(from.size())];
        const int holds = Held(stretches_[other], slot);
        if (holds < least) std::tie(emptiest, least) = std::tie(other, holds);
      }
      steps_ += kDraws;
      if (std::find(picked_.begin(), picked_.end(), emptiest) != picked_.end()) continue;
      picked_.push_back(emptiest);
      held += least;
    }
    return held <= (static_cast<int>(count) - 1) * load_.gpus_per_node || ForReplicas(slot) > 0;
  }

  // Packs the picked stretches again, and keeps that if it costs no more. Returns whether it costs less.
  bool Try(bool spread) {
    FindRange();
    double before = CostForReplicas();
    before += TakeOff();
    if (spread) before += load_.spread * JoinParts();
    SetOrder();
    double after = 0.0;
    for (const Keyed& keyed : order_) {
      after += Put(keyed.second, spread);
      if (after > before + kRounding) break;
    }
    if (after <= before + kRounding) {
      ExchangeHeld(1);
      after += CostForReplicas();
      if (after > before + kRounding) ExchangeHeld(-1);
    }
    if (after <= before + kRounding) {
      Keep();
    } else {
      shelf_.Clear();
      for (const std::size_t i : picked_) tally_.TurnOn(stretches_[i].first(), stretches_[i].last());
    }
    return after < before - kRounding;
  }

  void FindRange() {
    first_ = load_.cost.size();
    last_ = 0;
    for (const std::size_t i : picked_) {
      first_ = std::min(first_, stretches_[i].first());
      last_ = std::max(last_, stretches_[i].last());
    }
  }

  double CostForReplicas() const {
    double cost = 0.0;
    for (std::size_t t = first_; t <= last_; ++t) {
      const int more = ForReplicas(t);
      if (more == 0) continue;
      const int on = std::max(tally_.OnIn(t), load_.fewest[t]);
      cost += load_.cost[t] * more + load_.missing * std::max(0, on + more - std::max(on, load_.nodes));
    }
    return cost;
  }

  // Replaces the picked stretches by those on the shelf in held_ (sign 1), or back (sign -1).
  void ExchangeHeld(int sign) {
    for (const std::size_t i : picked_) CountHeld(stretches_[i], -sign);
    for (std::size_t i = 0; i < shelf_.size(); ++i) CountHeld(shelf_[i], sign);
  }

  double TakeOff() {
    double saved = 0.0;
    order_.clear();
    for (const std::size_t i : picked_) {
      saved += tally_.TurnOff(stretches_[i].first(), stretches_[i].last());
      for (const Part& part : stretches_[i].parts()) order_.emplace_back(0.0, part);
    }
    return saved;
  }

  // Joins parts of one run that fit on one node together. Returns by how many the parts became fewer.
  int JoinParts() {
    std::sort(order_.begin(), order_.end(), [](const Keyed& a, const Keyed& b) {
      return std::tie(a.second.run, a.second.gpus) < std::tie(b.second.run, b.second.gpus);
    });
    std::size_t kept = 0;
    for (std::size_t i = 1; i < order_.size(); ++i) {
      Part& former = order_[kept].second;
      const Part& part = order_[i].second;
      if (former.run == part.run && former.gpus + part.gpus <= load_.gpus_per_node) {
        former.gpus += part.gpus;
      } else {
        order_[++kept] = order_[i];
      }
    }
    const std::size_t fewer = order_.size() - kept - 1;
    order_.resize(kept + 1);
    return static_cast<int>(fewer);
  }

  // Orders the parts by length, area, slots or begin, with random noise.
  void SetOrder() {
    const auto way = random_.Below(4);
    const double noise = 0.25 * static_cast<double>(random_.Below(3));
    for (auto& [key, part] : order_) {
      const auto length = static_cast<double>(part.end - part.begin);
      const double off = noise * random_.Uniform(-1.0, 1.0);
      if (way == 0) key = -length * (1.0 + off);
      if (way == 1) key = -length * part.gpus * (1.0 + off);
      if (way == 2) key = -(static_cast<double>(part.last - part.first + 1) + 0.01 * part.gpus) * (1.0 + off);
      if (way == 3) key = static_cast<double>(part.first) + 10.0 * off;
    }
    std::sort(order_.begin(), order_.end(), [](const Keyed& a, const Keyed& b) {
      return std::tie(a.first, a.second.run, a.second.gpus) < std::tie(b.first, b.second.run, b.second.gpus);
    });
  }

  double Put(const Part& part, bool spread) {
    steps_ += static_cast<double>(shelf_.size());
    const StretchPacker::Spot spot = shelf_.BestFor(part);
    if (spread && part.gpus > 1 && spot.cost > load_.spread) {
      const int most = static_cast<int>(std::min(spot.cost / load_.spread, 8.0));
      const int more = shelf_.Spread(part, most);
      if (more > 0) return more * load_.spread;
    }
    shelf_.Put(part, spot);
    return spot.cost;
  }

  void Keep() {
    for (const std::size_t i : picked_) {
      Forget(i);
      stretches_[i].Clear();
    }
    for (std::size_t k = 0; k < shelf_.size(); ++k) {
      if (k == picked_.size()) {
        picked_.push_back(stretches_.size());
        stretches_.emplace_back();
      }
      std::swap(stretches_[picked_[k]], shelf_[k]);
      Register(picked_[k]);
    }
    shelf_.Clear();  // only empty stretches are left on it
  }

  // A stretch with a part that must be on a certain node is not packed again.
  void Register(std::size_t i) {
    if (stretches_[i].node() >= 0) return;
    for (std::size_t t = stretches_[i].first(); t <= stretches_[i].last(); ++t) alive_[t].push_back(i);
  }

  void Forget(std::size_t i) {
    for (std::size_t t = stretches_[i].first(); t <= stretches_[i].last(); ++t) {
      *std::find(alive_[t].begin(), alive_[t].end(), i) = alive_[t].back();
      alive_[t].pop_back();
    }
  }

  const GroupLoad& load_;
  std::vector<Stretch>& stretches_;
  Tally tally_;
  StretchPacker shelf_;
  std::vector<std::vector<std::size_t>> alive_;  // [slot]: stretches that are on, in no order
  std::vector<int> held_;                        // [slot]: sum of the peaks of all stretches
  std::vector<std::size_t> picked_;
  std::size_t first_ = 0;  // range of slots of the picked stretches
  std::size_t last_ = 0;
  std::vector<Keyed> order_;
  double steps_ = 0.0;
  RandomStream random_{1};
};

}  // namespace

void Repack(const GroupLoad& load, std::vector<Stretch>& stretches) {
  const auto runs = static_cast<double>(load.runs.size());
  Repacker(load, stretches).Run(std::min({kMostStepsARun * runs, std::max(kSteps, kStepsARun * runs), kMostSteps}));
  std::erase_if(stretches, [](const Stretch& s) { return s.empty(); });
}

}  // namespace heliostat::plan
