#include "heliostat/planning/decomposition/improve.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>

#include "heliostat/planning/decomposition/workers.h"

namespace heliostat::decomposition {
namespace {

// How many jobs may be displaced in one Fill(): kPushesPerJob per job, plus kMorePushes.
constexpr std::size_t kPushesPerJob = 4;
constexpr std::size_t kMorePushes = 200;

}  // namespace

Improver::Improver(DraftPlan& draft, unsigned threads)
    : draft_(draft),
      model_(draft.model()),
      workers_(ThreadsFor(threads), Worker{JobSearch(model_.step_s, model_.performance_weight), {}}),
      lambda_(model_.jobs.size(), 0.0),
      choice_(model_.jobs.size(), 0),
      pushes_(model_.jobs.size(), 0),
      by_slack_(model_.jobs.size()) {
  std::iota(by_slack_.begin(), by_slack_.end(), std::size_t{0});
  std::vector<double> slack(model_.jobs.size());
  for (std::size_t j = 0; j < slack.size(); ++j) slack[j] = Slack(j);
  std::ranges::stable_sort(by_slack_, {}, [&](std::size_t j) { return slack[j]; });
}

// The window divided by the shortest time of the work. Infinite for jobs that are not required.
double Improver::Slack(std::size_t j) const {
  const JobModel& job = model_.jobs[j];
  if (!job.required) return std::numeric_limits<double>::infinity();
  if (job.must_go_on()) return 0.0;
  double fastest = 0.0;
  for (const Choice& choice : job.choices) {
    for (const WorkerLevel& level : choice.levels) fastest = std::max(fastest, level.hull.back().samples_per_s);
  }
  const double window = static_cast<double>(job.slot_count) * model_.step_s;
  return fastest > 0.0 ? window / (job.samples / fastest + job.resume_s) : 0.0;
}

// Begins with the job's last group, which is often the best again, so that the others can be given up early. Of groups
// with equal cost, the first wins.
Improver::Place Improver::Find(std::size_t j, const DraftPlan::Rents* rents, Worker& worker) {
  const JobModel& job = model_.jobs[j];
  Place best;
  double least = std::numeric_limits<double>::infinity();
  const std::size_t begin = choice_[j];
  for (std::size_t i = 0; i < job.choices.size() && job.slot_count > 0; ++i) {
    const std::size_t c = (begin + i) % job.choices.size();
    draft_.OffersFor(job, job.choices[c], rents, worker.offers);
    const double limit = c < choice_[j] ? std::nextafter(least, std::numeric_limits<double>::infinity()) : least;
    Found found = worker.search.BestIn(job, c, worker.offers, false, lambda_[j], limit);
    if (!found.feasible || found.cost >= limit) continue;
    least = found.cost;
    choice_[j] = c;
    best = {true, std::move(found.schedule)};
    lambda_[j] = found.lambda;
  }
  return best;
}

bool Improver::Insert(std::size_t j, const DraftPlan::Rents* rents) {
  const Place place = Find(j, rents, workers_.front());
  if (!place.found) return !model_.jobs[j].required;
  draft_.Put(j, place.schedule);
  return true;
}

double Improver::SweepServices(const DraftPlan::Rents* rents) {
  const double before = draft_.Value();
  for (std::size_t t = 0; t < model_.slots; ++t) {
    for (std::size_t s = 0; s < model_.services.size(); ++s) {
      const std::size_t former = draft_.OptionOf(s, t);
      const double value = draft_.Value();
      draft_.ImproveService(s, t, rents);
      if (former != kNoOption && draft_.Value() > value) draft_.SetOption(s, t, former);
    }
  }
  return before - draft_.Value();
}

// Displaces jobs that use GPUs in the window of `j` until it fits: the fewest displacements first, then the most slack.
bool Improver::MakeRoom(std::size_t j, const DraftPlan::Rents* rents, std::vector<std::size_t>& pushed) {
  const JobModel& job = model_.jobs[j];
  std::vector<std::size_t> rivals;
  for (std::size_t i = by_slack_.size(); i-- > 0;) {
    const std::size_t other = by_slack_[i];
    if (other == j || !draft_.IsPlaced(other) || model_.jobs[other].must_go_on()) continue;
    const auto& pieces = draft_.ScheduleOf(other).pieces;
    const bool meets = std::ranges::any_of(pieces, [&](const SlotPiece& piece) {
      return piece.slot >= job.first_slot && piece.slot < job.first_slot + job.slot_count;
    });
    if (meets) rivals.push_back(other);
  }
  std::ranges::stable_sort(rivals, {}, [&](std::size_t other) { return pushes_[other]; });
  std::size_t batch = 1;
  for (std::size_t next = 0; next < rivals.size(); batch *= 2) {
    for (std::size_t i = 0; i < batch && next < rivals.size(); ++i) {
      draft_.Remove(rivals[next]);
      ++pushes_[rivals[next]];
      pushed.push_back(rivals[next++]);
    }
    if (Insert(j, rents)) return true;
  }
  return false;
}

std::vector<std::size_t> Improver::Fill(const DraftPlan::Rents& scarcity, const Expired& expired) {
  const DraftPlan::Rents* const rents = &scarcity;
  SweepServices(rents);
  std::deque<std::size_t> waiting;
  for (const std::size_t j : by_slack_) {
    if (!draft_.IsPlaced(j)) waiting.push_back(j);
  }
  std::vector<std::size_t> homeless;
  std::size_t patience = kPushesPerJob * model_.jobs.size() + kMorePushes;
  while (!waiting.empty()) {
    const std::size_t j = waiting.front();
    waiting.pop_front();
    if (Insert(j, rents)) continue;
    std::vector<std::size_t> pushed;
    if (patience == 0 || expired() || !MakeRoom(j, rents, pushed)) homeless.push_back(j);
    patience -= std::min(patience, pushed.size());
    std::ranges::stable_sort(pushed, {}, [&](std::size_t other) { return Slack(other); });
    waiting.insert(waiting.begin(), pushed.begin(), pushed.end());
  }
  return homeless;
}

void Improver::Evict() {
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const int gpus = model_.groups[g].nodes * model_.groups[g].gpus_per_node;
    for (std::size_t i = by_slack_.size(); i-- > 0;) {
      const std::size_t j = by_slack_[i];
      if (!draft_.IsPlaced(j)) continue;
      const Schedule& schedule = draft_.ScheduleOf(j);
      if (model_.jobs[j].choices[schedule.choice].group != g) continue;
      const bool crowds = std::ranges::any_of(schedule.pieces, [&](const SlotPiece& piece) {
        return draft_.GpusInUse(g, piece.slot) > gpus || draft_.Kwh(piece.slot) > model_.tariffs[piece.slot].cap_kwh;
      });
      if (crowds) draft_.Remove(j);
    }
  }
}

