#include "heliostat/planning/plan/pack_by_length.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

namespace heliostat::plan {
namespace {

constexpr double kRounding = 1e-9;  // difference of equal sums in another order

}  // namespace

double Tally::TurnOn(std::size_t first, std::size_t last) {
  double added = 0.0;
  for (std::size_t t = first; t <= last; ++t) {
    added += OneMore(t);
    ++on_[t];
  }
  return added;
}

double Tally::TurnOff(std::size_t first, std::size_t last) {
  double saved = 0.0;
  for (std::size_t t = first; t <= last; ++t) {
    --on_[t];
    saved += OneMore(t);
  }
  return saved;
}

double Tally::CostOf(std::size_t first, std::size_t last, double enough) const {
  double cost = 0.0;
  for (std::size_t t = first; t <= last && cost < enough; ++t) cost += OneMore(t);
  return std::min(cost, enough);
}

double Tally::CostOf(const Part& part, const Stretch& on, double enough) const {
  double cost = 0.0;
  if (part.first < on.first()) cost = CostOf(part.first, on.first() - 1, enough);
  if (part.last > on.last()) cost += CostOf(on.last() + 1, part.last, enough - cost);
  return cost;
}

StretchPacker::Spot StretchPacker::BestFor(const Part& part) const {
  Spot best{size_, tally_.CostOf(part.first, part.last, std::numeric_limits<double>::infinity())};
  int room = std::numeric_limits<int>::max();
  std::size_t until = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < size_; ++i) {
    const Stretch& stretch = stretches_[i];
    if (!stretch.Touches(part)) continue;
    const double cost = tally_.CostOf(part, stretch, best.cost + kRounding);
    if (cost >= best.cost + kRounding) continue;
    const int left = load_.gpus_per_node - stretch.Peak(part.begin, part.end) - part.gpus;
    if (left < 0) continue;
    const bool cheaper = cost < best.cost - kRounding;
    if (!cheaper && (left > room || (left == room && stretch.last() >= until))) continue;
    best = {i, cost};
    room = left;
    until = stretch.last();
  }
  return best;
}

void StretchPacker::Put(const Part& part, const Spot& spot) {
  if (spot.stretch == size_) {
    if (size_ == stretches_.size()) stretches_.emplace_back();
    ++size_;
    tally_.TurnOn(part.first, part.last);
  } else {
    const Stretch& stretch = stretches_[spot.stretch];
    if (part.first < stretch.first()) tally_.TurnOn(part.first, stretch.first() - 1);
    if (part.last > stretch.last()) tally_.TurnOn(stretch.last() + 1, part.last);
  }
  stretches_[spot.stretch].Add(part);
}

int StretchPacker::Spread(const Part& part, int most) {
  room_.clear();
  for (std::size_t i = 0; i < size_; ++i) {
    if (!stretches_[i].Covers(part)) continue;
    const int room = load_.gpus_per_node - stretches_[i].Peak(part.begin, part.end);
    if (room > 0) room_.emplace_back(room, i);
  }
  std::sort(room_.begin(), room_.end(), std::greater<>());
  std::size_t count = 0;
  for (int left = part.gpus; left > 0; ++count) {
    if (count == room_.size() || static_cast<int>(count) > most) return 0;
    left -= room_[count].first;
  }
  int left = part.gpus;
  for (std::size_t i = 0; i < count; ++i) {
    Part here = part;
    here.gpus = std::min(left, room_[i].first);
    left -= here.gpus;
    stretches_[room_[i].second].Add(here);
  }
  return static_cast<int>(count) - 1;
}

void StretchPacker::Clear() {
  for (std::size_t i = 0; i < size_; ++i) {
    if (!stretches_[i].empty()) tally_.TurnOff(stretches_[i].first(), stretches_[i].last());
    stretches_[i].Clear();
  }
  size_ = 0;
}

std::vector<Stretch> PackByLength(const GroupLoad& load) {
  Tally tally(load);
  StretchPacker shelf(load, tally);
  std::map<int, std::size_t> by_node;
  for (const Part& part : load.pinned) {
    const std::size_t stretch = by_node.emplace(part.node, shelf.size()).first->second;
    shelf.Put(part, {stretch, 0.0});
  }
  std::vector<Part> parts;
  for (const Part& run : load.runs) {
    if (run.node >= 0) continue;
    Part part = run;
    for (int left = run.gpus; left > 0; left -= part.gpus) {
      part.gpus = std::min(left, load.gpus_per_node);
      parts.push_back(part);
    }
  }
  const auto length = [](const Part& part) { return part.end - part.begin; };
  std::stable_sort(parts.begin(), parts.end(), [&](const Part& a, const Part& b) { return length(a) > length(b); });
  for (const Part& part : parts) shelf.Put(part, shelf.BestFor(part));
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < shelf.size(); ++i) stretches.push_back(std::move(shelf[i]));
  return stretches;
}

}  // namespace heliostat::plan
