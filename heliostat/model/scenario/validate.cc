#include "heliostat/model/scenario/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "heliostat/base/core/nearest.h"

namespace heliostat::scenario {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLongestStep = 24h;
// The most slots: more than a year of minutes.
constexpr std::size_t kMostSlots = 600'000;
constexpr Interval kEver{std::chrono::sys_days{std::chrono::year{1900} / 1 / 1},
                         std::chrono::sys_days{std::chrono::year{2300} / 1 / 1}};
// The most GPUs of one group, so that node and GPU counts do not overflow.
constexpr int kMostGpus = 10'000'000;

Status Refuse(const std::string& where, std::string what, std::string allowed) {
  return Fail(ErrorCode::kInvalidArgument, where, std::move(what), std::move(allowed));
}

Status RefuseFlaw(const std::string& where, std::optional<Flaw> flaw) {
  if (!flaw) return {};
  return Refuse(where, flaw->key.empty() ? std::move(flaw->what) : flaw->key + " " + flaw->what,
                std::move(flaw->allowed));
}

std::string Quoted(const std::string& name) { return fmt::format("'{}'", Printable(name, 60)); }

bool IsAtLeast(double value, double least) { return std::isfinite(value) && value >= least; }
bool IsPositive(double value) { return std::isfinite(value) && value > 0.0; }

Status RefuseBelowZero(const std::string& where, std::string_view name, double value) {
  if (IsAtLeast(value, 0.0)) return {};
  return Refuse(where, fmt::format("{} is {}", name, value), "must be 0 or more");
}

Status ValidateKnob(const GpuSetting& knob, const std::string& where) {
  if (knob.core_mhz && !IsPositive(*knob.core_mhz)) {
    return Refuse(where, fmt::format("core_mhz is {}", *knob.core_mhz), "must be more than 0, or empty");
  }
  if (knob.power_limit_w && !IsPositive(*knob.power_limit_w)) {
    return Refuse(where, fmt::format("power_limit_w is {}", *knob.power_limit_w), "must be more than 0, or empty");
  }
  return {};
}

template <typename Point>
bool HasModel(const Profiles<Point>& profiles, const std::string& model) {
  const auto at = profiles.all().lower_bound({model, ""});
  return at != profiles.all().end() && at->first.first == model;
}

template <typename Point>
std::string KnownModels(const Profiles<Point>& profiles, const std::string& model) {
  std::vector<std::string_view> names;
  for (const auto& [key, points] : profiles.all()) {
    if (names.empty() || names.back() != key.first) names.push_back(key.first);
  }
  return names.empty() ? "the profiles have no rows" : OneOf(model, names);
}

std::string GpusOfGroups(const Scenario& scenario) {
  std::set<std::string> names;
  for (const Group& group : scenario.groups) names.insert(Printable(group.gpu, 40));
  return fmt::format("{}", fmt::join(names, ", "));
}

template <typename Point>
Status ValidateModel(const Scenario& scenario, const Profiles<Point>& profiles, std::string_view profiles_name,
                     const std::string& model, const std::string& where) {
  if (!HasModel(profiles, model)) {
    return Refuse(where, fmt::format("model {} is not in the {} profiles", Quoted(model), profiles_name),
                  KnownModels(profiles, model));
  }
  const bool has_gpu =
      std::ranges::any_of(scenario.groups, [&](const Group& group) { return !profiles.Of(model, group.gpu).empty(); });
  if (has_gpu) return {};
  return Refuse(where, fmt::format("model {} has no {} profile on any group's GPU", Quoted(model), profiles_name),
                fmt::format("profile it on one of {}", GpusOfGroups(scenario)));
}

int LargestGroup(const Scenario& scenario) {
  int most = 0;
  for (const Group& group : scenario.groups) most = std::max(most, group.gpus());
  return most;
}

Status ValidateHolder(const Scenario& scenario, const Job& job, const std::string& where) {
  if (job.min_workers > LargestGroup(scenario)) {
    return Refuse(where, fmt::format("min_workers is {} and no group has as many GPUs", job.min_workers),
                  fmt::format("must be at most {}", LargestGroup(scenario)));
  }
  std::set<int> measured;
  for (std::size_t group = 0; group < scenario.groups.size(); ++group) {
    if (!scenario.PointsFor(job, group).empty()) return {};
    for (const TrainingPoint& point : scenario.training.Of(job.model, scenario.groups[group].gpu)) {
      if (point.workers <= scenario.groups[group].gpus()) measured.insert(point.workers);
    }
  }
  return Refuse(where,
                fmt::format("model {} has no training profile from {} to {} workers that a group can hold",
                            Quoted(job.model), job.min_workers, job.max_workers),
                fmt::format("profiled are {} workers", fmt::join(measured, ", ")));
}

Status ValidateTimes(const Scenario& scenario, const Job& job, const std::string& where) {
  if (!kEver.Contains(job.submit) || (job.deadline && !kEver.Contains(*job.deadline))) {
    return Refuse(where, "submit or deadline is out of range", "must lie between 1900 and 2300");
  }
  if (job.deadline && *job.deadline <= job.submit) {
    return Refuse(where, fmt::format("deadline {} is not after submit", FormatInstant(*job.deadline)),
                  fmt::format("must be later than {}", FormatInstant(job.submit)));
  }
  if (job.submit >= scenario.end()) {
    return Refuse(where, fmt::format("submit {} is after the horizon", FormatInstant(job.submit)),
                  fmt::format("must be before {}", FormatInstant(scenario.end())));
  }
  if (job.deadline && *job.deadline <= scenario.start) {
    return Refuse(where, fmt::format("deadline {} is before the horizon", FormatInstant(*job.deadline)),
                  fmt::format("must be later than {}", FormatInstant(scenario.start)));
  }
  return {};
}

Status ValidateRun(const Scenario& scenario, const Job& job, const RecordedRun& run, const std::string& where) {
  if (run.span.empty() || !kEver.Contains(run.span)) {
    return Refuse(where, fmt::format("recorded_end {} is not after recorded_start", FormatInstant(run.span.end)),
                  "must be later, and between 1900 and 2300");
  }
  if (run.nodes.empty()) return {};
  if (!job.recorded->group) return Refuse(where, "recorded_nodes is without recorded_group", "both are needed");
  const Group& group = scenario.groups[*job.recorded->group];
  std::set<int> seen;
  int gpus = 0;
  for (const NodeShare& share : run.nodes) {
    const bool exists =
        share.node >= 0 && share.node < group.nodes && share.gpus >= 1 && share.gpus <= group.gpus_per_node;
    if (!exists || !seen.insert(share.node).second) {
      return Refuse(where, fmt::format("recorded_nodes has {} GPUs of node {}", share.gpus, share.node),
                    fmt::format("nodes 0 to {} once each, with 1 to {} GPUs", group.nodes - 1, group.gpus_per_node));
    }
    gpus += share.gpus;
  }
  if (gpus >= job.min_workers && gpus <= job.max_workers) return {};
  return Refuse(where, fmt::format("recorded_nodes has {} GPUs", gpus),
                fmt::format("must be from min_workers, {}, to max_workers, {}", job.min_workers, job.max_workers));
}

// For a job whose other parts are valid.
Status ValidateRecorded(const Scenario& scenario, const Job& job, const std::string& where) {
  if (!job.recorded) return {};
  const Recorded& recorded = *job.recorded;
  if (recorded.runs.empty()) return Refuse(where, "its record has no run", "at least one is needed");
  if (recorded.group && scenario.PointsFor(job, *recorded.group).empty()) {
    return Refuse(where, fmt::format("recorded_group is {}", Quoted(scenario.groups[*recorded.group].name)),
                  "must be a group in which the job can run");
  }
  Instant free = job.submit;
  for (const RecordedRun& run : recorded.runs) {
    if (run.span.begin < free) {
      return Refuse(where, fmt::format("recorded_start {} is too early", FormatInstant(run.span.begin)),
                    fmt::format("must not be before {}: submit, or the end of an earlier run", FormatInstant(free)));
    }
    if (auto bad = ValidateRun(scenario, job, run, where); !bad) return bad;
    free = run.span.end;
  }
  return {};
}

Status ValidateSlots(const Scenario& scenario, const std::string& where, std::string_view name, std::size_t size) {
  if (size == scenario.slots) return {};
  return Refuse(where, fmt::format("{} has {} values", name, size),
                fmt::format("must have one per slot: {}", scenario.slots));
}

Status ValidateSignals(const Scenario& scenario) {
  if (auto bad = ValidateSlots(scenario, "signals", "carbon", scenario.carbon.size()); !bad) return bad;
  if (auto bad = ValidateSlots(scenario, "signals", "renewable", scenario.renewable.size()); !bad) return bad;
  if (!scenario.price_per_kwh.empty()) {
    if (auto bad = ValidateSlots(scenario, "signals", "price", scenario.price_per_kwh.size()); !bad) return bad;
  }
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    const double carbon = InGramsPerKwh(scenario.carbon[slot]);
    const double renewable = InKilowatts(scenario.renewable[slot]);
    const double price = scenario.price_per_kwh.empty() ? 0.0 : scenario.price_per_kwh[slot];
    if (IsAtLeast(carbon, 0.0) && IsAtLeast(renewable, 0.0) && std::isfinite(price)) continue;
    return Refuse("slot at " + FormatInstant(scenario.SlotSpan(slot).begin),
                  fmt::format("carbon is {} g/kWh, renewable {} kW, price {}", carbon, renewable, price),
                  "must be finite, and carbon and renewable 0 or more");
  }
  return RefuseBelowZero("signals", "carbon of the renewable", InGramsPerKwh(scenario.renewable_carbon));
}

