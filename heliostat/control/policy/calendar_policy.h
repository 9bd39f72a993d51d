#pragma once

#include <map>
#include <optional>
#include <vector>

#include "heliostat/control/policy/choices.h"
#include "heliostat/control/policy/policy.h"
#include "heliostat/control/policy/service_scaler.h"

namespace heliostat::policy {

// A job's own idea of when to run: workers wanted in each slot, counted from the present one; 0: wait.
using Calendar = std::vector<int>;

// What a job's calendar is made from.
struct CalendarRequest {
  const JobState& job;
  const Choices& choices;
  std::size_t group;  // for which speeds are reckoned
  Seconds need;       // running time left with as many workers as it may have, resuming included
  std::size_t slots;  // until the deadline, at least 1: the present one included
  Seconds left;       // of the present slot
  Seconds step;
  const Forecast& forecast;
};

// Each job plans for itself when it comes, from a forecast, as if it were alone: what deferral tools do. Where several
// want the same GPUs the one with least slack goes first; a job that lost its turn makes a new calendar, and one that
// would otherwise be late runs whatever its calendar says.
class CalendarPolicy : public Policy {
 public:
  explicit CalendarPolicy(const PolicyOptions& options) : patience_(options.patience) {}
  void Decide(const Observation& observation, Decision& decision) override;

 protected:
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
  void Order(const Observation& observation, JobId job, std::vector<int>& free, Decision& decision);

  Duration patience_;
  ChoiceTable book_;
  ServiceScaler attendant_;
  std::map<JobId, Entry> entries_;
};

// The slots with the least value that together give `need`, as a calendar with `workers` in each: whole slots, the
// present one only as long as it lasts. Earlier ones win ties.
Calendar CheapestSlots(const CalendarRequest& request, const std::vector<double>& values, int workers);
// The window of slots on end with the least sum that gives `need`.
Calendar CheapestWindow(const CalendarRequest& request, const std::vector<double>& values, int workers);
// Intensities or prices of the slots that the job may use.
std::vector<double> CarbonOf(const CalendarRequest& request);
std::vector<double> PricesOf(const CalendarRequest& request);

}  // namespace heliostat::policy
