#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/control/cluster/job.h"

namespace heliostat::cluster {

// What can be done to a job. An array whose elements wait is one record: its key has no element. A key with an element
// names that element alone, and takes it out of the record of its array.

// It waits until then; afterwards the cluster starts it by itself.
struct Park {
  Instant until;
};
// All that is ours is taken back: begin, order, throttle and suspension are the owner's again.
struct Release {};
// It may start from now on. Its order and throttle stay.
struct StartNow {};
// Its place in the queue: higher goes later, below zero before others.
struct Order {
  int nice = 0;
};
// As many elements of an array run at once; 0: no limit.
struct Throttle {
  int most = 0;
};
// Its processes stop. It keeps its GPUs.
struct Suspend {};
// Ends a suspension of ours.
struct Resume {};
// It ends and waits again, with a new key.
struct Requeue {};
// A text of Heliostat beside the job. Any bytes.
struct Annotate {
  std::string text;
};

using JobVerb = std::variant<Park, Release, StartNow, Order, Throttle, Suspend, Resume, Requeue, Annotate>;
struct JobAction {
  JobKey job;
  JobVerb verb;
};

enum class Outcome {
  kDone,          // read back
  kAlreadySo,     // nothing was sent
  kNotThatJob,    // there is no such job any more; the number may be another's
  kWrongState,    // of the job or the node: it runs, or has ended
  kOwnersLimit,   // the owner of the job allows less
  kOwnerChanged,  // the owner changed what we had set: it is let go, for good
  kUntouchable,   // of a node: reserved, draining, in maintenance or not known
  kNoRight,       // our account may not do it
  kRefused,       // by the cluster, or for its argument
  kNotSent,       // the cluster does not answer, and nothing was changed
  kNotKnown,      // an answer is missing: the next look tells
};
std::string_view NameOf(Outcome outcome);

struct ActionResult {
  Outcome outcome = Outcome::kNotKnown;
  std::string why;  // one line; empty if there is nothing to say
};

// What the account may do. Absent: not known before it is tried.
struct Rights {
  std::optional<bool> jobs;           // everything with jobs but what follows
  std::optional<bool> negative_nice;  // a place before others
  std::optional<bool> nodes;          // power down and up
  std::optional<bool> reservations;   // pins
  std::string source;                 // where it is known from: "AdminLevel=Operator"
};

// Nodes that no job can wake, as a reservation. It ends by itself.
struct Pin {
  std::string name;  // letters, digits and "_"
  std::vector<std::string> nodes;
  Instant until;
  friend bool operator==(const Pin&, const Pin&) = default;
};

// Changes a cluster. A caller that only observes does not get it.
//
// Every action is idempotent: repeated, it is kAlreadySo. Every result is judged by reading back, never by what a
// command says. What was the owner's is noted at the job, in the cluster, before the first change: another object, or
// one of another process, takes it back. Used from one thread.
class Actions {
 public:
  virtual ~Actions() = default;

  // Asks again; missing rights that an action has met are forgotten.
  virtual Rights AskRights() = 0;

  // One result for each, in order. A batch has one action for each job, and none for an array and its element.
  virtual std::vector<ActionResult> Do(const std::vector<JobAction>& actions) = 0;

  // One result for each name.
  virtual std::vector<ActionResult> PowerDown(const std::vector<std::string>& nodes) = 0;
  virtual std::vector<ActionResult> PowerUp(const std::vector<std::string>& nodes) = 0;

  // Of nodes that are asleep or fall asleep. With a name that exists it moves the end; the nodes must be the same.
  virtual ActionResult SetPin(const Pin& pin) = 0;
  virtual ActionResult RemovePin(const std::string& name) = 0;
  // All pins of our account.
  virtual Result<std::vector<Pin>> Pins() = 0;
};

}  // namespace heliostat::cluster
