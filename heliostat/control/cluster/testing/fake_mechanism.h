#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/control/cluster/action_mechanism.h"

namespace heliostat::cluster::testing {

// A cluster in memory that obeys as Slurm does: with NotedActions, the fake of Actions.
class FakeMechanism final : public ActionMechanism {
 public:
  explicit FakeMechanism(const Clock& clock) : clock_(clock) {}

  std::vector<JobRecord> records;
  NodeSituation nodes;
  Rights rights{true, true, true, true, "fake"};
  bool is_silent = false;             // no question is answered
  bool are_orders_lost = false;       // each order fails without an answer, and nothing is done
  std::function<void()> before_send;  // what happens between the check and the command

  Rights AskRights() override { return rights; }
  Result<std::vector<JobRecord>> Records(const std::vector<std::int64_t>& numbers) override;
  std::vector<Said> Send(const std::vector<RecordOrder>& orders) override;
  Result<NodeSituation> Nodes() override;
  Said SendPower(const std::vector<std::string>& names, bool is_up) override;
  Said SendPin(const Pin& pin, bool is_new) override;
  Said SendUnpin(const std::string& name) override;

  // The record that an address means, split off where it is one element of several. Null: none.
  JobRecord* Address(std::int64_t number, std::optional<int> element);
  Said Apply(JobRecord& record, const RecordChange& change);

 private:
  Error Silence() const { return {ErrorCode::kUnavailable, "fake", "is silent", ""}; }

  const Clock& clock_;
};

}  // namespace heliostat::cluster::testing