template <typename Point>
Status ValidateProfiles(const Profiles<Point>& profiles, std::string_view name) {
  for (const auto& [key, points] : profiles.all()) {
    if (key.first.empty() || key.second.empty()) {
      return Refuse(fmt::format("{} profiles", name), "a model or GPU has no name", "both are needed");
    }
    for (const Point& point : points) {
      const auto where = fmt::format("{} profile of {} on {}", name, Quoted(key.first), Quoted(key.second));
      if (auto bad = ValidatePoint(point, where); !bad) return bad;
    }
  }
  return {};
}

// `name_of` returns the name that must be unique.
template <typename Thing, typename NameOf>
Status RefuseRepeats(const std::vector<Thing>& things, std::string_view kind, NameOf name_of) {
  std::set<std::string> seen;
  for (const Thing& thing : things) {
    if (seen.insert(name_of(thing)).second) continue;
    return Refuse(fmt::format("{} {}", kind, Quoted(name_of(thing))), "occurs twice", "names must differ");
  }
  return {};
}

Status ValidateNames(const Scenario& scenario) {
  if (auto bad = RefuseRepeats(scenario.groups, "group", [](const Group& group) { return group.name; }); !bad) {
    return bad;
  }
  if (auto bad = RefuseRepeats(scenario.jobs, "job", [](const Job& job) { return job.id; }); !bad) return bad;
  return RefuseRepeats(scenario.services, "service", [](const Service& service) { return service.id; });
}

}  // namespace

