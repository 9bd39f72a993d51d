#include "benchmarks/reference/slot_programme.h"

#include <algorithm>
#include <cmath>

namespace heliostat::reference {
namespace {

// The most slots of a start: Back::slots is an unsigned char.
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

// The way to use in each slot of a start that takes several slots: with more nodes where those on are not enough.
std::size_t WayOfStart(const Offers& offers, std::size_t t, std::size_t level, std::size_t levels) {
  const Offer* const ways = offers.At(t, level, levels);
  for (std::size_t k = offers.ways; k-- > 1;) {
    if (ways[k].full + ways[k].first > 0) return k;
  }
  return 0;
}

bool Fits(const WorkerLevel& level, const Offer& offer) { return level.hull.front().watts <= offer.most_watts; }

}  // namespace

// What a sample made in the slot earns: its price and its worth. A relaxed bound takes the worth at the begin of the
// slot, because a job may run in any part of it.
double SlotProgramme::PriceAt(const JobModel& job, std::size_t t, bool relax, double lambda) const {
  return lambda + weight_ * WorthOfSample(job, t, step_s_, relax ? Moment::kBegin : Moment::kMiddle);
}

SlotProgramme::Gain SlotProgramme::LongStart(const JobModel& job, const Choice& choice, const Offers& offers,
                                             std::size_t t, std::size_t level, double price) const {
  const WorkerLevel& way = choice.levels[level];
  const auto offer_at = [&](std::size_t u) -> const Offer& {
    return offers.At(u, level, choice.levels.size())[WayOfStart(offers, u, level, choice.levels.size())];
  };
  double owed = job.resume_s;
  double cost = 0.0;
  std::size_t u = t;
  while (u > 0 && u + kLongestStart > t) {  // back to the slot in which resuming begins
    --u;
    const Offer& offer = offer_at(u);
    const int seconds = owed > offer.full || offer.full == 0 ? offer.first : offer.full;
    if (seconds == 0 || !Fits(way, offer)) return {};
    cost += seconds * (offer.per_joule * way.hull.front().watts + offer.per_gpu_second * way.workers) + offer.fixed;
    owed -= seconds;
    if (owed < offer_at(t).full) break;
    if (offer.full == 0) return {};
  }
  const Offer& here = offer_at(t);
  owed = std::max(0.0, owed);
  if (here.full == 0 || owed >= here.full || !Fits(way, here)) return {};
  const std::size_t v = BestVertex(way, here, price);
  const double samples = (here.full - owed) * way.hull[v].samples_per_s;
  const double paid = here.per_joule * ((here.full - owed) * way.hull[v].watts + owed * way.hull.front().watts) +
                      here.full * here.per_gpu_second * way.workers + here.fixed;
  Gain gain{{price * samples - paid - cost, samples}, {}};
  gain.back = {From::kStart,
               static_cast<unsigned char>(level),
               static_cast<unsigned char>(v),
               static_cast<unsigned char>(t - u + 1),
               false,
               static_cast<unsigned char>(WayOfStart(offers, t, level, choice.levels.size())),
               0,
               here.full,
               static_cast<int>(std::ceil(owed))};
  return gain;
}

// One slot with one number of workers: the best states at its end, running or not.
struct SlotProgramme::Visit {
  const JobModel& job;
  const WorkerLevel& level;
  SlotWindow window;
  unsigned char tag = 0;  // of the level
  double price = 0.0;     // of a sample
  bool relax = false;
  Node before;                    // not running before the slot, after earlier runs or none
  const Node* running = nullptr;  // running at this level at the begin of the slot
  Node& off;
  Back& off_back;
  Node on{};
  Back on_back{};

  // An offer at its best speed.
  struct Way {
    const Offer& offer;
    unsigned char index = 0;
    unsigned char vertex = 0;
    double rate = 0.0;       // samples per second
    double earned = 0.0;     // per second
    double idle_burn = 0.0;  // cost per second of resuming
  };

  bool fresh() const { return before.value == 0.0 && before.samples == 0.0; }

