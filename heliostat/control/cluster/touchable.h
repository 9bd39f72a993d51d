#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/control/cluster/job.h"

namespace heliostat::cluster {

// What the user of a job allows: heliostat:deadline=…;slack=… in its comment. Absent: says nothing.
struct JobWishes {
  std::optional<Instant> deadline;
  std::optional<double> slack_share;  // may end this share of its time limit later
};

// What the operator allows.
struct TouchRules {
  std::vector<std::string> our_partitions;  // empty: all
  double default_slack_share = 0.0;         // of jobs that say nothing; 0: they are left alone
};

// Why a job is only accounted and never delayed, slowed or moved.
enum class Untouched {
  kUnknownState,
  kInteractive,
  kHeterogeneous,
  kInReservation,
  kForeignPartition,
  kUnlimited,  // and no deadline
  kNoSlack,    // says so itself
  kSaysNothing,
};
std::string_view NameOf(Untouched reason);
// A sentence for its user.
std::string_view Sentence(Untouched reason);

// Nothing for a job that may be touched. Limits of its user (an own begin, hold, requeue) hold in any case.
std::optional<Untouched> WhyUntouched(const ClusterJob& job, const JobWishes& wishes, const TouchRules& rules);

}  // namespace heliostat::cluster
