#pragma once

#include <map>
#include <string>
#include <vector>

#include "heliostat/control/policy/choices.h"
#include "heliostat/control/policy/course.h"
#include "heliostat/control/policy/observation.h"
#include "heliostat/planning/plan/plan.h"

namespace heliostat::policy {

// Which settings a planning policy may choose from.
enum class Means {
  kAll,      // limits, clocks, workers, interruptions
  kDefault,  // default settings, the most workers, no interruptions: a plan chooses only where and when
};

// When a plan must have a job done.
struct Due {
  JobId job = 0;
  const scenario::Job* expected = nullptr;  // a job that has not arrived yet, instead of `job`
  Instant by;
  std::optional<Instant> ends{};  // when the job is done by the plan in force, if it has a course there
};

// The earliest time at which a plan that is begun now can start or change a job: when the plan arrives, if GPUs are
// free or the job holds its own; else the time to wake a node later.
Instant EarliestStart(const Observation& observation, const Choices& choices, const JobState& state, bool nodes_sleep);

// The time ahead as a scenario for the planner: jobs with the samples that are left, forecast signals, and the nodes
// that work. A job that has begun stays in its group. A running job that cannot be interrupted keeps its setting. Ids
// of jobs and names of groups are those of the site, because the planner's memory uses them. Immutable once made.
class Lookahead {
 public:
  // How the scenario is made.
  struct Manner {
    Means means = Means::kAll;
    scenario::Performance performance = scenario::Performance::kThroughput;
    std::vector<double> reserve{};  // [service]: extra room, as a share of the expected rate
    bool nodes_sleep = true;        // a start may have to wait until a node wakes
  };
  Lookahead(const Observation& observation, ChoiceTable& book, const std::vector<Due>& dues, const Manner& manner);

  const scenario::Scenario& scenario() const { return scenario_; }
  // The index, in the dues given, of a job of the scenario.
  std::size_t DueOf(std::size_t scenario_job) const { return due_of_[scenario_job]; }
  // A job of the plan, with groups and points of the site.
  struct Planned {
    std::size_t due = 0;  // index in the dues given
    Course course;
  };
  // The plan must be for scenario().
  std::vector<Planned> CoursesOf(const plan::Plan& plan) const;
  Serving ServingOf(std::size_t service, const plan::ServiceSlot& slot) const;

 private:
  void AddGroups(const Observation& observation);
  void AddJob(const Observation& observation, ChoiceTable& book, const Due& due);
  void AddExpected(const Observation& observation, ChoiceTable& book, const Due& due);
  void Add(const Observation& observation, const Choices& choices, scenario::Job job, std::optional<std::size_t> home);
  void AddFixed(const Observation& observation, const Choices& choices, const Due& due);
  void AddPoints(const Observation& observation, const Choices& choices, std::optional<std::size_t> home,
                 const std::string& name);
  void AddServices(const Observation& observation, const Forecast& forecast, const std::vector<double>& reserve);

  Means means_;
  bool nodes_sleep_;
  scenario::Scenario scenario_;
  std::vector<std::size_t> due_of_;
  std::size_t next_due_ = 0;
  std::vector<bool> fixed_;
  std::map<std::pair<std::string, std::size_t>, std::vector<std::size_t>> points_;      // (name, group): site's indices
  std::map<std::pair<std::string, std::size_t>, std::vector<std::size_t>> inferences_;  // the same for services' models
};

}  // namespace heliostat::policy
