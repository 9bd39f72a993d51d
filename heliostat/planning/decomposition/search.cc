#include "heliostat/planning/decomposition/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace heliostat::decomposition {
namespace {

constexpr std::array kColdWidths{0.3, 0.15, 0.08, 0.04, 0.02};
constexpr std::array kWarmWidths{0.08, 0.04, 0.02};
constexpr std::array kMendingWidths{0.04};
// From kManyJobs jobs on, a round has kBlocks blocks. With larger blocks, jobs crowd the same slots and prices settle
// slowly.
constexpr std::size_t kManyJobs = 4000;
constexpr std::size_t kBlocks = 1000;
constexpr int kOthers = 2;  // the most plans on the way to the last one that are placed as well
// A round of improvement takes out a few jobs kTriesPerJob times per job, at most kManyTries times or once per job.
constexpr int kTriesPerJob = 20;
constexpr int kManyTries = 400;
constexpr std::uint64_t kSeed = 1;
constexpr std::array kRetryWidths{0.05, 0.3, 1.0};
// Shares of the rent to try in slots where jobs fit on the nodes of the services.
constexpr std::array kRentShares{0.0, 0.5};
// ProveShortage() tries the prices found (0), and equal prices in all slots whose price is above this share of the
// highest.
constexpr std::array kFlatShares{0.0, 0.3, 0.05};
constexpr double kShortSlot = 0.5;    // share of the highest price from which why() names a slot as short of GPUs
constexpr double kNoShortage = 1e-6;  // GPU-slots per slot
constexpr double kSameValue = 1e-9;   // a smaller difference, as a share, is rounding

// Whether prices for `a` can be used for `b`. The unit of prices depends on these weights; the weight of performance
// only shifts them.
bool PriceAlike(const plan::Weights& a, const plan::Weights& b) {
  return a.carbon_kg == b.carbon_kg && a.cost == b.cost && a.energy_kwh == b.energy_kwh &&
         (a.performance > 0.0) == (b.performance > 0.0);
}

void MoveTowards(std::vector<double>& mean, const std::vector<double>& next, double share) {
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += share * (next[i] - mean[i]);
}

}  // namespace

SearchSchedule SearchSchedule::Cold() { return {.sweep_widths = kColdWidths}; }
SearchSchedule SearchSchedule::Warm() { return {.rounds = 2, .rounds_known = 24, .sweep_widths = kWarmWidths}; }
SearchSchedule SearchSchedule::Mend() {
  return {.rounds = 1, .rounds_known = 24, .sweep_widths = kMendingWidths, .last_sweeps = 2};
}

Search::Search(const plan::Problem& problem, const Model& model, const plan::Effort& effort,
               const SearchMemory::Content* begin)
    : problem_(problem),
      model_(model),
      until_(Clock::now() + std::chrono::duration_cast<Clock::duration>(effort.time_limit)),
      rounds_allowed_(effort.rounds),
      gap_(effort.gap),
      proof_(effort.proof),
      threads_(effort.threads),
      draft_(model),
      improver_(draft_, effort.threads),
      neighbours_(draft_, improver_, kSeed),
      energy_(OpenPrices(model).energy),
      shortage_(model.groups.size(), std::vector<double>(model.slots, 0.0)) {
  Begin(begin);
}

void Search::Begin(const SearchMemory::Content* begin) {
  const bool fits =
      begin != nullptr && begin->step == problem_.scenario.step && PriceAlike(begin->weights, problem_.weights);
  warm_ = fits && Recall(problem_.scenario, *begin, energy_, shortage_);
  schedule_ = !warm_ ? SearchSchedule::Cold() : IsLight() ? SearchSchedule::Mend() : SearchSchedule::Warm();
  mean_energy_ = energy_;
  mean_shortage_ = shortage_;
  replies_.resize(model_.jobs.size());
  if (!fits) return;
  for (std::size_t j = 0; j < model_.jobs.size(); ++j) {
    former_.push_back(Recall(problem_.scenario, model_, j, *begin));
  }
  if (std::ranges::all_of(former_, [](const Schedule& schedule) { return schedule.pieces.empty(); })) former_.clear();
  if (!warm_) return;
  for (std::size_t j = 0; j < model_.jobs.size(); ++j) {
    const auto known = begin->jobs.find(problem_.scenario.jobs[j].id);
    if (known == begin->jobs.end()) continue;
    replies_[j].lambda = known->second.lambda;
    improver_.SetLambda(j, known->second.lambda);
  }
  draft_.Smooth(energy_, &shortage_, schedule_.price_width, 0.0);
  for (std::size_t j = 0; j < former_.size(); ++j) {
    if (!former_[j].pieces.empty()) draft_.Put(j, former_[j]);
  }
}

