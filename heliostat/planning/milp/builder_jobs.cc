// The part of the programme for jobs.
#include <algorithm>
#include <cmath>

#include "heliostat/planning/milp/builder.h"

namespace heliostat::milp {
namespace {

double Hours(Duration d) { return Seconds(d).count() / kHour; }

void Append(const std::vector<PointColumn>& columns, double factor, std::vector<Term>& terms) {
  for (const PointColumn& column : columns) terms.push_back({column.column, factor});
}

}  // namespace

bool Builder::AddJobs() {
  for (std::size_t job = 0; job < scenario_.jobs.size(); ++job) {
    if (!AddJob(job)) return false;
  }
  return true;
}

bool Builder::AddJob(std::size_t job) {
  JobColumns columns;
  columns.required = IsRequired(problem_, scenario_.jobs[job]);
  std::vector<Term> chosen;
  for (std::size_t group = 0; group < scenario_.groups.size(); ++group) {
    GroupColumns where = AddGroup(job, group, columns.required);
    if (where.slots.empty()) continue;
    chosen.push_back({where.chosen, 1.0});
    columns.groups.push_back(std::move(where));
  }
  if (columns.groups.empty() && columns.required) return false;
  for (const GroupColumns& where : columns.groups) {
    const auto& points = scenario_.training.Of(scenario_.jobs[job].model, scenario_.groups[where.group].gpu);
    for (const SlotColumns& when : where.slots) {
      for (const WorkerColumns& how : when.workers) {
        for (const PointColumn& column : how.useful) {
          const double rate = points[column.point].samples_per_s;
          columns.done.push_back({column.column, rate * kHour / scenario_.jobs[job].samples});
        }
      }
    }
  }
  if (!chosen.empty()) {
    programme_.linear.AddRow(columns.required ? 1.0 : 0.0, 1.0, chosen);
    AddDone(columns);
  }
  AddJobPerformance(job, columns);
  programme_.jobs.push_back(std::move(columns));
  return true;
}

// More than all samples is allowed where it gains nothing. The range of the row must not be as narrow as the tolerance:
// CLP's presolve turns such a row into one without a solution.
void Builder::AddDone(const JobColumns& columns) {
  const bool early_counts = performance_counts() && scenario_.performance == scenario::Performance::kHeadroom;
  const double most = columns.required && !early_counts ? kUnlimited : 1.0;
  const double least = columns.required ? (early_counts ? 1.0 : kDone) : 0.0;
  programme_.linear.AddRow(least, most, columns.done);
}

GroupColumns Builder::AddGroup(std::size_t job, std::size_t group, bool required) {
  const scenario::Job& who = scenario_.jobs[job];
  GroupColumns where;
  where.group = group;
  const auto [first, last] = SlotsOf(scenario_, who);
  const std::vector<WorkerChoice> choices = WorkerChoices(scenario_, who, group, slower_too_ || !who.preemptible);
  if (choices.empty() || first == last) return where;
  where.chosen = programme_.linear.AddColumn({0.0, 1.0, 0.0, true});
  for (std::size_t slot = first; slot < last; ++slot) where.slots.push_back(AddSlot(job, where, slot, choices));
  if (who.resume > Duration{}) AddStarts(job, where);
  if (required && who.resume > Duration{}) {
    // A job that runs has begun once. For integers this follows from the rows of starts; it makes fractional solutions
    // more expensive.
    std::vector<Term> terms{{where.chosen, -Hours(who.resume)}};
    for (const SlotColumns& when : where.slots) {
      for (const WorkerColumns& how : when.workers) Append(how.lost, 1.0, terms);
    }
    programme_.linear.AddRow(0.0, kUnlimited, std::move(terms));
  }
  if (!who.preemptible) AddPiece(where);
  return where;
}

SlotColumns Builder::AddSlot(std::size_t job, const GroupColumns& where, std::size_t slot,
                             const std::vector<WorkerChoice>& choices) {
  SlotColumns when;
  when.slot = slot;
  when.available = scenario_.SlotSpan(slot).Intersect(scenario_.WindowOf(scenario_.jobs[job]));
  std::vector<Term> running{{where.chosen, -Hours(when.available.length())}};
  for (const WorkerChoice& choice : choices) {
    when.workers.push_back(AddWorkers(job, where, when, choice));
    Append(when.workers.back().useful, 1.0, running);
    Append(when.workers.back().lost, 1.0, running);
  }
  programme_.linear.AddRow(-kUnlimited, 0.0, std::move(running));
  return when;
}

WorkerColumns Builder::AddWorkers(std::size_t job, const GroupColumns& where, const SlotColumns& when,
                                  const WorkerChoice& choice) {
  const scenario::Job& who = scenario_.jobs[job];
  const scenario::Group& group = scenario_.groups[where.group];
  const auto& points = scenario_.training.Of(who.model, group.gpu);
  const double hours = Hours(when.available.length());
  WorkerColumns how;
  how.workers = choice.workers;
  const auto add = [&](std::size_t point) {
    const int column = programme_.linear.AddColumn({0.0, hours, 0.0, false});
    const double extra_kw = InKilowatts(points[point].power - group.gpu_idle * choice.workers);
    EnergyOf(when.slot).push_back({column, extra_kw});
    GpuHoursOf(where.group, when.slot).push_back({column, static_cast<double>(choice.workers)});
    return PointColumn{point, column};
  };
  for (const std::size_t point : choice.points) how.useful.push_back(add(point));
  const bool saves_idling = points[choice.lowest].power < group.gpu_idle * choice.workers;
  if (who.resume > Duration{} || !who.preemptible || saves_idling) how.lost.push_back(add(choice.lowest));
  if (EnergyMayPay(problem_, when.slot)) how.lost.push_back(add(choice.highest));
  if (!CountsUse(who, choice.workers, group)) return how;

  how.used = programme_.linear.AddColumn({0.0, 1.0, 0.0, true});
  std::vector<Term> working{{how.used, -hours}};
  Append(how.useful, 1.0, working);
  programme_.linear.AddRow(-kUnlimited, 0.0, std::move(working));
  const int nodes = (choice.workers + group.gpus_per_node - 1) / group.gpus_per_node;
  presences_[where.group][when.slot].push_back({{how.used, static_cast<double>(nodes)}});
  if (!who.preemptible) how.begun = programme_.linear.AddColumn({0.0, 1.0, 0.0, false});
  return how;
}

// Progress in a slot after none in the slot before: the time to resume is lost in that slot or in the slots before it
// into which it reaches.
void Builder::AddStarts(std::size_t job, const GroupColumns& where) {
  const Duration resume = scenario_.jobs[job].resume;
  const auto reach = static_cast<std::size_t>((resume + scenario_.step - Duration{1}) / scenario_.step);
  for (std::size_t i = 0; i < where.slots.size(); ++i) {
    for (std::size_t w = 0; w < where.slots[i].workers.size(); ++w) {
      std::vector<Term> terms{{where.slots[i].workers[w].used, -Hours(resume)}};
      if (i > 0) terms.push_back({where.slots[i - 1].workers[w].used, Hours(resume)});
      for (std::size_t k = i - std::min(i, reach); k <= i; ++k) Append(where.slots[k].workers[w].lost, 1.0, terms);
      programme_.linear.AddRow(0.0, kUnlimited, std::move(terms));
    }
  }
}

// A job that is not preemptible begins once and fills every slot between two in which it makes progress.
void Builder::AddPiece(const GroupColumns& where) {
  std::vector<Term> starts{{where.chosen, -1.0}};
  for (std::size_t i = 0; i < where.slots.size(); ++i) {
    for (std::size_t w = 0; w < where.slots[i].workers.size(); ++w) {
      const WorkerColumns& how = where.slots[i].workers[w];
      std::vector<Term> begin{{how.begun, 1.0}, {how.used, -1.0}};
      if (i > 0) begin.push_back({where.slots[i - 1].workers[w].used, 1.0});
      programme_.linear.AddRow(0.0, kUnlimited, std::move(begin));
      starts.push_back({how.begun, 1.0});
      if (i == 0 || i + 1 == where.slots.size()) continue;
      const double hours = Hours(where.slots[i].available.length());
      std::vector<Term> filled{{where.slots[i - 1].workers[w].used, -hours},
                               {where.slots[i + 1].workers[w].used, -hours}};
      Append(how.useful, 1.0, filled);
      Append(how.lost, 1.0, filled);
      programme_.linear.AddRow(-hours, kUnlimited, std::move(filled));
    }
  }
  programme_.linear.AddRow(-kUnlimited, 0.0, std::move(starts));
}

void Builder::AddJobPerformance(std::size_t job, const JobColumns& columns) {
  if (!performance_counts()) return;
  if (scenario_.performance == scenario::Performance::kHeadroom) return AddJobHeadroom(job, columns);
  const scenario::Job& who = scenario_.jobs[job];
  const double reference = scenario_.ReferenceSamplesPerS(who.model);
  if (reference <= 0.0) return;
  const double gpu_hours = who.samples / reference / kHour;
  if (columns.required) {
    performance_constant_ += gpu_hours;
    return;
  }
  for (const Term& term : columns.done) AddPerformance(term.column, gpu_hours * term.factor);
}

// Within a slot, earlier work is worth more. With all of the job's work at the begin of the slot, the worth is a
// concave function of the work. Three tangents replace it; no plan exceeds them.
void Builder::AddJobHeadroom(std::size_t job, const JobColumns& columns) {
  const scenario::Job& who = scenario_.jobs[job];
  if (columns.groups.empty()) return;
  const Interval window{who.submit, who.deadline.value_or(scenario_.end())};
  const double window_h = Hours(window.length());
  if (window_h <= 0.0) return;
  const double members = static_cast<double>(scenario_.jobs.size() + scenario_.services.size());
  double fastest = 0.0;  // shares of the job per hour
  for (const Term& term : columns.done) fastest = std::max(fastest, term.factor);
  std::size_t next = 0;
  std::vector<std::vector<Term>> done(scenario_.slots);
  for (const GroupColumns& where : columns.groups) {
    for (const SlotColumns& when : where.slots) {
      for (const WorkerColumns& how : when.workers) {
        for (std::size_t i = 0; i < how.useful.size(); ++i) done[when.slot].push_back(columns.done[next++]);
      }
    }
  }
  for (const SlotColumns& when : columns.groups.front().slots) {
    const int worth = programme_.linear.AddColumn({0.0, 1.0, 0.0, false});
    AddPerformance(worth, 1.0 / members);
    for (const double part : {0.0, 0.5, 1.0}) {
      const double at_h = part * Hours(when.available.length());
      const double left = (Hours(window.end - when.available.begin) - at_h) / window_h;
      std::vector<Term> terms{{worth, 1.0}};
      for (const Term& term : done[when.slot]) terms.push_back({term.column, -left * term.factor});
      programme_.linear.AddRow(-kUnlimited, fastest * at_h * at_h / (2.0 * window_h), std::move(terms));
    }
  }
}

}  // namespace heliostat::milp
