#include "heliostat/model/workload/to_jobs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/random.h"
#include "heliostat/model/workload/generate.h"
#include "heliostat/model/workload/queue.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;

// The least slack that is drawn. It is never below the time of a start.
constexpr double kLeastSlack = 1.2;
// A deadline that is moved leaves this share of the job's length after its end in the rehearsal, as the least drawn
// slack does, and at least this time. Otherwise a job that waits for a node to wake would be late.
constexpr double kRoomShare = kLeastSlack - 1.0;
constexpr Duration kLeastRoom = 15min;
// For the time of a start and for rounding to whole seconds.
constexpr Duration kRounding = 1min;
// The most workers of a job; there is no data on the speed-up beyond.
constexpr int kMostWorkers = 64;

int PowerOfTwoUpTo(double most) { return 1 << static_cast<int>(std::floor(std::log2(std::max(most, 1.0)))); }

// The power of two with the nearest ratio that fits into the cluster.
int WorkersFor(int gpus, int largest) {
  const int nearest = 1 << static_cast<int>(std::lround(std::log2(static_cast<double>(gpus))));
  return std::min({nearest, kMostWorkers, PowerOfTwoUpTo(largest)});
}

Duration Scaled(Duration length, double factor) { return Duration{std::llround(Seconds(length).count() * factor)}; }

// From submission to deadline. The random numbers are drawn whether they are used or not, so that one option does not
// change what others draw.
std::optional<Duration> WindowOf(const TraceJob& job, const ScenarioRecipe& recipe, Duration until_end,
                                 RandomStream& random, DraftJob& piece) {
  const bool is_drawn_best_effort = random.Chance(recipe.best_effort);
  const double slack = DrawSlack(std::min(kLeastSlack, recipe.slack), recipe.slack, random);
  if (job.is_best_effort || recipe.deadlines == Deadlines::kNone) return std::nullopt;
  const Duration least = piece.length + recipe.resume + kRounding;
  if (job.deadline) {
    const double stretched = Seconds(piece.length) / Seconds(job.length);
    return std::max(Scaled(*job.deadline, stretched), least);
  }
  if (recipe.deadlines == Deadlines::kOfTrace) return std::nullopt;
  piece.drawn.best_effort = is_drawn_best_effort;
  if (is_drawn_best_effort) return std::nullopt;
  piece.drawn.deadline = true;
  const Duration asked = Scaled(piece.length, slack);
  piece.drawn.is_clipped = asked > until_end;
  return std::max(std::min(asked, until_end), least);
}

// The models of jobs: by their name in the trace, or drawn at random.
class Models {
 public:
  Models(const Catalogue& catalogue, const scenario::Scenario& scenario, std::uint64_t seed)
      : catalogue_(catalogue), groups_(scenario.groups), seed_(seed), models_(catalogue.ModelsFor(scenario.groups)) {
    const std::vector<int> gpus = GpusForJobs(scenario);
    for (std::size_t i = 0; i < groups_.size(); ++i)
      largest_of_[groups_[i].gpu] = std::max(largest_of_[groups_[i].gpu], gpus[i]);
  }

  std::string Draw(RandomStream& random) const { return models_[random.Below(models_.size())]; }
  std::string Named(const std::string& name) {
    const auto [known, is_new] = named_.try_emplace(name);
    if (is_new) {
      const auto model = catalogue_.ModelNamed(name, groups_);
      RandomStream random = RandomStream(seed_).Split("model").Split(name);
      known->second = model ? *model : Draw(random);
    }
    return known->second;
  }
  // GPUs of the largest group on which the model can run.
  int LargestFor(const std::string& model) {
    const auto [known, is_new] = largest_.try_emplace(model, 0);
    if (!is_new) return known->second;
    for (const auto& [gpu, count] : largest_of_) {
      if (catalogue_.CanTrain(model, gpu)) known->second = std::max(known->second, count);
    }
    return known->second;
  }

 private:
  const Catalogue& catalogue_;
  const std::vector<scenario::Group>& groups_;
  std::uint64_t seed_;
  std::vector<std::string> models_;
  std::map<std::string, std::string> named_;
  std::map<std::string, int> largest_of_;  // by GPU
  std::map<std::string, int> largest_;     // by model
};

std::string ModelOf(const TraceJob& job, const ScenarioRecipe& recipe, Models& models, RandomStream& random,
                    DrawnParts& drawn) {
  if (job.model) {
    std::string model = models.Named(*job.model);
    drawn.other_model = model != *job.model;
    return model;
  }
  std::string any = models.Draw(random);
  drawn.model = recipe.model.empty();
  return drawn.model ? any : models.Named(recipe.model);
}

