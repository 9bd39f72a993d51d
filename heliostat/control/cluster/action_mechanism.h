#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/control/cluster/actions.h"
#include "heliostat/control/cluster/job.h"
#include "heliostat/control/cluster/node.h"

// What NotedActions needs of a cluster: records to read, and changes without any judgement. Internal to this layer.
namespace heliostat::cluster {

// A job as the cluster keeps it: the elements of an array that wait together are one record.
struct JobRecord {
  JobKey key;                 // without an element for the elements that wait together
  std::vector<int> elements;  // those that wait together, ascending; empty for any other record
  JobState state = JobState::kUnknown;
  bool is_heterogeneous = false;
  bool may_requeue = false;
  int restarts = 0;
  std::optional<Instant> begin;  // it may start from then on
  int nice = 0;
  std::optional<int> throttle;  // of several elements that wait together; 0: none
  std::optional<Instant> kill_at;
  std::optional<Duration> time_limit;
  std::string admin_comment;

  bool is_array() const { return !elements.empty(); }
  bool is_waiting() const { return state == JobState::kWaiting || state == JobState::kHeld; }
  bool Has(int element) const;
};

enum class Signal { kSuspend, kResume, kRequeue };

// New values of a record. What is absent stays.
struct RecordChange {
  struct Begin {
    std::optional<Instant> at;  // absent: now
    friend bool operator==(const Begin&, const Begin&) = default;
  };
  std::optional<Begin> begin;
  std::optional<int> nice;
  std::optional<int> throttle;
  std::optional<Signal> signal;
  std::optional<std::string> admin_comment;

  bool empty() const { return *this == RecordChange{}; }
  friend bool operator==(const RecordChange&, const RecordChange&) = default;
};

// A change of one record. `element`: of that one alone, out of a record of several.
struct RecordOrder {
  JobRecord record;
  std::optional<int> element;
  RecordChange change;
};

// What the cluster said about an order. It may be wrong: values are read back.
struct Said {
  bool is_answered = true;  // false: a call failed or took too long
  bool lacks_right = false;
  std::string words;
};

struct ForeignReservation {
  std::string name;
  std::vector<std::string> nodes;
  Instant begin;
};

struct NodeSituation {
  std::vector<ClusterNode> nodes;
  std::vector<Pin> pins;  // ours
  std::vector<ForeignReservation> reservations;
};

class ActionMechanism {
 public:
  virtual ~ActionMechanism() = default;

  virtual Rights AskRights() = 0;
  // All records with these numbers; a number that is not known has none.
  virtual Result<std::vector<JobRecord>> Records(const std::vector<std::int64_t>& numbers) = 0;
  // One for each order.
  virtual std::vector<Said> Send(const std::vector<RecordOrder>& orders) = 0;

  virtual Result<NodeSituation> Nodes() = 0;
  virtual Said SendPower(const std::vector<std::string>& nodes, bool is_up) = 0;
  // Makes one, or moves its end.
  virtual Said SendPin(const Pin& pin, bool is_new) = 0;
  virtual Said SendUnpin(const std::string& name) = 0;
};

}  // namespace heliostat::cluster
