#include "heliostat/policy/course_book.h"

#include <algorithm>

namespace heliostat::policy {

void CourseBook::Adopt(const Observation& observation, ChoiceBook& choices, const std::vector<Due>& dues,
                       std::vector<Lookahead::Planned> planned) {
  const std::map<JobId, Course> former = std::exchange(courses_, {});
  expected_.clear();
  for (auto& [index, course] : planned) {
    const Due& due = dues[index];
    if (due.expected != nullptr) {
      expected_[due.expected->id] = std::move(course);
      continue;
    }
    // A job in one piece goes on as it was planned when it began, speeds and all.
    const auto before = former.find(due.job);
    if (course.fixed && before != former.end() && !before->second.IsOver(observation.now)) {
      course.pieces = before->second.pieces;
    }
    const JobState& job = observation.jobs[due.job];
    KeepRunning(job, choices.Of(job.asked), observation.now, course);
    courses_[due.job] = std::move(course);
  }
}

void CourseBook::RunInOrder(const Observation& observation, ChoiceBook& book, const std::vector<JobId>& order) {
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
      const Setting setting = *choices.Default(g);
      if (free[g] < choices.At(setting).workers) continue;
      free[g] -= choices.At(setting).workers;
      course.pieces.push_back({rest, setting});
      break;
    }
    // Without room it waits: an empty piece keeps it from counting as run out before the slot ends.
    if (course.pieces.empty()) course.pieces.push_back({{rest.end, rest.end}, {}});
  }
}

bool CourseBook::TakeUp(JobId job, const std::string& id) {
  const auto expected = expected_.find(id);
  if (expected == expected_.end()) return false;
  courses_[job] = std::move(expected->second);
  expected_.erase(expected);
  return true;
}

const Course* CourseBook::Find(JobId job) const {
  const auto found = courses_.find(job);
  return found == courses_.end() ? nullptr : &found->second;
}

bool CourseBook::HasRunOut(JobId job, Instant now) const {
  const Course* course = Find(job);
  return course == nullptr || (!course->fixed && course->IsOver(now));
}

std::optional<Instant> CourseBook::NextChange(Instant now) const {
  std::optional<Instant> next;
  for (const auto& item : courses_) {
    for (const Piece& piece : item.second.pieces) {
      if (next && piece.span.begin > *next) break;
      for (const Instant when : {piece.span.begin, piece.span.end}) {
        if (when > now && (!next || when < *next)) next = when;
      }
    }
  }
  return next;
}

}  // namespace heliostat::policy
