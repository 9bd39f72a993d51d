#include "heliostat/planning/decomposition/slot_programme.h"

#include <algorithm>
#include <cmath>

namespace heliostat::decomposition {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// The most slots of a start.
constexpr std::size_t kLongestStart = 250;

// The vertex that earns most per second when a sample is worth `price`. Tries all, because the list is not convex when
// energy may have a negative price.
std::size_t BestVertex(const WorkerLevel& level, const Offer& offer, double price) {
  std::size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t v = 0; v < level.hull.size(); ++v) {
    const Vertex& vertex = level.hull[v];
    if (v > 0 && vertex.watts > offer.most_watts) break;
    const double earned = price * vertex.samples_per_s - offer.per_joule * vertex.watts;
    if (earned > most) {
      most = earned;
      best = v;
    }
  }
  return best;
}

bool Fits(const WorkerLevel& level, const Offer& offer) { return level.hull.front().watts <= offer.most_watts; }
bool IsLimited(const WorkerLevel& level, const Offer& offer) { return level.hull.back().watts > offer.most_watts; }
bool HasTime(const Offer& offer) { return offer.full + offer.first + offer.last + offer.single > 0; }

// Whether `a` is at least as good as `b` in everything.
bool Dominates(const WorkerLevel& level, const Offer& a, const Offer& b) {
  return a.per_joule == b.per_joule && a.per_gpu_second == b.per_gpu_second && a.fixed <= b.fixed &&
         !IsLimited(level, a) && a.full >= b.full && a.first >= b.first && a.last >= b.last && a.single >= b.single;
}

}  // namespace

// The cost per second of resuming.
double SlotProgramme::Burn(const WorkerLevel& level, const Offer& offer) const {
  return offer.per_joule * level.hull.front().watts + offer.per_gpu_second * level.workers;
}

// The seconds lost by a start with this many seconds left in its slot.
double SlotProgramme::LostIn(int seconds) const {
  return relax_ ? std::min<double>(job_->resume_s, seconds) : job_->resume_s;
}

bool SlotProgramme::CanStart(int seconds) const { return seconds > job_->resume_s || (relax_ && seconds > 0); }

// Relaxed, resuming may happen in the slot before, at its prices.
double SlotProgramme::Waste(std::size_t t, std::size_t level, const Offer& offer) const {
  if (!crosses_ || t == 0) return kNever;
  const Offer& earlier = *OffersAt(t - 1, level);
  return job_->resume_s * Burn(LevelAt(level), earlier) + earlier.fixed + offer.fixed;
}

bool SlotProgramme::IsPlain(std::size_t t, const WorkerLevel& level, const Offer& offer) const {
  return offer.full > 0 && offer.first == offer.full && offer.single == offer.full &&
         (offer.last == offer.full || t == 0) && !IsLimited(level, offer);
}

void SlotProgramme::LoadPlane(std::size_t t, std::size_t level, const Offer* offer) {
  const std::size_t i = level * slots_ + t;
  if (offer == nullptr) {
    per_joule_[i] = rent_[i] = full_[i] = start_[i] = 0.0;
    full_cost_[i] = start_cost_[i] = kNever;
    if (crosses_) waste_[i] = kNever;
    return;
  }
  const WorkerLevel& way = LevelAt(level);
  const double lost = LostIn(offer->first);
  per_joule_[i] = offer->per_joule;
  rent_[i] = offer->per_gpu_second * way.workers;
  full_[i] = offer->full;
  full_cost_[i] = offer->fixed;
  const bool starts = CanStart(offer->first);
  start_[i] = starts ? offer->first - lost : 0.0;
  start_cost_[i] = starts ? lost * Burn(way, *offer) + offer->fixed : kNever;
  if (crosses_) waste_[i] = Waste(t, level, *offer);
}

