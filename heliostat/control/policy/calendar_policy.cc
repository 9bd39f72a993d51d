#include "heliostat/control/policy/calendar_policy.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace heliostat::policy {
namespace {

// GPUs are short when jobs need more than this share of them: others will arrive.
constexpr double kCrowdedShare = 0.6;
// Slack against rounding, in addition to the time that a node needs to wake.
constexpr Duration kMargin{120};

Duration LongestWake(const scenario::Site& site) {
  Duration longest{0};
  for (const scenario::Group& group : site.groups) longest = std::max(longest, group.wake_time);
  return longest;
}

Seconds LengthOf(const CalendarRequest& request, std::size_t slot) { return slot == 0 ? request.left : request.step; }

}  // namespace

std::vector<double> CarbonOf(const CalendarRequest& request) {
  std::vector<double> values;
  for (std::size_t i = 0; i < request.slots; ++i) values.push_back(request.forecast.carbon[i].value);
  return values;
}

std::vector<double> PricesOf(const CalendarRequest& request) {
  if (request.forecast.price_per_kwh.empty()) return std::vector<double>(request.slots, 0.0);
  return {request.forecast.price_per_kwh.begin(),
          request.forecast.price_per_kwh.begin() + static_cast<std::ptrdiff_t>(request.slots)};
}

Calendar CheapestSlots(const CalendarRequest& request, const std::vector<double>& values, int workers) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Calendar calendar(values.size(), 0);
  Seconds have{0};
  const Seconds resume(request.job.asked.resume);
  for (const std::size_t slot : order) {
    if (have >= request.need) break;
    calendar[slot] = workers;
    have += LengthOf(request, slot);
    // A slot without a chosen neighbour costs a restart.
    const bool joins = (slot > 0 && calendar[slot - 1] > 0) || (slot + 1 < calendar.size() && calendar[slot + 1] > 0);
    if (!joins) have -= resume;
  }
  return calendar;
}

Calendar CheapestWindow(const CalendarRequest& request, const std::vector<double>& values, int workers) {
  double least = std::numeric_limits<double>::infinity();
  std::size_t best_first = 0;
  std::size_t best_last = values.size();
  for (std::size_t first = 0; first < values.size(); ++first) {
    Seconds have{0};
    double sum = 0.0;
    std::size_t last = first;
    while (last < values.size() && have < request.need) {
      const Seconds used = std::min(LengthOf(request, last), request.need - have);
      sum += values[last] * used.count();
      have += used;
      ++last;
    }
    if (have < request.need) break;
    if (sum >= least) continue;
    least = sum;
    best_first = first;
    best_last = last;
  }
  Calendar calendar(values.size(), 0);
  for (std::size_t i = best_first; i < best_last; ++i) calendar[i] = workers;
  return calendar;
}

void CalendarPolicy::PlanAnew(const Observation& observation, JobId job, Entry& entry) {
  const JobState& state = observation.jobs[job];
  const Choices& choices = book_.Of(state.asked);
  const std::size_t group = state.home ? *state.home : choices.groups().front();
  const double rate = choices.At(*choices.Default(group)).samples_per_s;
  const Seconds need = Seconds{state.SamplesLeft(observation.now) / rate} + Seconds(state.asked.resume);
  const Forecast forecast = observation.outlook.Ahead();
  const Instant slot_end = observation.SlotNow().end;
  const Duration step = observation.site->step;
  std::size_t slots = 1;
  if (entry.due > slot_end) slots += static_cast<std::size_t>((entry.due - slot_end) / step);
  slots = std::min(slots, forecast.slots());
  const CalendarRequest request{state,         choices, group, need, slots, Seconds(slot_end - observation.now),
                                Seconds(step), forecast};
  entry.first_slot = observation.slot;
  entry.calendar = Plan(request);
}

void CalendarPolicy::Enter(const Observation& observation, JobId job) {
  const JobState& state = observation.jobs[job];
  const Choices& choices = book_.Of(state.asked);
  if (choices.groups().empty() || state.phase == Phase::kHeld) return;
  Entry entry;
  // Counted from the arrival, so that a restarted policy computes the same time.
  const Instant came = std::max(state.asked.submit, observation.site->start);
  entry.due =
      state.asked.deadline
          ? *state.asked.deadline
          : came + patience_ + std::chrono::ceil<Duration>(choices.Shortest(state.asked.samples)) + state.asked.resume;
  PlanAnew(observation, job, entry);
  entries_[job] = std::move(entry);
}

CalendarPolicy::Want CalendarPolicy::WantNow(const Observation& observation, const JobState& state,
                                             const Entry& entry) {
  const Choices& choices = book_.Of(state.asked);
  const std::size_t group = state.home ? *state.home : choices.groups().front();
  const RunSetting fastest = *choices.Default(group);
  const Seconds need = NeedOf(observation, state);
  const Instant slot_end = observation.SlotNow().end;
  if (entry.due <= crowded_until_) return {choices.At(fastest).workers, Reason::Kind::kMustRun};
  // Whether waiting for the next slot would make the job late.
  const Duration ahead =
      std::chrono::ceil<Duration>(need) + state.asked.resume + kMargin + LongestWake(*observation.site);
  if (slot_end + ahead > entry.due || slot_end + ahead > observation.horizon) {
    return {choices.At(fastest).workers, Reason::Kind::kMustRun};
  }
  const std::size_t at = observation.slot - entry.first_slot;
  if (at >= entry.calendar.size()) return {choices.At(fastest).workers, Reason::Kind::kMustRun};
  return {entry.calendar[at], Reason::Kind::kCheapTime};
}

