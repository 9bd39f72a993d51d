#pragma once

#include <map>
#include <string>
#include <vector>

#include "heliostat/control/policy/course.h"
#include "heliostat/control/policy/lookahead.h"

namespace heliostat::policy {

// The courses of all jobs in the plan in force, including jobs that are expected to arrive. A running job keeps running
// from plan to plan where a stop would only cost a restart. Not thread-safe.
class CourseTable {
 public:
  // Replaces all courses by those of a plan for `dues`. The plan was made from the jobs in `then`. Jobs that began or
  // arrived while it was made keep their former courses. Returns false when any job began in that time: the caller
  // should plan again.
  bool Adopt(const Observation& observation, ChoiceTable& choices, const JobTable& then, const std::vector<Due>& dues,
             std::vector<Lookahead::Planned> planned);
  // Replaces all courses when there is no plan: until the slot ends, jobs run at default settings as far as GPUs are
  // free, in the given order.
  void RunInOrder(const Observation& observation, ChoiceTable& choices, const std::vector<JobId>& order);
  // Gives a job that is not in the plan a course from now until it is done, at default settings. Does nothing when no
  // group has enough free GPUs.
  void StartNow(const Observation& observation, ChoiceTable& choices, JobId job);
  // Gives a job that has arrived the course that was planned for it by its id. False when the plan did not expect it.
  bool TakeUp(JobId job, const std::string& id);
  void Forget(JobId job) { courses_.erase(job); }
  // Removes courses that their jobs can no longer follow, because an order of a former plan took effect in the
  // meantime.
  void ForgetMisfits(const Observation& observation, ChoiceTable& choices);

  const std::map<JobId, Course>& courses() const { return courses_; }
  // Null when the job is not in the plan.
  const Course* Find(JobId job) const;
  // Whether the job's course has ended by `now`, or the job has none.
  bool HasRunOut(JobId job, Instant now) const;
  // When the next piece begins or ends after `now`. Nothing when none does.
  std::optional<Instant> NextChange(Instant now) const;

 private:
  std::map<JobId, Course> courses_;
  std::map<std::string, Course> expected_;  // by id, jobs that have not arrived yet
};

}  // namespace heliostat::policy
