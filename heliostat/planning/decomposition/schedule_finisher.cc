#include "heliostat/planning/decomposition/schedule_finisher.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace heliostat::decomposition {
namespace {

// The most parts of slots in one schedule that may run with fewer workers.
constexpr std::size_t kMostSlowings = 4;
// The least saving per sample by fewer workers, as a share of the price of a sample: cutting the end of a run saves
// about the price.
constexpr double kLeastSaving = 0.9;
// The value of an excess sample when schedules are compared, as a share of the price of a sample: it has to be cut off
// later.
constexpr double kWorthOfExcess = 0.8;
constexpr double kSamplesTolerance = 1e-9;

// Removes samples from a schedule, the most expensive first. The possible cuts are a heap. Where a cut shortens a run,
// the piece behind it becomes its end and gets new cuts.
class Trimmer {
 public:
  Trimmer(const JobModel& job, const Offers& offers, Schedule& schedule, int step_s, double weight)
      : job_(job),
        choice_(job.choices[schedule.choice]),
        offers_(offers),
        pieces_(schedule.pieces),
        step_s_(step_s),
        weight_(weight),
        issues_(pieces_.size(), 0) {
    cuts_.reserve(2 * pieces_.size());
    for (std::size_t p = 0; p < pieces_.size(); ++p) AddCuts(p);
    std::ranges::make_heap(cuts_, SavesLess);
  }

  // Makes the cuts that save most, until `excess` samples are removed. Returns the samples that are left.
  double Apply(double excess) {
    while (excess > 0.0 && !cuts_.empty()) {
      std::ranges::pop_heap(cuts_, SavesLess);
      const Cut cut = cuts_.back();
      cuts_.pop_back();
      const SlotPiece& piece = pieces_[cut.piece];
      const int useful = piece.end - piece.begin - piece.lost;
      if (cut.issue != issues_[cut.piece] || useful <= 0 || piece.vertex != cut.vertex || piece.slower > 0) continue;
      if (!cut.shorter) {
        Slower(cut, useful, excess);
      } else if (Shorter(cut, useful, excess)) {
        if (cut.piece > 0) Renew(cut.piece - 1);
        Renew(cut.piece);
        if (cut.piece + 1 < pieces_.size()) Renew(cut.piece + 1);
      }
    }
    return excess;
  }

 private:
  struct Cut {
    double saved = 0.0;  // per sample
    std::uint32_t piece = 0;
    std::uint16_t vertex = 0;
    bool shorter = false;    // the end of a run, not its speed
    std::uint8_t issue = 0;  // out of date when the piece has a later one
  };
  static bool SavesLess(const Cut& a, const Cut& b) {
    return a.saved != b.saved ? a.saved < b.saved : a.piece > b.piece;
  }

  // Adds the possible cuts of a piece.
  void AddCuts(std::size_t p) {
    const SlotPiece& piece = pieces_[p];
    const WorkerLevel& level = choice_.levels[piece.level];
    const std::size_t t = piece.slot - job_.first_slot;
    const Offer& offer = offers_.At(t, piece.level, choice_.levels.size())[piece.way];
    const double worth = weight_ * WorthOfSample(job_, t, step_s_, Moment::kMiddle);
    const auto add = [&](double saved, std::size_t v, bool shorter) {
      cuts_.push_back(
          {saved - worth, static_cast<std::uint32_t>(p), static_cast<std::uint16_t>(v), shorter, issues_[p]});
    };
    const bool open = Begins(p) || Ends(p);
    const auto burn = [&](std::size_t v) {
      return offer.per_joule * level.hull[v].watts + offer.per_gpu_second * level.workers;
    };
    // The end of a run is cut at its most efficient speed. Inside a run the job continues at the speed that is left.
    std::size_t floor = 0;
    for (std::size_t v = 1; open && v <= piece.vertex; ++v) {
      if (burn(v) * level.hull[floor].samples_per_s < burn(floor) * level.hull[v].samples_per_s) floor = v;
    }
    for (std::size_t v = piece.vertex; v > floor; --v) {
      const Vertex& up = level.hull[v];
      const Vertex& down = level.hull[v - 1];
      add(offer.per_joule * (up.watts - down.watts) / (up.samples_per_s - down.samples_per_s), v, false);
    }
    if (open) add(burn(floor) / level.hull[floor].samples_per_s, floor, true);
  }

