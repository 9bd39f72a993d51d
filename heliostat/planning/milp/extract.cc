#include "heliostat/planning/milp/extract.h"

#include <algorithm>
#include <cmath>

#include "heliostat/planning/milp/complete.h"
#include "heliostat/planning/milp/draft.h"
#include "heliostat/planning/milp/points.h"
#include "heliostat/planning/milp/polish.h"

namespace heliostat::milp {
namespace {

// A time at one point, in whole seconds.
struct Part {
  std::size_t point = 0;
  Duration length{};
};

// The distance to an integer within the tolerance of solvers.
constexpr double kWholeEnough = 1e-5;

Duration Rounded(Seconds s) { return Duration{std::llround(s.count())}; }

plan::Plan NodesAndServices(const plan::Problem& problem, const Programme& programme,
                            const std::vector<double>& values) {
  const auto at = [&](int column) { return values[static_cast<std::size_t>(column)]; };
  plan::Plan plan = plan::EmptyPlan(problem.scenario);
  for (std::size_t group = 0; group < programme.nodes.size(); ++group) {
    for (std::size_t slot = 0; slot < problem.scenario.slots; ++slot) {
      plan.nodes_on[group][slot] = static_cast<int>(std::ceil(at(programme.nodes[group][slot]) - kWholeEnough));
    }
  }
  for (std::size_t service = 0; service < programme.services.size(); ++service) {
    const ServiceColumns& columns = programme.services[service];
    for (std::size_t slot = 0; slot < problem.scenario.slots; ++slot) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < columns.columns[slot].size(); ++i) {
        if (at(columns.columns[slot][i]) > at(columns.columns[slot][best])) best = i;
      }
      const serving::ServingOption& option = columns.options[slot][best];
      plan.services[service].slots[slot] = {option.group, option.point, option.replicas, option.utilisation,
                                            option.latency};
    }
  }
  return plan;
}

// Places the draft of one job.
class Placer {
 public:
  Placer(Layout& layout, std::size_t job, const JobDraft& draft) : layout_(layout), job_(job), draft_(draft) {}

  void Place() {
    const scenario::Job& who = layout_.job(job_);
    if (!who.preemptible) return PlacePiece();
    if (who.resume == Duration{}) {
      for (const Portion& portion : draft_.portions) PlaceLoose(portion);
      return;
    }
    std::size_t first = 0;
    while (first < draft_.portions.size()) {
      std::size_t last = first + 1;
      while (last < draft_.portions.size() && GoesOn(draft_.portions[last - 1], draft_.portions[last])) ++last;
      PlaceRun(first, last);
      first = last;
    }
  }

 private:
  static bool GoesOn(const Portion& a, const Portion& b) { return a.workers == b.workers && a.slot + 1 == b.slot; }

  // For jobs that stop at no cost: wherever GPUs are free, in as many pieces as needed.
  void PlaceLoose(const Portion& portion) {
    for (const Portion::Part& part : portion.useful) {
      Duration left = Rounded(part.length);
      for (const Interval& open : layout_.Openings(job_, draft_.group, portion.available, portion.workers)) {
        const Duration length = std::min(left, open.length());
        layout_.Add(job_, {{open.begin, open.begin + length}, draft_.group, part.point});
        left -= length;
      }
    }
  }

  std::vector<Part> PartsOf(const Portion& portion, Duration lost) const {
    std::vector<Part> parts;
    if (lost > Duration{}) parts.push_back({portion.lowest, lost});
    for (const Portion::Part& part : portion.useful) parts.push_back({part.point, Rounded(part.length)});
    return parts;
  }