void SlotProgramme::LoadSlot(std::size_t t, std::size_t level) {
  const WorkerLevel& facts = LevelAt(level);
  const Offer* const ways = OffersAt(t, level);
  const auto is_offered = [&](std::size_t k) { return HasTime(ways[k]) && Fits(facts, ways[k]); };
  const auto is_beaten = [&](std::size_t k) {
    return k == 0 && offers_->ways == 2 && is_offered(1) && Dominates(facts, ways[1], ways[0]);
  };
  const Offer* plain = nullptr;
  for (std::size_t k = 0; k < offers_->ways; ++k) {
    if (!is_offered(k)) continue;
    const Visit visit{static_cast<std::uint32_t>(t), static_cast<std::uint8_t>(level), static_cast<std::uint8_t>(k)};
    const double only = -job_->resume_s * Burn(facts, ways[k]) - ways[k].fixed;
    if (ways[k].single >= job_->resume_s && only > resume_only_[t]) {
      resume_only_[t] = only;
      resume_only_offer_[t] = visit;
    }
    if (is_beaten(k)) continue;
    if (plain == nullptr && IsPlain(t, facts, ways[k])) {
      plain = &ways[k];
      way_[level * slots_ + t] = visit.way;
    } else {
      visits_.push_back(visit);
    }
  }
  LoadPlane(t, level, plain);
}

void SlotProgramme::Load(const JobModel& job, const Choice& choice, const Offers& offers, bool relax) {
  job_ = &job;
  choice_ = &choice;
  offers_ = &offers;
  relax_ = relax;
  crosses_ = relax && job.resume_s > 0.0;
  must_go_on_ = job.must_go_on();
  slots_ = job.slot_count;
  levels_ = choice.levels.size();
  for (auto* plane : {&per_joule_, &rent_, &full_, &full_cost_, &start_, &start_cost_, &go_gain_, &start_gain_}) {
    plane->resize(slots_ * levels_);
  }
  if (crosses_) waste_.resize(slots_ * levels_);
  way_.resize(slots_ * levels_);
  visits_.clear();
  first_visit_.resize(slots_ + 1);
  resume_only_.assign(slots_, kUnreached);
  resume_only_offer_.resize(slots_);
  for (std::size_t t = 0; t < slots_; ++t) {
    first_visit_[t] = visits_.size();
    for (std::size_t level = 0; level < levels_; ++level) LoadSlot(t, level);
  }
  first_visit_[slots_] = visits_.size();
  price_.resize(slots_);
  earned_.resize(slots_);
  off_.resize(slots_ + 1);
  ended_.resize(slots_ + 1);
  running_.resize(slots_ * levels_);
  on_.resize(levels_);
  before_on_.resize(levels_);
}

// What a sample made in each slot earns: its price and its worth. A relaxed bound takes the worth at the begin of the
// slot, because a job may run in any part of it.
void SlotProgramme::SetPrices(double lambda) {
  const Moment moment = relax_ ? Moment::kBegin : Moment::kMiddle;
  if (job_->worth_lost_per_s == 0.0) {
    std::ranges::fill(price_, lambda + weight_ * job_->worth);
    return;
  }
  for (std::size_t t = 0; t < slots_; ++t) price_[t] = lambda + weight_ * WorthOfSample(*job_, t, step_s_, moment);
}

// The profit of running through each slot, and of starting in it, at the best speed.
void SlotProgramme::FindGains() {
  const double* const price = price_.data();
  double* const earned = earned_.data();
  for (std::size_t level = 0; level < levels_; ++level) {
    const std::size_t at = level * slots_;
    const double* const per_joule = &per_joule_[at];
    std::ranges::fill(earned_, kUnreached);
    for (const Vertex& vertex : LevelAt(level).hull) {
      const double rate = vertex.samples_per_s;
      const double watts = vertex.watts;
      for (std::size_t t = 0; t < slots_; ++t) {
        const double here = price[t] * rate - per_joule[t] * watts;
        earned[t] = here > earned[t] ? here : earned[t];
      }
    }
    const double* const rent = &rent_[at];
    const double* const full = &full_[at];
    const double* const full_cost = &full_cost_[at];
    const double* const start = &start_[at];
    const double* const start_cost = &start_cost_[at];
    double* const go_gain = &go_gain_[at];
    double* const start_gain = &start_gain_[at];
    for (std::size_t t = 0; t < slots_; ++t) {
      const double net = earned[t] - rent[t];
      earned[t] = net;
      go_gain[t] = full[t] * net - full_cost[t];
      start_gain[t] = start[t] * net - start_cost[t];
    }
    if (!crosses_) continue;
    const double* const waste = &waste_[at];
    for (std::size_t t = 0; t < slots_; ++t) {
      const double across = full[t] * earned[t] - waste[t];
      start_gain[t] = across > start_gain[t] ? across : start_gain[t];
    }
  }
}

