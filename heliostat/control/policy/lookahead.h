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
};

// The earliest time at which a plan that is begun now can start or change a job: when the plan arrives, if GPUs are
// free or the job holds its own; else the time to wake a node later.
Instant EarliestStart(const Observation& observation, const Choices& choices, const JobState& state, bool nodes_sleep);

// The time ahead as a scenario for the planner: jobs with the samples that are left and how they stand, forecast
// signals, and the nodes that work, up or asleep. Ids of jobs and names of groups are those of the site, because the
// planner's memory uses them. Immutable once made.
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
  // A job of the plan, with groups, points and nodes of the site.
  struct Planned {
    std::size_t due = 0;  // index in the dues given
    Course course;
  };
  // The plan must be for scenario().
  std::vector<Planned> CoursesOf(const plan::Plan& plan) const;
  Serving ServingOf(std::size_t service, const plan::ServiceSlot& slot) const;
  // [group][node of the site]: when the plan's jobs are there, by begin.
  std::vector<std::vector<std::vector<Interval>>> UsesOf(const plan::Plan& plan) const;

 private:
  // [point of the scenario]: the site's point. By model and GPU; without an entry, they are the same.
  using SitePoints = std::map<std::pair<std::string, std::string>, std::vector<std::size_t>>;

  void AddGroups(const Observation& observation);
  void KeepDefaultPoints(const scenario::Site& site);
  void AddJob(const Observation& observation, ChoiceTable& book, const Due& due);
  void AddExpected(ChoiceTable& book, const Due& due);
  void Add(const Choices& choices, scenario::Job job);
  scenario::Begun BegunOf(const Observation& observation, const Choices& choices, const JobState& state) const;
  void AddServices(const Observation& observation, const Forecast& forecast, const std::vector<double>& reserve);
  RunSetting SettingOf(std::size_t job, const plan::Segment& segment) const;

  Means means_;
  bool nodes_sleep_;
  scenario::Scenario scenario_;
  std::vector<std::size_t> due_of_;
  std::size_t next_due_ = 0;
  std::vector<std::vector<int>> nodes_;  // [group][node of the scenario]: the site's node
  SitePoints training_;
  SitePoints inference_;
};

}  // namespace heliostat::policy