  // The same samples spread over the whole slot of the portion, with the least power: two points in turns.
  std::vector<Part> Stretched(const Portion& portion) const {
    const auto& points = layout_.points(job_, draft_.group);
    std::vector<std::size_t> alike;
    for (const std::size_t point : layout_.problem().scenario.PointsFor(layout_.job(job_), draft_.group)) {
      if (points[point].workers == portion.workers) alike.push_back(point);
    }
    const std::vector<std::size_t> hull = UsefulPoints(points, alike, Watts{}, true);
    double samples = 0.0;
    for (const Portion::Part& part : portion.useful) samples += points[part.point].samples_per_s * part.length.count();
    const Duration all = portion.available.length();
    const double pace = samples / Seconds(all).count();
    std::size_t above = 0;
    while (above + 1 < hull.size() && points[hull[above]].samples_per_s < pace) ++above;
    if (above == 0) return {{hull[0], all}};
    const double low = points[hull[above - 1]].samples_per_s;
    const double high = points[hull[above]].samples_per_s;
    const double share = std::clamp((pace - low) / (high - low), 0.0, 1.0);
    const Duration fast = std::min(all, Duration{static_cast<std::int64_t>(std::ceil(share * Seconds(all).count()))});
    return {{hull[above], fast}, {hull[above - 1], all - fast}};
  }

  double EnergyOf(const std::vector<Part>& parts) const {
    double joules = 0.0;
    const Watts idle = layout_.problem().scenario.groups[draft_.group].gpu_idle;
    for (const Part& part : parts) {
      const scenario::TrainingPoint& point = layout_.points(job_, draft_.group)[part.point];
      joules += ((point.power - idle * point.workers) * Seconds(part.length)).value;
    }
    return joules;
  }

  static Duration Total(const std::vector<Part>& parts) {
    Duration sum{};
    for (const Part& part : parts) sum += part.length;
    return sum;
  }

  // The parts one after another from `begin`, at most to `until`.
  void Lay(const std::vector<Part>& parts, Instant begin, Instant until) {
    for (const Part& part : parts) {
      const Instant end = std::min(until, begin + part.length);
      layout_.Add(job_, {{begin, end}, draft_.group, part.point});
      begin = end;
    }
  }

  // A run over several slots ends its first slot, fills those between and begins its last. A slot that the solution
  // leaves partly empty is filled at a lower speed, or the run stops there and resumes, whichever takes less energy.
  void PlaceRun(std::size_t first, std::size_t last) {
    const Duration resume = layout_.job(job_).resume;
    if (last - first == 1) return PlaceSingle(draft_.portions[first], resume);
    std::vector<Part> run = PartsOf(draft_.portions[first], Rounded(draft_.portions[first].lost));
    Instant begin = draft_.portions[first].available.end - std::min(Total(run), Available(first));
    for (std::size_t i = first + 1; i < last; ++i) {
      const Portion& portion = draft_.portions[i];
      std::vector<Part> parts = PartsOf(portion, Rounded(portion.lost));
      const Duration gap = Available(i) - Total(parts);
      bool stops = false;
      if (i + 1 < last && gap > Duration{}) {
        const std::vector<Part> stretched = Stretched(portion);
        stops = gap >= resume && EnergyOf(stretched) > EnergyOf(parts) + EnergyOf({{portion.lowest, resume}});
        if (!stops) parts = stretched;
      }
      run.insert(run.end(), parts.begin(), parts.end());
      if (!stops) continue;
      LayRun(run, begin, first, i + 1);
      run = {{portion.lowest, resume}};
      begin = portion.available.end - resume;
      first = i + 1;
    }
    LayRun(run, begin, first, last);
  }

  Duration Available(std::size_t portion) const { return draft_.portions[portion].available.length(); }

  // Where GPUs are short for the whole run, each portion is placed separately.
  void LayRun(const std::vector<Part>& run, Instant begin, std::size_t first, std::size_t last) {
    const Interval span{begin, std::min(begin + Total(run), draft_.portions[last - 1].available.end)};
    if (CanHold(span, draft_.portions[first].workers)) return Lay(run, span.begin, span.end);
    for (std::size_t i = first; i < last; ++i) PlaceSingle(draft_.portions[i], layout_.job(job_).resume);
  }

  bool CanHold(const Interval& span, int workers) const {
    const std::vector<Interval> open = layout_.Openings(job_, draft_.group, span, workers);
    return open.size() == 1 && open.front() == span;
  }

  void PlaceSingle(const Portion& portion, Duration resume) {
    if (portion.useful.empty()) return;
    const std::vector<Part> parts = PartsOf(portion, resume);
    const Duration wanted = std::min(Total(parts), portion.available.length());
    Interval best{};
    for (const Interval& open : layout_.Openings(job_, draft_.group, portion.available, portion.workers)) {
      if (open.length() > best.length()) best = open;
      if (open.length() < wanted) continue;
      best = open;
      break;
    }
    if (best.length() > resume) Lay(parts, best.begin, std::min(best.end, best.begin + wanted));
  }

