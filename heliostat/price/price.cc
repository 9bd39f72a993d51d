#include "heliostat/price/price.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "heliostat/plan/check.h"
#include "heliostat/price/improve.h"
#include "heliostat/price/master.h"
#include "heliostat/price/to_plan.h"

namespace heliostat::price {

struct Memory::Content {};
Memory::Memory() = default;
Memory::~Memory() = default;
Memory::Memory(const Memory&) = default;
Memory& Memory::operator=(const Memory&) = default;
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;

namespace {
using Clock = std::chrono::steady_clock;
double Since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }
bool Loud() { return std::getenv("HELIOSTAT_TRACE") != nullptr; }
}  // namespace

plan::Outcome Solve(const plan::Problem& problem, const plan::Effort& effort, Memory*) {
  const auto begun = Clock::now();
  const Expired expired = [&] { return Since(begun) > effort.time_limit.count(); };
  plan::Outcome outcome;
  const Model model = MakeModel(problem);
  if (Loud()) fprintf(stderr, "model %.3f s\n", Since(begun));
  Prices prices = OpenPrices(model);
  Reply reply = Ask(model, prices, {});
  double bound = reply.bound;
  Prices best = prices;
  if (Loud()) fprintf(stderr, "ask %.3f s bound %.4f\n", Since(begun), bound);
  Master master(model);
  const auto add = [&](const Reply& r) {
    std::vector<const Schedule*> schedules;
    for (const Response& job : r.jobs) schedules.push_back(&job.schedule);
    master.Add(schedules, r.options);
  };
  add(reply);
  for (int i = 0; i < (std::getenv("LP") ? atoi(std::getenv("LP")) : 0) && !expired(); ++i) {
    if (!master.Solve()) break;
    const double t1 = Since(begun);
    const Prices at = best.Mixed(master.prices(), i < 3 ? 1.0 : 0.5);
    Reply next = Ask(model, at, reply.jobs);
    if (next.bound > bound) {
      bound = next.bound;
      best = at;
    }
    if (Loud()) fprintf(stderr, "round %d: lp %.4f (%.3f s) bound %.4f best %.4f (%.3f s)\n", i, master.value(), t1, next.bound, bound, Since(begun));
    add(next);
    reply = std::move(next);
    if (master.value() - bound < 1e-3 * std::abs(bound)) break;
  }
  if (Loud()) {
    double cost[3] = {0, 0, 0}, low[3] = {0, 0, 0};
    for (std::size_t j = 0; j < model.jobs.size(); ++j) {
      const int k = model.jobs[j].resume_s == 0 ? 0 : model.jobs[j].resume_s < 100 ? 1 : 2;
      cost[k] += reply.jobs[j].cost; low[k] += reply.jobs[j].bound;
    }
    for (int k = 0; k < 3; ++k) fprintf(stderr, "resume %d: cost %.3f bound %.3f\n", k * 60, cost[k], low[k]);
  }
  Board board(model);
  Improver improver(board);
  for (std::size_t j = 0; j < model.jobs.size(); ++j) improver.SetLambda(j, reply.jobs[j].lambda);
  Board::Rents rents(model.groups.size(), std::vector<double>(model.slots, 0.0));
  std::vector<double> energy = prices.energy;
  board.Smooth(energy, &rents, 1.0, 0.0);
  improver.Fill(rents, expired);
  const auto ask = [&] {
    Prices at{energy, rents};
    for (std::size_t g = 0; g < rents.size(); ++g)
      for (std::size_t t = 0; t < model.slots; ++t) at.rent[g][t] += energy[t] * model.groups[g].on_kwh / model.groups[g].gpus_per_node;
    Reply r = Ask(model, at, reply.jobs);
    if (Loud()) fprintf(stderr, " bound %.4f", r.bound);
    if (r.bound > bound) { bound = r.bound; best = at; }
    reply = std::move(r);
  };
  const double decay = std::getenv("WD") ? atof(std::getenv("WD")) : 0.7;
  for (double w = 1.0; w > 0.02; w *= decay) {
    board.Smooth(energy, &rents, w, 0.0);
    improver.Sweep(nullptr, expired);
    if (Loud()) fprintf(stderr, "soft %.3f: value %.4f (%.3f s)", w, board.Value(), Since(begun));
    energy = board.EnergyPrices();
    rents = board.Shortage();
    ask();
    if (Loud()) fprintf(stderr, " (%.3f s)\n", Since(begun));
  }
  if (std::getenv("AVG")) {
    const double w = atof(std::getenv("AVG"));
    std::vector<double> me(model.slots, 0.0);
    Board::Rents mr(model.groups.size(), std::vector<double>(model.slots, 0.0));
    for (int i = 1; i <= 12; ++i) {
      board.Smooth(energy, &rents, w, 0.0);
      improver.Sweep(nullptr, expired);
      energy = board.EnergyPrices();
      rents = board.Shortage();
      for (std::size_t t = 0; t < model.slots; ++t) me[t] += (energy[t] - me[t]) / i;
      for (std::size_t g = 0; g < mr.size(); ++g) for (std::size_t t = 0; t < model.slots; ++t) mr[g][t] += (rents[g][t] - mr[g][t]) / i;
      if (i % 3 == 0) {
        std::swap(me, energy); std::swap(mr, rents);
        if (Loud()) fprintf(stderr, "avg %d", i);
        ask();
        if (Loud()) fprintf(stderr, " (%.3f s)\n", Since(begun));
        std::swap(me, energy); std::swap(mr, rents);
      }
    }
    energy = me; rents = mr;
  }
  board.Smooth(energy, nullptr, 0.05, 0.0);
  improver.Evict();
  Board::Rents per_second = rents;
  for (auto& g : per_second) for (auto& x : g) x /= model.step_s;
  const auto homeless = improver.Fill(per_second, expired);
  if (Loud()) fprintf(stderr, "hard: %zu homeless value %.4f (%.3f s)\n", homeless.size(), board.Value(), Since(begun));
  for (double w = 0.1; w > 0.02; w *= 0.7) {
    board.Smooth(energy, nullptr, w, 1.0 - w / 0.1);
    improver.Sweep(&per_second, expired);
    if (Loud()) fprintf(stderr, "smooth %.3f: value %.4f", w, board.Value());
    board.Smooth(energy, nullptr, 0.0, 1.0);
    if (Loud()) fprintf(stderr, " true %.4f (%.3f s)\n", board.Value(), Since(begun));
  }
  for (int i = 0; i < 12; ++i) {
    const double gained = improver.Sweep(nullptr, expired);
    if (Loud()) fprintf(stderr, "sweep %d: value %.4f gap %.3f%% (%.3f s)\n", i, board.Value(), 100 * (board.Value() - bound) / board.Value(), Since(begun));
    if (gained < 1e-4 * std::abs(board.Value())) break;
  }
  if (Loud()) {
    std::vector<double> kwh(model.slots), used(model.slots);
    for (std::size_t t = 0; t < model.slots; ++t) kwh[t] = board.Kwh(t);
    double value = 0, nowake=0, e1=0, e2=0;
    for (std::size_t g = 0; g < model.groups.size(); ++g) for (std::size_t t = 1; t < model.slots; ++t) kwh[t] -= std::max(0, board.NodesOn(g,t)-board.NodesOn(g,t-1))*model.groups[g].wake_kwh;
    for (std::size_t t = 0; t < model.slots; ++t) nowake += model.tariffs[t].Cost(kwh[t]), e1+=kwh[t];
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      std::vector<double> sec(model.slots, 0.0);
      for (std::size_t j = 0; j < model.jobs.size(); ++j) {
        const Schedule& s = board.ScheduleOf(j);
        if (s.pieces.empty() || model.jobs[j].choices[s.choice].group != g) continue;
        for (const Piece& p : s.pieces) sec[p.slot] += (p.end - p.begin) * 1.0 * model.jobs[j].choices[s.choice].levels[p.level].workers / model.step_s;
      }
      for (std::size_t t = 0; t < model.slots; ++t) {
        for (std::size_t s = 0; s < model.services.size(); ++s) { const auto& o = model.services[s][t][board.OptionOf(s, t)]; if (o.group == g) sec[t] += o.replicas; }
        kwh[t] -= (board.NodesOn(g,t) - sec[t]/model.groups[g].gpus_per_node)*model.groups[g].on_kwh;
      }
    }
    for (std::size_t t = 0; t < model.slots; ++t) value += model.tariffs[t].Cost(kwh[t]), e2+=kwh[t];
    fprintf(stderr, "value %.3f without wakes %.3f fractional nodes %.3f kwh %.1f %.1f\n", board.Value(), nowake, value, e1, e2);
    Board b2(model); for (std::size_t j=0;j<model.jobs.size();++j) b2.Put(j, reply.jobs[j].schedule); for (size_t s=0;s<model.services.size();++s) for (size_t t=0;t<model.slots;++t) b2.SetOption(s,t,reply.options[s][t]);
    fprintf(stderr, "last reply as it is: %.3f\n", b2.Value());
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      double on = 0, peak = 0, avg = 0, kept = 0;
      std::vector<double> sec(model.slots, 0.0);
      for (std::size_t j = 0; j < model.jobs.size(); ++j) {
        const Schedule& s = board.ScheduleOf(j);
        if (s.pieces.empty() || model.jobs[j].choices[s.choice].group != g) continue;
        for (const Piece& p : s.pieces) sec[p.slot] += (p.end - p.begin) * 1.0 * model.jobs[j].choices[s.choice].levels[p.level].workers / model.step_s;
      }
      for (std::size_t t = 0; t < model.slots; ++t) {
        on += board.NodesOn(g, t) * model.groups[g].gpus_per_node;
        peak += board.GpusInUse(g, t);
        avg += sec[t];
        for (std::size_t s = 0; s < model.services.size(); ++s) { const auto& o = model.services[s][t][board.OptionOf(s, t)]; if (o.group == g) avg += o.replicas; }
      }
      fprintf(stderr, "group %zu: gpus on %.0f peak %.0f avg %.0f\n", g, on, peak, avg); (void)kept;
    }
  }
  outcome.plan = ToPlan(problem.scenario, board);
  if (Loud()) for (std::size_t g = 0; g < model.groups.size(); ++g) { long a = 0, b = 0; for (std::size_t t = 0; t < model.slots; ++t) a += board.NodesOn(g, t), b += outcome.plan.nodes_on[g][t]; fprintf(stderr, "group %zu node-slots: count %ld plan %ld\n", g, a, b); }
  outcome.score = plan::ScoreOf(problem.scenario, outcome.plan);
  outcome.value = plan::ValueOf(problem.weights, outcome.score);
  outcome.bound = bound;
  outcome.status = plan::Termination::kFeasible;
  if (Loud()) fprintf(stderr, "plan: value %.4f gap %.3f%% (%.3f s)\n", outcome.value, 100 * (outcome.value - bound) / outcome.value, Since(begun));
  if (Loud()) for (const auto& v : plan::Violations(problem.scenario, problem.limits, outcome.plan)) fprintf(stderr, "BROKEN %s\n", v.c_str());
  return outcome;
}

}  // namespace heliostat::price
