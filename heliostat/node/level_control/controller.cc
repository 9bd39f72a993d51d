#include "heliostat/node/level_control/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace heliostat::level_control {
namespace {

constexpr Seconds kUnknownRun{86400.0};  // assumed length of a program of unknown length
constexpr double kMostOfSlack = 0.5;     // of a budget's spare time that one try may cost
constexpr double kMostOfRest = 0.5;      // of what is left of a run that one try may last
constexpr double kWorth = 0.005;         // of the cost: smaller gains are not worth a try
constexpr double kJump = 0.05;           // of the cost: smaller moves wait for the period's end
constexpr double kBudgetJump = 0.10;     // of the cost, for a budget: one period moves a plan of many less
constexpr double kShortestHold = 60.0;   // s: knobs are not turned for less

Status CheckSettings(const Settings& settings) {
  const auto refuse = [](const char* where, std::string what, const char* allowed) {
    return Fail(ErrorCode::kInvalidArgument, where, std::move(what), allowed);
  };
  if (!(settings.eta >= 0.0 && settings.eta <= 1.0)) {
    return refuse("eta", fmt::format("{} is out of range", settings.eta), "0 to 1");
  }
  if (settings.period <= Duration{0}) return refuse("period", "is not above 0", "a duration above 0");
  if (settings.max_slowdown && !(*settings.max_slowdown >= 0.0 && *settings.max_slowdown < 10.0)) {
    return refuse("slowdown", fmt::format("{} is out of range", *settings.max_slowdown), "0 % to 1000 %");
  }
  if (settings.mode == Mode::kBudget && !settings.max_slowdown && !settings.deadline) {
    return refuse("slowdown", "is missing, and so is a deadline", "one of them for a budget");
  }
  if (settings.levels.empty() ||
      std::ranges::adjacent_find(settings.levels, std::greater_equal<>()) != settings.levels.end()) {
    return refuse("levels", "do not ascend", "at least one, each above the one before");
  }
  return {};
}

Duration WholeSeconds(Seconds time) { return Duration{std::max<std::int64_t>(1, std::llround(time.count()))}; }

Seconds TotalOf(const std::vector<Slot>& slots) {
  Seconds total{};
  for (const Slot& slot : slots) total += slot.length;
  return total;
}

}  // namespace

Result<Controller> Controller::Make(Settings settings, SpeedProfile profile) {
  if (const Status bad = CheckSettings(settings); !bad) return Propagate(bad);
  return Controller(std::move(settings), std::move(profile), {});
}

Result<Controller> Controller::MakeKnown(Settings settings, std::vector<LevelOption> options) {
  settings.levels.clear();
  for (const LevelOption& option : options) {
    if (!(option.speed > 0.0) || !(option.power.value >= 0.0)) {
      return Fail(ErrorCode::kInvalidArgument, "options", fmt::format("level {} has no speed", option.level),
                  "speeds above 0");
    }
    settings.levels.push_back(option.level);
  }
  if (const Status bad = CheckSettings(settings); !bad) return Propagate(bad);
  return Controller(std::move(settings), std::nullopt, std::move(options));
}

LevelDecision Controller::Decide(const Situation& situation) {
  Learn(situation.stretches);
  const std::vector<LevelOption> options = Options();
  const auto choose = [&]() -> LevelDecision {
    if (situation.ahead.empty()) return AtDefault(situation, "nothing is known of the time ahead: the default level");
    if (auto probe = Probe(situation, options)) return *std::move(probe);
    if (options.empty()) return AtDefault(situation, "no speed was measured yet: the default level");
    return settings_.mode == Mode::kEta ? ByEta(situation, options) : ByBudget(situation, options);
  };
  last_ = choose();
  decided_cost_ = situation.present.value_or(situation.ahead.empty() ? 0.0 : situation.ahead.front().cost_per_joule);
  return *last_;
}

void Controller::Learn(const std::vector<SteadySpell>& stretches) {
  if (!profile_) return;
  for (const SteadySpell& stretch : stretches) {
    profile_->AddStretch(stretch);
    if (last_ && last_->is_probe) probing_time_ += stretch.duration;
    // The default level is what the program would run at without Heliostat.
    const bool is_loss = last_ && last_->is_probe && stretch.level < settings_.levels.back();
    if (!is_loss || stretch.duration.count() <= 0.0) continue;
    const auto top = profile_->At(settings_.levels.back());
    if (!top || top->speed <= 0.0) continue;
    const double share = std::clamp(1.0 - stretch.steps / stretch.duration.count() / top->speed, 0.0, 1.0);
    probing_loss_ += stretch.duration * share;
  }
}