void Improver::SweepBlock(std::span<const std::size_t> jobs) {
  std::vector<Schedule> former;
  for (const std::size_t j : jobs) former.push_back(draft_.ScheduleOf(j));
  for (const std::size_t j : jobs) draft_.Remove(j);
  std::vector<Place> places(jobs.size());
  VisitInThreads(jobs.size(), 1, static_cast<unsigned>(workers_.size()),
                 [&](unsigned worker, std::size_t i) { places[i] = Find(jobs[i], nullptr, workers_[worker]); });
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    draft_.Put(jobs[i], former[i]);
    if (!places[i].found) continue;
    const double value = draft_.Value();
    draft_.Remove(jobs[i]);
    draft_.Put(jobs[i], places[i].schedule);
    if (draft_.Value() <= value) continue;
    draft_.Remove(jobs[i]);
    draft_.Put(jobs[i], former[i]);
  }
}

double Improver::SweepInBlocks(std::size_t size, const Expired& expired) {
  const double before = draft_.Value();
  SweepServices(nullptr);
  for (std::size_t begin = 0; begin < by_slack_.size() && !expired(); begin += size) {
    SweepBlock(std::span(by_slack_).subspan(begin, std::min(size, by_slack_.size() - begin)));
  }
  return before - draft_.Value();
}

double Improver::Sweep(const DraftPlan::Rents* rents, const Expired& expired) {
  const double before = draft_.Value();
  SweepServices(rents);
  for (const std::size_t j : by_slack_) {
    if (expired()) break;
    const double value = draft_.Value();
    const Schedule former = draft_.ScheduleOf(j);
    draft_.Remove(j);
    if (Insert(j, rents) && draft_.Value() <= value) continue;
    draft_.Remove(j);
    draft_.Put(j, former);
  }
  return before - draft_.Value();
}

}  // namespace heliostat::decomposition
