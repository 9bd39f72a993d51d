#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/control/policy/job_table.h"

namespace heliostat::policy {

// Numbers the orders of one controller; 0: not numbered yet.
using OrderId = std::uint64_t;

// Why a policy orders something. TextOf() says it in the user's terms.
struct Reason {
  enum class Kind {
    kNone,
    kTurn,        // GPUs are free and the job is next
    kCheapTime,   // its own calendar: this time is among the best before its deadline
    kMustRun,     // waiting any longer would make it late
    kBetterTime,  // its own calendar: a better time comes
    kPlan,        // the plan of all work has it so
    kService,     // a service needs the GPUs
    kLoad,        // as many replicas as the present rate needs
    kSignal,      // another operating point suits the present signals better
    kNoRoom,      // others with less slack need the GPUs
  };
  Kind kind = Kind::kNone;
  std::optional<Instant> until{};  // when what is ordered should end or change, where known
  friend bool operator==(const Reason&, const Reason&) = default;
};
std::string TextOf(const Reason& reason);
std::string NameOf(Reason::Kind kind);
std::optional<Reason::Kind> ReasonNamed(std::string_view name);

struct JobOrder {
  JobId job = 0;
  std::optional<RunSetting> setting;  // nothing: stop, and wait
  std::optional<Instant> until{};     // when the run is expected to end, if known: jobs that end together share nodes
  Reason why{};
  OrderId id = 0;  // the controller's
  // Likewise: what a world has not carried out by then it must not carry out any more. Its receipt says expired.
  Instant expires{};
  friend bool operator==(const JobOrder&, const JobOrder&) = default;
};

// Where and how a service answers.
struct Serving {
  std::size_t group = 0;
  std::size_t point = 0;  // index into inference.Of(model, gpu of the group)
  int replicas = 0;
  friend bool operator==(const Serving&, const Serving&) = default;
};

struct ServiceOrder {
  std::size_t service = 0;
  Serving serving;
  Reason why{};
  OrderId id = 0;
  friend bool operator==(const ServiceOrder&, const ServiceOrder&) = default;
};

// What a policy wants. Orders are carried out as far as they can be: stops first, then services, then nodes, then jobs
// in the order given. Each gets a receipt.
struct Decision {
  std::vector<JobOrder> jobs;
  std::vector<ServiceOrder> services;
  std::vector<int> nodes_on;          // [group]: to be up or waking; empty: as it is. Nodes in use stay up anyway.
  std::optional<Instant> call_again;  // in addition to the events that every policy is called for

  void Clear();
  friend bool operator==(const Decision&, const Decision&) = default;
};

// What became of an order. A pending one is under way: it must not be given again until another receipt says how it
// ended, or the job's phase shows it. Refused and expired orders had no effect.
struct Receipt {
  enum class Status { kAccepted, kRefused, kPending, kExpired };
  OrderId order = 0;
  std::optional<JobId> job;  // whom the order was for, where it was for a job
  Status status = Status::kAccepted;
  std::string why{};  // unless accepted
  friend bool operator==(const Receipt&, const Receipt&) = default;
};

}  // namespace heliostat::policy