bool Controller::CanAfford(double level, Duration length, const Situation& situation,
                           const std::vector<LevelOption>& options) const {
  if (level >= settings_.levels.back()) return true;  // the default costs nothing
  if (options.empty()) return false;
  const WorkProgress& progress = situation.progress;
  const double top = DefaultOf(options).speed;
  const auto known = profile_->At(level);
  // Assumes that speed falls no faster than the level, as it does at useful levels.
  const double share = known ? known->speed / top : level / settings_.levels.back();
  const Seconds loss = Seconds{length} * std::max(0.0, 1.0 - share);
  // A try may use only a part of the budget's spare time.
  const auto target = settings_.mode == Mode::kBudget ? TargetOf(situation, options) : std::nullopt;
  if (target && loss > kMostOfSlack * (target->budget - Seconds{target->work / top})) return false;
  // There must be enough time left to use what is learned.
  if (progress.left && Seconds{length} > kMostOfRest * Seconds{*progress.left / top}) return false;
  const Seconds run = progress.left ? Seconds{(progress.done + *progress.left) / top} : kUnknownRun;
  if (probing_time_ + Seconds{length} > settings_.probing.share * std::max(run, kUnknownRun)) return false;
  return probing_loss_ + loss <= settings_.probing.share * std::max(run, progress.elapsed);
}

std::optional<LevelDecision> Controller::Probe(const Situation& situation,
                                               const std::vector<LevelOption>& options) const {
  if (!profile_) return std::nullopt;
  const auto next = profile_->Next(MeritOf(situation, options));
  if (!next) return std::nullopt;
  const Duration length = profile_->StretchFor(*next);
  if (!CanAfford(*next, length, situation, options)) return std::nullopt;
  LevelDecision decision;
  decision.level = {settings_.knob, *next};
  decision.hold = length;
  decision.is_probe = true;
  if (const auto known = profile_->At(*next)) {
    decision = With({*next, known->speed, known->power}, options, length);
    decision.is_probe = true;
  }
  decision.why = fmt::format("{} for {} to learn its speed; trying has cost {:.0f} s so far", decision.level.Text(),
                             FormatDuration(length), probing_loss_.count());
  return decision;
}

Merit Controller::MeritOf(const Situation& situation, const std::vector<LevelOption>& options) const {
  const double cost = situation.ahead.front().cost_per_joule;
  if (settings_.mode == Mode::kEta || options.empty()) {
    const EtaCost eta = Cost();
    const double worth =
        options.empty() ? 0.0 : kWorth * std::abs(eta.At(DefaultOf(options).speed, DefaultOf(options).power, cost));
    return {[eta, cost](double speed, Watts power) { return eta.At(speed, power, cost); }, worth};
  }
  double price = 0.0;
  if (const auto target = TargetOf(situation, options)) {
    price = PlanWithin(options, situation.ahead, target->work, target->budget).work_price;
  }
  return {[price, cost](double speed, Watts power) { return power.value * cost - price * speed; },
          kWorth * std::abs(cost) * DefaultOf(options).power.value};
}

std::optional<Controller::Target> Controller::TargetOf(const Situation& situation,
                                                       const std::vector<LevelOption>& options) const {
  const WorkProgress& progress = situation.progress;
  const double usual = DefaultOf(options).speed;
  if (!progress.left) {
    // Without a known end, the slowdown is kept over the work done so far and the forecast time; a deadline cannot be.
    if (!settings_.max_slowdown) return std::nullopt;
    const Seconds ahead = TotalOf(situation.ahead);
    const double due = (progress.elapsed + ahead).count() * usual / (1.0 + *settings_.max_slowdown);
    const double slowest = std::ranges::min_element(options, {}, &LevelOption::speed)->speed;
    return Target{std::max(due - progress.done, slowest * ahead.count()), ahead};
  }
  if (*progress.left <= 0.0) return std::nullopt;
  Target target{*progress.left, Seconds{std::numeric_limits<double>::infinity()}};
  if (settings_.max_slowdown) {
    const double whole = (progress.done + *progress.left) / usual;
    target.budget = Seconds{(1.0 + *settings_.max_slowdown) * whole} - progress.elapsed;
  }
  if (settings_.deadline) {
    const Seconds until{*settings_.deadline - situation.now};
    target.budget = std::min(target.budget, until * (1.0 - progress.aside_share));
  }
  return target;
}