SlotProgramme::Best SlotProgramme::BestOf(std::size_t t, std::size_t level, const Offer& offer) const {
  const WorkerLevel& facts = LevelAt(level);
  const std::size_t v = BestVertex(facts, offer, price_[t]);
  const Vertex& vertex = facts.hull[v];
  return {static_cast<std::uint8_t>(v), vertex.samples_per_s,
          price_[t] * vertex.samples_per_s - offer.per_joule * vertex.watts - offer.per_gpu_second * facts.workers};
}

void SlotProgramme::VisitOffer(const Visit& visit, Ended& ended, double& off) {
  const std::size_t t = visit.slot;
  const Offer& offer = OffersAt(t, visit.level)[visit.way];
  const double earned = BestOf(t, visit.level, offer).earned;
  const double running = before_on_[visit.level];
  const double before = Before(t);
  const auto run = [&](double value, Kind kind) {
    if (value <= on_[visit.level]) return;
    on_[visit.level] = value;
    running_[t * levels_ + visit.level] = {kind, visit.way};
  };
  const auto end = [&](double value, Kind kind) {
    if (value <= off) return;
    off = value;
    ended = {Ended::By::kMove, kind, visit.level, visit.way};
  };
  if (offer.full > 0) run(running + offer.full * earned - offer.fixed, Kind::kOn);
  if (offer.last > 0) end(running + offer.last * earned - offer.fixed, Kind::kLast);
  const double burn = Burn(LevelAt(visit.level), offer);
  const auto start = [&](int seconds) {
    const double lost = LostIn(seconds);
    return before + (seconds - lost) * earned - lost * burn - offer.fixed;
  };
  if (CanStart(offer.first)) {
    run(start(offer.first), Kind::kStart);
    run(before + offer.first * earned - Waste(t, visit.level, offer), Kind::kStart);
  }
  if (CanStart(offer.single)) end(start(offer.single), Kind::kSingle);
}

void SlotProgramme::VisitLongStart(std::size_t t, std::size_t level) {
  const LongStart start = LongStartAt(t, level);
  const double value = start.value + Before(t + 1 - start.slots);
  if (value <= on_[level]) return;
  on_[level] = value;
  running_[t * levels_ + level] = {Kind::kLongStart, start.way};
}

// Goes on with what ran before the window, in its first slot.
void SlotProgramme::VisitRun(Ended& ended, double& off) {
  const std::size_t level = job_->run_level;
  const int lost = static_cast<int>(std::ceil(job_->resume_left_s));
  for (std::size_t k = 0; k < offers_->ways; ++k) {
    const Offer& offer = OffersAt(0, level)[k];
    if (!HasTime(offer) || !Fits(LevelAt(level), offer)) continue;
    const double earned = BestOf(0, level, offer).earned;
    const double cost = lost * Burn(LevelAt(level), offer) + offer.fixed;
    const double through = (offer.full - lost) * earned - cost;
    if (offer.full > lost && through >= on_[level]) {
      on_[level] = through;
      running_[level] = {Kind::kGoesOn, static_cast<std::uint8_t>(k)};
    }
    const double until_end = (offer.last - lost) * earned - cost;
    if (offer.last > lost && until_end > off) {
      off = until_end;
      ended = {Ended::By::kMove, Kind::kGoesOnAndEnds, static_cast<std::uint8_t>(level), static_cast<std::uint8_t>(k)};
    }
  }
}

void SlotProgramme::VisitSlot(std::size_t t) {
  std::swap(on_, before_on_);
  const double before = Before(t);
  for (std::size_t level = 0; level < levels_; ++level) {
    const std::size_t i = level * slots_ + t;
    const double goes_on = before_on_[level] + go_gain_[i];
    const double starts = before + start_gain_[i];
    on_[level] = starts > goes_on ? starts : goes_on;
    running_[t * levels_ + level] = {starts > goes_on ? Kind::kStart : Kind::kOn, way_[i]};
  }
  double off = off_[t];
  Ended ended;
  for (std::size_t k = first_visit_[t]; k < first_visit_[t + 1]; ++k) VisitOffer(visits_[k], ended, off);
  if (t == 0 && job_->runs) VisitRun(ended, off);
  if (!relax_ && job_->resume_s >= step_s_ && t > 0) {
    for (std::size_t level = 0; level < levels_; ++level) VisitLongStart(t, level);
  }
  for (std::size_t level = 0; level < levels_; ++level) {
    if (on_[level] <= off) continue;
    off = on_[level];
    ended = {Ended::By::kRun, Kind::kLast, static_cast<std::uint8_t>(level), 0};
  }
  // The least cost of a start: a required job pays for one, however few samples it makes.
  if (IsFresh(t) && !job_->runs && resume_only_[t] > off) {
    off = resume_only_[t];
    ended = {Ended::By::kMove, Kind::kResumeOnly, resume_only_offer_[t].level, resume_only_offer_[t].way};
  }
  off_[t + 1] = off;
  ended_[t + 1] = ended;
}