std::optional<Flaw> FrameFlaw(const Scenario& scenario) {
  if (scenario.step <= 0s || scenario.step > kLongestStep) {
    return Flaw{"", fmt::format("a slot is {} s long", scenario.step.count()), "must be from 1 s to 1 d"};
  }
  if (scenario.slots == 0 || scenario.slots > kMostSlots) {
    return Flaw{"slots", fmt::format("is {}", scenario.slots), fmt::format("must be from 1 to {}", kMostSlots)};
  }
  if (!kEver.Contains(scenario.start) || !kEver.Contains(scenario.horizon())) {
    return Flaw{"start", "and the horizon are out of range", "must lie between 1900 and 2300"};
  }
  if (!IsAtLeast(scenario.pue, 1.0)) return Flaw{"pue", fmt::format("is {}", scenario.pue), "must be 1 or more"};
  return std::nullopt;
}

std::optional<Flaw> GroupFlaw(const Group& group) {
  if (group.name.empty()) return Flaw{"name", "is empty", "a group needs one"};
  if (group.gpu.empty()) return Flaw{"gpu", "is empty", "a group needs one, as the profiles name it"};
  if (group.nodes < 1) return Flaw{"nodes", fmt::format("is {}", group.nodes), "must be 1 or more"};
  if (group.gpus_per_node < 1) {
    return Flaw{"gpus_per_node", fmt::format("is {}", group.gpus_per_node), "must be 1 or more"};
  }
  if (group.nodes > kMostGpus / group.gpus_per_node) {
    return Flaw{"", fmt::format("{} nodes of {} GPUs", group.nodes, group.gpus_per_node),
                fmt::format("must be at most {} GPUs", kMostGpus)};
  }
  const std::array<std::pair<const char*, double>, 5> amounts{
      {{"gpu_idle_w", group.gpu_idle.value},
       {"node_base_w", group.node_base.value},
       {"node_sleep_w", group.node_sleep.value},
       {"wake_minutes", Seconds(group.wake_time).count() / 60.0},
       {"wake_wh", group.wake_energy.value / 3600.0}}};
  for (const auto& [key, value] : amounts) {
    if (!IsAtLeast(value, 0.0)) return Flaw{key, fmt::format("is {}", value), "must be 0 or more"};
  }
  return std::nullopt;
}

Status ValidateFrame(const Scenario& scenario, const std::string& where) {
  return RefuseFlaw(where, FrameFlaw(scenario));
}

Status ValidateGroup(const Group& group, const std::string& where) { return RefuseFlaw(where, GroupFlaw(group)); }

Status ValidatePoint(const TrainingPoint& point, const std::string& where) {
  if (point.workers < 1) return Refuse(where, fmt::format("workers is {}", point.workers), "must be 1 or more");
  if (!IsPositive(point.samples_per_s)) {
    return Refuse(where, fmt::format("samples_per_s is {}", point.samples_per_s), "must be more than 0");
  }
  if (auto bad = RefuseBelowZero(where, "power_w", point.power.value); !bad) return bad;
  return ValidateKnob(point.knob, where);
}

