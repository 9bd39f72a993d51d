#include "heliostat/planning/plan/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "heliostat/model/serving/latency.h"
#include "heliostat/planning/plan/event_sweep.h"
#include "heliostat/planning/plan/progress.h"

namespace heliostat::plan {
namespace {

// Relative tolerance for whole seconds and sums of doubles.
constexpr double kTolerance = 1e-6;
constexpr double kLatencyTolerance = 1e-9;

bool Agree(double a, double b) { return std::abs(a - b) <= kTolerance * std::max({std::abs(a), std::abs(b), 1e-6}); }

double Milliseconds(Seconds s) { return s.count() * 1e3; }

// Collects the violations of a plan. It implements docs/contract.md independently of the code that makes and scores
// plans.
class Referee {
 public:
  Referee(const scenario::Scenario& scenario, const Limits& limits, const Plan& plan)
      : scenario_(scenario), limits_(limits), plan_(plan) {}

  std::vector<std::string> Judge() {
    CheckSizes();
    // The other checks use these sizes and indices.
    if (!broken_.empty()) return std::move(broken_);
    CheckIndices();
    if (!broken_.empty()) return std::move(broken_);
    for (std::size_t job = 0; job < plan_.jobs.size(); ++job) CheckJob(scenario_.jobs[job], plan_.jobs[job]);
    for (std::size_t service = 0; service < plan_.services.size(); ++service) CheckService(service);
    CheckNodes();
    if (!plan_.holds.empty()) CheckHolds();
    CheckUse();
    return std::move(broken_);
  }

 private:
  template <typename... Args>
  void Broken(fmt::format_string<Args...> text, Args&&... args) {
    broken_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  std::string SlotTime(std::size_t slot) const { return FormatInstant(scenario_.SlotSpan(slot).begin); }

  void CheckSizes() {
    if (plan_.jobs.size() != scenario_.jobs.size()) {
      Broken("the plan has {} jobs, the scenario {}", plan_.jobs.size(), scenario_.jobs.size());
    }
    if (plan_.services.size() != scenario_.services.size()) {
      Broken("the plan has {} services, the scenario {}", plan_.services.size(), scenario_.services.size());
    }
    if (plan_.nodes_on.size() != scenario_.groups.size()) {
      Broken("the plan has {} groups, the scenario {}", plan_.nodes_on.size(), scenario_.groups.size());
    }
    if (!broken_.empty()) return;
    for (std::size_t i = 0; i < plan_.services.size(); ++i) {
      const std::size_t slots = plan_.services[i].slots.size();
      if (slots != scenario_.slots)
        Broken("service {}: {} slots of {}", scenario_.services[i].id, slots, scenario_.slots);
    }
    for (std::size_t i = 0; i < plan_.nodes_on.size(); ++i) {
      const std::size_t slots = plan_.nodes_on[i].size();
      if (slots != scenario_.slots)
        Broken("group {}: {} slots of {}", scenario_.groups[i].name, slots, scenario_.slots);
    }
  }

  void CheckIndices() {
    const std::size_t groups = scenario_.groups.size();
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
      const scenario::Job& job = scenario_.jobs[i];
      const TrainingTable& table = tables_.try_emplace(job.model, scenario_, job.model).first->second;
      for (const Segment& s : plan_.jobs[i].segments) {
        if (s.group >= groups) {
          Broken("job {}: runs at {} in group number {}, which does not exist", job.id, FormatInstant(s.span.begin),
                 s.group);
        } else if (s.point >= table.In(s.group).size()) {
          Broken("job {}: runs at {} at an operating point that group {} does not have", job.id,
                 FormatInstant(s.span.begin), scenario_.groups[s.group].name);
        }
      }
    }
    for (std::size_t i = 0; i < plan_.services.size(); ++i) {
      const scenario::Service& service = scenario_.services[i];
      for (std::size_t slot = 0; slot < scenario_.slots; ++slot) {
        const ServiceSlot& s = plan_.services[i].slots[slot];
        if (s.group >= groups) {
          Broken("service {}: served at {} in group number {}, which does not exist", service.id, SlotTime(slot),
                 s.group);
        } else if (s.replicas > 0 &&
                   s.point >= scenario_.inference.Of(service.model, scenario_.groups[s.group].gpu).size()) {
          Broken("service {}: served at {} at an operating point that group {} does not have", service.id,
                 SlotTime(slot), scenario_.groups[s.group].name);
        }
      }
    }
  }