  // Replaces the cuts of a piece.
  void Renew(std::size_t p) {
    if (pieces_[p].end <= pieces_[p].begin) return;
    ++issues_[p];
    const std::size_t before = cuts_.size();
    AddCuts(p);
    for (std::size_t i = before; i < cuts_.size(); ++i) {
      std::push_heap(cuts_.begin(), cuts_.begin() + static_cast<std::ptrdiff_t>(i) + 1, SavesLess);
    }
  }

  bool Touch(std::size_t a, std::size_t b) const {
    return pieces_[a].level == pieces_[b].level && pieces_[a].slot + 1 == pieces_[b].slot &&
           pieces_[a].end == step_s_ && pieces_[b].begin == 0 && pieces_[a].end > pieces_[a].begin &&
           pieces_[b].end > pieces_[b].begin;
  }
  bool Adjoin(std::size_t a, std::size_t b) const { return Touch(a, b) && pieces_[b].lost == 0; }
  bool OnlyStarts(std::size_t p) const { return pieces_[p].lost == pieces_[p].end - pieces_[p].begin; }
  bool Begins(std::size_t p) const {
    // What goes on would need a start without its first second.
    if (p == 0 && GoesOn(job_, pieces_[0]) && (job_.resume_s > 0.0 || !job_.preemptible)) return false;
    // A start that takes a slot or more stays where it is, because a cut after it would separate it from the run.
    if (job_.resume_s >= step_s_) return p == 0 || !Touch(p - 1, p);
    if (p == 0 || !Adjoin(p - 1, p)) return true;
    return OnlyStarts(p - 1) && !GoesOn(job_, pieces_[p - 1]) && (p == 1 || !Adjoin(p - 2, p - 1));
  }
  bool Ends(std::size_t p) const { return p + 1 == pieces_.size() || !Adjoin(p, p + 1); }

  void Slower(const Cut& cut, int useful, double& excess) {
    SlotPiece& piece = pieces_[cut.piece];
    const auto& hull = choice_.levels[piece.level].hull;
    const double step = hull[cut.vertex].samples_per_s - hull[cut.vertex - 1].samples_per_s;
    const int seconds = static_cast<int>(std::min<double>(useful, std::floor(excess / step)));
    excess -= seconds * step;
    piece.slower = seconds;
    if (seconds < useful || piece.lost > 0) return;
    --piece.vertex;
    piece.slower = 0;
  }

  // True when the run has a new end.
  bool Shorter(const Cut& cut, int useful, double& excess) {
    SlotPiece& piece = pieces_[cut.piece];
    const double rate = choice_.levels[piece.level].hull[piece.vertex].samples_per_s;
    const int seconds = static_cast<int>(std::min<double>(useful, std::floor(excess / rate)));
    if (Ends(cut.piece)) {
      piece.end -= seconds;
    } else if (cut.piece > 0 && Adjoin(cut.piece - 1, cut.piece)) {
      SlotPiece& start = pieces_[cut.piece - 1];  // only the start is left in that slot: it moves as well
      if (seconds < start.lost) return false;
      excess -= seconds * rate;
      piece.begin += seconds - start.lost;
      piece.lost = start.lost;
      start.end = start.begin;
      return true;
    } else {
      piece.begin += seconds;
    }
    excess -= seconds * rate;
    return seconds == useful;
  }