DraftJob PieceOf(const TraceJob& job, Instant submit, const ScenarioRecipe& recipe, Models& models, Duration until_end,
                 RandomStream random) {
  DraftJob piece;
  piece.job.model = ModelOf(job, recipe, models, random, piece.drawn);
  const int largest = models.LargestFor(piece.job.model);
  piece.workers = WorkersFor(job.gpus, largest);
  piece.drawn.other_gpus = piece.workers != job.gpus;
  piece.length = std::max(Scaled(job.length, static_cast<double>(job.gpus) / piece.workers), Duration{1});
  piece.job.id = job.id;
  piece.job.submit = submit;
  piece.job.preemptible = !random.Chance(recipe.in_one_piece);
  piece.job.resume = recipe.resume;
  piece.job.min_workers = PowerOfTwoUpTo(piece.workers / recipe.elasticity);
  piece.job.max_workers =
      std::min({PowerOfTwoUpTo(piece.workers * recipe.elasticity), kMostWorkers, PowerOfTwoUpTo(largest)});
  piece.window = WindowOf(job, recipe, until_end, random, piece);
  return piece;
}

// Removes the jobs for which `is_kept` is false. Returns their number.
std::size_t KeepOnly(const std::vector<bool>& is_kept, std::vector<DraftJob>& pieces) {
  std::vector<DraftJob> kept;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (is_kept[i]) kept.push_back(std::move(pieces[i]));
  }
  const std::size_t removed = pieces.size() - kept.size();
  pieces = std::move(kept);
  return removed;
}

void SetSamples(const scenario::Scenario& scenario, std::vector<DraftJob>& pieces) {
  for (DraftJob& piece : pieces) {
    const double speed = SlowestSpeed(scenario, piece.job.model, piece.workers);
    Check(speed > 0.0, "a generated job has no profile");
    piece.job.samples = std::max(1.0, std::round(Seconds(piece.length).count() * speed));
    if (piece.window) piece.job.deadline = piece.job.submit + *piece.window;
  }
}

std::vector<std::optional<Instant>> EndsInQueue(const scenario::Scenario& scenario,
                                                const std::vector<DraftJob>& pieces) {
  Queue queue(scenario);
  std::vector<std::optional<Instant>> ends;
  ends.reserve(pieces.size());
  for (const DraftJob& piece : pieces) ends.push_back(queue.Run(piece.job, piece.workers));
  return ends;
}

// Removes jobs without an end. True when there were any.
bool RemoveUndone(const std::vector<std::optional<Instant>>& ends, std::vector<DraftJob>& pieces, JobTally& tally) {
  std::vector<bool> is_done;
  is_done.reserve(ends.size());
  for (const auto& end : ends) is_done.push_back(end.has_value());
  const std::size_t undone = KeepOnly(is_done, pieces);
  tally.not_done += undone;
  return undone > 0;
}

// The next whole minute, but not after the horizon.
Instant DeadlineAt(Instant end, const scenario::Scenario& scenario) {
  return std::min<Instant>(std::chrono::ceil<std::chrono::minutes>(end), scenario.end());
}

// Moves the deadlines that are before the ends of their jobs.
void MoveDeadlines(const std::vector<std::optional<Instant>>& ends, const scenario::Scenario& scenario,
                   std::vector<DraftJob>& pieces) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    auto& deadline = pieces[i].job.deadline;
    if (deadline && ends[i]) deadline = std::max(*deadline, DeadlineAt(*ends[i], scenario));
  }
}

void PutIn(const std::vector<DraftJob>& pieces, scenario::Scenario& scenario) {
  scenario.jobs.clear();
  scenario.jobs.reserve(pieces.size());
  for (const DraftJob& piece : pieces) scenario.jobs.push_back(piece.job);
}

}  // namespace