  // Without a pause: where the solution has it, else at the nearest time with free GPUs, else with more nodes on.
  // Fractions that do not form one piece are completed later.
  void PlacePiece() {
    const std::vector<Portion>& portions = draft_.portions;
    if (portions.empty()) return;
    for (std::size_t i = 1; i < portions.size(); ++i) {
      if (!GoesOn(portions[i - 1], portions[i])) return;
    }
    std::vector<Part> piece;
    for (std::size_t i = 0; i < portions.size(); ++i) {
      const bool inside = i > 0 && i + 1 < portions.size();
      std::vector<Part> parts = PartsOf(portions[i], Rounded(portions[i].lost));
      if (inside && Total(parts) < Available(i)) parts = Stretched(portions[i]);
      piece.insert(piece.end(), parts.begin(), parts.end());
    }
    const Portion& first = portions.front();
    const Interval window = layout_.problem().scenario.WindowOf(layout_.job(job_));
    const Duration length = std::min(Total(piece), window.length());
    const Duration in_first = std::min(Total(PartsOf(first, Rounded(first.lost))), Available(0));
    Instant begin = std::min(first.available.end - in_first, window.end - length);
    if (!CanHold({begin, begin + length}, first.workers)) begin = NearestStart(begin, length, first.workers, window);
    if (layout_.MakeRoom(draft_.group, {begin, begin + length}, first.workers)) Lay(piece, begin, begin + length);
  }

  Instant NearestStart(Instant wished, Duration length, int workers, const Interval& window) const {
    Instant best = wished;
    Duration nearest = Duration::max();
    for (const Interval& open : layout_.Openings(job_, draft_.group, window, workers)) {
      if (open.length() < length) continue;
      const Instant begin = std::clamp(wished, open.begin, open.end - length);
      const Duration away = begin > wished ? begin - wished : wished - begin;
      if (away < nearest) {
        nearest = away;
        best = begin;
      }
    }
    return best;
  }

  Layout& layout_;
  std::size_t job_;
  const JobDraft& draft_;
};

// The hardest to place first: jobs that are not preemptible, then jobs with a cost of stopping; more workers before
// fewer.
std::vector<std::size_t> Order(const scenario::Scenario& scenario, const std::vector<std::optional<JobDraft>>& drafts) {
  std::vector<std::size_t> order;
  for (std::size_t job = 0; job < drafts.size(); ++job) {
    if (drafts[job]) order.push_back(job);
  }
  const auto ease = [&](std::size_t job) {
    const scenario::Job& who = scenario.jobs[job];
    return !who.preemptible ? 0 : who.resume > Duration{} ? 1 : 2;
  };
  const auto slots = [&](std::size_t job) { return drafts[job]->portions.size(); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ease(a) != ease(b) ? ease(a) < ease(b) : slots(a) > slots(b);
  });
  return order;
}

}  // namespace

plan::Plan Extract(const plan::Problem& problem, const Programme& programme, const std::vector<double>& values) {
  std::vector<double> facility_kwh;
  for (const SlotEnergy& slot : programme.slots)
    facility_kwh.push_back(values[static_cast<std::size_t>(slot.facility)]);
  std::vector<std::optional<JobDraft>> drafts;
  for (std::size_t job = 0; job < programme.jobs.size(); ++job) {
    drafts.push_back(DraftOf(problem, programme, values, job));
  }
  const std::vector<double> worth = WorthOfSlots(problem, facility_kwh);
  Layout layout(problem, NodesAndServices(problem, programme, values), worth);
  const std::vector<std::size_t> order = Order(problem.scenario, drafts);
  for (const std::size_t job : order) Placer(layout, job, *drafts[job]).Place();
  for (const std::size_t job : order) Trim(layout, job, drafts[job]->samples);
  for (const std::size_t job : order) {
    Complete(layout, job, drafts[job]->group, drafts[job]->samples, programme.jobs[job].required);
    Trim(layout, job, drafts[job]->samples);
  }
  plan::Plan plan = layout.Take();
  SetNodes(problem, worth, plan);
  return plan;
}

}  // namespace heliostat::milp
