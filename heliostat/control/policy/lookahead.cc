#include "heliostat/control/policy/lookahead.h"

#include <algorithm>
#include <cmath>

#include "heliostat/model/serving/options.h"

namespace heliostat::policy {
namespace {

using namespace std::chrono_literals;

// A plan covers at least this time, so that it includes the nodes that services need later.
constexpr Duration kLeastAhead = 24h;

std::size_t SlotsNeeded(const Observation& observation, const std::vector<Due>& dues, const Forecast& forecast) {
  const std::size_t most = forecast.slots();
  // A plan that need not be made again, or that has expected jobs, covers the whole forecast.
  const auto is_expected = [](const Due& due) { return due.expected != nullptr; };
  if (forecast.is_certain || std::any_of(dues.begin(), dues.end(), is_expected)) return most;
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
  static_cast<scenario::Site&>(scenario_) = site;
  scenario_.start = site.SlotSpan(observation.slot).begin;
  scenario_.slots = SlotsNeeded(observation, dues, forecast);
  scenario_.performance = manner.performance;
  const auto slots = static_cast<std::ptrdiff_t>(scenario_.slots);
  scenario_.carbon.assign(forecast.carbon.begin(), forecast.carbon.begin() + slots);
  scenario_.renewable.assign(forecast.renewable.begin(), forecast.renewable.begin() + slots);
  if (!forecast.price_per_kwh.empty()) {
    scenario_.price_per_kwh.assign(forecast.price_per_kwh.begin(), forecast.price_per_kwh.begin() + slots);
  }
  AddGroups(observation);
  if (means_ == Means::kDefault || !observation.capabilities.cap_power) KeepDefaultPoints(site);
  AddServices(observation, forecast, manner.reserve);
  for (const Due& due : dues) {
    if (due.expected != nullptr) {
      AddExpected(book, due);
    } else {
      AddJob(observation, book, due);
    }
    ++next_due_;
  }
}

void Lookahead::AddGroups(const Observation& observation) {
  for (std::size_t g = 0; g < observation.groups.size(); ++g) {
    const GroupState& state = observation.groups[g];
    scenario_.groups[g].nodes = state.nodes();
    std::vector<int>& nodes = nodes_.emplace_back();
    std::vector<bool>& is_up = scenario_.is_up.emplace_back();
    for (int node = 0; node < state.nodes(); ++node) {
      if (!state.each.empty()) break;
      nodes.push_back(node);
      is_up.push_back(node < state.up + state.waking);
    }
    for (std::size_t node = 0; node < state.each.size(); ++node) {
      if (state.each[node] == NodeState::kFailed) continue;
      nodes.push_back(static_cast<int>(node));
      is_up.push_back(state.each[node] != NodeState::kAsleep);
    }
  }
}

// Leaves only the points with no knob turned down.
void Lookahead::KeepDefaultPoints(const scenario::Site& site) {
  scenario_.training = {};
  for (const auto& [key, points] : site.training.all()) {
    for (const std::size_t i : Untouched(points)) {
      scenario_.training.Add(key.first, key.second, points[i]);
      training_[key].push_back(i);
    }
  }
  if (means_ != Means::kDefault) return;
  scenario_.inference = {};
  for (const auto& [key, points] : site.inference.all()) {
    for (const std::size_t i : Untouched(points)) {
      scenario_.inference.Add(key.first, key.second, points[i]);
      inference_[key].push_back(i);
    }
  }
}

scenario::Begun Lookahead::BegunOf(const Observation& observation, const Choices& choices,
                                   const JobState& state) const {
  scenario::Begun begun{.group = *state.home};
  if (!HoldsGpus(state.phase)) return begun;
  begun.workers = choices.At(state.setting).workers;
  begun.resume_left = std::clamp(state.since - observation.decide_by(), Duration{0}, state.asked.resume);
  const std::vector<int>& nodes = nodes_[begun.group];
  for (const NodeShare& share : state.nodes) {
    const auto found = std::find(nodes.begin(), nodes.end(), share.node);
    if (found == nodes.end()) continue;
    begun.nodes.push_back({static_cast<int>(found - nodes.begin()), share.gpus});
  }
  if (begun.nodes.size() != state.nodes.size() || !observation.capabilities.place) begun.nodes.clear();
  return begun;
}

void Lookahead::AddJob(const Observation& observation, ChoiceTable& book, const Due& due) {
  const JobState& state = observation.jobs[due.job];
  const Choices& choices = book.Of(state.asked);
  const bool runs = HoldsGpus(state.phase);
  scenario::Job job = state.asked;
  job.submit = std::min(EarliestStart(observation, choices, state, nodes_sleep_), due.by);
  job.deadline = due.by;
  job.samples = state.SamplesLeft(observation.decide_by());
  job.preemptible = observation.MayStop(state);
  if (state.home) job.begun = BegunOf(observation, choices, state);
  if (runs && !observation.capabilities.may_resize()) {
    job.min_workers = job.max_workers = choices.At(state.setting).workers;
  }
  Add(choices, std::move(job));
}

void Lookahead::AddExpected(ChoiceTable& book, const Due& due) {
  scenario::Job job = *due.expected;
  job.deadline = due.by;
  if (job.submit < scenario_.end() && due.by > job.submit) Add(book.Of(*due.expected), std::move(job));
}

void Lookahead::Add(const Choices& choices, scenario::Job job) {
  if (job.model.empty()) {
    // A job without a profile has one point per group. Jobs that ask for as many GPUs share it.
    job.min_workers = job.max_workers;
    for (const std::size_t g : choices.groups()) {
      const scenario::TrainingPoint& point = choices.At({g, 0});
      const auto& known = scenario_.training.Of(job.model, scenario_.groups[g].gpu);
      if (std::find(known.begin(), known.end(), point) != known.end()) continue;
      scenario_.training.Add(job.model, scenario_.groups[g].gpu, point);
    }
  }
  if (means_ == Means::kDefault) {
    job.preemptible = false;
    if (job.begun && job.begun->workers > 0) {
      job.min_workers = job.max_workers = job.begun->workers;
    } else {
      int fewest = job.max_workers;
      for (const std::size_t g : choices.groups()) {
        fewest = std::min(fewest, choices.At(*choices.Default(g)).workers);
      }
      job.min_workers = std::max(job.min_workers, fewest);
    }
  }
  scenario_.jobs.push_back(std::move(job));
  due_of_.push_back(next_due_);
}

void Lookahead::AddServices(const Observation& observation, const Forecast& forecast,
                            const std::vector<double>& reserve) {
  for (std::size_t s = 0; s < observation.services.size(); ++s) {
    scenario::Service service = observation.services[s].asked;
    service.requests_per_s.clear();
    const double more = s < reserve.size() ? 1.0 + reserve[s] : 1.0;
    std::vector<double> rates;
    for (std::size_t t = 0; t < scenario_.slots; ++t) {
      rates.push_back(forecast.requests_per_s[s][t] * (t == 0 ? 1.0 : more));
    }
    // A lower rate is never harder to serve, so mostly one test is enough.
    const double highest = rates.empty() ? 0.0 : *std::max_element(rates.begin(), rates.end());
    if (ServableRate(scenario_, service, highest) < highest) {
      for (double& rate : rates) rate = ServableRate(scenario_, service, rate);
    }
    service.requests_per_s = std::move(rates);
    scenario_.services.push_back(std::move(service));
  }
}

RunSetting Lookahead::SettingOf(std::size_t job, const plan::Segment& segment) const {
  const std::string& model = scenario_.jobs[job].model;
  if (model.empty()) return {segment.group, 0};
  const auto kept = training_.find({model, scenario_.groups[segment.group].gpu});
  return {segment.group, kept == training_.end() ? segment.point : kept->second[segment.point]};
}

std::vector<Lookahead::Planned> Lookahead::CoursesOf(const plan::Plan& plan) const {
  std::vector<Planned> planned;
  for (std::size_t j = 0; j < due_of_.size(); ++j) {
    Course course;
    for (const plan::Segment& segment : plan.jobs[j].segments) {
      course.pieces.push_back({segment.span, SettingOf(j, segment)});
    }
    planned.push_back({due_of_[j], std::move(course)});
  }
  for (const plan::Hold& hold : plan.holds) {
    const int node = nodes_[hold.group][static_cast<std::size_t>(hold.node)];
    for (CoursePiece& piece : planned[hold.job].course.pieces) {
      if (!hold.span.Contains(piece.span)) continue;
      // Two parts of a run may share a node.
      const auto known = std::find_if(piece.nodes.begin(), piece.nodes.end(),
                                      [node](const NodeShare& share) { return share.node == node; });
      if (known == piece.nodes.end()) {
        piece.nodes.push_back({node, hold.gpus});
      } else {
        known->gpus += hold.gpus;
      }
    }
  }
  return planned;
}

std::vector<std::vector<std::vector<Interval>>> Lookahead::UsesOf(const plan::Plan& plan) const {
  std::vector<std::vector<std::vector<Interval>>> uses(nodes_.size());
  for (std::size_t g = 0; g < nodes_.size(); ++g) {
    if (!nodes_[g].empty()) uses[g].resize(static_cast<std::size_t>(nodes_[g].back()) + 1);
  }
  for (const plan::Hold& hold : plan.holds) {
    const int node = nodes_[hold.group][static_cast<std::size_t>(hold.node)];
    uses[hold.group][static_cast<std::size_t>(node)].push_back(hold.span);
  }
  for (auto& of_group : uses) {
    for (auto& of_node : of_group) {
      std::sort(of_node.begin(), of_node.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    }
  }
  return uses;
}

Serving Lookahead::ServingOf(std::size_t service, const plan::ServiceSlot& slot) const {
  const auto kept = inference_.find({scenario_.services[service].model, scenario_.groups[slot.group].gpu});
  if (kept == inference_.end() || slot.replicas == 0) return {slot.group, slot.point, slot.replicas};
  return {slot.group, kept->second[slot.point], slot.replicas};
}

}  // namespace heliostat::policy
