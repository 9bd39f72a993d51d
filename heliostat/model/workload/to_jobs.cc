#include "heliostat/model/workload/to_jobs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/random.h"
#include "heliostat/model/profile/library.h"
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

// Names in public traces and the library's nearest model: the same, or of the same kind and size.
struct Alias {
  std::string_view name;
  std::string_view model;
};
constexpr std::array<Alias, 10> kAliases{{
    {"imagenet", "resnet50"},
    {"resnet101", "resnet50"},
    {"inception_v3", "resnet50"},
    {"yolov3", "resnet50"},
    {"cifar10", "shufflenet"},
    {"bert", "bert-base"},
    {"vgg16", "vgg16-bf16"},
    {"alexnet", "vgg16-bf16"},
    {"mobilenet_v2", "mobilenet-v3-bf16"},
    {"transformer", "transformer-lm-bf16"},
}};

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

DraftJob PieceOf(const TraceJob& job, Instant submit, const ScenarioRecipe& recipe,
                 const std::vector<std::string>& models, int largest, RandomStream random) {
  DraftJob piece;
  piece.workers = WorkersFor(job.gpus, largest);
  piece.length = std::max(Scaled(job.length, static_cast<double>(job.gpus) / piece.workers), Duration{1});
  piece.job.id = job.id;
  piece.job.submit = submit;
  piece.job.model = job.model ? ModelNamed(*job.model, models, recipe.seed) : models[random.Below(models.size())];
  piece.job.preemptible = !random.Chance(recipe.in_one_piece);
  piece.job.resume = recipe.resume;
  piece.job.min_workers = PowerOfTwoUpTo(piece.workers / recipe.elasticity);
  piece.job.max_workers =
      std::min({PowerOfTwoUpTo(piece.workers * recipe.elasticity), kMostWorkers, PowerOfTwoUpTo(largest)});
  piece.window = WindowOf(job, piece, recipe, random);
  return piece;
}

}  // namespace

std::vector<std::string> ModelsFor(const std::vector<scenario::Group>& groups) {
  std::set<std::string_view> seen;
  for (const profile::LibraryEntry& entry : profile::LibraryEntries()) {
    const bool is_here = std::ranges::any_of(groups, [&](const auto& group) { return group.gpu == entry.gpu; });
    if (is_here && entry.is_training && entry.origin != profile::Origin::kPredicted) seen.insert(entry.model);
  }
  std::vector<std::string> models;
  for (const std::string_view model : profile::TrainingModels()) {
    if (seen.empty() || seen.contains(model)) models.emplace_back(model);
  }
  return models;
}

std::string ModelNamed(const std::string& name, const std::vector<std::string>& models, std::uint64_t seed) {
  const auto known = profile::TrainingModels();
  if (std::ranges::find(known, name) != known.end()) return name;
  const auto* const alias = std::ranges::find(kAliases, name, &Alias::name);
  if (alias != kAliases.end() && std::ranges::find(known, alias->model) != known.end()) {
    return std::string(alias->model);
  }
  RandomStream random = RandomStream(seed).Split("model").Split(name);
  return models[random.Below(models.size())];
}

std::vector<DraftJob> CutOut(const Trace& trace, const ScenarioRecipe& recipe, const scenario::Scenario& scenario) {
  const std::vector<std::string> models = ModelsFor(scenario.groups);
  const int largest = std::ranges::max(GpusForJobs(scenario));
  const Duration span = scenario.horizon().length();
  const RandomStream random = RandomStream(recipe.seed).Split("jobs");
  std::vector<DraftJob> pieces;
  auto next = std::ranges::lower_bound(trace.jobs, recipe.trace_offset, {}, &TraceJob::submit);
  for (; next != trace.jobs.end() && next->submit < recipe.trace_offset + span; ++next) {
    const Instant submit = scenario.start + (next->submit - recipe.trace_offset);
    DraftJob piece = PieceOf(*next, submit, recipe, models, largest, random.Split(next->id));
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