std::vector<DraftJob> CutOut(const Trace& trace, const ScenarioRecipe& recipe, const Catalogue& catalogue,
                             const scenario::Scenario& scenario, JobTally& tally) {
  Models models(catalogue, scenario, recipe.seed);
  const RandomStream random = RandomStream(recipe.seed).Split("jobs");
  const auto first = std::ranges::lower_bound(trace.jobs, recipe.trace_offset, {}, &TraceJob::submit);
  const auto last = std::ranges::lower_bound(first, trace.jobs.end(), recipe.trace_offset + scenario.horizon().length(),
                                             {}, &TraceJob::submit);
  tally.in_trace = trace.jobs.size();
  tally.before_start = static_cast<std::size_t>(first - trace.jobs.begin());
  tally.after_end = static_cast<std::size_t>(trace.jobs.end() - last);
  std::vector<DraftJob> pieces;
  for (auto next = first; next != last; ++next) {
    const Instant submit = scenario.start + (next->submit - recipe.trace_offset);
    const Duration until_end = scenario.end() - submit;
    DraftJob piece = PieceOf(*next, submit, recipe, models, until_end, random.Split(next->id));
    const Duration least = piece.length + recipe.resume + kRounding;
    if (least > until_end) {
      ++tally.too_long;
    } else if (piece.window.value_or(least) > until_end) {
      ++tally.due_later;
    } else {
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

void ThinTo(double gpu_hours, std::uint64_t seed, std::vector<DraftJob>& pieces) {
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  RandomStream random = RandomStream(seed).Split("thin");
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  std::vector<bool> is_kept(pieces.size(), false);
  double left = gpu_hours;
  for (const std::size_t i : order) {
    if (pieces[i].gpu_hours() > left) continue;
    left -= pieces[i].gpu_hours();
    is_kept[i] = true;
  }
  KeepOnly(is_kept, pieces);
}

std::vector<int> WorkerCounts(const std::vector<DraftJob>& pieces) {
  int most = 1;
  for (const DraftJob& piece : pieces) most = std::max(most, piece.job.max_workers);
  std::vector<int> counts;
  for (int count = 1; count <= most; count *= 2) counts.push_back(count);
  return counts;
}

double DefaultSpeed(const scenario::Scenario& scenario, const std::string& model, const std::string& gpu, int workers) {
  const scenario::TrainingPoint* highest = nullptr;
  const auto setting = [](const scenario::TrainingPoint& point) {
    // A knob that is not set is at its default.
    return std::pair{point.knob.power_limit_w.value_or(HUGE_VAL), point.knob.core_mhz.value_or(HUGE_VAL)};
  };
  for (const scenario::TrainingPoint& point : scenario.training.Of(model, gpu)) {
    if (point.workers != workers) continue;
    if (highest == nullptr || setting(point) > setting(*highest)) highest = &point;
  }
  return highest == nullptr ? 0.0 : highest->samples_per_s;
}

double SlowestSpeed(const scenario::Scenario& scenario, const std::string& model, int workers) {
  double slowest = 0.0;
  for (const scenario::Group& group : scenario.groups) {
    if (group.gpus() < workers) continue;
    const double speed = DefaultSpeed(scenario, model, group.gpu, workers);
    if (speed > 0.0 && (slowest == 0.0 || speed < slowest)) slowest = speed;
  }
  return slowest;
}

void AddJobs(const ScenarioRecipe& recipe, const Rehearsal& rehearse, std::vector<DraftJob>& pieces,
             scenario::Scenario& scenario, JobTally& tally) {
  SetSamples(scenario, pieces);
  if (recipe.has_feasible_deadlines) {
    const auto ends = EndsInQueue(scenario, pieces);
    MoveDeadlines(ends, scenario, pieces);
    RemoveUndone(ends, pieces, tally);
  }
  PutIn(pieces, scenario);
  if (!recipe.has_feasible_deadlines || !rehearse) return;
  // Without the jobs that are not done, others end at other times, so the ends that count are those of a rehearsal in
  // which every job ends. Each round but the last leaves jobs out.
  auto ends = rehearse(scenario);
  while (RemoveUndone(ends, pieces, tally)) {
    PutIn(pieces, scenario);
    ends = rehearse(scenario);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (ends[i]) *ends[i] += std::max(Scaled(pieces[i].length, kRoomShare), kLeastRoom);
  }
  MoveDeadlines(ends, scenario, pieces);
  PutIn(pieces, scenario);
}

void CountDrawn(const std::vector<DraftJob>& pieces, JobTally& tally) {
  double due = 0.0;
  for (const DraftJob& piece : pieces) {
    tally.drawn_models += piece.drawn.model ? 1 : 0;
    tally.other_models += piece.drawn.other_model ? 1 : 0;
    tally.other_gpus += piece.drawn.other_gpus ? 1 : 0;
    tally.drawn_deadlines += piece.drawn.deadline ? 1 : 0;
    tally.drawn_best_effort += piece.drawn.best_effort ? 1 : 0;
    tally.clipped_deadlines += piece.drawn.is_clipped ? 1 : 0;
    tally.in_one_piece += piece.job.preemptible ? 0 : 1;
    if (!piece.window) continue;
    const Duration window = *piece.job.deadline - piece.job.submit;
    due += 1.0;
    tally.moved_deadlines += window > *piece.window ? 1 : 0;
    tally.asked_slack += Seconds(*piece.window) / Seconds(piece.length);
    tally.slack += Seconds(window) / Seconds(piece.length);
  }
  if (due == 0.0) return;
  tally.asked_slack /= due;
  tally.slack /= due;
}

}  // namespace heliostat::workload
