#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heliostat/price/model.h"

namespace heliostat::price {

// What running in a slot with one number of workers costs a job, and how much of the slot it can have. Seconds are
// whole; those of the job's own window are taken off already.
struct Offer {
  double per_joule = 0.0;       // objective units a joule of IT energy
  double per_gpu_second = 0.0;  // rent of a GPU
  double fixed = 0.0;           // for touching the slot at all: nodes that have to be switched on for it
  double most_watts = 0.0;      // the facility's cap leaves room for no more
  int full = 0;                 // seconds when the job runs through the slot, 0: it cannot
  int first = 0;                // when it starts here and goes on into the next slot
  int last = 0;                 // when it comes from the slot before and ends here
  int single = 0;               // when it does both here
  int single_begin = 0;         // seconds into the slot at which such a piece begins
};

// Offers of a job in one group: [slot of the window][level][way]. A second way, when there is one, is the same slot at
// another fixed cost.
struct Offers {
  std::size_t ways = 1;
  std::vector<Offer> offers;

  const Offer* At(std::size_t slot, std::size_t level, std::size_t levels) const {
    return &offers[(slot * levels + level) * ways];
  }
};

// What a job does inside one slot: it runs [begin, end) seconds of it at `vertex`, the last `slower` of them at the
// vertex below.
struct Piece {
  std::size_t slot = 0;  // of the scenario
  std::size_t level = 0;
  std::size_t vertex = 0;
  int begin = 0;
  int end = 0;
  int slower = 0;
  int lost = 0;           // seconds at the beginning spent on resuming, at the level's lowest power
  unsigned char way = 0;  // of the offer that was taken
};

// A way through the window, in one of the job's groups. Empty pieces: the job does not run.
struct Schedule {
  std::size_t choice = 0;
  std::vector<Piece> pieces;
};

double SamplesOf(const Level& level, const Piece& piece);
double JoulesOf(const Level& level, const Piece& piece);
double SamplesOf(const JobModel& job, const Schedule& schedule);
// What its work is worth, in units of performance.
double WorthOf(const JobModel& job, const Schedule& schedule, int step_s);

struct Found {
  bool feasible = false;
  Schedule schedule;  // makes the samples wanted
  Schedule schedule_untrimmed;
  double cost = 0.0;    // of the schedule at these offers, less its worth
  double bound = 0.0;   // no schedule costs less
  double lambda = 0.0;  // the price of a sample at which the search ended; begin the next one from it
};

// A job's cheapest schedule given what a group offers: for a given price of a sample a dynamic programme over slots
// finds the best one, and a search over that price finds the one that makes the samples wanted. One object a thread;
// it keeps its scratch memory.
class JobSearch {
 public:
  // `performance_weight` turns worth into cost.
  JobSearch(int step_s, double performance_weight) : step_s_(step_s), weight_(performance_weight) {}

  // In one of the job's groups. With `relax` the bound also covers starts that fall across the edge of two slots; the
  // schedule never has those. `lambda` > 0 is where to begin.
  Found BestIn(const JobModel& job, std::size_t choice, const Offers& offers, bool relax, double lambda);

 private:
  struct Step {
    double profit = 0.0;
    double samples = 0.0;
    double lambda = 0.0;
    double cost() const { return lambda * samples - profit; }
  };
  struct Node {
    double value = -1e300;
    double samples = 0.0;
  };
  // How a state was reached.
  enum class From : signed char { kNothing, kOff, kEnded, kLast, kSingle, kOn, kStart };
  struct Back {
    From from = From::kNothing;
    unsigned char level = 0;
    unsigned char vertex = 0;
    unsigned char slots = 1;  // that a start took, when resuming takes longer than a slot
    bool fresh = false;       // the start was the job's first
    unsigned char way = 0;
    int begin = 0;
    int end = 0;
    int lost = 0;
  };
  struct Gain {
    double value = -1e300;
    double samples = 0.0;
    Back back;
  };

  struct Visit;

  Step Evaluate(const JobModel& job, const Choice& choice, const Offers& offers, bool relax, double lambda);
  void VisitSlot(const JobModel& job, const Choice& choice, const Offers& offers, std::size_t t, bool relax,
                 double lambda);
  Gain LongStart(const JobModel& job, const Choice& choice, const Offers& offers, std::size_t t, std::size_t level,
                 double price) const;
  double PriceAt(const JobModel& job, std::size_t t, bool relax, double lambda) const;
  bool Bracket(const JobModel& job, const Choice& choice, const Offers& offers, bool relax, double lambda, Step& low,
               Step& high);
  Found Settle(const JobModel& job, std::size_t choice, const Offers& offers, bool relax, Step& low, Step high);
  Schedule Trace(const JobModel& job, std::size_t choice) const;
  void AddPieces(const JobModel& job, const Back& back, std::size_t t, std::vector<Piece>& pieces) const;
  double CostOf(const JobModel& job, const Offers& offers, const Schedule& schedule) const;
  double CostOf(const JobModel& job, const Offers& offers, std::size_t choice, const Piece& piece) const;
  bool Complete(const JobModel& job, std::size_t choice, const Offers& offers, double lambda, Found& found);
  void Cross(const JobModel& job, const Offers& offers, const Schedule& before, const Schedule& after,
             Found& found) const;
  bool Finish(const JobModel& job, const Offers& offers, Schedule schedule, Found& found) const;
  double Slow(const JobModel& job, const Offers& offers, Schedule& schedule, double excess, double least) const;
  double Trim(const JobModel& job, const Offers& offers, Schedule& schedule, double excess) const;

  int step_s_;
  double weight_;
  std::vector<Node> off_, run_;  // of the last Evaluate
  std::vector<Back> off_back_, run_back_;
};

}  // namespace heliostat::price
