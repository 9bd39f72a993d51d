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
  for (int i = 0; i < 12 && !expired(); ++i) {
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
  Board board(model);
  Improver improver(board);
  for (std::size_t j = 0; j < model.jobs.size(); ++j) improver.SetLambda(j, reply.jobs[j].lambda);
  const auto scarcity = Scarcity(model, best);
  const auto homeless = improver.Fill(scarcity, expired);
  if (Loud()) fprintf(stderr, "fill: %zu homeless, value %.4f fits %d (%.3f s)\n", homeless.size(), board.Value(), board.Fits(), Since(begun));
  for (int i = 0; i < 12; ++i) {
    const double gained = improver.Sweep(expired);
    if (Loud()) fprintf(stderr, "sweep %d: value %.4f gap %.3f%% (%.3f s)\n", i, board.Value(), 100 * (board.Value() - bound) / board.Value(), Since(begun));
    if (gained < 1e-4 * std::abs(board.Value())) break;
  }
  if (Loud()) {
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
  outcome.score = plan::ScoreOf(problem.scenario, outcome.plan);
  outcome.value = plan::ValueOf(problem.weights, outcome.score);
  outcome.bound = bound;
  outcome.status = plan::Termination::kFeasible;
  if (Loud()) fprintf(stderr, "plan: value %.4f gap %.3f%% (%.3f s)\n", outcome.value, 100 * (outcome.value - bound) / outcome.value, Since(begun));
  if (Loud()) for (const auto& v : plan::Violations(problem.scenario, problem.limits, outcome.plan)) fprintf(stderr, "BROKEN %s\n", v.c_str());
  return outcome;
}

}  // namespace heliostat::price