// Returns to the schedules from memory, with the new jobs added, if that is better.
void Search::TryFormer() {
  if (former_.empty()) return;
  const double value = draft_.Value();
  const DraftPlan::Content found = draft_.content();
  draft_.SetContent({former_, found.options});
  improver_.Evict();
  const DraftPlan::Rents none(model_.groups.size(), std::vector<double>(model_.slots, 0.0));
  const std::vector<std::size_t> homeless = improver_.Fill(none, [this] { return Expired(); });
  const bool is_whole = homeless.empty() && draft_.Fits();
  if (is_whole && proof_) others_.push_back(draft_.content());
  if (is_whole && draft_.Value() <= value + kSameValue * std::abs(value)) {
    continued_ = {draft_.content(), draft_.Value()};
  } else {
    draft_.SetContent(found);
  }
}

// Without a gain, the plan stays as it was.
void Search::KeepContinued() {
  if (continued_ && draft_.Value() >= continued_->value - kSameValue * std::abs(continued_->value)) {
    draft_.SetContent(continued_->content);
  }
}

Prices Search::PricesNow() const {
  Prices prices{mean_energy_, mean_shortage_};
  for (std::size_t g = 0; g < prices.rent.size(); ++g) {
    const GroupModel& group = model_.groups[g];
    for (std::size_t t = 0; t < model_.slots && model_.right_sizing; ++t) {
      prices.rent[g][t] += std::max(0.0, prices.energy[t] * group.on_kwh / group.gpus_per_node);
    }
  }
  return prices;
}

void Search::AskBound() {
  Reply reply = Ask(model_, PricesNow(), replies_, threads_);
  for (std::size_t j = 0; j < reply.jobs.size(); ++j) {
    if (reply.jobs[j].feasible) continue;
    unplaced_.push_back(j);
    if (infeasible_) continue;
    infeasible_ = true;
    why_ = fmt::format("job {} cannot be done within its window", problem_.scenario.jobs[j].id);
  }
  bound_ = std::max(bound_, reply.bound);
  replies_ = std::move(reply.jobs);
}

// Where jobs fit on the nodes of the services, their GPUs need no further node: tries lower rents there.
void Search::AskBoundOfSmall() {
  if (model_.services.empty() || !model_.right_sizing) return;
  for (const double share : kRentShares) {
    Prices prices = PricesNow();
    for (std::size_t g = 0; g < model_.groups.size(); ++g) {
      const GroupModel& group = model_.groups[g];
      for (std::size_t t = 0; t < model_.slots; ++t) {
        int replicas = 0;
        for (std::size_t s = 0; s < model_.services.size(); ++s) {
          const std::size_t chosen = draft_.OptionOf(s, t);
          if (chosen == kNoOption) continue;
          const serving::ServingOption& way = model_.services[s][t][chosen];
          replicas += way.group == g ? way.replicas : 0;
        }
        const int nodes = (replicas + group.gpus_per_node - 1) / group.gpus_per_node;
        if (draft_.GpusInUse(g, t) <= nodes * group.gpus_per_node) prices.rent[g][t] *= share;
      }
    }
    const Reply reply = Ask(model_, prices, replies_, threads_);
    bound_ = std::max(bound_, BoundWithServiceNodes(model_, prices, reply.jobs));
  }
}