LevelDecision Controller::ByEta(const Situation& situation, const std::vector<LevelOption>& options) const {
  const Slot& slot = situation.ahead.front();
  const LevelOption& chosen = options[ChooseByEta(options, Cost(), slot.cost_per_joule)];
  LevelDecision decision = With(chosen, options, std::min(WholeSeconds(slot.length), settings_.period));
  decision.why = fmt::format(
      "{} expected, {} the most of the day before: {} is cheapest by eta {:.2f}, {:.1f} % of the "
      "default's speed for {:.0f} W",
      CostText(slot.cost_per_joule), CostText(settings_.highest_cost), decision.level.Text(), settings_.eta,
      100.0 * chosen.speed / DefaultOf(options).speed, chosen.power.value);
  if (settings_.knob == Knob::kPace && !SavesEnergy(options)) {
    decision.why += "; held back, the same work would take more energy, not less";
  } else if (profile_ && profile_->IsInputBound()) {
    decision.why += "; it waits for input, so that the level hardly matters to its speed";
  }
  return decision;
}

LevelDecision Controller::ByBudget(const Situation& situation, const std::vector<LevelOption>& options) const {
  const Slot& slot = situation.ahead.front();
  const Duration period = std::min(WholeSeconds(slot.length), settings_.period);
  const auto target = TargetOf(situation, options);
  const LevelOption& fastest = options[FastestOf(options)];
  if (!target) {
    LevelDecision decision = With(fastest, options, period);
    decision.why =
        fmt::format("{}: {} is the fastest",
                    situation.progress.left ? "the work is done" : "the work left before the deadline is not known",
                    decision.level.Text());
    return decision;
  }
  const BudgetPlan plan = PlanWithin(options, situation.ahead, target->work, target->budget);
  if (!plan.is_feasible) {
    LevelDecision decision = With(fastest, options, period);
    decision.is_feasible = false;
    decision.finish = plan.takes;
    decision.why = fmt::format(
        "{:.0f} min of work are left and only {:.0f} min of time: cannot be kept, so {}, the "
        "fastest",
        plan.takes.count() / 60.0, target->budget.count() / 60.0, decision.level.Text());
    return decision;
  }
  // The faster part comes first: an error of the forecast then leaves time to spare.
  const std::vector<Share>& shares = plan.slots.front();
  Share first = shares.front();
  if (shares.size() > 1 && shares.back().time.count() < kShortestHold) first.time += shares.back().time;
  if (first.time.count() < kShortestHold) first.time = std::min(Seconds{kShortestHold}, slot.length);
  const LevelOption& chosen = options[first.option];
  LevelDecision decision =
      With(chosen, options,
           std::min(period, Duration{std::max<std::int64_t>(1, std::llround(std::ceil(first.time.count())))}));
  decision.finish = plan.takes;
  decision.why = fmt::format(
      "{} now: {} is part of the cheapest way to be done in {:.0f} of {:.0f} min, {:.1f} % of the "
      "default's speed for {:.0f} W",
      CostText(slot.cost_per_joule), decision.level.Text(), plan.takes.count() / 60.0, target->budget.count() / 60.0,
      100.0 * chosen.speed / DefaultOf(options).speed, chosen.power.value);
  if (settings_.knob == Knob::kPace && chosen == fastest) {
    decision.why += "; holding it back now would cost more than it saves later";
  }
  return decision;
}

LevelDecision Controller::AtDefault(const Situation& situation, std::string why) const {
  LevelDecision decision;
  decision.level = {settings_.knob, settings_.levels.back()};
  decision.hold = situation.ahead.empty() ? settings_.period
                                          : std::min(settings_.period, WholeSeconds(situation.ahead.front().length));
  decision.why = std::move(why);
  return decision;
}

LevelDecision Controller::With(const LevelOption& option, const std::vector<LevelOption>& options,
                               Duration hold) const {
  LevelDecision decision;
  decision.level = {settings_.knob, option.level};
  decision.hold = hold;
  decision.speed = option.speed;
  decision.power = option.power;
  if (!options.empty() && option.speed > 0.0) {
    const LevelOption& usual = DefaultOf(options);
    decision.saving = 1.0 - (option.power.value / option.speed) / (usual.power.value / usual.speed);
  }
  return decision;
}

std::string Controller::CostText(double cost_per_joule) const {
  return fmt::format("{:.3g} {}", cost_per_joule * kJoulesPerKwh, settings_.cost_unit);
}

bool Controller::IsJump(double cost_per_joule) const {
  if (!last_ || last_->is_probe) return false;
  const double moved = std::abs(cost_per_joule - decided_cost_);
  const bool is_budget = settings_.mode == Mode::kBudget;
  if (moved <= (is_budget ? kBudgetJump : kJump) * std::abs(decided_cost_)) return false;
  const std::vector<LevelOption> options = Options();
  if (is_budget || options.empty()) return is_budget;
  return options[ChooseByEta(options, Cost(), cost_per_joule)].level != last_->level.value;
}

}  // namespace heliostat::level_control
