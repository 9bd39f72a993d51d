#include "heliostat/control/cluster/job.h"

#include <fmt/format.h>

#include "heliostat/base/core/names.h"

namespace heliostat::cluster {
namespace {

constexpr auto kStates = NamesOf<JobState>({{JobState::kWaiting, "waiting"},
                                            {JobState::kHeld, "held"},
                                            {JobState::kStarting, "starting"},
                                            {JobState::kRunning, "running"},
                                            {JobState::kSuspended, "suspended"},
                                            {JobState::kCompleting, "completing"},
                                            {JobState::kEnded, "ended"},
                                            {JobState::kUnknown, "unknown"}});

constexpr auto kEnds = NamesOf<JobEnd>({{JobEnd::kCompleted, "completed"},
                                        {JobEnd::kFailed, "failed"},
                                        {JobEnd::kCancelled, "cancelled"},
                                        {JobEnd::kTimeLimit, "time limit"},
                                        {JobEnd::kNodeFailure, "node failure"},
                                        {JobEnd::kPreempted, "preempted"},
                                        {JobEnd::kRequeued, "requeued"},
                                        {JobEnd::kOther, "other"}});

}  // namespace

std::string NumberText(const JobKey& key) {
  return key.element ? fmt::format("{}_{}", key.number, *key.element) : fmt::format("{}", key.number);
}

std::string_view NameOf(JobState state) { return kStates.NameOf(state); }
std::string_view NameOf(JobEnd end) { return kEnds.NameOf(end); }

}  // namespace heliostat::cluster