void Search::Round(double width) {
  draft_.Smooth(energy_, &shortage_, width, 0.0);
  const auto expired = [this] { return Expired(); };
  if (model_.jobs.size() < kManyJobs) {
    improver_.Sweep(nullptr, expired);
  } else {
    improver_.SweepInBlocks(model_.jobs.size() / kBlocks, expired);
  }
  energy_ = draft_.EnergyPrices();
  shortage_ = draft_.Shortage();
  // Later rounds are better, so the weight of a round is its number.
  const double weight = ++rounds_;
  weight_ += weight;
  MoveTowards(mean_energy_, energy_, weight / weight_);
  for (std::size_t g = 0; g < shortage_.size(); ++g) {
    MoveTowards(mean_shortage_[g], shortage_[g], weight / weight_);
  }
}

// The scale of gaps and gains. The value alone may be near 0 when performance counts against carbon.
double Search::Scale() const {
  const double value = std::abs(draft_.Value());
  double performance = model_.certain_worth;
  for (std::size_t j = 0; j < model_.jobs.size(); ++j) {
    performance += WorthOf(model_.jobs[j], draft_.ScheduleOf(j), model_.step_s);
  }
  return std::max(value, model_.performance_weight * performance);
}

void Search::FindPrices() {
  if (!IsLight()) {
    AskBound();
    if (infeasible_) return;
    for (std::size_t j = 0; j < replies_.size(); ++j) improver_.SetLambda(j, replies_[j].lambda);
  }
  // Prices from memory count as many rounds, so new rounds change them only a little.
  rounds_ = schedule_.rounds_known;
  weight_ = 0.5 * rounds_ * (rounds_ + 1);
  draft_.Smooth(energy_, &shortage_, schedule_.price_width, 0.0);
  improver_.Fill(shortage_, [this] { return Expired(); });
  const int most = schedule_.rounds;
  double before = bound_;
  for (int i = 1; i <= most && MayBegin(); ++i) {
    Round(schedule_.price_width);
    if (i % schedule_.rounds_between_bounds != 0 && i != most) continue;
    if (IsLight()) break;
    AskBound();
    draft_.Smooth(energy_, &shortage_, 0.0, 0.0);
    const double scale = Scale();
    if (bound_ - before < std::max(gap_, schedule_.least_bound_gain) * scale && i > schedule_.rounds_between_bounds)
      break;
    before = bound_;
  }
}

bool Search::FindPlan() {
  const auto expired = [this] { return Expired(); };
  DraftPlan::Rents scarcity = mean_shortage_;
  for (auto& group : scarcity) {
    for (double& rent : group) rent /= model_.step_s;
  }
  // Under a power cap, nodes must count as whole nodes from the beginning.
  const double least_whole = model_.capped ? 1.0 : 0.0;
  draft_.Smooth(mean_energy_, nullptr, schedule_.fill_width, least_whole);
  improver_.Evict();
  // Without this step there is no plan, so only the clock may end it early, not the rounds.
  const auto filling_expired = [this] { return rounds_allowed_ == nullptr && Expired(); };
  std::vector<std::size_t> homeless = improver_.Fill(scarcity, filling_expired);
  // What stands in the way may be the schedules and prices of the rounds, or jobs that crowd the cheapest slots: begins
  // with nothing, and spreads the jobs more and more.
  for (const double width : kRetryWidths) {
    if (homeless.empty() && draft_.Fits()) break;
    for (std::size_t j = 0; j < model_.jobs.size(); ++j) {
      draft_.Remove(j);
      improver_.SetLambda(j, 0.0);
    }
    draft_.Smooth(mean_energy_, nullptr, width, least_whole);
    homeless = improver_.Fill(scarcity, filling_expired);
  }
  if (!homeless.empty() || !draft_.Fits()) {
    unplaced_ = homeless;
    infeasible_ = ProveShortage();
    const std::string who = homeless.empty() ? "a service" : "job " + problem_.scenario.jobs[homeless.front()].id;
    if (why_.empty()) why_ = who + (model_.capped ? " does not fit under the power cap" : " found no free GPUs");
    return false;
  }
  for (const double width : schedule_.sweep_widths) {
    if (!MayBegin()) break;
    draft_.Smooth(mean_energy_, nullptr, width, std::max(least_whole, 1.0 - width / schedule_.whole_width));
    improver_.Sweep(&scarcity, expired);
  }
  draft_.Smooth(mean_energy_, nullptr, 0.0, 1.0);
  TryFormer();
  const double least_gain = std::max(schedule_.least_sweep_gain, schedule_.least_sweep_share * gap_);
  for (int i = 0; i < schedule_.last_sweeps && MayBegin(); ++i) {
    if (proof_ && i < kOthers) others_.push_back(draft_.content());
    if (improver_.Sweep(nullptr, expired) < least_gain * Scale()) break;
  }
  KeepContinued();
  int nodes = 0;
  for (const GroupModel& group : model_.groups) nodes += group.nodes;
  if (nodes <= schedule_.small_nodes && proof_ && !Expired()) AskBoundOfSmall();
  return true;
}

