#pragma once

#include <map>
#include <optional>
#include <vector>

#include "heliostat/control/policy/course_table.h"
#include "heliostat/control/policy/lookahead.h"

namespace heliostat::policy {

// When all jobs that are not done have to be: by their deadlines, or as long as patience lasts, and a little earlier so
// that a node that wakes late does no harm. Not safe for several threads.
class DueTable {
 public:
  // Jobs without a deadline may wait for `patience` beyond their shortest time. With `nodes_sleep`, work may have to
  // wait for a node to wake.
  DueTable(Duration patience, Means means, bool nodes_sleep)
      : patience_(patience), means_(means), nodes_sleep_(nodes_sleep) {}

  // Takes in a job that has come. False when it is left alone: held, over, or too big for every group.
  bool Enter(const Observation& observation, ChoiceTable& book, JobId job);
  // Drops jobs that have ended, are gone or are held, and returns them.
  std::vector<JobId> Forget(const Observation& observation);

  // What a plan has to keep: early where that is still possible, else late but with time to react, else as soon as can
  // be. Jobs that the outlook expects come last.
  std::vector<Due> Dues(const Observation& observation, ChoiceTable& book, const CourseTable& courses) const;
  // How long the tightest of the jobs that have just come could wait; nothing when none has.
  std::optional<Seconds> LeastSlack(const Observation& observation, ChoiceTable& book) const;
  // Those of the jobs that have just come which a plan that is begun now would make late, or nearly.
  std::vector<JobId> CannotAwaitPlan(const Observation& observation, ChoiceTable& book) const;
  // The job due first comes first.
  std::vector<JobId> InOrder() const;
  // Whether any job's course has come to its end though the job has not.
  bool AnyRunsOut(const CourseTable& courses, Instant now) const;
  std::size_t size() const { return aims_.size(); }

 private:
  // A plan aims at `early`; where that is no longer possible, at `latest`, which leaves time to react to what happens.
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

// Gives a job that found no place in a plan more time: little at first, more with every call. False when it has all the
// time there is.
bool Relax(const Observation& observation, Due& due);

}  // namespace heliostat::policy