Status ValidatePoint(const InferencePoint& point, const std::string& where) {
  if (point.batch < 1) return Refuse(where, fmt::format("batch is {}", point.batch), "must be 1 or more");
  if (!IsPositive(point.latency.count())) {
    return Refuse(where, fmt::format("latency_ms is {}", point.latency.count() * 1e3), "must be more than 0");
  }
  if (!IsPositive(point.requests_per_s)) {
    return Refuse(where, fmt::format("requests_per_s is {}", point.requests_per_s), "must be more than 0");
  }
  if (auto bad = RefuseBelowZero(where, "power_w", point.power.value); !bad) return bad;
  return ValidateKnob(point.knob, where);
}

Status ValidateJob(const Scenario& scenario, const Job& job, const std::string& where) {
  if (job.id.empty()) return Refuse(where, "id is empty", "a job needs one");
  if (!IsPositive(job.samples)) {
    return Refuse(where, fmt::format("samples is {}", job.samples), "must be more than 0");
  }
  if (job.min_workers < 1) return Refuse(where, fmt::format("min_workers is {}", job.min_workers), "must be 1 or more");
  if (job.max_workers < job.min_workers) {
    return Refuse(where, fmt::format("max_workers is {}", job.max_workers),
                  fmt::format("must be at least min_workers, {}", job.min_workers));
  }
  if (auto bad = RefuseBelowZero(where, "resume_s", Seconds(job.resume).count()); !bad) return bad;
  if (!IsPositive(job.weight)) return Refuse(where, fmt::format("weight is {}", job.weight), "must be more than 0");
  if (auto bad = ValidateTimes(scenario, job, where); !bad) return bad;
  if (auto bad = ValidateModel(scenario, scenario.training, "training", job.model, where); !bad) return bad;
  if (auto bad = ValidateHolder(scenario, job, where); !bad) return bad;
  return ValidateRecorded(scenario, job, where);
}

Status ValidateService(const Scenario& scenario, const Service& service, const std::string& where) {
  if (service.id.empty()) return Refuse(where, "id is empty", "a service needs one");
  if (!IsPositive(service.latency_slo.count())) {
    return Refuse(where, fmt::format("latency_slo_ms is {}", service.latency_slo.count() * 1e3), "must be more than 0");
  }
  if (!(service.percentile > 0.0 && service.percentile < 1.0)) {
    return Refuse(where, fmt::format("percentile is {}", service.percentile), "must be between 0 and 1, such as 0.99");
  }
  if (service.min_replicas < 0) {
    return Refuse(where, fmt::format("min_replicas is {}", service.min_replicas), "must be 0 or more");
  }
  if (service.max_replicas < std::max(service.min_replicas, 1)) {
    return Refuse(where, fmt::format("max_replicas is {}", service.max_replicas),
                  fmt::format("must be at least {}", std::max(service.min_replicas, 1)));
  }
  if (service.min_replicas > LargestGroup(scenario)) {
    return Refuse(where, fmt::format("min_replicas is {} and no group has as many GPUs", service.min_replicas),
                  fmt::format("must be at most {}", LargestGroup(scenario)));
  }
  return ValidateModel(scenario, scenario.inference, "inference", service.model, where);
}

Status ValidateRates(const Scenario& scenario, const Service& service, const std::string& where) {
  if (auto bad = ValidateSlots(scenario, where, "the rate", service.requests_per_s.size()); !bad) return bad;
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    const double rate = service.requests_per_s[slot];
    if (IsAtLeast(rate, 0.0)) continue;
    return Refuse(where, fmt::format("the rate at {} is {}", FormatInstant(scenario.SlotSpan(slot).begin), rate),
                  "must be 0 or more");
  }
  return {};
}

Status Validate(const Scenario& scenario) {
  if (auto bad = ValidateFrame(scenario, "scenario"); !bad) return bad;
  if (auto bad = ValidateSignals(scenario); !bad) return bad;
  if (scenario.groups.empty()) return Refuse("scenario", "there is no group", "a cluster needs at least one");
  if (auto bad = ValidateNames(scenario); !bad) return bad;
  for (const Group& group : scenario.groups) {
    if (auto bad = ValidateGroup(group, "group " + Quoted(group.name)); !bad) return bad;
  }
  if (auto bad = ValidateProfiles(scenario.training, "training"); !bad) return bad;
  if (auto bad = ValidateProfiles(scenario.inference, "inference"); !bad) return bad;
  for (const Job& job : scenario.jobs) {
    if (auto bad = ValidateJob(scenario, job, "job " + Quoted(job.id)); !bad) return bad;
  }
  for (const Service& service : scenario.services) {
    const std::string where = "service " + Quoted(service.id);
    if (auto bad = ValidateService(scenario, service, where); !bad) return bad;
    if (auto bad = ValidateRates(scenario, service, where); !bad) return bad;
  }
  return {};
}

}  // namespace heliostat::scenario