Seconds CalendarPolicy::NeedOf(const Observation& observation, const JobState& state) {
  const Choices& choices = book_.Of(state.asked);
  const std::size_t group = state.home ? *state.home : choices.groups().front();
  return Seconds{state.SamplesLeft(observation.now) / choices.At(*choices.Default(group)).samples_per_s};
}

bool CalendarPolicy::IsLost(const Observation& observation, JobId job) {
  const JobState& state = observation.jobs[job];
  const Seconds resume = state.phase == Phase::kRunning ? Seconds{0} : Seconds(state.asked.resume);
  const Seconds shortest = book_.Of(state.asked).Shortest(state.SamplesLeft(observation.now));
  return observation.now + std::chrono::floor<Duration>(shortest + resume) > entries_[job].due;
}

// The first due first; those that are late in any case last.
std::vector<JobId> CalendarPolicy::InOrder(const Observation& observation) {
  std::vector<std::tuple<bool, Instant, JobId>> order;
  for (const auto& [job, entry] : entries_) order.emplace_back(IsLost(observation, job), entry.due, job);
  std::sort(order.begin(), order.end());
  std::vector<JobId> jobs;
  jobs.reserve(order.size());
  for (const auto& item : order) jobs.push_back(std::get<JobId>(item));
  return jobs;
}

Instant CalendarPolicy::CrowdedUntil(const Observation& observation, const std::vector<JobId>& order) {
  double gpus = 0.0;
  for (std::size_t g = 0; g < observation.groups.size(); ++g) {
    gpus += observation.groups[g].nodes() * observation.site->groups[g].gpus_per_node - attendant_.Wanted(g);
  }
  Instant until = Instant::min();
  double wanted = 0.0;  // GPU-seconds
  const Instant slot_end = observation.SlotNow().end;
  for (const JobId job : order) {
    const JobState& state = observation.jobs[job];
    const Choices& choices = book_.Of(state.asked);
    const std::size_t group = state.home ? *state.home : choices.groups().front();
    wanted += NeedOf(observation, state).count() * choices.At(*choices.Default(group)).workers;
    const Instant due = entries_[job].due;
    if (wanted > kCrowdedShare * gpus * Seconds(due - slot_end).count()) until = std::max(until, due);
  }
  return until;
}

void CalendarPolicy::Forget(const Observation& observation) {
  for (const JobId job : observation.ended) entries_.erase(job);
  std::erase_if(entries_, [&](const auto& entry) {
    const JobState* state = observation.jobs.Find(entry.first);
    return state == nullptr || state->phase == Phase::kHeld;
  });
}

void CalendarPolicy::Decide(const Observation& observation, Decision& decision) {
  book_.Follow(observation);
  Forget(observation);
  for (const JobId job : observation.arrived) Enter(observation, job);
  attendant_.Attend(observation, decision);
  const std::vector<JobId> order = InOrder(observation);
  crowded_until_ = CrowdedUntil(observation, order);
  std::vector<int> free;
  for (std::size_t g = 0; g < observation.groups.size(); ++g) {
    free.push_back(observation.groups[g].gpus_up - attendant_.Wanted(g) - attendant_.Reserved(g));
  }
  const auto is_fixed = [&](const JobState& state) {
    return HoldsGpus(state.phase) && (state.phase != Phase::kRunning || !observation.MayStop(state));
  };
  for (const JobId job : order) {
    const JobState& state = observation.jobs[job];
    if (is_fixed(state)) free[state.setting.group] -= book_.Of(state.asked).At(state.setting).workers;
  }
  for (const JobId job : order) {
    if (!is_fixed(observation.jobs[job])) Order(observation, job, free, decision);
  }
}

void CalendarPolicy::Order(const Observation& observation, JobId job, std::vector<int>& free, Decision& decision) {
  const JobState& state = observation.jobs[job];
  const Choices& choices = book_.Of(state.asked);
  const bool runs = state.phase == Phase::kRunning;
  Entry& entry = entries_[job];
  Want want = WantNow(observation, state, entry);
  // Where the world cannot resize jobs, a running job keeps its workers.
  if (runs && want.workers > 0 && !observation.capabilities.may_resize()) {
    want.workers = choices.At(state.setting).workers;
  }
  for (const std::size_t group : choices.groups()) {
    if (want.workers == 0 || (state.home && *state.home != group)) continue;
    const auto way = choices.Default(group, want.workers);
    if (!way || free[group] < want.workers) continue;
    free[group] -= want.workers;
    if (!runs || state.setting != *way) {
      decision.jobs.push_back({job, way, {}, {want.why, observation.SlotNow().end}});
    }
    return;
  }
  if (runs) {
    const auto why = want.workers > 0 ? Reason::Kind::kNoRoom : Reason::Kind::kBetterTime;
    decision.jobs.push_back({job, std::nullopt, {}, {why}});
  }
  // No GPUs are free: the job gets a new calendar.
  if (want.workers > 0 && observation.slot_begins) PlanAnew(observation, job, entry);
}

}  // namespace heliostat::policy