  const scenario::TrainingPoint& PointOf(const scenario::Job& job, const Segment& s) const {
    return tables_.find(job.model)->second.At(s);
  }

  void CheckJob(const scenario::Job& job, const JobPlan& plan) {
    const Instant earliest = std::max(job.submit, scenario_.start);
    const Instant latest = std::min(job.deadline.value_or(scenario_.end()), scenario_.end());
    const Segment* before = nullptr;
    CheckBegun(job, plan);
    for (const Segment& s : plan.segments) {
      const int workers = PointOf(job, s).workers;
      if (s.span.empty()) Broken("job {}: a segment at {} has no length", job.id, FormatInstant(s.span.begin));
      if (s.span.begin < earliest)
        Broken("job {}: runs at {}, before {}", job.id, FormatInstant(s.span.begin), FormatInstant(earliest));
      if (s.span.end > latest) {
        Broken("job {}: runs until {}, later than {}", job.id, FormatInstant(s.span.end), FormatInstant(latest));
      }
      if (workers < job.min_workers || workers > job.max_workers) {
        Broken("job {}: runs at {} with {} workers, not {} to {}", job.id, FormatInstant(s.span.begin), workers,
               job.min_workers, job.max_workers);
      }
      if (before != nullptr) CheckSuccession(job, *before, s);
      before = &s;
    }
    CheckSamples(job, plan, latest);
  }

  void CheckBegun(const scenario::Job& job, const JobPlan& plan) {
    if (!job.begun || plan.segments.empty()) return;
    const Segment& first = plan.segments.front();
    if (first.group != job.begun->group) {
      Broken("job {}: runs in group {}, but began in {}", job.id, scenario_.groups[first.group].name,
             scenario_.groups[job.begun->group].name);
    }
    if (job.preemptible || job.begun->workers == 0) return;
    if (first.span.begin > job.submit || PointOf(job, first).workers != job.begun->workers) {
      Broken("job {}: is not preemptible, but does not go on as it ran", job.id);
    }
  }

  void CheckSuccession(const scenario::Job& job, const Segment& before, const Segment& after) {
    if (after.span.begin < before.span.end) {
      Broken("job {}: a segment at {} begins before the former has ended", job.id, FormatInstant(after.span.begin));
    }
    if (after.group != before.group) {
      Broken("job {}: moves from group {} to {} at {}", job.id, scenario_.groups[before.group].name,
             scenario_.groups[after.group].name, FormatInstant(after.span.begin));
    }
    if (job.preemptible) return;
    if (after.span.begin > before.span.end) {
      Broken("job {}: is not preemptible, but pauses until {}", job.id, FormatInstant(after.span.begin));
    }
    if (PointOf(job, after).workers != PointOf(job, before).workers) {
      Broken("job {}: is not preemptible, but changes its workers at {}", job.id, FormatInstant(after.span.begin));
    }
  }

  // Progress begins `resume` seconds after the begin of the run to which a segment belongs.
  double SamplesMade(const scenario::Job& job, const JobPlan& plan) const {
    double samples = 0.0;
    Instant run_begin;
    for (std::size_t i = 0; i < plan.segments.size(); ++i) {
      const Segment& s = plan.segments[i];
      const scenario::TrainingPoint& point = PointOf(job, s);
      const bool continues = i > 0 && plan.segments[i - 1].span.end == s.span.begin &&
                             plan.segments[i - 1].group == s.group &&
                             PointOf(job, plan.segments[i - 1]).workers == point.workers;
      if (!continues) run_begin = s.span.begin;
      // What ran before the plan began its run so long ago that only the rest of resuming is left.
      if (i == 0 && job.begun && job.begun->workers == point.workers && job.begun->group == s.group &&
          s.span.begin == job.submit) {
        run_begin = s.span.begin - (job.resume - job.begun->resume_left);
      }
      const Instant from = std::max(s.span.begin, run_begin + job.resume);
      if (from < s.span.end) samples += point.samples_per_s * Seconds(s.span.end - from).count();
    }
    return samples;
  }

