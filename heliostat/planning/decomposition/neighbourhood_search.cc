#include "heliostat/planning/decomposition/neighbourhood_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heliostat::decomposition {
namespace {

constexpr std::size_t kFewestJobs = 2;
constexpr std::size_t kMostJobs = 9;
constexpr std::size_t kLongestSpan = 6;  // slots whose jobs are taken out together
// With a lower cost of nodes, jobs gather on a node that does not pay for the first of them alone.
constexpr double kLeastNodeCost = 0.3;
constexpr double kLowerNodeCost = 0.5;  // how often it is lower
// The most by which a draft may be worse than the best one and still be kept, as a share. Each try draws its own limit.
constexpr double kWorse = 4e-3;

}  // namespace

NeighbourhoodSearch::Jobs NeighbourhoodSearch::RunningIn(std::size_t group, std::size_t slot, std::size_t slots) const {
  Jobs jobs;
  for (std::size_t j = 0; j < model_.jobs.size(); ++j) {
    if (!draft_.IsPlaced(j)) continue;
    const Schedule& schedule = draft_.ScheduleOf(j);
    if (model_.jobs[j].choices[schedule.choice].group != group) continue;
    const bool meets = std::ranges::any_of(
        schedule.pieces, [&](const SlotPiece& piece) { return piece.slot >= slot && piece.slot < slot + slots; });
    if (meets) jobs.push_back(j);
  }
  return jobs;
}

NeighbourhoodSearch::Jobs NeighbourhoodSearch::WithWindowAt(std::size_t slot) const {
  Jobs jobs;
  for (std::size_t j = 0; j < model_.jobs.size(); ++j) {
    const JobModel& job = model_.jobs[j];
    if (slot >= job.first_slot && slot < job.first_slot + job.slot_count) jobs.push_back(j);
  }
  return jobs;
}

// Jobs of the slot that together hold the GPUs of the last node on.
NeighbourhoodSearch::Jobs NeighbourhoodSearch::OfLastNode(std::size_t group, std::size_t slot) {
  const int nodes = draft_.NodesOn(group, slot);
  int gpus = draft_.GpusInUse(group, slot) - std::max(0, nodes - 1) * model_.groups[group].gpus_per_node;
  Jobs jobs = RunningIn(group, slot, 1);
  Shuffle(jobs);
  std::size_t count = 0;
  for (; count < jobs.size() && gpus > 0; ++count) {
    const Schedule& schedule = draft_.ScheduleOf(jobs[count]);
    const auto& levels = model_.jobs[jobs[count]].choices[schedule.choice].levels;
    const auto piece = std::ranges::find(schedule.pieces, slot, &SlotPiece::slot);
    gpus -= levels[piece->level].workers;
  }
  jobs.resize(count);
  return jobs;
}

void NeighbourhoodSearch::Shuffle(Jobs& jobs) {
  for (std::size_t i = jobs.size(); i > 1; --i) std::swap(jobs[i - 1], jobs[random_.Below(i)]);
}

// The jobs of one try, in random order.
NeighbourhoodSearch::Jobs NeighbourhoodSearch::Pick() {
  const std::size_t slot = random_.Below(model_.slots);
  const std::size_t group = random_.Below(model_.groups.size());
  const std::size_t most = kFewestJobs + random_.Below(kMostJobs - kFewestJobs + 1);
  Jobs jobs;
  switch (random_.Below(3)) {
    case 0:
      jobs = RunningIn(group, slot, 1 + random_.Below(kLongestSpan));
      break;
    case 1:
      jobs = WithWindowAt(slot);
      break;
    default:
      jobs = OfLastNode(group, slot);
      break;
  }
  std::erase_if(jobs, [&](std::size_t j) { return model_.jobs[j].must_go_on(); });
  Shuffle(jobs);
  if (jobs.size() > most) jobs.resize(most);
  return jobs;
}

// Takes the jobs out and inserts them again. False when one of them finds no place.
bool NeighbourhoodSearch::Recreate(const Jobs& jobs) {
  for (const std::size_t j : jobs) draft_.Remove(j);
  // Under a power cap, nodes must count as whole nodes.
  const bool lower = random_.Chance(kLowerNodeCost) && !model_.capped;
  if (lower) draft_.Smooth({}, nullptr, 0.0, random_.Uniform(kLeastNodeCost, 1.0));
  const bool found = std::ranges::all_of(jobs, [&](std::size_t j) { return improver_.Insert(j, nullptr); });
  if (lower) draft_.Smooth({}, nullptr, 0.0, 1.0);
  return found && draft_.Fits();
}

void NeighbourhoodSearch::Restore(const Jobs& jobs, const std::vector<Schedule>& former) {
  for (const std::size_t j : jobs) draft_.Remove(j);
  for (std::size_t i = 0; i < jobs.size(); ++i) draft_.Put(jobs[i], former[i]);
}

void NeighbourhoodSearch::Try(int tries, const Expired& expired) {
  DraftPlan::Content best = draft_.content();
  double least = draft_.Value();
  for (int i = 0; i < tries && !expired(); ++i) {
    const Jobs jobs = Pick();
    if (jobs.empty()) continue;
    std::vector<Schedule> former;
    for (const std::size_t j : jobs) former.push_back(draft_.ScheduleOf(j));
    if (!Recreate(jobs) || draft_.Value() > least + kWorse * random_.Uniform() * std::abs(least)) {
      Restore(jobs, former);
    } else if (draft_.Value() < least) {
      least = draft_.Value();
      best = draft_.content();
    }
  }
  // Also clears what sums of many changes have lost in rounding.
  draft_.SetContent(best);
  improver_.Sweep(nullptr, expired);
}

}  // namespace heliostat::decomposition
