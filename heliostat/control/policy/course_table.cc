#include "heliostat/control/policy/course_table.h"

#include <algorithm>

namespace heliostat::policy {

namespace {

// Whether a job has taken GPUs, or another number of them, since `then`.
bool HasBegunSince(const JobState& then, const JobState& now, const Choices& choices) {
  if (!HoldsGpus(now.phase)) return then.home != now.home;
  return !HoldsGpus(then.phase) || then.home != now.home ||
         choices.At(then.setting).workers != choices.At(now.setting).workers;
}

// Whether the job can follow the course from now on.
bool CanFollow(const Observation& observation, const JobState& job, const Choices& choices, const Course& course) {
  if (!job.home || course.fixed) return true;
  const bool runs = job.phase == Phase::kRunning;
  const bool may_resize = observation.capabilities.may_resize();
  for (const CoursePiece& piece : course.pieces) {
    if (piece.span.end <= observation.now) continue;
    if (piece.setting.group != *job.home) return false;
    if (runs && !may_resize && choices.At(piece.setting).workers != choices.At(job.setting).workers) return false;
  }
  const bool must_go_on = runs && !observation.MayStop(job);
  return !must_go_on || course.IsOver(observation.now) || course.At(observation.now);
}

}  // namespace

bool CourseTable::Adopt(const Observation& observation, ChoiceTable& choices, const JobTable& then,
                        const std::vector<Due>& dues, std::vector<Lookahead::Planned> planned) {
  std::map<JobId, Course> former = std::exchange(courses_, {});
  expected_.clear();
  bool fits = true;
  for (auto& [index, course] : planned) {
    const Due& due = dues[index];
    if (due.expected != nullptr) {
      expected_[due.expected->id] = std::move(course);
      continue;
    }
    const JobState* job = observation.jobs.Find(due.job);
    if (job == nullptr || IsOver(job->phase) || job->phase == Phase::kHeld) continue;
    const auto before = former.find(due.job);
    if (HasBegunSince(then[due.job], *job, choices.Of(job->asked))) {
      if (before != former.end()) courses_[due.job] = std::move(before->second);
      fits = false;
      continue;
    }
    courses_[due.job] = std::move(course);
  }
  for (auto& [job, course] : former) {
    if (!then.Contains(job)) courses_.emplace(job, std::move(course));
  }
  return fits;
}

void CourseTable::RunInOrder(const Observation& observation, ChoiceTable& book, const std::vector<JobId>& order) {
  courses_.clear();
  expected_.clear();
  std::vector<int> free;
  for (std::size_t g = 0; g < observation.groups.size(); ++g) {
    free.push_back(observation.groups[g].nodes() * observation.site->groups[g].gpus_per_node);
  }
  for (const ServiceState& service : observation.services) free[service.serving.group] -= service.serving.replicas;
  const Interval rest{observation.now, observation.SlotNow().end};
  for (const JobId job : order) {
    const JobState& state = observation.jobs[job];
    const Choices& choices = book.Of(state.asked);
    Course& course = courses_[job];
    if (HoldsGpus(state.phase) && !observation.MayStop(state)) {
      course.fixed = true;
      free[state.setting.group] -= choices.At(state.setting).workers;
      continue;
    }
    for (const std::size_t g : choices.groups()) {
      if (state.home && *state.home != g) continue;
      const RunSetting setting = *choices.Default(g);
      if (free[g] < choices.At(setting).workers) continue;
      free[g] -= choices.At(setting).workers;
      course.pieces.push_back({rest, setting});
      break;
    }
    // A job without free GPUs waits. The empty piece keeps HasRunOut() false until the slot ends.
    if (course.pieces.empty()) course.pieces.push_back({{rest.end, rest.end}, {}});
  }
}

void CourseTable::StartNow(const Observation& observation, ChoiceTable& book, JobId job) {
  const JobState& state = observation.jobs[job];
  const Choices& choices = book.Of(state.asked);
  for (const std::size_t g : choices.groups()) {
    if (state.home && *state.home != g) continue;
    int free = observation.groups[g].gpus_free();
    for (const auto& [other, course] : courses_) {
      const JobState& its = observation.jobs[other];
      const auto setting = course.At(observation.now);
      if (!setting || setting->group != g || HoldsGpus(its.phase)) continue;
      free -= book.Of(its.asked).At(*setting).workers;
    }
    const RunSetting setting = *choices.Default(g);
    const scenario::TrainingPoint& point = choices.At(setting);
    if (free < point.workers) continue;
    const Seconds length = Seconds{state.asked.samples / point.samples_per_s} + Seconds(state.asked.resume);
    const Instant end = observation.now + std::max(Duration{1}, std::chrono::ceil<Duration>(length));
    courses_[job] = {{{{observation.now, end}, setting}}};
    return;
  }
}

bool CourseTable::TakeUp(JobId job, const std::string& id) {
  const auto expected = expected_.find(id);
  if (expected == expected_.end()) return false;
  courses_[job] = std::move(expected->second);
  expected_.erase(expected);
  return true;
}

const Course* CourseTable::Find(JobId job) const {
  const auto found = courses_.find(job);
  return found == courses_.end() ? nullptr : &found->second;
}

bool CourseTable::HasRunOut(JobId job, Instant now) const {
  const Course* course = Find(job);
  return course == nullptr || (!course->fixed && course->IsOver(now));
}

void CourseTable::ForgetMisfits(const Observation& observation, ChoiceTable& choices) {
  std::erase_if(courses_, [&](const auto& item) {
    const JobState& job = observation.jobs[item.first];
    return !CanFollow(observation, job, choices.Of(job.asked), item.second);
  });
}

std::optional<Instant> CourseTable::NextChange(Instant now) const {
  std::optional<Instant> next;
  for (const auto& item : courses_) {
    for (const CoursePiece& piece : item.second.pieces) {
      if (next && piece.span.begin > *next) break;
      for (const Instant when : {piece.span.begin, piece.span.end}) {
        if (when > now && (!next || when < *next)) next = when;
      }
    }
  }
  return next;
}

}  // namespace heliostat::policy