SlotProgramme::Step SlotProgramme::Evaluate(double lambda) {
  SetPrices(lambda);
  FindGains();
  // A job that runs has paid for its start, so it can stop at once at no cost.
  off_[0] = job_->runs ? 0.0 : kUnreached;
  std::ranges::fill(on_, kUnreached);
  for (std::size_t t = 0; t < slots_; ++t) VisitSlot(t);
  moves_.clear();
  const double profit = off_[slots_];
  if (!job_->required && profit <= 0.0) return {0.0, 0.0, lambda};
  return {profit, Walk(), lambda};
}

// The seconds of work of a move.
double SlotProgramme::SecondsOf(Kind kind, std::size_t t, std::size_t level, const Offer& offer, double earned) const {
  const double left = std::ceil(job_->resume_left_s);
  if (kind == Kind::kGoesOn) return offer.full - left;
  if (kind == Kind::kGoesOnAndEnds) return offer.last - left;
  if (kind == Kind::kOn) return offer.full;
  if (kind == Kind::kLast) return offer.last;
  if (kind == Kind::kSingle) return offer.single - LostIn(offer.single);
  if (kind != Kind::kStart) return 0.0;
  const double lost = LostIn(offer.first);
  const double inside = (offer.first - lost) * earned - lost * Burn(LevelAt(level), offer) - offer.fixed;
  return offer.first * earned - Waste(t, level, offer) > inside ? offer.first : offer.first - lost;
}

// Adds a move and returns its samples.
double SlotProgramme::Add(Kind kind, std::size_t t, std::size_t level, std::size_t way) {
  Move move{static_cast<std::uint32_t>(t), kind, static_cast<std::uint8_t>(level), static_cast<std::uint8_t>(way), 0};
  double samples = 0.0;
  if (kind == Kind::kLongStart) {
    const LongStart start = LongStartAt(t, level);
    move.vertex = start.vertex;
    samples = start.samples;
  } else if (kind != Kind::kResumeOnly) {
    const Offer& offer = OffersAt(t, level)[way];
    const Best best = BestOf(t, level, offer);
    move.vertex = best.vertex;
    samples = SecondsOf(kind, t, level, offer, best.earned) * best.rate;
  }
  moves_.push_back(move);
  return samples;
}

// Lists the moves of the best schedule and returns its samples.
double SlotProgramme::Walk() {
  double samples = 0.0;
  std::size_t t = slots_;
  while (t > 0) {
    const Ended ended = ended_[t];
    std::size_t u = t - 1;  // the present slot
    if (ended.by == Ended::By::kNothing) {
      t = u;
      continue;
    }
    if (ended.by == Ended::By::kMove) samples += Add(ended.kind, u, ended.level, ended.way);
    if (ended.by == Ended::By::kMove && ended.kind != Kind::kLast) {
      t = u;
    } else {
      if (ended.by == Ended::By::kMove) --u;
      while (running_[u * levels_ + ended.level].kind == Kind::kOn) {
        samples += Add(Kind::kOn, u, ended.level, running_[u * levels_ + ended.level].way);
        --u;
      }
      const Running start = running_[u * levels_ + ended.level];
      samples += Add(start.kind, u, ended.level, start.way);
      t = start.kind == Kind::kLongStart ? u + 1 - LongStartAt(u, ended.level).slots : u;
    }
    if (IsFresh(t)) break;
  }
  return samples;
}

