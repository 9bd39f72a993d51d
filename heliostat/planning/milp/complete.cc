#include "heliostat/planning/milp/complete.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "heliostat/planning/milp/points.h"
#include "heliostat/planning/plan/progress.h"

namespace heliostat::milp {
namespace {

constexpr int kMostChanges = 1000;
// Objective units per kWh, so that of several free changes the one with the least energy is taken.
constexpr double kTieWorth = 1e-9;

// One segment and the part of it in which the job makes progress.
struct Progress {
  plan::Segment segment;
  Interval useful;
  int workers = 0;
  double samples_per_s = 0.0;
  bool begins_run = false;
  bool ends_run = false;
};

std::vector<Progress> ProgressOf(const Layout& layout, std::size_t job) {
  std::vector<Progress> all;
  plan::ResumeDebt debt(layout.job(job));
  for (const plan::Segment& segment : layout.segments(job)) {
    const scenario::TrainingPoint& point = layout.points(job, segment.group)[segment.point];
    const Instant begin = segment.span.begin + debt.Pay(segment, point.workers);
    Progress progress{segment, {begin, segment.span.end}, point.workers, point.samples_per_s, true, true};
    if (!all.empty() && all.back().segment.span.end == segment.span.begin && all.back().workers == point.workers) {
      progress.begins_run = false;
      all.back().ends_run = false;
    }
    all.push_back(progress);
  }
  return all;
}

Duration Ceiling(double seconds) { return Duration{static_cast<std::int64_t>(std::ceil(seconds - 1e-9))}; }

// One possible change to make more samples.
struct Change {
  std::vector<plan::Segment> added;      // added in free time,
  std::optional<plan::Segment> instead;  // or instead of the present segment
  double samples = 0.0;
  double cost = 0.0;
};

class Completion {
 public:
  Completion(Layout& layout, std::size_t job, std::size_t group, bool may_turn_on)
      : layout_(layout),
        job_(job),
        group_(group),
        may_turn_on_(may_turn_on),
        points_(layout.points(job, group)),
        choices_(WorkerChoices(layout.problem().scenario, layout.job(job), group, true)) {}

  void Reach(double samples) {
    for (int i = 0; i < kMostChanges; ++i) {
      need_ = samples - layout_.SamplesOf(job_);
      if (need_ <= 1e-9 * samples) return;
      best_.reset();
      progress_ = ProgressOf(layout_, job_);
      for (const WorkerChoice& choice : choices_) Consider(choice);
      if (!best_) return;
      Apply(*best_);
    }
  }

 private:
  double Cost(std::size_t point, const Interval& span) const {
    const scenario::Scenario& scenario = layout_.problem().scenario;
    const Watts idle = scenario.groups[group_].gpu_idle * points_[point].workers;
    const double kwh = scenario.pue * InKilowattHours((points_[point].power - idle) * Seconds(span.length()));
    return kwh * (layout_.worth(span.begin) + kTieWorth);
  }

  void Offer(Change change) {
    if (change.samples <= 0.0) return;
    change.samples = std::min(change.samples, need_);
    if (!best_ || change.cost * best_->samples < best_->cost * change.samples) best_ = std::move(change);
  }

  void Consider(const WorkerChoice& choice) {
    for (const Progress& at : progress_) {
      if (at.workers == choice.workers) ConsiderFaster(choice, at);
    }
    const Interval window = layout_.problem().scenario.WindowOf(layout_.job(job_));
    for (const bool more : {false, true}) {
      if (more && !may_turn_on_) continue;
      for (const Interval& open : layout_.Openings(job_, group_, window, choice.workers, more)) {
        ConsiderBeside(choice, open);
        if (layout_.job(job_).preemptible || progress_.empty()) ConsiderPieces(choice, open);
      }
    }
  }

  void ConsiderFaster(const WorkerChoice& choice, const Progress& at) {
    if (at.useful.empty()) return;
    for (const std::size_t point : choice.points) {
      const double gain = points_[point].samples_per_s - at.samples_per_s;
      if (gain <= 0.0) continue;
      const Duration length = std::min(at.useful.length(), Ceiling(need_ / gain));
      const Interval span{at.useful.end - length, at.useful.end};
      Change change;
      change.instead = plan::Segment{span, group_, point};
      change.samples = gain * Seconds(length).count();
      change.cost = Cost(point, span) - Cost(at.segment.point, span);
      Offer(std::move(change));
    }
  }