  void CheckSamples(const scenario::Job& job, const JobPlan& plan, Instant latest) {
    if (!job.deadline && !limits_.finish_best_effort) return;
    const double samples = SamplesMade(job, plan);
    if (samples < job.samples * (1.0 - kTolerance)) {
      Broken("job {}: {:.6g} of {:.6g} samples are made by {}", job.id, samples, job.samples, FormatInstant(latest));
    }
  }

  void CheckService(std::size_t index) {
    const scenario::Service& service = scenario_.services[index];
    for (std::size_t slot = 0; slot < scenario_.slots; ++slot) {
      const ServiceSlot& how = plan_.services[index].slots[slot];
      const double rate = service.requests_per_s[slot];
      const std::string time = SlotTime(slot);
      if (how.replicas < service.min_replicas || how.replicas > service.max_replicas) {
        Broken("service {}: {} replicas at {}, not {} to {}", service.id, how.replicas, time, service.min_replicas,
               service.max_replicas);
      }
      if (how.replicas > 0) {
        CheckServing(service, rate, how, time);
      } else if (rate > 0.0) {
        Broken("service {}: nothing serves {:.6g} requests/s at {}", service.id, rate, time);
      }
    }
  }

  void CheckServing(const scenario::Service& service, double rate, const ServiceSlot& how, const std::string& time) {
    const scenario::InferencePoint& point =
        scenario_.inference.Of(service.model, scenario_.groups[how.group].gpu)[how.point];
    const double utilisation = rate / (how.replicas * point.requests_per_s);
    if (!Agree(how.utilisation, utilisation)) {
      Broken("service {}: utilisation at {} is given as {:.6g}, but is {:.6g}", service.id, time, how.utilisation,
             utilisation);
    }
    if (!(utilisation < 1.0)) {
      Broken("service {}: utilisation at {} is {:.6g}, not below 1", service.id, time, utilisation);
      return;
    }
    const Seconds latency =
        serving::LatencyPercentile({rate, point.batch, how.replicas, point.latency}, service.percentile);
    if (!Agree(how.latency.count(), latency.count())) {
      Broken("service {}: latency at {} is given as {:.6g} ms, but is {:.6g} ms", service.id, time,
             Milliseconds(how.latency), Milliseconds(latency));
    }
    if (rate > 0.0 && !(latency <= service.latency_slo * (1.0 + kLatencyTolerance))) {
      Broken("service {}: latency at {} is {:.6g} ms, above {:.6g} ms", service.id, time, Milliseconds(latency),
             Milliseconds(service.latency_slo));
    }
  }

  void CheckNodes() {
    for (std::size_t i = 0; i < plan_.nodes_on.size(); ++i) {
      const scenario::Group& group = scenario_.groups[i];
      for (std::size_t slot = 0; slot < scenario_.slots; ++slot) {
        const int on = plan_.nodes_on[i][slot];
        if (on < 0 || on > group.nodes) {
          Broken("group {}: {} nodes are on at {}, not 0 to {}", group.name, on, SlotTime(slot), group.nodes);
        } else if (!limits_.right_sizing && on < group.nodes) {
          Broken("group {}: {} of {} nodes are off at {}, though all must stay on", group.name, group.nodes - on,
                 group.nodes, SlotTime(slot));
        }
      }
    }
  }

