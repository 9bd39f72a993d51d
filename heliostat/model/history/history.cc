#include "heliostat/model/history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/random.h"
#include "heliostat/model/workload/catalogue.h"
#include "heliostat/model/workload/site.h"

namespace heliostat::history {
namespace {

using namespace std::chrono_literals;

// How much later than it did a job may end that allows nothing, beside the wake-up of a node.
constexpr Duration kGrace = 1min;
constexpr std::int64_t kMostSlots = 600'000;
// No time limit or slack is longer.
constexpr Duration kLongestSlack = 24h * 3660;

std::string Counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// The models of jobs, one per user and name, and their profiles on one kind of GPU.
class RecordedModels {
 public:
  RecordedModels(const workload::Catalogue& catalogue, const workload::ScenarioRecipe& recipe)
      : catalogue_(catalogue), recipe_(recipe) {}

  // The name of the profile for a job. It is on no other GPU, so the job stays on its own kind.
  std::string For(const PastJob& job, const std::string& gpu) {
    const std::string name = fmt::format("{}@{}", ModelFor(job, gpu), gpu);
    counts_[name].insert(job.gpus);
    return name;
  }

  // Adds the profiles of all jobs so far. One sample is one GPU-second at the default setting.
  void AddTo(scenario::Scenario& scenario) const {
    for (const auto& [name, counts] : counts_) {
      const std::size_t at = name.rfind('@');
      const std::string gpu = name.substr(at + 1);
      constexpr std::array kOne{1};
      const auto points = catalogue_.TrainingPoints(name.substr(0, at), gpu, kOne);
      const auto setting = [](const scenario::TrainingPoint& point) {
        return std::pair{point.knob.power_limit_w.value_or(HUGE_VAL), point.knob.core_mhz.value_or(HUGE_VAL)};
      };
      Check(!points.empty(), "a recorded job has no profile");
      const double whole = std::ranges::max_element(points, {}, setting)->samples_per_s;
      for (const int gpus : counts) {
        for (const scenario::TrainingPoint& point : points) {
          const double share = std::round(point.samples_per_s / whole * 1e6) / 1e6;
          scenario.training.Add(name, gpu, {point.knob, gpus, share * gpus, point.power * gpus});
        }
      }
    }
  }

 private:
  std::string ModelFor(const PastJob& job, const std::string& gpu) {
    auto& models = models_[gpu];
    if (models.empty()) {
      const std::array alone{catalogue_.GroupOf(gpu, 1, 1)};
      const auto named = recipe_.model.empty() ? std::nullopt : catalogue_.ModelNamed(recipe_.model, alone);
      if (named) models.push_back(*named);
      if (!named) models = catalogue_.ModelsFor(alone);
    }
    RandomStream random = RandomStream(recipe_.seed).Split("recorded model").Split(job.user).Split(job.name);
    return models[random.Below(models.size())];
  }

  const workload::Catalogue& catalogue_;
  const workload::ScenarioRecipe& recipe_;
  std::map<std::string, std::vector<std::string>> models_;  // by GPU
  std::map<std::string, std::set<int>> counts_;             // by profile: numbers of GPUs
};

// How much later than `end` the job may end, by what its user allows. 0: nothing is allowed.
Duration AllowedAfter(const PastJob& job, Instant end, double default_slack, AllowedTally& tally) {
  const bool says = job.says.slack_share || job.says.deadline;
  const double slack = job.says.slack_share.value_or(says ? 0.0 : default_slack);
  std::optional<Duration> allowed;
  if (slack > 0.0 && job.time_limit) {
    const double seconds = slack * Seconds(*job.time_limit).count();
    allowed = Duration{std::llround(std::min(seconds, Seconds(kLongestSlack).count()))};
  }
  if (job.says.deadline) allowed = std::min(allowed.value_or(Duration::max()), *job.says.deadline - end);
  if (job.is_untouchable) allowed.reset();
  if (!allowed || *allowed <= 0s) {
    ++tally.nothing;
    const bool is_ours = !job.is_untouchable;
    tally.no_limit += is_ours && slack > 0.0 && !job.time_limit && !job.says.deadline ? 1 : 0;
    tally.late_anyway += is_ours && job.says.deadline && *job.says.deadline < end ? 1 : 0;
    return 0s;
  }
  ++(says ? tally.by_comment : tally.by_default);
  return *allowed;
}

// Makes the jobs of a scenario that has its groups.
class JobMaker {
 public:
  JobMaker(const HistoryOptions& options, const workload::ScenarioRecipe& recipe, RecordedModels& models,
           HistoryScenario& made)
      : options_(options), recipe_(recipe), models_(models), made_(made) {}

