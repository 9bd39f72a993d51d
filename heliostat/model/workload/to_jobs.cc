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

std::optional<Duration> WindowOf(const TraceJob& job, const DraftJob& piece, const ScenarioRecipe& recipe,
                                 RandomStream& random) {
  const bool is_drawn_best_effort = random.Chance(recipe.best_effort);
  const double slack = DrawSlack(std::min(kLeastSlack, recipe.slack), recipe.slack, random);
  if (job.is_best_effort) return std::nullopt;
  if (!job.deadline && is_drawn_best_effort) return std::nullopt;
  const double stretched = Seconds(piece.length) / Seconds(job.length);
  const Duration asked = job.deadline ? Scaled(*job.deadline, stretched) : Scaled(piece.length, slack);
  return std::max(asked, piece.length + recipe.resume + kRounding);
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

DraftJob PieceOf(const TraceJob& job, Instant submit, const ScenarioRecipe& recipe, Models& models,
                 RandomStream random) {
  DraftJob piece;
  piece.job.model = job.model ? models.Named(*job.model) : models.Draw(random);
  const int largest = models.LargestFor(piece.job.model);
  piece.workers = WorkersFor(job.gpus, largest);
  piece.length = std::max(Scaled(job.length, static_cast<double>(job.gpus) / piece.workers), Duration{1});
  piece.job.id = job.id;
  piece.job.submit = submit;
  piece.job.preemptible = !random.Chance(recipe.in_one_piece);
  piece.job.resume = recipe.resume;
  piece.job.min_workers = PowerOfTwoUpTo(piece.workers / recipe.elasticity);
  piece.job.max_workers =
      std::min({PowerOfTwoUpTo(piece.workers * recipe.elasticity), kMostWorkers, PowerOfTwoUpTo(largest)});
  piece.window = WindowOf(job, piece, recipe, random);
  return piece;
}

}  // namespace

std::vector<DraftJob> CutOut(const Trace& trace, const ScenarioRecipe& recipe, const Catalogue& catalogue,
                             const scenario::Scenario& scenario) {
  Models models(catalogue, scenario, recipe.seed);
  const Duration span = scenario.horizon().length();
  const RandomStream random = RandomStream(recipe.seed).Split("jobs");
  std::vector<DraftJob> pieces;
  auto next = std::ranges::lower_bound(trace.jobs, recipe.trace_offset, {}, &TraceJob::submit);
  for (; next != trace.jobs.end() && next->submit < recipe.trace_offset + span; ++next) {
    const Instant submit = scenario.start + (next->submit - recipe.trace_offset);
    DraftJob piece = PieceOf(*next, submit, recipe, models, random.Split(next->id));
    const Duration least = piece.length + recipe.resume + kRounding;
    if (submit + piece.window.value_or(least) <= scenario.end()) pieces.push_back(std::move(piece));
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
  std::vector<DraftJob> kept;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (is_kept[i]) kept.push_back(std::move(pieces[i]));
  }
  pieces = std::move(kept);
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

std::vector<scenario::Job> ToJobs(const std::vector<DraftJob>& pieces, const ScenarioRecipe& recipe,
                                  const scenario::Scenario& scenario) {
  std::vector<scenario::Job> jobs;
  Queue queue(scenario);
  for (const DraftJob& piece : pieces) {
    scenario::Job job = piece.job;
    const double speed = SlowestSpeed(scenario, job.model, piece.workers);
    Check(speed > 0.0, "a generated job has no profile");
    job.samples = std::max(1.0, std::round(Seconds(piece.length).count() * speed));
    if (piece.window) job.deadline = job.submit + *piece.window;
    if (recipe.has_feasible_deadlines) {
      const std::optional<Instant> done = queue.Run(job, piece.workers);
      if (!done) continue;
      if (job.deadline) job.deadline = std::max(*job.deadline, *done);
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace heliostat::workload
