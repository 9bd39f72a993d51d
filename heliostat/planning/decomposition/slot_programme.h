#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "heliostat/planning/decomposition/schedule.h"

namespace heliostat::decomposition {

// Finds a job's best schedule for a given price of a sample: a dynamic programme over slots, numbers of workers, and
// running or not. It reads the offers once, then answers any number of prices. Most slots offer one way to run, with
// all of the slot or nothing. These are laid out level by level, so that the compiler can compute the gains of several
// slots at once. Other offers are visited one by one. Reuses its memory. Not thread-safe: use one object per thread.
class SlotProgramme {
 public:
  // `performance_weight` turns worth into cost.
  SlotProgramme(int step_s, double performance_weight) : step_s_(step_s), weight_(performance_weight) {}

  // The profit of a required job that cannot run at all.
  static constexpr double kUnreached = -std::numeric_limits<double>::infinity();

  // The profit and the samples of the best schedule.
  struct Step {
    double profit = 0.0;
    double samples = 0.0;
    double lambda = 0.0;
    double cost() const { return lambda * samples - profit; }
  };

  // What a job does in one slot: it continues, starts (over several slots when resuming takes longer than one), comes
  // to its end, starts and ends, or only resumes. In its first slot, a job that runs goes on, to the next slot or to
  // its end.
  enum class Kind : std::uint8_t { kOn, kStart, kLongStart, kLast, kSingle, kResumeOnly, kGoesOn, kGoesOnAndEnds };
  struct Move {
    std::uint32_t slot = 0;  // of the window
    Kind kind = Kind::kOn;
    std::uint8_t level = 0;
    std::uint8_t way = 0;
    std::uint8_t vertex = 0;
  };
  using Moves = std::vector<Move>;  // the latest slot first

  // Reads the offers of a group. With `relax`, starts across the border of two slots are allowed as well. The arguments
  // must outlive the calls of the other functions.
  void Load(const JobModel& job, const Choice& choice, const Offers& offers, bool relax);

  // With `lambda` as the price of a sample.
  Step Evaluate(double lambda);

  // The best schedule of the last Evaluate().
  Moves& moves() { return moves_; }

  // The schedule that Evaluate() found without `relax`, from its moves, in the group of this number.
  Schedule ScheduleOf(const Moves& moves, std::size_t choice) const;

 private:
  // An offer that needs a visit of its own: a second way, a part of a slot, or a limit of power.
  struct Visit {
    std::uint32_t slot = 0;
    std::uint8_t level = 0;
    std::uint8_t way = 0;
  };
  // How not running at the end of a slot was reached.
  struct Ended {
    enum class By : std::uint8_t { kNothing, kRun, kMove } by = By::kNothing;
    Kind kind = Kind::kLast;
    std::uint8_t level = 0;
    std::uint8_t way = 0;
  };
  // How running at the end of a slot was reached.
  struct Running {
    Kind kind = Kind::kOn;
    std::uint8_t way = 0;
  };
  // A start that takes several slots.
  struct LongStart {
    double value = kUnreached;
    double samples = 0.0;
    std::size_t slots = 1;
    std::uint8_t vertex = 0;
    std::uint8_t way = 0;
    int lost = 0;  // seconds of resuming in the last of these slots
  };
  // An offer at its best speed.
  struct Best {
    std::uint8_t vertex = 0;
    double rate = 0.0;    // samples per second
    double earned = 0.0;  // per second
  };

  const WorkerLevel& LevelAt(std::size_t level) const { return choice_->levels[level]; }
  const Offer* OffersAt(std::size_t t, std::size_t level) const { return offers_->At(t, level, levels_); }
  double Burn(const WorkerLevel& level, const Offer& offer) const;
  double LostIn(int seconds) const;
  bool CanStart(int seconds) const;
  bool IsFresh(std::size_t t) const { return !job_->preemptible || off_[t] <= 0.0; }
  double Before(std::size_t t) const { return must_go_on_ ? kUnreached : IsFresh(t) ? 0.0 : off_[t]; }
  double Waste(std::size_t t, std::size_t level, const Offer& offer) const;

  void LoadSlot(std::size_t t, std::size_t level);
  void LoadPlane(std::size_t t, std::size_t level, const Offer* offer);
  bool IsPlain(std::size_t t, const WorkerLevel& level, const Offer& offer) const;

  void SetPrices(double lambda);
  void FindGains();
  void VisitSlot(std::size_t t);
  void VisitOffer(const Visit& visit, Ended& ended, double& off);
  void VisitLongStart(std::size_t t, std::size_t level);
  void VisitRun(Ended& ended, double& off);
  Best BestOf(std::size_t t, std::size_t level, const Offer& offer) const;
  std::size_t WayOfStart(std::size_t t, std::size_t level) const;
  LongStart LongStartAt(std::size_t t, std::size_t level) const;

  double Walk();
  double Add(Kind kind, std::size_t t, std::size_t level, std::size_t way);
  double SecondsOf(Kind kind, std::size_t t, std::size_t level, const Offer& offer, double earned) const;
  void AddLongStart(const Move& move, std::vector<SlotPiece>& pieces) const;

  int step_s_;
  double weight_;
  const JobModel* job_ = nullptr;
  const Choice* choice_ = nullptr;
  const Offers* offers_ = nullptr;
  bool relax_ = false;
  bool crosses_ = false;     // relaxed, and a start takes time
  bool must_go_on_ = false;  // it runs and cannot be stopped, so it cannot start either
  std::size_t slots_ = 0;
  std::size_t levels_ = 0;
  // [level][slot]: of the plain offers. A cost is infinite where there is none.
  std::vector<double> per_joule_, rent_, full_, full_cost_, start_, start_cost_, waste_;
  std::vector<std::uint8_t> way_;
  std::vector<Visit> visits_;
  std::vector<std::size_t> first_visit_;  // [slot]
  std::vector<double> resume_only_;       // [slot]: the best profit of a start without samples
  std::vector<Visit> resume_only_offer_;
  // Of the last Evaluate().
  std::vector<double> price_;                          // [slot]: of a sample
  std::vector<double> earned_, go_gain_, start_gain_;  // [slot]; [level][slot]
  std::vector<double> off_, before_on_, on_;           // profits: [slot]; [level]
  std::vector<Ended> ended_;                           // [slot]
  std::vector<Running> running_;                       // [slot][level]
  Moves moves_;
};

}  // namespace heliostat::decomposition