  void Add(const PastJob& past, const std::string& gpu, const scenario::Recorded& recorded) {
    const scenario::Scenario& scenario = made_.scenario;
    const Instant begin = past.runs.front().span.begin;
    const Instant end = past.runs.back().span.end;
    const Duration allowed = AllowedAfter(past, end, options_.default_slack, made_.allowed);
    const bool may_pause = allowed > 0s && (past.says.may_suspend || past.says.may_requeue);
    scenario::Job job{.id = past.id, .model = models_.For(past, gpu), .submit = begin, .deadline = {}};
    job.min_workers = job.max_workers = past.gpus;
    // A job that was requeued has stopped before.
    job.preemptible = may_pause || past.runs.size() > 1;
    // The recorded length includes one start.
    if (may_pause && past.runs.size() == 1) job.resume = std::min(recipe_.resume, past.length() / 2);
    job.samples = past.gpus * Seconds(past.length() - job.resume).count();
    // What is later than the horizon cannot be evaluated.
    job.deadline = std::min(end + std::max(allowed, WakeTimeOf(gpu) + kGrace), scenario.end());
    job.owner = past.user;
    job.recorded = recorded;
    made_.allowed.may_pause += may_pause ? 1 : 0;
    made_.gpu_hours += past.gpu_hours();
    made_.scenario.jobs.push_back(std::move(job));
  }

 private:
  Duration WakeTimeOf(const std::string& gpu) const {
    Duration longest{};
    for (const scenario::Group& group : made_.scenario.groups) {
      if (group.gpu == gpu) longest = std::max(longest, group.wake_time);
    }
    return longest;
  }

