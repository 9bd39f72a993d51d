#include "heliostat/control/policy/lookahead.h"

#include <algorithm>
#include <cmath>

#include "heliostat/model/serving/options.h"

namespace heliostat::policy {
namespace {

using namespace std::chrono_literals;

// A plan covers at least this time, so that it includes the nodes that services need later.
constexpr Duration kLeastAhead = 24h;

std::size_t SlotsNeeded(const Observation& observation, const std::vector<Due>& dues, std::size_t most) {
  // With expected jobs, the plan covers the whole forecast.
  for (const Due& due : dues) {
    if (due.expected != nullptr) return most;
  }
  const Instant begin = observation.SlotNow().begin;
  Instant last = begin + kLeastAhead;
  for (const Due& due : dues) last = std::max(last, due.by);
  const auto step = observation.site->step;
  const auto slots = static_cast<std::size_t>((last - begin + step - Duration{1}) / step);
  return std::clamp<std::size_t>(slots, 1, std::max<std::size_t>(most, 1));
}

// The highest rate up to `rate` that the site can serve within the objective. Without this limit, a rate that is too
// high would make the whole plan impossible.
double ServableRate(const scenario::Site& site, scenario::Service service, double rate) {
  service.requests_per_s = {rate};
  if (!serving::OptionsFor(site, service, 0, false).empty()) return rate;
  double low = 0.0;
  double high = rate;
  for (int i = 0; i < 20; ++i) {
    const double middle = (low + high) / 2.0;
    service.requests_per_s = {middle};
    (serving::OptionsFor(site, service, 0, false).empty() ? high : low) = middle;
  }
  return low;
}

}  // namespace

Instant EarliestStart(const Observation& observation, const Choices& choices, const JobState& state, bool nodes_sleep) {
  if (!nodes_sleep || HoldsGpus(state.phase)) return observation.decide_by();
  Duration least = Duration::max();
  for (const std::size_t g : choices.groups()) {
    if (state.home && *state.home != g) continue;
    const bool has_room = observation.groups[g].gpus_free() >= state.asked.min_workers;
    least = std::min(least, has_room ? Duration{0} : observation.site->groups[g].wake_time);
  }
  return observation.decide_by() + (least == Duration::max() ? Duration{0} : least);
}

Lookahead::Lookahead(const Observation& observation, ChoiceTable& book, const std::vector<Due>& dues,
                     const Manner& manner)
    : means_(manner.means), nodes_sleep_(manner.nodes_sleep) {
  const Forecast forecast = observation.outlook.Ahead();
  const scenario::Site& site = *observation.site;
  scenario_.name = site.name;
  scenario_.start = site.SlotSpan(observation.slot).begin;
  scenario_.step = site.step;
  scenario_.slots = SlotsNeeded(observation, dues, forecast.slots());
  scenario_.pue = site.pue;
  scenario_.currency = site.currency;
  scenario_.performance = manner.performance;
  scenario_.renewable_carbon = site.renewable_carbon;
  const auto slots = static_cast<std::ptrdiff_t>(scenario_.slots);
  scenario_.carbon.assign(forecast.carbon.begin(), forecast.carbon.begin() + slots);
  scenario_.renewable.assign(forecast.renewable.begin(), forecast.renewable.begin() + slots);
  if (!forecast.price_per_kwh.empty()) {
    scenario_.price_per_kwh.assign(forecast.price_per_kwh.begin(), forecast.price_per_kwh.begin() + slots);
  }
  AddGroups(observation);
  AddServices(observation, forecast, manner.reserve);
  for (const Due& due : dues) {
    if (due.expected != nullptr) {
      AddExpected(observation, book, due);
    } else {
      AddJob(observation, book, due);
    }
    ++next_due_;
  }
}

void Lookahead::AddGroups(const Observation& observation) {
  for (std::size_t g = 0; g < observation.groups.size(); ++g) {
    scenario::Group group = observation.site->groups[g];
    // Each group gets its own kind of GPU, so that a job can be bound to one of two groups with equal GPUs.
    group.gpu = group.name;
    group.nodes = observation.groups[g].nodes();
    scenario_.groups.push_back(group);
  }
}

void Lookahead::AddPoints(const Observation& observation, const Choices& choices, std::optional<std::size_t> home,
                          const std::string& name) {
  for (const std::size_t g : choices.groups()) {
    if (home && *home != g) continue;
    auto& indices = points_[{name, g}];
    if (!indices.empty()) continue;
    if (means_ == Means::kDefault) {
      indices.push_back(choices.Default(g)->point);
    } else {
      indices = choices.In(g);
    }
    for (const std::size_t p : indices) {
      scenario_.training.Add(name, observation.site->groups[g].name, choices.At({g, p}));
    }
  }
}

// Adds the job with its present point only, and a window that it fills. The planner has nothing to decide, but counts
// its GPUs.
void Lookahead::AddFixed(const Observation& observation, const Choices& choices, const Due& due) {
  const JobState& state = observation.jobs[due.job];
  scenario::TrainingPoint point = choices.At(state.setting);
  const Seconds wait = std::max(Seconds{0}, Seconds(state.since - observation.now));
  Seconds length = wait + Seconds{state.SamplesLeft(observation.now) / point.samples_per_s};
  if (due.ends && *due.ends > observation.now) length = std::min(length, Seconds(*due.ends - observation.now));
  const auto whole =
      std::min(std::max(Duration{1}, std::chrono::ceil<Duration>(length)), Duration(scenario_.end() - observation.now));
  if (whole.count() <= 0) return;
  scenario::Job fixed = state.asked;
  fixed.model = "as it runs: " + state.asked.id;
  fixed.submit = observation.now;
  fixed.deadline = observation.now + whole;
  fixed.samples = point.samples_per_s * Seconds(whole).count() * (1.0 - 1e-9);
  fixed.min_workers = fixed.max_workers = point.workers;
  fixed.resume = Duration{0};
  scenario_.training.Add(fixed.model, observation.site->groups[state.setting.group].name, point);
  points_[{fixed.model, state.setting.group}] = {state.setting.point};
  scenario_.jobs.push_back(std::move(fixed));
  due_of_.push_back(next_due_);
  fixed_.push_back(true);
}

void Lookahead::AddJob(const Observation& observation, ChoiceTable& book, const Due& due) {
  const JobState& state = observation.jobs[due.job];
  const Choices& choices = book.Of(state.asked);
  const bool runs = HoldsGpus(state.phase);
  const bool whole = !observation.MayStop(state) || means_ == Means::kDefault;
  if (runs && whole) {
    AddFixed(observation, choices, due);
    return;
  }
  scenario::Job job = state.asked;
  job.submit = std::min(EarliestStart(observation, choices, state, nodes_sleep_), due.by);
  job.deadline = due.by;
  job.samples = state.SamplesLeft(observation.decide_by());
  if (runs && !observation.capabilities.may_resize()) {
    job.min_workers = job.max_workers = choices.At(state.setting).workers;
  }
  Add(observation, choices, std::move(job), state.home);
}

void Lookahead::AddExpected(const Observation& observation, ChoiceTable& book, const Due& due) {
  scenario::Job job = *due.expected;
  job.deadline = due.by;
  if (job.submit < scenario_.end() && due.by > job.submit) {
    Add(observation, book.Of(*due.expected), std::move(job), std::nullopt);
  }
}

void Lookahead::Add(const Observation& observation, const Choices& choices, scenario::Job job,
                    std::optional<std::size_t> home) {
  if (means_ == Means::kDefault) job.preemptible = false;
  // One model name per set of choices, so that jobs with equal choices share their points.
  job.model += "/" + std::to_string(job.min_workers) + "-" + std::to_string(job.max_workers);
  if (home) job.model += "@" + observation.site->groups[*home].name;
  AddPoints(observation, choices, home, job.model);
  scenario_.jobs.push_back(std::move(job));
  due_of_.push_back(next_due_);
  fixed_.push_back(false);
}

void Lookahead::AddServices(const Observation& observation, const Forecast& forecast,
                            const std::vector<double>& reserve) {
  const scenario::Site& site = *observation.site;
  for (const ServiceState& state : observation.services) {
    const std::string& model = state.asked.model;
    for (std::size_t g = 0; g < site.groups.size(); ++g) {
      const auto& points = site.inference.Of(model, site.groups[g].gpu);
      auto& indices = inferences_[{model, g}];
      if (!indices.empty()) continue;
      if (means_ == Means::kDefault) {
        indices = Untouched(points);
      } else {
        for (std::size_t i = 0; i < points.size(); ++i) indices.push_back(i);
      }
      for (const std::size_t i : indices) scenario_.inference.Add(model, site.groups[g].name, points[i]);
    }
  }
  for (std::size_t s = 0; s < observation.services.size(); ++s) {
    scenario::Service service = observation.services[s].asked;
    service.requests_per_s.clear();
    const double more = s < reserve.size() ? 1.0 + reserve[s] : 1.0;
    for (std::size_t t = 0; t < scenario_.slots; ++t) {
      const double rate = forecast.requests_per_s[s][t] * (t == 0 ? 1.0 : more);
      service.requests_per_s.push_back(ServableRate(scenario_, service, rate));
    }
    scenario_.services.push_back(std::move(service));
  }
}

std::vector<Lookahead::Planned> Lookahead::CoursesOf(const plan::Plan& plan) const {
  std::vector<Planned> planned;
  for (std::size_t j = 0; j < due_of_.size(); ++j) {
    Course course{{}, fixed_[j]};
    for (const plan::Segment& segment : plan.jobs[j].segments) {
      const auto& indices = points_.at({scenario_.jobs[j].model, segment.group});
      course.pieces.push_back({segment.span, {segment.group, indices[segment.point]}});
    }
    planned.push_back({due_of_[j], std::move(course)});
  }
  return planned;
}

Serving Lookahead::ServingOf(std::size_t service, const plan::ServiceSlot& slot) const {
  const auto& indices = inferences_.at({scenario_.services[service].model, slot.group});
  return {slot.group, indices.empty() ? 0 : indices[slot.point], slot.replicas};
}

}  // namespace heliostat::policy
