#pragma once

#include <optional>
#include <string>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::scenario {

// A violation of a rule. `key` is the key in the scenario file, so that a reader can name its place; empty when several
// keys are involved.
struct Flaw {
  std::string key;
  std::string what;
  std::string allowed;
};
// The first flaw in the step, slots, start and PUE of a scenario. Nothing when all are valid.
std::optional<Flaw> FrameFlaw(const Scenario& scenario);
// The first flaw in a group, without the rest of the scenario.
std::optional<Flaw> GroupFlaw(const Group& group);

// The rules of Validate() for one object each. `where` is the place in the error: readers pass file and row, Validate()
// passes the name of the object. So a scenario built in code meets the same rules as a file.
Status ValidateFrame(const Scenario& scenario, const std::string& where);
Status ValidateGroup(const Group& group, const std::string& where);
Status ValidatePoint(const TrainingPoint& point, const std::string& where);
Status ValidatePoint(const InferencePoint& point, const std::string& where);
// Checks the job alone and against the scenario's horizon, groups and profiles.
Status ValidateJob(const Scenario& scenario, const Job& job, const std::string& where);
// The same for a service, without its rates: see ValidateRates().
Status ValidateService(const Scenario& scenario, const Service& service, const std::string& where);
Status ValidateRates(const Scenario& scenario, const Service& service, const std::string& where);

}  // namespace heliostat::scenario
