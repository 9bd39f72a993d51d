// What the search does with a schedule that makes too much: takes off the dearest, or crosses two schedules.
#include <algorithm>
#include <cmath>

#include "heliostat/price/job_search.h"

namespace heliostat::price {
namespace {

class Trimmer {
 public:
  Trimmer(const JobModel& job, const Offers& offers, Schedule& schedule, int step_s)
      : job_(job), choice_(job.choices[schedule.choice]), offers_(offers), pieces_(schedule.pieces), step_s_(step_s) {}

  // What could be taken off a piece; a sample of it is worth `worth`.
  void AddCuts(std::size_t p, double worth) {
    const Piece& piece = pieces_[p];
    const Level& level = choice_.levels[piece.level];
    const std::size_t t = piece.slot - job_.first_slot;
    const Offer& offer = offers_.At(t, piece.level, choice_.levels.size())[piece.way];
    const bool open = Begins(p) || Ends(p);
    const auto burn = [&](std::size_t v) {
      return offer.per_joule * level.hull[v].watts + offer.per_gpu_second * level.workers;
    };
    // The end of a run is cut at its best speed; inside a run the job has to go on at whatever speed is left.
    std::size_t floor = 0;
    for (std::size_t v = 1; open && v <= piece.vertex; ++v) {
      if (burn(v) * level.hull[floor].samples_per_s < burn(floor) * level.hull[v].samples_per_s) floor = v;
    }
    for (std::size_t v = piece.vertex; v > floor; --v) {
      const Vertex& up = level.hull[v];
      const Vertex& down = level.hull[v - 1];
      const double saved = offer.per_joule * (up.watts - down.watts) / (up.samples_per_s - down.samples_per_s);
      cuts_.push_back({saved - worth, p, v, false});
    }
    if (open) cuts_.push_back({burn(floor) / level.hull[floor].samples_per_s - worth, p, floor, true});
  }

  // Makes the cuts that save most until `excess` samples are gone, or a run has got a new end: then others may save
  // more. Returns what is left.
  double Apply(double excess) {
    std::ranges::stable_sort(cuts_, [](const Cut& a, const Cut& b) { return a.saved > b.saved; });
    for (const Cut& cut : cuts_) {
      if (excess <= 0.0) break;
      const Piece& piece = pieces_[cut.piece];
      const int useful = piece.end - piece.begin - piece.lost;
      if (useful <= 0 || piece.vertex != cut.vertex || piece.slower > 0) continue;
      if (!cut.shorter) {
        Slower(cut, useful, excess);
      } else if (Shorter(cut, useful, excess)) {
        break;
      }
    }
    return excess;
  }

 private:
  struct Cut {
    double saved = 0.0;  // a sample
    std::size_t piece = 0;
    std::size_t vertex = 0;
    bool shorter = false;  // the end of a run, not its speed
  };

  bool Adjoin(std::size_t a, std::size_t b) const {
    return pieces_[a].level == pieces_[b].level && pieces_[a].slot + 1 == pieces_[b].slot &&
           pieces_[a].end == step_s_ && pieces_[b].begin == 0 && pieces_[b].lost == 0;
  }
  bool OnlyStarts(std::size_t p) const { return pieces_[p].lost == pieces_[p].end - pieces_[p].begin; }
  bool Begins(std::size_t p) const {
    return p == 0 || !Adjoin(p - 1, p) || (OnlyStarts(p - 1) && (p == 1 || !Adjoin(p - 2, p - 1)));
  }
  bool Ends(std::size_t p) const { return p + 1 == pieces_.size() || !Adjoin(p, p + 1); }

