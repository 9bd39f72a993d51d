#include "heliostat/control/cluster/touchable.h"

#include <algorithm>

#include "heliostat/base/core/names.h"

namespace heliostat::cluster {
namespace {

constexpr auto kNames = NamesOf<Untouched>({{Untouched::kUnknownState, "unknown-state"},
                                            {Untouched::kInteractive, "interactive"},
                                            {Untouched::kHeterogeneous, "heterogeneous"},
                                            {Untouched::kInReservation, "reservation"},
                                            {Untouched::kForeignPartition, "foreign-partition"},
                                            {Untouched::kUnlimited, "unlimited"},
                                            {Untouched::kNoSlack, "no-slack"},
                                            {Untouched::kSaysNothing, "says-nothing"}});

constexpr auto kSentences = NamesOf<Untouched>(
    {{Untouched::kUnknownState, "its state is not known here"},
     {Untouched::kInteractive, "it is interactive: a person waits for it"},
     {Untouched::kHeterogeneous, "it is heterogeneous: its parts start together"},
     {Untouched::kInReservation, "it runs in a reservation"},
     {Untouched::kForeignPartition, "it may go to a partition that is not managed here"},
     {Untouched::kUnlimited, "it has no time limit and no deadline"},
     {Untouched::kNoSlack, "its comment allows no slack"},
     {Untouched::kSaysNothing, "it says nothing about slack or a deadline, and there is no default"}});

bool MayGoElsewhere(const ClusterJob& job, const std::vector<std::string>& ours) {
  if (ours.empty()) return false;
  const bool all_ours = std::all_of(job.partitions.begin(), job.partitions.end(), [&](const std::string& partition) {
    return std::find(ours.begin(), ours.end(), partition) != ours.end();
  });
  return !all_ours || job.partitions.empty();
}

}  // namespace

std::string_view NameOf(Untouched reason) { return kNames.NameOf(reason); }
std::string_view Sentence(Untouched reason) { return kSentences.NameOf(reason); }

std::optional<Untouched> WhyUntouched(const ClusterJob& job, const JobWishes& wishes, const TouchRules& rules) {
  if (job.state == JobState::kUnknown) return Untouched::kUnknownState;
  if (job.is_interactive) return Untouched::kInteractive;
  if (job.is_heterogeneous()) return Untouched::kHeterogeneous;
  if (!job.reservation.empty()) return Untouched::kInReservation;
  if (MayGoElsewhere(job, rules.our_partitions)) return Untouched::kForeignPartition;
  if (wishes.deadline) return std::nullopt;
  if (!job.time_limit) return Untouched::kUnlimited;
  if (wishes.slack_share) return *wishes.slack_share > 0 ? std::nullopt : std::optional(Untouched::kNoSlack);
  return rules.default_slack_share > 0 ? std::nullopt : std::optional(Untouched::kSaysNothing);
}

}  // namespace heliostat::cluster
