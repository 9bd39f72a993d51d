#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/control/policy/job_table.h"

namespace heliostat::policy {

// The number of an order, unique within one controller. 0 means not numbered yet.
using OrderId = std::uint64_t;

// Why a policy gives an order. TextOf() describes it for users.
struct Reason {
  enum class Kind {
    kNone,
    kTurn,        // GPUs are free and the job is next in the queue
    kCheapTime,   // the job's calendar: this slot is among the best before its deadline
    kMustRun,     // a longer wait would make the job late
    kBetterTime,  // the job's calendar: a better slot comes later
    kPlan,        // the plan of all jobs and services
    kService,     // a service needs the GPUs
    kLoad,        // the present rate needs another number of replicas
    kSignal,      // another operating point suits the present signals better
    kNoRoom,      // jobs with less slack need the GPUs
    kRecord,      // the site did so at this time
  };
  Kind kind = Kind::kNone;
  std::optional<Instant> until{};  // when the order should end or change, if known
  friend bool operator==(const Reason&, const Reason&) = default;
};
// One clause for users, with the time `until` where it is known.
std::string TextOf(const Reason& reason);
// The name in decision logs, such as "must-run". ReasonNamed() is the inverse.
std::string NameOf(Reason::Kind kind);
std::optional<Reason::Kind> ReasonNamed(std::string_view name);

// Starts, changes or stops one job.
struct JobOrder {
  JobId job = 0;
  std::optional<RunSetting> setting;  // nothing: the job stops and waits
  std::optional<Instant> until{};     // expected end of the run, if known: jobs that end together share nodes
  Reason why{};
  OrderId id = 0;  // the controller sets it
  // The controller sets it. A world must not carry the order out later than this; the receipt is then kExpired.
  Instant expires{};
  // Where the run should be, in a world that places jobs on named nodes: all its GPUs. Empty: the world chooses. A
  // world in which these GPUs are not free chooses as well, and its receipt says so.
  std::vector<NodeShare> nodes{};
  friend bool operator==(const JobOrder&, const JobOrder&) = default;
};

// Where and how a service runs.
struct Serving {
  std::size_t group = 0;
  std::size_t point = 0;  // index into inference.Of(model, gpu of the group)
  int replicas = 0;
  friend bool operator==(const Serving&, const Serving&) = default;
};

// Changes how one service runs.
struct ServiceOrder {
  std::size_t service = 0;  // index in Observation::services
  Serving serving;
  Reason why{};
  OrderId id = 0;
  friend bool operator==(const ServiceOrder&, const ServiceOrder&) = default;
};

// All orders of one call. The world carries out as many as it can: stops first, then services, then nodes, then the
// other jobs in the order given. Each job and service order gets a receipt.
struct Decision {
  std::vector<JobOrder> jobs;
  std::vector<ServiceOrder> services;
  std::vector<int> nodes_on;          // [group]: to be up or waking; empty: no change. Nodes in use stay up.
  std::optional<Instant> call_again;  // in addition to the events that call every policy
  // [group]: in a world that places jobs on named nodes, which nodes to have up or waking, as many as nodes_on says.
  // Empty: any.
  std::vector<std::vector<int>> nodes_up{};

  void Clear();
  friend bool operator==(const Decision&, const Decision&) = default;
};

// The world's answer to an order. A pending order is under way: a policy must not give it again until another receipt
// or the job's phase shows its end. Refused and expired orders have no effect.
struct Receipt {
  enum class Status { kAccepted, kRefused, kPending, kExpired };
  OrderId order = 0;
  std::optional<JobId> job;  // nothing for an order to a service
  Status status = Status::kAccepted;
  std::string why{};  // why it is not accepted, or in which way it is carried out differently; mostly empty
  friend bool operator==(const Receipt&, const Receipt&) = default;
};

}  // namespace heliostat::policy