  const HistoryOptions& options_;
  const workload::ScenarioRecipe& recipe_;
  RecordedModels& models_;
  HistoryScenario& made_;
};

// The window that was asked for, in whole steps from its begin on.
Result<Interval> WindowOf(const Record& record, const SacctDump& dump, const HistoryOptions& options, Duration step) {
  if (step <= 0s) return Fail(ErrorCode::kInvalidArgument, "step", "is not positive", "more than 0");
  const Interval likely = LikelyWindow(record, dump);
  const Interval wanted{options.begin.value_or(likely.begin), options.end.value_or(likely.end)};
  if (wanted.empty()) {
    return Fail(
        ErrorCode::kInvalidArgument, dump.name,
        fmt::format("has jobs from {} to {}, but the scenario from {} to {} is empty", FormatInstant(likely.begin),
                    FormatInstant(likely.end), FormatInstant(wanted.begin), FormatInstant(wanted.end)),
        "another option 'start' or option 'end'");
  }
  const std::int64_t slots = (wanted.length() + step - 1s) / step;
  if (slots > kMostSlots) {
    return Fail(ErrorCode::kInvalidArgument, dump.name, fmt::format("covers {} slots", slots),
                fmt::format("at most {}: option 'start' and option 'end', or a longer option 'step'", kMostSlots));
  }
  return Interval{wanted.begin, wanted.begin + step * slots};
}

void TellRecord(const RecordTally& tally, const Interval& window, const HistoryOptions& options,
                std::vector<std::string>& notes) {
  const auto note = [&](std::size_t count, std::string text) {
    if (count > 0) notes.push_back(std::move(text));
  };
  note(options.begin && options.end ? 0 : 1,
       fmt::format("{} to {} is the time in which the dump is likely complete; option 'start' and option 'end' "
                   "set another, best that of -S and -E of sacct",
                   FormatInstant(window.begin), FormatInstant(window.end)));
  note(tally.before + tally.begun_before + tally.ended_after,
       fmt::format(
           "jobs at its edges: {} not within it, {} that began before it, {} that ended after it; {:.1f} GPU-hours "
           "outside are left out",
           tally.before, tally.begun_before, tally.ended_after, tally.gpu_hours_outside));
  note(tally.requeued, fmt::format("{} ran in several parts (requeued)", Counted(tally.requeued, "job")));
  note(tally.split, fmt::format("{} of requeued jobs with other GPUs: jobs of their own", Counted(tally.split, "run")));
  note(tally.reused_ids, fmt::format("{} with the number of another job", Counted(tally.reused_ids, "job")));
  note(tally.ends_guessed,
       fmt::format("{} without an end, taken as ended when the job ran again", Counted(tally.ends_guessed, "run")));
  note(tally.mixed_types, fmt::format("{} with several types of GPUs: all taken as the type of most of them",
                                      Counted(tally.mixed_types, "job")));
}

void TellJobs(const AllowedTally& tally, const HistoryOptions& options, bool has_model,
              std::vector<std::string>& notes) {
  notes.push_back(fmt::format(
      "{} may end later by their comments, {} by option 'default-slack'; {} allow nothing: they start when they did, "
      "except for a node's wake-up, and are only accounted",
      tally.by_comment, tally.by_default, tally.nothing));
  const auto note = [&](std::size_t count, std::string text) {
    if (count > 0) notes.push_back(std::move(text));
  };
  note(tally.by_comment + tally.by_default == 0 && options.default_slack == 0.0 ? 1 : 0,
       "so only sleeping nodes can save; option 'default-slack', such as 50%, shows what users could make possible");
  note(tally.no_limit, fmt::format("{} have a slack, but no time limit that it is a share of", tally.no_limit));
  note(tally.late_anyway, fmt::format("{} ended after their own deadline", Counted(tally.late_anyway, "job")));
  note(has_model ? 0 : 1,
       "the dump does not tell what jobs train: each user and job name has a model that is drawn at random; option "
       "'model' names one for all");
}

Status RefuseWithoutJobs(const Record& record, const std::string& name, const std::string& what) {
  if (!record.jobs.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument, name, what, "a dump of all users: sacct -a");
}

}  // namespace

Result<HistoryScenario> MakeFromDump(const SacctDump& dump, const HistoryOptions& options,
                                     const workload::ScenarioRecipe& recipe) {
  Record record = RecordOf(dump);
  if (auto bad = RefuseWithoutJobs(record, dump.name, "has no job that ran on GPUs"); !bad) return Propagate(bad);
  const auto window = WindowOf(record, dump, options, recipe.step);
  if (!window) return Propagate(window);
  CutTo(*window, record);
  if (auto bad = RefuseWithoutJobs(record, dump.name,
                                   fmt::format("has no job that ran on GPUs from {} to {}",
                                               FormatInstant(window->begin), FormatInstant(window->end)));
      !bad) {
    return Propagate(bad);
  }
  const workload::Catalogue catalogue(recipe.profiles, recipe.knob_steps, recipe.margin);
  auto site = SiteOf(record, options.site, catalogue, dump.name);
  if (!site) return Propagate(site);
  workload::ScenarioRecipe whole = recipe;
  whole.start = window->begin;
  whole.slots = static_cast<std::size_t>(window->length() / recipe.step);
  whole.hardware = site->hardware;
  auto frame = workload::MakeFrame(whole, catalogue);
  if (!frame) return Propagate(frame);
  HistoryScenario made{.scenario = *std::move(frame), .record = record.tally};
  RecordedModels models(catalogue, recipe);
  JobMaker maker(options, recipe, models, made);
  for (std::size_t i = 0; i < record.jobs.size(); ++i) maker.Add(record.jobs[i], site->gpus[i], site->recorded[i]);
  models.AddTo(made.scenario);
  made.scenario.baseline = options.has_power_saving ? "as-recorded+sleep" : "as-recorded";
  TellRecord(record.tally, *window, options, made.notes);
  made.notes.insert(made.notes.end(), site->notes.begin(), site->notes.end());
  TellJobs(made.allowed, options, !recipe.model.empty(), made.notes);
  if (auto bad = workload::AddRenewable(whole, made.scenario); !bad) return Propagate(bad);
  if (auto bad = scenario::Validate(made.scenario); !bad) return Propagate(bad);
  return made;
}

}  // namespace heliostat::history