// The way to use in each slot of a start that takes several slots: with more nodes where those on are not enough.
std::size_t SlotProgramme::WayOfStart(std::size_t t, std::size_t level) const {
  const Offer* const ways = OffersAt(t, level);
  for (std::size_t k = offers_->ways; k-- > 1;) {
    if (ways[k].full + ways[k].first > 0) return k;
  }
  return 0;
}

SlotProgramme::LongStart SlotProgramme::LongStartAt(std::size_t t, std::size_t level) const {
  const WorkerLevel& facts = LevelAt(level);
  const auto offer_at = [&](std::size_t u) -> const Offer& { return OffersAt(u, level)[WayOfStart(u, level)]; };
  double owed = job_->resume_s;
  double cost = 0.0;
  std::size_t u = t;
  while (u > 0 && u + kLongestStart > t) {  // back to the slot in which resuming begins
    --u;
    const Offer& offer = offer_at(u);
    const int seconds = owed > offer.full || offer.full == 0 ? offer.first : offer.full;
    if (seconds == 0 || !Fits(facts, offer)) return {};
    cost += seconds * Burn(facts, offer) + offer.fixed;
    owed -= seconds;
    if (owed < offer_at(t).full) break;
    if (offer.full == 0) return {};
  }
  const Offer& here = offer_at(t);
  owed = std::max(0.0, owed);
  if (here.full == 0 || owed >= here.full || !Fits(facts, here)) return {};
  const Best best = BestOf(t, level, here);
  const double seconds = here.full - owed;
  return {seconds * best.earned - owed * Burn(facts, here) - here.fixed - cost,
          seconds * best.rate,
          t - u + 1,
          best.vertex,
          static_cast<std::uint8_t>(WayOfStart(t, level)),
          static_cast<int>(std::ceil(owed))};
}

void SlotProgramme::AddLongStart(const Move& move, std::vector<SlotPiece>& pieces) const {
  const LongStart start = LongStartAt(move.slot, move.level);
  const std::size_t slot = job_->first_slot + move.slot;
  const Offer& here = OffersAt(move.slot, move.level)[start.way];
  pieces.push_back({slot, move.level, move.vertex, 0, here.full, 0, start.lost, start.way});
  for (std::size_t k = 1; k < start.slots; ++k) {  // slots of resuming only, the earliest last
    const SlotWindow window = WindowIn(*job_, move.slot - k, step_s_);
    const auto way = static_cast<std::uint8_t>(WayOfStart(move.slot - k, move.level));
    const Offer& offer = OffersAt(move.slot - k, move.level)[way];
    const int begin = offer.full > 0 ? window.begin : window.end - offer.first;
    pieces.push_back({slot - k, move.level, 0, begin, window.end, 0, window.end - begin, way});
  }
}

Schedule SlotProgramme::ScheduleOf(const Moves& moves, std::size_t choice) const {
  const int resume = static_cast<int>(std::ceil(job_->resume_s));
  Schedule schedule{choice, {}};
  schedule.pieces.reserve(moves.size());
  for (const Move& move : moves) {
    if (move.kind == Kind::kLongStart) {
      AddLongStart(move, schedule.pieces);
      continue;
    }
    const SlotWindow window = WindowIn(*job_, move.slot, step_s_);
    const Offer& offer = OffersAt(move.slot, move.level)[move.way];
    SlotPiece piece{
        job_->first_slot + move.slot, move.level, move.vertex, window.begin, window.end, 0, resume, move.way};
    if (move.kind == Kind::kOn) piece.lost = 0;
    if (move.kind == Kind::kStart) piece.begin = window.end - offer.first;
    const bool goes_on = move.kind == Kind::kGoesOn || move.kind == Kind::kGoesOnAndEnds;
    if (goes_on) piece.lost = static_cast<int>(std::ceil(job_->resume_left_s));
    if (move.kind == Kind::kGoesOnAndEnds) piece.end = window.begin + offer.last;
    if (move.kind == Kind::kLast) piece = {piece.slot, piece.level, piece.vertex, 0, offer.last, 0, 0, move.way};
    if (move.kind == Kind::kSingle || move.kind == Kind::kResumeOnly) {
      piece.begin = offer.single_begin;
      piece.end = offer.single_begin + (move.kind == Kind::kSingle ? offer.single : resume);
    }
    schedule.pieces.push_back(piece);
  }
  std::ranges::reverse(schedule.pieces);
  return schedule;
}

}  // namespace heliostat::decomposition