bool Search::ImproveFurther(plan::Rounds& rounds) {
  if (!MayBegin() || !rounds.Begin()) return false;
  const int jobs = static_cast<int>(model_.jobs.size());
  const int tries = std::max(jobs, std::min(kManyTries, kTriesPerJob * jobs));
  neighbours_.Try(tries, [this] { return Expired(); });
  return true;
}

// Tries to prove that GPUs are short. With free energy and a price on GPUs only, the bound compares the least need of
// all jobs with the GPUs of the cluster. If the need is larger at any prices, no plan exists.
bool Search::ProveShortage() {
  Model hungry = model_;
  hungry.performance_weight = 0.0;
  hungry.right_sizing = false;
  for (SlotTariff& tariff : hungry.tariffs) tariff.cheap = tariff.dear = 0.0;
  double most = 0.0;
  for (const auto& group : mean_shortage_) {
    for (const double rent : group) most = std::max(most, rent);
  }
  if (most <= 0.0) return false;
  for (const double flat : kFlatShares) {
    Prices prices{std::vector<double>(model_.slots, 0.0), mean_shortage_};
    std::size_t first = model_.slots;
    std::size_t last = 0;
    for (auto& group : prices.rent) {
      for (std::size_t t = 0; t < model_.slots; ++t) {
        group[t] = flat > 0.0 ? (group[t] > flat * most ? 1.0 : 0.0) : group[t] / most;
        if (group[t] < kShortSlot) continue;
        first = std::min(first, t);
        last = std::max(last, t);
      }
    }
    const double missing = Ask(hungry, prices, {}, threads_).bound;  // GPU-slots, at least
    if (missing <= kNoShortage * static_cast<double>(model_.slots) || first > last) continue;
    why_ = fmt::format(
        "GPUs are short between {} and {}: at least {:.1f} GPU-hours are missing; {:.0f} more GPUs there, or later "
        "deadlines, might be enough",
        FormatInstant(problem_.scenario.SlotSpan(first).begin), FormatInstant(problem_.scenario.SlotSpan(last).end),
        missing * model_.step_s / 3600.0, std::ceil(missing / static_cast<double>(last - first + 1)));
    return true;
  }
  return false;
}

SearchMemory::Content Search::Remember(const plan::Plan& plan) const {
  const scenario::Scenario& scenario = problem_.scenario;
  SearchMemory::Content content;
  content.step = scenario.step;
  content.weights = problem_.weights;
  for (std::size_t t = 0; t < model_.slots; ++t) {
    const Instant at = scenario.SlotSpan(t).begin;
    content.energy[at] = mean_energy_[t];
    for (std::size_t g = 0; g < scenario.groups.size(); ++g) {
      content.shortage[scenario.groups[g].name][at] = mean_shortage_[g][t];
    }
  }
  for (std::size_t j = 0; j < plan.jobs.size(); ++j) {
    content.jobs[scenario.jobs[j].id] = {replies_[j].lambda, plan.jobs[j]};
  }
  return content;
}

}  // namespace heliostat::decomposition