  Way At(const Offer& offer, std::size_t index) const {
    const std::size_t v = BestVertex(level, offer, price);
    const Vertex& vertex = level.hull[v];
    const double rent = offer.per_gpu_second * level.workers;
    return {offer,
            static_cast<unsigned char>(index),
            static_cast<unsigned char>(v),
            vertex.samples_per_s,
            price * vertex.samples_per_s - offer.per_joule * vertex.watts - rent,
            offer.per_joule * level.hull.front().watts + rent};
  }

  void End(double value, double samples, const Back& back) {
    if (value <= off.value) return;
    off = {value, samples};
    off_back = back;
  }

  void Run(double value, double samples, const Back& back) {
    if (value <= on.value) return;
    on = {value, samples};
    on_back = back;
  }

  void GoOn(const Way& way) {
    if (running == nullptr || !running->is_reached()) return;
    const Offer& offer = way.offer;
    if (offer.full > 0) {
      Run(running->value + offer.full * way.earned - offer.fixed, running->samples + offer.full * way.rate,
          {From::kOn, tag, way.vertex, 1, false, way.index, window.begin, window.end, 0});
    }
    if (offer.last > 0) {
      End(running->value + offer.last * way.earned - offer.fixed, running->samples + offer.last * way.rate,
          {From::kLast, tag, way.vertex, 1, false, way.index, 0, offer.last, 0});
    }
  }

  // `earlier` (may be null) is the offer of the slot before. With `relax`, resuming may happen in it, at its prices.
  void Start(const Way& way, const Offer* earlier) {
    const Offer& offer = way.offer;
    const double lost = relax ? std::min<double>(job.resume_s, offer.first) : job.resume_s;
    if (offer.first <= lost && !(relax && offer.first > 0)) return;
    const Back back{From::kStart,
                    tag,
                    way.vertex,
                    1,
                    fresh(),
                    way.index,
                    window.end - offer.first,
                    window.end,
                    static_cast<int>(std::ceil(lost))};
    Run(before.value + (offer.first - lost) * way.earned - lost * way.idle_burn - offer.fixed,
        before.samples + (offer.first - lost) * way.rate, back);
    if (!relax || earlier == nullptr || job.resume_s == 0.0) return;
    const double waste =
        job.resume_s * (earlier->per_joule * level.hull.front().watts + earlier->per_gpu_second * level.workers);
    Run(before.value + offer.first * way.earned - waste, before.samples + offer.first * way.rate, back);
  }

