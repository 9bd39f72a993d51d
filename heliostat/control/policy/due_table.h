#pragma once

#include <map>
#include <optional>
#include <vector>

#include "heliostat/control/policy/course_table.h"
#include "heliostat/control/policy/lookahead.h"

namespace heliostat::policy {

// When each job that is not done has to be done: by its deadline, or at the end of its patience. Plans aim a little
// earlier, so that a node that wakes late makes no job late. Not thread-safe.
class DueTable {
 public:
  // A job without a deadline may wait for `patience` in addition to its shortest time. With `nodes_sleep`, a start may
  // have to wait until a node wakes.
  DueTable(Duration patience, Means means, bool nodes_sleep)
      : patience_(patience), means_(means), nodes_sleep_(nodes_sleep) {}

  // Adds a job that has arrived. Returns false and ignores it when it is held, over, or too big for every group.
  bool Enter(const Observation& observation, ChoiceTable& book, JobId job);
  // Removes jobs that have ended, are held or are no longer in the observation, and returns them.
  std::vector<JobId> Forget(const Observation& observation);

  // The deadlines that a plan has to keep, one per job: the early aim where it is still possible, else the shortest
  // time from now, with a little more where that keeps the latest aim. Jobs that the outlook expects come last.
  std::vector<Due> Dues(const Observation& observation, ChoiceTable& book) const;
  // The least slack of the jobs that have just arrived. Nothing when none has.
  std::optional<Seconds> LeastSlack(const Observation& observation, ChoiceTable& book) const;
  // The jobs that have just arrived whose slack is less than the planning time.
  std::vector<JobId> CannotAwaitPlan(const Observation& observation, ChoiceTable& book) const;
  // All jobs, the earliest due first.
  std::vector<JobId> InOrder() const;
  // Whether the course of any job has ended or is missing.
  bool AnyRunsOut(const CourseTable& courses, Instant now) const;
  std::size_t size() const { return aims_.size(); }

 private:
  // A plan aims at `early`, or at `latest` where `early` is no longer possible. `latest` leaves time to react to events
  // before `by`.
  struct Aim {
    Instant by;
    Instant latest;
    Instant early;
  };
  Seconds SlackOf(const Observation& observation, ChoiceTable& book, JobId job, const Aim& aim) const;
  Due DueOf(const Observation& observation, ChoiceTable& book, JobId job, const Aim& aim) const;
  void AddExpected(const Observation& observation, ChoiceTable& book, std::vector<Due>& dues) const;

  Duration patience_;
  Means means_;
  bool nodes_sleep_;
  std::map<JobId, Aim> aims_;
};

}  // namespace heliostat::policy