  const JobModel& job_;
  const Choice& choice_;
  const Offers& offers_;
  std::vector<SlotPiece>& pieces_;
  int step_s_;
  double weight_;
  std::vector<std::uint8_t> issues_;  // [piece]
  std::vector<Cut> cuts_;
};

void DropEmpty(Schedule& schedule) {
  std::erase_if(schedule.pieces, [](const SlotPiece& piece) { return piece.end <= piece.begin; });
}

}  // namespace

const Offer& ScheduleFinisher::OfferOf(const Choice& choice, const SlotPiece& piece) const {
  return offers_.At(piece.slot - job_.first_slot, piece.level, choice.levels.size())[piece.way];
}

double ScheduleFinisher::CostOf(const Choice& choice, const SlotPiece& piece) const {
  const WorkerLevel& level = choice.levels[piece.level];
  const Offer& offer = OfferOf(choice, piece);
  return offer.per_joule * JoulesOf(level, piece) + offer.fixed +
         offer.per_gpu_second * level.workers * (piece.end - piece.begin);
}

double ScheduleFinisher::CostOf(const Schedule& schedule) const {
  double cost = -weight_ * WorthOf(job_, schedule, step_s_);
  for (const SlotPiece& piece : schedule.pieces) cost += CostOf(job_.choices[schedule.choice], piece);
  return cost;
}

double ScheduleFinisher::WorthIn(const SlotPiece& piece) const {
  return weight_ * WorthOfSample(job_, piece.slot - job_.first_slot, step_s_, Moment::kMiddle);
}

ScheduleFinisher::Slowing ScheduleFinisher::BestSlowing(const Schedule& schedule) const {
  const Choice& choice = job_.choices[schedule.choice];
  Slowing best{kLeastSaving * lambda_, 0.0, 0, 0, 0};
  for (std::size_t p = 0; p < schedule.pieces.size(); ++p) {
    const SlotPiece& piece = schedule.pieces[p];
    if (piece.slower > 0 || piece.lost > 0) continue;
    const Vertex& now = choice.levels[piece.level].hull[piece.vertex];
    const Offer& offer = OfferOf(choice, piece);
    const double burn = offer.per_joule * now.watts + offer.per_gpu_second * choice.levels[piece.level].workers;
    for (std::size_t i = 0; i < piece.level; ++i) {
      for (std::size_t v = 0; v < choice.levels[i].hull.size(); ++v) {
        const Vertex& then = choice.levels[i].hull[v];
        const double rate = now.samples_per_s - then.samples_per_s;
        if (rate <= 0.0) continue;
        const double other = offer.per_joule * then.watts + offer.per_gpu_second * choice.levels[i].workers;
        const double saved = (burn - other) / rate - WorthIn(piece);
        if (saved > best.saved) best = {saved, rate, p, i, v};
      }
    }
  }
  return best;
}

// For jobs that can change workers at no cost: runs parts of slots with fewer workers, the largest saving first, as
// long as it saves enough. Returns the samples that it could not remove.
double ScheduleFinisher::Slow(Schedule& schedule, double excess) const {
  for (std::size_t round = 0; round < kMostSlowings && excess > 0.0; ++round) {
    const Slowing best = BestSlowing(schedule);
    if (best.rate == 0.0) break;
    SlotPiece& piece = schedule.pieces[best.piece];
    const int seconds = static_cast<int>(std::min<double>(piece.end - piece.begin, std::floor(excess / best.rate)));
    if (seconds == 0) break;
    excess -= seconds * best.rate;
    SlotPiece slow = piece;
    slow.level = best.level;
    slow.vertex = best.vertex;
    slow.begin = piece.end - seconds;
    piece.end -= seconds;
    const auto behind = schedule.pieces.begin() + static_cast<std::ptrdiff_t>(best.piece) + 1;
    schedule.pieces.insert(behind, slow);
    DropEmpty(schedule);
  }
  return excess;
}

double ScheduleFinisher::Trim(Schedule& schedule, double excess) const {
  if (excess <= 0.0) return excess;
  excess = Trimmer(job_, offers_, schedule, step_s_, weight_).Apply(excess);
  DropEmpty(schedule);
  return excess;
}

