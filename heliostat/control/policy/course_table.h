#pragma once

#include <map>
#include <string>
#include <vector>

#include "heliostat/control/policy/course.h"
#include "heliostat/control/policy/lookahead.h"

namespace heliostat::policy {

// The courses of all jobs that the plan in force knows, jobs that are expected to come included. A job that runs stays
// on its course from plan to plan where stopping it would only cost a restart. Not safe for several threads.
class CourseTable {
 public:
  // Replaces all courses by those of a plan for `dues`, made from jobs as they were `then`. Jobs that began while it
  // was made, and those that came meanwhile, keep the courses they had. False when any began: another plan is wanted.
  bool Adopt(const Observation& observation, ChoiceTable& choices, const JobTable& then, const std::vector<Due>& dues,
             std::vector<Lookahead::Planned> planned);
  // Replaces all courses where there is no plan: jobs run at default settings as far as there is room, those that come
  // first in `order` first, until the slot ends.
  void RunInOrder(const Observation& observation, ChoiceTable& choices, const std::vector<JobId>& order);
  // Lets a job that the plan does not know run at default settings from now on until it is done, where GPUs are free.
  void StartNow(const Observation& observation, ChoiceTable& choices, JobId job);
  // Gives a job that has come the course that was planned for it. False when it was not expected.
  bool TakeUp(JobId job, const std::string& id);
  void Forget(JobId job) { courses_.erase(job); }
  // Forgets courses that their jobs cannot follow any more, because an order of a former plan took effect later.
  void ForgetMisfits(const Observation& observation, ChoiceTable& choices);

  const std::map<JobId, Course>& courses() const { return courses_; }
  // Nothing when the plan does not know the job.
  const Course* Find(JobId job) const;
  // Whether the job should be done by now, or was never planned.
  bool HasRunOut(JobId job, Instant now) const;
  // When a piece begins or ends next; nothing when none does.
  std::optional<Instant> NextChange(Instant now) const;

 private:
  std::map<JobId, Course> courses_;
  std::map<std::string, Course> expected_;  // by ids of jobs that have not come yet
};

}  // namespace heliostat::policy