  // After the end of a run, or before its begin.
  void ConsiderBeside(const WorkerChoice& choice, const Interval& open) {
    for (const Progress& at : progress_) {
      if (at.workers != choice.workers) continue;
      if (at.ends_run && at.segment.span.end == open.begin) {
        const Interval room = open.Intersect(SlotAt(open.begin));
        for (const std::size_t point : choice.points) {
          const Duration length = std::min(room.length(), Ceiling(need_ / points_[point].samples_per_s));
          OfferAdded({{{room.begin, room.begin + length}, group_, point}},
                     points_[point].samples_per_s * Seconds(length).count(), choice.workers);
        }
      }
      if (at.begins_run && at.segment.span.begin == open.end && !at.useful.empty()) {
        const Interval room = open.Intersect(SlotAt(open.end - Duration{1}));
        const Duration length = std::min(room.length(), Ceiling(need_ / at.samples_per_s));
        OfferAdded({{{room.end - length, room.end}, group_, at.segment.point}},
                   at.samples_per_s * Seconds(length).count(), choice.workers);
      }
    }
  }

  void ConsiderPieces(const WorkerChoice& choice, const Interval& open) {
    const Duration resume = layout_.job(job_).resume;
    for (Instant t = open.begin; t < open.end; t = SlotAt(t).end) {
      const Interval room = layout_.job(job_).preemptible ? open.Intersect({t, SlotAt(t).end}) : Interval{t, open.end};
      if (room.length() <= resume) continue;
      for (const std::size_t point : choice.points) {
        const Duration length = std::min(room.length() - resume, Ceiling(need_ / points_[point].samples_per_s));
        const Instant begin = room.begin + resume;
        std::vector<plan::Segment> added;
        if (resume > Duration{}) added.push_back({{room.begin, begin}, group_, choice.lowest});
        added.push_back({{begin, begin + length}, group_, point});
        OfferAdded(std::move(added), points_[point].samples_per_s * Seconds(length).count(), choice.workers);
      }
    }
  }

  void OfferAdded(std::vector<plan::Segment> added, double samples, int workers) {
    Change change;
    change.samples = samples;
    for (const plan::Segment& segment : added) change.cost += Cost(segment.point, segment.span);
    change.cost += layout_.NodeCost(group_, {added.front().span.begin, added.back().span.end}, workers);
    change.added = std::move(added);
    Offer(std::move(change));
  }

  Interval SlotAt(Instant t) const { return layout_.problem().scenario.SlotSpan(layout_.SlotOf(t)); }

  void Apply(const Change& change) {
    if (change.instead) layout_.Change(job_, change.instead->span, change.instead->point);
    for (const plan::Segment& segment : change.added) {
      layout_.MakeRoom(group_, segment.span, points_[segment.point].workers);
      layout_.Add(job_, segment);
    }
  }

  Layout& layout_;
  std::size_t job_;
  std::size_t group_;
  bool may_turn_on_;
  const std::vector<scenario::TrainingPoint>& points_;
  std::vector<WorkerChoice> choices_;
  double need_ = 0.0;
  std::vector<Progress> progress_;
  std::optional<Change> best_;
};

// Removes runs that make no progress.
void RemoveIdleRuns(Layout& layout, std::size_t job) {
  const std::vector<Progress> progress = ProgressOf(layout, job);
  std::size_t first = 0;
  bool useful = false;
  for (std::size_t i = 0; i < progress.size(); ++i) {
    if (progress[i].begins_run) {
      first = i;
      useful = false;
    }
    useful = useful || !progress[i].useful.empty();
    if (progress[i].ends_run && !useful) {
      layout.Remove(job, {progress[first].segment.span.begin, progress[i].segment.span.end});
    }
  }
}

// The end of a run that saves the most per sample, at most `excess` samples of it.
std::optional<Interval> DearestEnd(const Layout& layout, std::size_t job, double excess) {
  std::optional<Interval> dearest;
  double most = -1.0;
  for (const Progress& at : ProgressOf(layout, job)) {
    if (!at.ends_run || at.useful.empty()) continue;
    const Duration length =
        std::min(at.useful.length(), Duration{static_cast<std::int64_t>(excess / at.samples_per_s)});
    const Interval span{at.useful.end - length, at.useful.end};
    const double worth = layout.worth(span.end - Duration{1});
    const scenario::TrainingPoint& point = layout.points(job, at.segment.group)[at.segment.point];
    const double saved = worth * point.power.value / at.samples_per_s;
    if (span.empty() || saved <= most) continue;
    most = saved;
    dearest = span;
  }
  return most >= 0.0 ? dearest : std::nullopt;
}

}  // namespace

void Complete(Layout& layout, std::size_t job, std::size_t group, double samples, bool may_turn_on) {
  Completion(layout, job, group, may_turn_on).Reach(samples);
}

void Trim(Layout& layout, std::size_t job, double samples) {
  for (int i = 0; i < kMostChanges; ++i) {
    const std::optional<Interval> span = DearestEnd(layout, job, layout.SamplesOf(job) - samples);
    if (!span) break;
    layout.Remove(job, *span);
  }
  RemoveIdleRuns(layout, job);
}

}  // namespace heliostat::milp