bool ScheduleFinisher::Finish(Schedule schedule) {
  double excess = SamplesOf(job_, schedule) - job_.samples;
  if (job_.resume_s == 0.0 && job_.preemptible && excess > 0.0) excess = Slow(schedule, excess);
  Trim(schedule, excess);
  if (job_.required && SamplesOf(job_, schedule) < job_.samples * (1.0 - kSamplesTolerance)) return false;
  const double cost = CostOf(schedule);
  if (cost >= cost_) return true;
  cost_ = cost;
  schedule_ = std::move(schedule);
  return true;
}

// The seconds of resuming at `first` when it follows the first `kept` pieces of `before`: all of them, or the rest if
// `first` continues a run.
int ScheduleFinisher::LostAt(const Schedule& before, std::size_t kept, const SlotPiece& first) const {
  int owed = static_cast<int>(std::ceil(job_.resume_s));
  const SlotPiece* next = &first;
  for (std::size_t k = kept; k-- > 0 && owed > 0;) {
    const SlotPiece& last = before.pieces[k];
    const bool goes_on =
        next->slot == last.slot + 1 && last.end == step_s_ && next->begin == 0 && next->level == last.level;
    if (!goes_on) break;
    owed -= last.lost;
    next = &last;
    if (k == 0 && GoesOn(job_, last)) owed -= static_cast<int>(std::ceil(job_.resume_s - job_.resume_left_s));
  }
  return std::max(0, owed);
}

ScheduleFinisher::Seam ScheduleFinisher::BestSeam(const Schedule& before, const Schedule& after) const {
  const Choice& choice = job_.choices[before.choice];
  double samples = SamplesOf(job_, after);
  double cost = CostOf(after);
  const auto count = [&](const SlotPiece& piece, double sign) {
    samples += sign * SamplesOf(choice.levels[piece.level], piece);
    cost += sign * CostOf(choice, piece);
  };
  Seam best;
  double least = std::numeric_limits<double>::infinity();
  Seam seam;
  while (seam.dropped < after.pieces.size()) {
    // Advances to the slot of the next piece of `after`.
    const SlotPiece& first = after.pieces[seam.dropped];
    while (seam.kept < before.pieces.size() && before.pieces[seam.kept].slot < first.slot) {
      count(before.pieces[seam.kept++], 1.0);
    }
    if (seam.kept > 0) {
      seam.lost = LostAt(before, seam.kept, first);
      const WorkerLevel& level = choice.levels[first.level];
      const double more_lost = seam.lost - first.lost;
      const double made = samples - more_lost * level.hull[first.vertex].samples_per_s;
      const double saved =
          more_lost * OfferOf(choice, first).per_joule * (level.hull[first.vertex].watts - level.hull[0].watts);
      // Excess samples count less than their price because they have to be cut off, so of equal mixtures the one with
      // the least excess is best.
      const double guess = cost - saved - kWorthOfExcess * lambda_ * (made - job_.samples);
      if (made >= job_.samples && guess < least && seam.lost < first.end - first.begin - first.slower) {
        least = guess;
        best = seam;
      }
    }
    count(first, -1.0);
    ++seam.dropped;
  }
  return best;
}

void ScheduleFinisher::Cross(const Schedule& before, const Schedule& after) {
  if (before.pieces.empty() || after.pieces.empty()) return;
  const Seam best = BestSeam(before, after);
  if (best.kept == 0) return;
  Schedule mixed{before.choice, {}};
  const auto kept = before.pieces.begin() + static_cast<std::ptrdiff_t>(best.kept);
  const auto taken = after.pieces.begin() + static_cast<std::ptrdiff_t>(best.dropped);
  mixed.pieces.assign(before.pieces.begin(), kept);
  mixed.pieces.insert(mixed.pieces.end(), taken, after.pieces.end());
  mixed.pieces[best.kept].lost = best.lost;
  Finish(std::move(mixed));
}

}  // namespace heliostat::decomposition
