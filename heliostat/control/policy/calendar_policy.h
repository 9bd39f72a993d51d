#pragma once

#include <map>
#include <optional>
#include <vector>

#include "heliostat/control/policy/choices.h"
#include "heliostat/control/policy/policy.h"
#include "heliostat/control/policy/service_scaler.h"

namespace heliostat::policy {

// When one job runs: the number of workers in each slot, counted from the present one. 0 means that the job waits.
using Calendar = std::vector<int>;

// What a job's calendar is computed from. Holds references: valid during the call only.
struct CalendarRequest {
  const JobState& job;
  const Choices& choices;
  std::size_t group;  // the calendar assumes speeds of this group
  Seconds need;       // running time left with the most workers the job may have, plus the time to resume
  std::size_t slots;  // from the present slot to the deadline, at least 1
  Seconds left;       // rest of the present slot
  Seconds step;       // length of a slot
  const Forecast& forecast;
};

// Base of the policies that plan each job alone, as deferral tools do. A job gets a calendar from the forecast when it
// arrives. Where several jobs need the same GPUs, the job that is due first goes first, and one that is late in any
// case goes last. A job that finds no free GPUs when a slot begins gets a new calendar. A job that would otherwise be
// late runs in spite of its calendar, and so do all jobs that are due in a time for which GPUs are short. Not
// thread-safe.
class CalendarPolicy : public Policy {
 public:
  explicit CalendarPolicy(const PolicyOptions& options) : patience_(options.patience) {}
  void Decide(const Observation& observation, Decision& decision) override;

 protected:
  // Computes a job's calendar. One value per slot, at most `request.slots`; after its end the job runs with the most
  // workers.
  virtual Calendar Plan(const CalendarRequest& request) const = 0;

 private:
  struct Entry {
    std::size_t first_slot = 0;
    Calendar calendar;
    Instant due;
  };
  void Enter(const Observation& observation, JobId job);
  void Forget(const Observation& observation);
  struct Want {
    int workers = 0;
    Reason::Kind why = Reason::Kind::kCheapTime;
  };
  Want WantNow(const Observation& observation, const JobState& state, const Entry& entry);
  void PlanAnew(const Observation& observation, JobId job, Entry& entry);
  std::vector<JobId> InOrder(const Observation& observation);
  // The last due time up to which jobs need most of the GPU time there is after the present slot.
  Instant CrowdedUntil(const Observation& observation, const std::vector<JobId>& order);
  Seconds NeedOf(const Observation& observation, const JobState& state);
  bool IsLost(const Observation& observation, JobId job);
  void Order(const Observation& observation, JobId job, std::vector<int>& free, Decision& decision);

  Duration patience_;
  ChoiceTable book_;
  ServiceScaler attendant_;
  std::map<JobId, Entry> entries_;
  Instant crowded_until_;
};

// The slots with the lowest values that together give `need`, as a calendar with `workers` in each of them. Slots are
// taken whole; of the present one only the rest counts. A slot without a chosen neighbour costs the time to resume.
// Earlier slots win ties.
Calendar CheapestSlots(const CalendarRequest& request, const std::vector<double>& values, int workers);
// The consecutive slots that give `need` with the lowest sum of values, weighted by the time used. All slots when none
// do.
Calendar CheapestWindow(const CalendarRequest& request, const std::vector<double>& values, int workers);
// Carbon intensities or prices of the slots that the job may use. Prices are 0 where the forecast has none.
std::vector<double> CarbonOf(const CalendarRequest& request);
std::vector<double> PricesOf(const CalendarRequest& request);

}  // namespace heliostat::policy