  void StartAndEnd(const Way& way) {
    const Offer& offer = way.offer;
    const int begin = offer.single_begin;
    if (offer.single > job.resume_s || (relax && offer.single > 0)) {
      const double gone = std::min<double>(job.resume_s, offer.single);
      End(before.value + (offer.single - gone) * way.earned - gone * way.idle_burn - offer.fixed,
          before.samples + (offer.single - gone) * way.rate,
          {From::kSingle, tag, way.vertex, 1, fresh(), way.index, begin, begin + offer.single,
           static_cast<int>(std::ceil(gone))});
    }
    if (!fresh() || offer.single < job.resume_s) return;
    // The least cost of a start: a required job pays for one, however few samples it makes.
    const int lost = static_cast<int>(std::ceil(job.resume_s));
    End(-job.resume_s * way.idle_burn - offer.fixed, 0.0,
        {From::kSingle, tag, 0, 1, true, way.index, begin, begin + lost, lost});
  }
};

void SlotProgramme::VisitSlot(const JobModel& job, const Choice& choice, const Offers& offers, std::size_t t,
                              bool relax, double lambda) {
  const std::size_t levels = choice.levels.size();
  const SlotWindow window = WindowIn(job, t, step_s_);
  const double price = PriceAt(job, t, relax, lambda);
  const auto base = [&](std::size_t at) { return job.preemptible && off_[at].value > 0.0 ? off_[at] : Node{0.0, 0.0}; };
  Node off = off_[t];
  Back off_back{From::kOff};
  for (std::size_t i = 0; i < levels; ++i) {
    const Node* const running = t > 0 ? &run_[(t - 1) * levels + i] : nullptr;
    const auto tag = static_cast<unsigned char>(i);
    Visit visit{job, choice.levels[i], window, tag, price, relax, base(t), running, off, off_back};
    for (std::size_t k = 0; k < offers.ways; ++k) {
      const Offer& offer = offers.At(t, i, levels)[k];
      if (offer.full + offer.first + offer.last + offer.single == 0 || !Fits(visit.level, offer)) continue;
      const Visit::Way way = visit.At(offer, k);
      visit.GoOn(way);
      visit.Start(way, t > 0 ? offers.At(t - 1, i, levels) : nullptr);
      visit.StartAndEnd(way);
    }
    if (!relax && job.resume_s >= step_s_ && t > 0) {
      Gain gain = LongStart(job, choice, offers, t, i, price);
      const Node from = base(t + 1 - gain.back.slots);
      gain.back.fresh = from.value == 0.0 && from.samples == 0.0;
      if (gain.node.is_reached()) {
        visit.Run(from.value + gain.node.value, from.samples + gain.node.samples, gain.back);
      }
    }
    run_[t * levels + i] = visit.on;
    run_back_[t * levels + i] = visit.on_back;
    if (visit.on.is_reached()) visit.End(visit.on.value, visit.on.samples, {From::kEnded, tag});
  }
  off_[t + 1] = off;
  off_back_[t + 1] = off_back;
}

SlotProgramme::Step SlotProgramme::Evaluate(const JobModel& job, const Choice& choice, const Offers& offers, bool relax,
                                            double lambda) {
  const std::size_t levels = choice.levels.size();
  off_.resize(job.slot_count + 1);
  off_back_.resize(job.slot_count + 1);
  run_.resize(job.slot_count * levels);
  run_back_.resize(job.slot_count * levels);
  off_[0] = {};
  off_back_[0] = {};
  for (std::size_t t = 0; t < job.slot_count; ++t) VisitSlot(job, choice, offers, t, relax, lambda);
  const Node& end = off_[job.slot_count];
  if (!job.required && end.value <= 0.0) {
    off_back_[job.slot_count] = {};
    return {0.0, 0.0, lambda};
  }
  return {end.value, end.samples, lambda};
}

void SlotProgramme::AddPieces(const JobModel& job, const Offers& offers, std::size_t levels, const Back& back,
                              std::size_t t, std::vector<SlotPiece>& pieces) const {
  const std::size_t slot = job.first_slot + t;
  pieces.push_back({slot, back.level, back.vertex, back.begin, back.end, 0, back.lost, back.way});
  for (std::size_t k = 1; k < back.slots; ++k) {  // slots of resuming only, the earliest last
    const SlotWindow window = WindowIn(job, t - k, step_s_);
    const auto way = static_cast<unsigned char>(WayOfStart(offers, t - k, back.level, levels));
    const Offer& offer = offers.At(t - k, back.level, levels)[way];
    const int begin = offer.full > 0 ? window.begin : window.end - offer.first;
    pieces.push_back({slot - k, back.level, 0, begin, window.end, 0, window.end - begin, way});
  }
}

Schedule SlotProgramme::Trace(const JobModel& job, std::size_t choice, const Offers& offers) const {
  const std::size_t levels = job.choices[choice].levels.size();
  Schedule schedule{choice, {}};
  std::size_t t = job.slot_count;
  while (t > 0) {
    const Back back = off_back_[t];
    if (back.from == From::kNothing) break;
    if (back.from == From::kOff) {
      --t;
      continue;
    }
    std::size_t u = t - 1;  // the present slot
    if (back.from == From::kSingle) {
      AddPieces(job, offers, levels, back, u, schedule.pieces);
      t = u;
      if (back.fresh) break;
      continue;
    }
    if (back.from == From::kLast) {
      AddPieces(job, offers, levels, back, u, schedule.pieces);
      --u;
    }
    const std::size_t level = back.level;
    while (run_back_[u * levels + level].from == From::kOn) {
      AddPieces(job, offers, levels, run_back_[u * levels + level], u, schedule.pieces);
      --u;
    }
    const Back& start = run_back_[u * levels + level];
    AddPieces(job, offers, levels, start, u, schedule.pieces);
    t = u + 1 - start.slots;
    if (start.fresh) break;
  }
  std::ranges::reverse(schedule.pieces);
  return schedule;
}

}  // namespace heliostat::reference
