#include "heliostat/planning/decomposition/slot_hulls.h"

#include <algorithm>
#include <cmath>

namespace heliostat::decomposition {

bool SlotHulls::IsFor(const JobModel& job, const Offers& offers) {
  if (job.resume_s > 0.0 || !job.preemptible || !job.required || job.worth_lost_per_s != 0.0) return false;
  return offers.ways == 1 && offers.same_for_levels && std::ranges::all_of(offers.offers, [](const Offer& offer) {
           return offer.fixed == 0.0 && std::isinf(offer.most_watts);
         });
}

// All points, the slowest first; of equally fast ones, that with the least power and workers first.
void SlotHulls::ListPoints(const Choice& choice) {
  points_.clear();
  for (std::size_t level = 0; level < choice.levels.size(); ++level) {
    const WorkerLevel& facts = choice.levels[level];
    for (std::size_t v = 0; v < facts.hull.size(); ++v) {
      points_.push_back(
          {facts.hull[v].samples_per_s, facts.hull[v].watts, static_cast<double>(facts.workers), level, v});
    }
  }
  std::ranges::stable_sort(points_, {}, &Point::rate);
}

// Adds the segments of the lower hull of cost over samples.
void SlotHulls::AddHull(std::size_t slot, const Offer& offer) {
  const auto none = static_cast<std::uint32_t>(points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    burn_[i] = offer.per_joule * points_[i].watts + offer.per_gpu_second * points_[i].workers;
  }
  hull_.assign(1, none);
  const auto rate = [&](std::uint32_t i) { return i == none ? 0.0 : points_[i].rate; };
  const auto burn = [&](std::uint32_t i) { return i == none ? 0.0 : burn_[i]; };
  for (std::uint32_t next = 0; next < none; ++next) {
    const double x = rate(next);
    const double y = burn(next);
    if (x == rate(hull_.back())) {
      if (y >= burn(hull_.back())) continue;
      hull_.pop_back();
    }
    while (hull_.size() >= 2) {
      const std::uint32_t last = hull_.back();
      const std::uint32_t before = hull_[hull_.size() - 2];
      const double rise = burn(last) - burn(before);
      if (rise * (x - rate(last)) < (y - burn(last)) * (rate(last) - rate(before))) break;
      hull_.pop_back();
    }
    hull_.push_back(next);
  }
  for (std::size_t i = 1; i < hull_.size(); ++i) {
    const double step = rate(hull_[i]) - rate(hull_[i - 1]);
    const double rise = burn(hull_[i]) - burn(hull_[i - 1]);
    segments_.push_back({rise / step, step * offer.single, static_cast<std::uint32_t>(slot), hull_[i - 1], hull_[i]});
  }
}

// Moves the cheapest segments that together make at most `samples` to the front and returns their number; `left`
// samples come from the next one.
std::size_t SlotHulls::Select(double samples, double& left) {
  const auto at = [&](std::size_t i) { return segments_.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto is_cheaper = [](const Segment& a, const Segment& b) {
    return a.slope != b.slope ? a.slope < b.slope : a.slot < b.slot;
  };
  std::size_t low = 0;
  std::size_t high = segments_.size();
  left = samples;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    std::nth_element(at(low), at(middle), at(high), is_cheaper);
    double sum = 0.0;
    for (std::size_t i = low; i < middle; ++i) sum += segments_[i].samples;
    if (sum > left) {
      high = middle;
    } else {
      left -= sum;
      low = middle;
    }
  }
  return low;
}

void SlotHulls::AddPieces(const JobModel& job, std::size_t t, const Offer& offer, const Segment* partial, double left,
                          std::vector<SlotPiece>& pieces) const {
  const auto add = [&](std::uint32_t i, int begin, int end) {
    if (i == points_.size() || end <= begin) return;
    pieces.push_back({job.first_slot + t, points_[i].level, points_[i].vertex, begin, end, 0, 0, 0});
  };
  const int begin = offer.single_begin;
  const int end = begin + offer.single;
  int faster = 0;  // seconds
  if (partial != nullptr) {
    const double share = left / partial->samples;
    faster = std::min(offer.single, static_cast<int>(std::ceil(share * offer.single)));
    add(partial->to, begin, begin + faster);
  }
  add(taken_[t], begin + faster, end);
}

SlotHulls::Answer SlotHulls::Cheapest(const JobModel& job, std::size_t choice, const Offers& offers, double weight) {
  ListPoints(job.choices[choice]);
  burn_.resize(points_.size());
  segments_.clear();
  for (std::size_t t = 0; t < job.slot_count; ++t) AddHull(t, offers.offers[t]);
  double most = 0.0;
  for (const Segment& segment : segments_) most += segment.samples;
  if (segments_.empty() || most < job.samples) return {};
  double left = 0.0;
  const std::size_t whole = Select(job.samples, left);
  Answer answer{true, {choice, {}}, -weight * job.worth * job.samples, segments_[whole].slope};
  taken_.assign(job.slot_count, static_cast<std::uint32_t>(points_.size()));
  const auto rate = [&](std::uint32_t i) { return i == points_.size() ? 0.0 : points_[i].rate; };
  for (std::size_t i = 0; i < whole; ++i) {
    const Segment& segment = segments_[i];
    answer.bound += segment.slope * segment.samples;
    std::uint32_t& point = taken_[segment.slot];
    if (rate(segment.to) > rate(point)) point = segment.to;
  }
  const Segment& last = segments_[whole];
  answer.bound += last.slope * left;
  for (std::size_t t = 0; t < job.slot_count; ++t) {
    AddPieces(job, t, offers.offers[t], last.slot == t ? &last : nullptr, left, answer.schedule.pieces);
  }
  return answer;
}

}  // namespace heliostat::decomposition