  void Slower(const Cut& cut, int useful, double& excess) {
    Piece& piece = pieces_[cut.piece];
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
    Piece& piece = pieces_[cut.piece];
    const double rate = choice_.levels[piece.level].hull[piece.vertex].samples_per_s;
    const int seconds = static_cast<int>(std::min<double>(useful, std::floor(excess / rate)));
    if (Ends(cut.piece)) {
      piece.end -= seconds;
    } else if (cut.piece > 0 && Adjoin(cut.piece - 1, cut.piece)) {
      Piece& start = pieces_[cut.piece - 1];  // nothing but the start is left there: it moves along
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
  std::vector<Piece>& pieces_;
  int step_s_;
  std::vector<Cut> cuts_;
};

}  // namespace

// Where a change of workers costs nothing, part of a slot may be run with fewer: takes off what that saves most on, as
// long as it saves at least `least` a sample. Returns what could not be taken off.
double JobSearch::Slow(const JobModel& job, const Offers& offers, Schedule& schedule, double excess,
                       double least) const {
  const Choice& choice = job.choices[schedule.choice];
  for (std::size_t round = 0; round < 4 && excess > 0.0; ++round) {
    struct Best {
      double saved = 0.0;
      double rate = 0.0;  // samples a second less
      std::size_t piece = 0;
      std::size_t level = 0;
      std::size_t vertex = 0;
    };
    Best best{least, 0.0, 0, 0, 0};
    for (std::size_t p = 0; p < schedule.pieces.size(); ++p) {
      const Piece& piece = schedule.pieces[p];
      if (piece.slower > 0 || piece.lost > 0) continue;
      const std::size_t t = piece.slot - job.first_slot;
      const Vertex& now = choice.levels[piece.level].hull[piece.vertex];
      const Offer& offer = offers.At(t, piece.level, choice.levels.size())[piece.way];
      const double burn = offer.per_joule * now.watts + offer.per_gpu_second * choice.levels[piece.level].workers;
      for (std::size_t i = 0; i < piece.level; ++i) {
        for (std::size_t v = 0; v < choice.levels[i].hull.size(); ++v) {
          const Vertex& then = choice.levels[i].hull[v];
          const double rate = now.samples_per_s - then.samples_per_s;
          if (rate <= 0.0) continue;
          const double other = offer.per_joule * then.watts + offer.per_gpu_second * choice.levels[i].workers;
          const double saved = (burn - other) / rate - PriceAt(job, t, false, 0.0);
          if (saved > best.saved) best = {saved, rate, p, i, v};
        }
      }
    }
    if (best.rate == 0.0) break;
    Piece& piece = schedule.pieces[best.piece];
    const int seconds = static_cast<int>(std::min<double>(piece.end - piece.begin, std::floor(excess / best.rate)));
    if (seconds == 0) break;
    excess -= seconds * best.rate;
    Piece slow = piece;
    slow.level = best.level;
    slow.vertex = best.vertex;
    slow.begin = piece.end - seconds;
    piece.end -= seconds;
    const auto behind = schedule.pieces.begin() + static_cast<std::ptrdiff_t>(best.piece) + 1;
    schedule.pieces.insert(behind, slow);
    std::erase_if(schedule.pieces, [](const Piece& one) { return one.end <= one.begin; });
  }
  return excess;
}

// Takes off samples beyond those wanted, the dearest first: a slot's top speed, or the end of a run. Returns what could
// not be taken off.
double JobSearch::Trim(const JobModel& job, const Offers& offers, Schedule& schedule, double excess) const {
  Trimmer trimmer(job, offers, schedule, step_s_);
  for (std::size_t p = 0; p < schedule.pieces.size(); ++p) {
    trimmer.AddCuts(p, PriceAt(job, schedule.pieces[p].slot - job.first_slot, false, 0.0));
  }
  excess = trimmer.Apply(excess);
  std::erase_if(schedule.pieces, [](const Piece& piece) { return piece.end <= piece.begin; });
  return excess;
}

// Takes off what is too much and keeps the schedule if it is the cheapest so far. False when it does not make enough.
bool JobSearch::Finish(const JobModel& job, const Offers& offers, Schedule schedule, Found& found) const {
  double excess = SamplesOf(job, schedule) - job.samples;
  if (job.resume_s == 0.0 && job.preemptible && excess > 0.0) {
    excess = Slow(job, offers, schedule, excess, 0.9 * found.lambda);
  }
  for (std::size_t i = 0; i < 2 * schedule.pieces.size() + 8 && excess > 0.0; ++i) {
    const double left = Trim(job, offers, schedule, excess);
    if (left >= excess) break;
    excess = left;
  }
  if (job.required && SamplesOf(job, schedule) < job.samples * (1.0 - 1e-9)) return false;
  const double cost = CostOf(job, offers, schedule);
  found.feasible = true;
  if (cost >= found.cost) return true;
  found.cost = cost;
  found.schedule = std::move(schedule);
  return true;
}

// Between two schedules that are both best at the final price, one with too few samples and one with too many, lies the
// cheapest: it follows one of them until some slot and then the other, for the price of one more start.
void JobSearch::Cross(const JobModel& job, const Offers& offers, const Schedule& before, const Schedule& after,
                      Found& found) const {
  if (before.pieces.empty() || after.pieces.empty()) return;
  const Choice& choice = job.choices[before.choice];
  double samples = SamplesOf(job, after);
  double cost = CostOf(job, offers, after);
  const auto count = [&](const Piece& piece, double sign) {
    samples += sign * SamplesOf(choice.levels[piece.level], piece);
    cost += sign * CostOf(job, offers, before.choice, piece);
  };
  struct Seam {
    std::size_t kept = 0;     // pieces of `before`
    std::size_t dropped = 0;  // pieces of `after`
    int lost = 0;
  };
  Seam best;
  double least = 1e300;
  Seam seam;
  while (seam.dropped < after.pieces.size()) {
    // On to the slot at which `after` takes over: its next piece's.
    const Piece& first = after.pieces[seam.dropped];
    while (seam.kept < before.pieces.size() && before.pieces[seam.kept].slot < first.slot) {
      count(before.pieces[seam.kept++], 1.0);
    }
    if (seam.kept > 0) {
      const Piece& last = before.pieces[seam.kept - 1];
      const bool goes_on =
          first.slot == last.slot + 1 && last.end == step_s_ && first.begin == 0 && first.level == last.level;
      seam.lost = goes_on ? 0 : static_cast<int>(std::ceil(job.resume_s));
      const Level& level = choice.levels[first.level];
      const Offer& offer = offers.At(first.slot - job.first_slot, first.level, choice.levels.size())[first.way];
      const double more_lost = seam.lost - first.lost;
      const double made = samples - more_lost * level.hull[first.vertex].samples_per_s;
      const double saved = more_lost * offer.per_joule * (level.hull[first.vertex].watts - level.hull[0].watts);
      // What is too much is worth less than its price when it has to be cut off, so of equals the nearest is best.
      const double guess = cost - saved - 0.8 * found.lambda * (made - job.samples);
      if (made >= job.samples && guess < least && seam.lost < first.end - first.begin - first.slower) {
        least = guess;
        best = seam;
      }
    }
    count(first, -1.0);
    ++seam.dropped;
  }
  if (best.kept == 0) return;
  Schedule mixed{before.choice, {}};
  const auto kept = before.pieces.begin() + static_cast<std::ptrdiff_t>(best.kept);
  const auto taken = after.pieces.begin() + static_cast<std::ptrdiff_t>(best.dropped);
  mixed.pieces.assign(before.pieces.begin(), kept);
  mixed.pieces.insert(mixed.pieces.end(), taken, after.pieces.end());
  mixed.pieces[best.kept].lost = best.lost;
  Finish(job, offers, std::move(mixed), found);
}

}  // namespace heliostat::price
