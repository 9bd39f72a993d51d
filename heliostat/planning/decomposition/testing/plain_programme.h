#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "heliostat/planning/decomposition/schedule.h"

namespace heliostat::decomposition::testing {

// The same answer as SlotProgramme, by plain recursion: the most that a job can earn from a slot on. Only for starts
// that are shorter than a slot.
class PlainProgramme {
 public:
  PlainProgramme(const JobModel& job, const Offers& offers, int step_s, double weight, bool relax)
      : job_(job), offers_(offers), step_s_(step_s), weight_(weight), relax_(relax) {}

  double Profit(double lambda) {
    lambda_ = lambda;
    known_.clear();
    return Idle(0, false);
  }

 private:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();
  const Choice& choice() const { return job_.choices[0]; }

  double Earned(std::size_t t, const WorkerLevel& level, const Offer& offer) const {
    const double price = lambda_ + weight_ * WorthOfSample(job_, t, step_s_, relax_ ? Moment::kBegin : Moment::kMiddle);
    double most = kNever;
    for (std::size_t v = 0; v < level.hull.size(); ++v) {
      if (level.hull[v].watts > offer.most_watts) continue;
      most = std::max(most, price * level.hull[v].samples_per_s - offer.per_joule * level.hull[v].watts);
    }
    return most - offer.per_gpu_second * level.workers;
  }
  static double Burn(const WorkerLevel& level, const Offer& offer) {
    return offer.per_joule * level.hull.front().watts + offer.per_gpu_second * level.workers;
  }

  // Of a start with this many seconds.
  double Start(std::size_t t, const WorkerLevel& level, const Offer& offer, int seconds) const {
    if (seconds <= job_.resume_s && !(relax_ && seconds > 0)) return kNever;
    const double lost = std::min<double>(job_.resume_s, seconds);
    return (seconds - lost) * Earned(t, level, offer) - lost * Burn(level, offer) - offer.fixed;
  }

  // Of a start that resumes in the slot before.
  double StartAcross(std::size_t t, std::size_t i, const Offer& offer) const {
    if (!relax_ || t == 0 || job_.resume_s == 0.0 || offer.first == 0) return kNever;
    const WorkerLevel& level = choice().levels[i];
    const Offer& earlier = *offers_.At(t - 1, i, choice().levels.size());
    return offer.first * Earned(t, level, offer) - offer.fixed - job_.resume_s * Burn(level, earlier) - earlier.fixed;
  }

  template <typename Visit>
  void ForEachWay(std::size_t t, std::size_t i, Visit visit) const {
    for (std::size_t k = 0; k < offers_.ways; ++k) {
      const Offer& offer = offers_.At(t, i, choice().levels.size())[k];
      if (offer.full + offer.first + offer.last + offer.single == 0) continue;
      const bool is_beaten = k == 0 && offers_.ways == 2 && IsBeaten(choice().levels[i], (&offer)[1], offer);
      if (choice().levels[i].hull.front().watts <= offer.most_watts && !is_beaten) visit(offer);
    }
  }

  // Whether an offer has no more time than another at the same prices. Then it does not count.
  static bool IsBeaten(const WorkerLevel& level, const Offer& by, const Offer& offer) {
    return by.full > 0 && by.per_joule == offer.per_joule && by.per_gpu_second == offer.per_gpu_second &&
           by.fixed <= offer.fixed && level.hull.back().watts <= by.most_watts && by.full >= offer.full &&
           by.first >= offer.first && by.last >= offer.last && by.single >= offer.single;
  }

  // Not running at the begin of slot t.
  double Idle(std::size_t t, bool started) {
    if (t == job_.slot_count) return started || !job_.required ? 0.0 : kNever;
    const auto [place, is_new] = known_.try_emplace({t, choice().levels.size(), started}, 0.0);
    if (!is_new) return place->second;
    double best = Idle(t + 1, started);
    for (std::size_t i = 0; i < choice().levels.size() && (!started || job_.preemptible); ++i) {
      const WorkerLevel& level = choice().levels[i];
      ForEachWay(t, i, [&](const Offer& offer) {
        const double start = std::max(Start(t, level, offer, offer.first), StartAcross(t, i, offer));
        best = std::max(best, start + Running(t + 1, i));
        best = std::max(best, Start(t, level, offer, offer.single) + Idle(t + 1, true));
        if (started || offer.single < job_.resume_s) return;
        best = std::max(best, -job_.resume_s * Burn(level, offer) - offer.fixed + Idle(t + 1, true));
      });
    }
    return known_[{t, choice().levels.size(), started}] = best;
  }

  // Running at this level at the begin of slot t.
  double Running(std::size_t t, std::size_t i) {
    if (t == job_.slot_count) return 0.0;
    const auto [place, is_new] = known_.try_emplace({t, i, true}, 0.0);
    if (!is_new) return place->second;
    double best = Idle(t, true);
    ForEachWay(t, i, [&](const Offer& offer) {
      const double earned = Earned(t, choice().levels[i], offer);
      if (offer.full > 0) best = std::max(best, offer.full * earned - offer.fixed + Running(t + 1, i));
      if (offer.last > 0) best = std::max(best, offer.last * earned - offer.fixed + Idle(t + 1, true));
    });
    return known_[{t, i, true}] = best;
  }

  const JobModel& job_;
  const Offers& offers_;
  int step_s_;
  double weight_;
  bool relax_;
  double lambda_ = 0.0;
  std::map<std::tuple<std::size_t, std::size_t, bool>, double> known_;
};

}  // namespace heliostat::decomposition::testing
