#pragma once

#include <set>
#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/control/cluster/action_mechanism.h"
#include "heliostat/control/cluster/actions.h"
#include "heliostat/control/cluster/missing_rights.h"
#include "heliostat/control/cluster/node_actions.h"

namespace heliostat::cluster {

// The actions of any cluster that can list records and change them. A batch is at most: list, write comments, list,
// change, list, write comments, list. Arguments outlive this.
class NotedActions final : public Actions {
 public:
  NotedActions(ActionMechanism& mechanism, const Clock& clock)
      : mechanism_(mechanism), clock_(clock), nodes_(mechanism, clock, missing_) {}

  Rights AskRights() override;
  std::vector<ActionResult> Do(const std::vector<JobAction>& actions) override;
  std::vector<ActionResult> PowerDown(const std::vector<std::string>& nodes) override {
    return nodes_.Power(nodes, false);
  }
  std::vector<ActionResult> PowerUp(const std::vector<std::string>& nodes) override {
    return nodes_.Power(nodes, true);
  }
  ActionResult SetPin(const Pin& pin) override { return nodes_.SetPin(pin); }
  ActionResult RemovePin(const std::string& name) override { return nodes_.RemovePin(name); }
  Result<std::vector<Pin>> Pins() override;

 private:
  struct Work;
  std::vector<Work> Begin(const std::vector<JobAction>& actions, std::vector<ActionResult>& results);
  // Sends one change for each and reads back; what is not as wanted gets its result.
  void Phase(std::vector<Work*> works, const std::vector<RecordChange>& changes);
  void Judge(Work& work, const RecordChange& change, const Said& said, const Result<std::vector<JobRecord>>& after);
  void WriteComments(std::vector<Work*> works, std::optional<std::string> Work::*comment);

  ActionMechanism& mechanism_;
  const Clock& clock_;
  MissingRights missing_;
  NodeActions nodes_;
  std::set<JobKey> unsure_;  // their last change has an unknown result
};

}  // namespace heliostat::cluster
