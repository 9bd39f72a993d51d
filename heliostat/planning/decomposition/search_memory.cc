#include "heliostat/planning/decomposition/search_memory.h"

#include <algorithm>
#include <utility>

namespace heliostat::decomposition {
namespace {

// A schedule that makes more than this share of the job's samples is dropped.
constexpr double kMostSamples = 1.02;
constexpr double kSamplesTolerance = 1e-9;

// Finds the level and the vertex of a point. False when the model does not have it.
bool FindPoint(const Choice& choice, std::size_t point, std::size_t& level, std::size_t& vertex) {
  for (level = 0; level < choice.levels.size(); ++level) {
    const auto& hull = choice.levels[level].hull;
    const auto found = std::ranges::find(hull, point, &Vertex::point);
    if (found == hull.end()) continue;
    vertex = static_cast<std::size_t>(found - hull.begin());
    return true;
  }
  return false;
}

}  // namespace

void SearchMemory::ForgetPrices() {
  if (content == nullptr) return;
  auto rest = std::make_shared<Content>(*content);
  rest->energy.clear();
  rest->shortage.clear();
  content = std::move(rest);
}

bool Recall(const scenario::Scenario& scenario, const SearchMemory::Content& content, std::vector<double>& energy,
            DraftPlan::Rents& shortage) {
  bool any = false;
  for (std::size_t t = 0; t < scenario.slots; ++t) {
    const Instant at = scenario.SlotSpan(t).begin;
    if (const auto known = content.energy.find(at); known != content.energy.end()) {
      energy[t] = known->second;
      any = true;
    }
    for (std::size_t g = 0; g < scenario.groups.size(); ++g) {
      const auto group = content.shortage.find(scenario.groups[g].name);
      if (group == content.shortage.end()) continue;
      if (const auto known = group->second.find(at); known != group->second.end()) shortage[g][t] = known->second;
    }
  }
  return any;
}

Schedule Recall(const scenario::Scenario& scenario, const Model& model, std::size_t job,
                const SearchMemory::Content& content) {
  const auto known = content.jobs.find(scenario.jobs[job].id);
  if (known == content.jobs.end() || known->second.plan.segments.empty()) return {};
  const JobModel& facts = model.jobs[job];
  const Interval window = scenario.WindowOf(scenario.jobs[job]);
  Schedule schedule;
  const auto choice = std::ranges::find(facts.choices, known->second.plan.segments.front().group, &Choice::group);
  if (choice == facts.choices.end()) return {};
  schedule.choice = static_cast<std::size_t>(choice - facts.choices.begin());
  Instant until{};
  std::size_t running = choice->levels.size();
  double owed = 0.0;
  for (const plan::Segment& segment : known->second.plan.segments) {
    Interval span = segment.span.Intersect(window);
    std::size_t level = 0;
    std::size_t vertex = 0;
    if (span.empty()) continue;
    if (!FindPoint(*choice, segment.point, level, vertex)) return {};
    if (level != running || until != span.begin) {
      const bool goes_on = facts.runs && level == facts.run_level && span.begin == window.begin;
      owed = goes_on ? facts.resume_left_s : facts.resume_s;
    }
    until = span.end;
    running = level;
    while (span.begin < span.end) {  // slot by slot
      const auto t = static_cast<std::size_t>((span.begin - scenario.start) / scenario.step);
      const Interval slot = scenario.SlotSpan(t);
      const Instant end = std::min(span.end, slot.end);
      const auto seconds = static_cast<int>((end - span.begin).count());
      const int lost = std::min(seconds, static_cast<int>(owed));
      owed -= lost;
      const auto begin = static_cast<int>((span.begin - slot.begin).count());
      schedule.pieces.push_back({t, level, vertex, begin, begin + seconds, 0, lost});
      span.begin = end;
    }
  }
  const double samples = SamplesOf(facts, schedule);
  if (facts.required && samples < facts.samples * (1.0 - kSamplesTolerance)) return {};
  if (samples > facts.samples * kMostSamples) return {};
  return schedule;
}

}  // namespace heliostat::decomposition
