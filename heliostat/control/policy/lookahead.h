#pragma once

#include <map>
#include <string>
#include <vector>

#include "heliostat/control/policy/choices.h"
#include "heliostat/control/policy/course.h"
#include "heliostat/control/policy/observation.h"
#include "heliostat/planning/plan/plan.h"

namespace heliostat::policy {

// Which of the ways there are a planning policy uses.
enum class Means {
  kAll,      // limits, clocks, workers, interruptions
  kDefault,  // default settings, as many workers as asked for, in one piece: only where and when is decided
};

// When a job has to be done, for a planner that must find room for it.
struct Due {
  JobId job = 0;
  const scenario::Job* expected = nullptr;  // a job that has not come yet, instead of `job`
  Instant by;
  std::optional<Instant> ends{};  // of a job that goes on as planned before: when it will be done
};

// When a job could begin, or do anything else than now, at the earliest by a plan that is begun now: once that is there
// where GPUs are free, else when a node has woken after that.
Instant EarliestStart(const Observation& observation, const Choices& choices, const JobState& state, bool nodes_sleep);

// The time ahead as a scenario that the planner can solve: jobs that are known with what is left of them, signals as
// forecast, nodes that work. Jobs that have begun stay in their group; those that cannot be interrupted go on as they
// are. Names are the site's own where the planner's memory needs them: jobs' ids and groups' names.
class Lookahead {
 public:
  struct Manner {
    Means means = Means::kAll;
    scenario::Performance performance = scenario::Performance::kThroughput;
    std::vector<double> reserve{};  // [service]: share of the expected rate to have room for beside it
    bool nodes_sleep = true;        // work may have to wait until one has woken
  };
  Lookahead(const Observation& observation, ChoiceTable& book, const std::vector<Due>& dues, const Manner& manner);

  const scenario::Scenario& scenario() const { return scenario_; }
  // Which of the dues a job of the scenario is.
  std::size_t DueOf(std::size_t scenario_job) const { return due_of_[scenario_job]; }
  // The plan's jobs in the world's terms.
  struct Planned {
    std::size_t due = 0;  // which one
    Course course;
  };
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