  // Every run holds its workers from begin to end, and no node holds more than it has.
  void CheckHolds() {
    std::map<std::pair<std::size_t, int>, std::map<Instant, int>> by_node;
    std::vector<std::map<Instant, int>> by_job(plan_.jobs.size());
    for (const Hold& hold : plan_.holds) {
      if (hold.job >= plan_.jobs.size() || hold.group >= scenario_.groups.size() || hold.node < 0 ||
          hold.node >= scenario_.groups[hold.group].nodes || hold.gpus <= 0) {
        Broken("a hold of {} GPUs at {} names a job or a node that does not exist", hold.gpus,
               FormatInstant(hold.span.begin));
        return;
      }
      for (auto* changes : {&by_node[{hold.group, hold.node}], &by_job[hold.job]}) {
        (*changes)[hold.span.begin] += hold.gpus;
        (*changes)[hold.span.end] -= hold.gpus;
      }
    }
    for (const auto& [where, changes] : by_node) {
      const scenario::Group& group = scenario_.groups[where.first];
      int held = 0;
      for (const auto& [when, change] : changes) {
        held += change;
        if (held <= group.gpus_per_node) continue;
        Broken("group {}: node {} holds {} GPUs at {}, it has {}", group.name, where.second, held, FormatInstant(when),
               group.gpus_per_node);
      }
    }
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i) CheckHoldsOf(i, by_job[i]);
  }

  void CheckHoldsOf(std::size_t index, std::map<Instant, int> changes) {
    const scenario::Job& job = scenario_.jobs[index];
    for (const Segment& s : plan_.jobs[index].segments) {
      const Interval span = s.span.Intersect(scenario_.horizon());
      if (span.empty()) continue;
      changes[span.begin] -= PointOf(job, s).workers;
      changes[span.end] += PointOf(job, s).workers;
    }
    int difference = 0;
    for (const auto& [when, change] : changes) {
      difference += change;
      if (difference == 0) continue;
      Broken("job {}: holds {} GPUs {} than its workers at {}", job.id, std::abs(difference),
             difference > 0 ? "more" : "fewer", FormatInstant(when));
      return;
    }
  }

  void CheckUse() {
    const std::vector<std::vector<SlotUse>> uses = SweepEvents(scenario_, plan_);
    account::Balance total;
    for (std::size_t slot = 0; slot < scenario_.slots; ++slot) {
      Joules it;
      for (std::size_t i = 0; i < uses.size(); ++i) {
        const scenario::Group& group = scenario_.groups[i];
        const SlotUse& use = uses[i][slot];
        const int on = plan_.nodes_on[i][slot];
        if (use.most_gpus > on * group.gpus_per_node) {
          Broken("group {}: {} GPUs are in use at {}, {} nodes that are on have {}", group.name, use.most_gpus,
                 FormatInstant(use.most_at), on, on * group.gpus_per_node);
        }
        it += scenario::ItEnergy(group, use.use);
      }
      const account::Balance balance = account::Settle(it, scenario::SupplyOf(scenario_, slot));
      total += balance;
      const Watts facility = balance.facility / Seconds(scenario_.step);
      if (limits_.facility_cap && facility > *limits_.facility_cap * (1.0 + kTolerance)) {
        Broken("the facility draws {:.6g} kW at {}, above the cap of {:.6g} kW", InKilowatts(facility), SlotTime(slot),
               InKilowatts(*limits_.facility_cap));
      }
    }
    CheckTotals(total);
  }

  void CheckTotals(const account::Balance& total) {
    if (limits_.carbon_budget_kg) {
      const double budget = *limits_.carbon_budget_kg;
      if (InKilograms(total.carbon) > budget + kTolerance * std::abs(budget)) {
        Broken("the plan emits {:.6g} kg CO2e, above the budget of {:.6g} kg", InKilograms(total.carbon), budget);
      }
    }
    if (limits_.performance_floor) {
      const double floor = *limits_.performance_floor;
      const double performance = PerformanceOf(scenario_, plan_);
      if (performance < floor - kTolerance * std::abs(floor)) {
        Broken("performance is {:.6g}, below the floor of {:.6g}", performance, floor);
      }
    }
  }

  const scenario::Scenario& scenario_;
  const Limits& limits_;
  const Plan& plan_;
  std::unordered_map<std::string, TrainingTable> tables_;  // by model
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> Violations(const scenario::Scenario& scenario, const Limits& limits, const Plan& plan) {
  return Referee(scenario, limits, plan).Judge();
}

}  // namespace heliostat::plan
