#include "heliostat/planning/decomposition/schedule.h"

#include <algorithm>

namespace heliostat::decomposition {

bool GoesOn(const JobModel& job, const SlotPiece& piece) {
  return job.runs && piece.slot == job.first_slot && piece.begin == job.first_begin && piece.level == job.run_level;
}

double SamplesOf(const WorkerLevel& level, const SlotPiece& piece) {
  const int fast = std::max(0, piece.end - piece.begin - piece.slower - piece.lost);
  const double slower = piece.slower > 0 ? piece.slower * level.hull[piece.vertex - 1].samples_per_s : 0.0;
  return fast * level.hull[piece.vertex].samples_per_s + slower;
}

double JoulesOf(const WorkerLevel& level, const SlotPiece& piece) {
  const double slower = piece.slower > 0 ? piece.slower * level.hull[piece.vertex - 1].watts : 0.0;
  const int fast = piece.end - piece.begin - piece.slower - piece.lost;
  return fast * level.hull[piece.vertex].watts + slower + piece.lost * level.hull.front().watts;
}

double SamplesOf(const JobModel& job, const Schedule& schedule) {
  double samples = 0.0;
  for (const SlotPiece& piece : schedule.pieces) {
    samples += SamplesOf(job.choices[schedule.choice].levels[piece.level], piece);
  }
  return samples;
}

double WorthOf(const JobModel& job, const Schedule& schedule, int step_s) {
  if (job.worth_lost_per_s == 0.0) return job.worth * std::min(job.samples, SamplesOf(job, schedule));
  double worth = 0.0;
  for (const SlotPiece& piece : schedule.pieces) {
    const WorkerLevel& level = job.choices[schedule.choice].levels[piece.level];
    const double start = static_cast<double>(piece.slot) * step_s;
    const int fast_end = piece.end - piece.slower;
    const double fast = std::max(0, fast_end - piece.begin - piece.lost) * level.hull[piece.vertex].samples_per_s;
    worth += fast * (job.worth - job.worth_lost_per_s * (start + 0.5 * (piece.begin + piece.lost + fast_end)));
    if (piece.slower == 0) continue;
    const double slow = piece.slower * level.hull[piece.vertex - 1].samples_per_s;
    worth += slow * (job.worth - job.worth_lost_per_s * (start + 0.5 * (fast_end + piece.end)));
  }
  return worth;
}

SlotWindow WindowIn(const JobModel& job, std::size_t t, int step_s) {
  return {t == 0 ? job.first_begin : 0, t + 1 == job.slot_count ? job.last_end : step_s};
}

double WorthOfSample(const JobModel& job, std::size_t t, int step_s, Moment moment) {
  if (job.worth_lost_per_s == 0.0) return job.worth;
  const SlotWindow window = WindowIn(job, t, step_s);
  const double at = static_cast<double>(job.first_slot + t) * step_s +
                    (moment == Moment::kBegin ? window.begin : 0.5 * (window.begin + window.end));
  return job.worth - job.worth_lost_per_s * at;
}

}  // namespace heliostat::decomposition
