#include "heliostat/planning/admission/timetable.h"

#include <algorithm>
#include <cmath>

namespace heliostat::admission {
namespace {

// Seconds of progress that a number of samples takes. The small share keeps rounding from adding a second.
std::int64_t WholeSeconds(double samples, double per_s) {
  return static_cast<std::int64_t>(std::ceil(samples / per_s * (1.0 - 1e-12)));
}

}  // namespace

bool Booking::Meets(std::int64_t begin, std::int64_t end) const {
  return std::ranges::any_of(spans, [&](const Span& span) { return span.begin < end && span.end > begin; });
}

Timetable::Timetable(const std::vector<int>& gpus, std::int64_t horizon_s) {
  for (const int all : gpus) groups_.push_back({{0, all}, {horizon_s, 0}});
}

std::optional<Booking> Timetable::Earliest(const Request& request, const Way& way) const {
  const Levels& levels = groups_[way.group];
  const auto& begun = request.job.begun;
  const bool runs = begun && begun->group == way.group && begun->workers == way.workers;
  const bool may_stop = request.job.preemptible;
  double left = request.job.samples;
  Booking booking{way, {}};
  auto level = std::ranges::upper_bound(levels, request.begin, {}, &Level::from) - 1;
  while (level + 1 < levels.end() && level->from < request.end) {
    if (level->free < way.workers) {
      ++level;
      continue;
    }
    const std::int64_t begin = std::max(level->from, request.begin);
    while (level + 1 < levels.end() && level->from < request.end && level->free >= way.workers) ++level;
    const std::int64_t end = std::min(level->from, request.end);
    const bool goes_on = runs && begin == request.begin;
    const std::int64_t resume = (goes_on ? begun->resume_left : request.job.resume).count();
    const std::int64_t needed = WholeSeconds(left, way.samples_per_s);
    const std::int64_t there = end - begin - resume;
    if (there >= needed) {
      booking.spans.push_back({begin, begin + resume + needed});
      return booking;
    }
    // A run that is mostly resuming is not worth its GPUs.
    if (!may_stop || there <= resume) continue;
    booking.spans.push_back({begin, end});
    left -= static_cast<double>(there) * way.samples_per_s;
  }
  return std::nullopt;
}

int Timetable::Free(std::size_t group, std::int64_t begin, std::int64_t end) const {
  const Levels& levels = groups_[group];
  auto level = std::ranges::upper_bound(levels, begin, {}, &Level::from) - 1;
  int least = level->free;
  for (; level < levels.end() && level->from < end; ++level) least = std::min(least, level->free);
  return least;
}

std::size_t Timetable::Cut(Levels& levels, std::int64_t at) {
  const auto next = std::ranges::lower_bound(levels, at, {}, &Level::from);
  const auto index = static_cast<std::size_t>(next - levels.begin());
  if (next != levels.end() && next->from == at) return index;
  levels.insert(next, {at, levels[index - 1].free});
  return index;
}

void Timetable::Change(std::size_t group, std::int64_t begin, std::int64_t end, int gpus) {
  if (end <= begin) return;
  Levels& levels = groups_[group];
  const std::size_t first = Cut(levels, begin);
  const std::size_t last = Cut(levels, end);
  for (std::size_t i = first; i < last; ++i) levels[i].free += gpus;
  // Equal neighbours become one, so that the table does not grow with the number of changes.
  for (const std::size_t at : {last, first}) {
    if (at == 0 || at + 1 >= levels.size() || levels[at].free != levels[at - 1].free) continue;
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

void Timetable::Change(const Booking& booking, int gpus) {
  for (const Booking::Span& span : booking.spans) Change(booking.way.group, span.begin, span.end, gpus);
}

}  // namespace heliostat::admission
