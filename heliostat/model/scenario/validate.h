#pragma once

#include <optional>
#include <string>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::scenario {

// What a rule finds wrong. `key` is what a file calls it, so that a reader can say where it stands; empty when it is
// about several things at once.
struct Flaw {
  std::string key;
  std::string what;
  std::string allowed;
};
// The first in a scenario's step, slots, start and PUE; nothing when all are fine.
std::optional<Flaw> FrameFlaw(const Scenario& scenario);
// The first in a group by itself.
std::optional<Flaw> GroupFlaw(const Group& group);

// The rules of Validate() for one thing each. `where` is what the error says: a reader gives file and row, Validate()
// the thing's name. One place for each rule, so that a scenario built by hand meets the same ones as a file.
Status ValidateFrame(const Scenario& scenario, const std::string& where);
Status ValidateGroup(const Group& group, const std::string& where);
Status ValidatePoint(const TrainingPoint& point, const std::string& where);
Status ValidatePoint(const InferencePoint& point, const std::string& where);
// The job by itself and against the scenario's horizon, groups and profiles.
Status ValidateJob(const Scenario& scenario, const Job& job, const std::string& where);
// The same for a service; its rates are looked at by ValidateRates.
Status ValidateService(const Scenario& scenario, const Service& service, const std::string& where);
Status ValidateRates(const Scenario& scenario, const Service& service, const std::string& where);

}  // namespace heliostat::scenario
