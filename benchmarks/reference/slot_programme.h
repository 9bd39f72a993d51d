#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "benchmarks/reference/schedule.h"

namespace heliostat::reference {

// Finds a job's best schedule for a given price of a sample: a dynamic programme over slots, numbers of workers, and
// running or not. Reuses its memory from call to call. Not thread-safe: use one object per thread.
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

  // With `lambda` as the price of a sample. With `relax`, starts across the border of two slots are allowed as well.
  Step Evaluate(const JobModel& job, const Choice& choice, const Offers& offers, bool relax, double lambda);

  // The schedule that the last Evaluate() found. That call must have been without `relax` and for this choice.
  Schedule Trace(const JobModel& job, std::size_t choice, const Offers& offers) const;

 private:
  struct Node {
    double value = kUnreached;
    double samples = 0.0;
    bool is_reached() const { return value > kUnreached; }
  };
  // How a state was reached.
  enum class From : signed char { kNothing, kOff, kEnded, kLast, kSingle, kOn, kStart };
  struct Back {
    From from = From::kNothing;
    unsigned char level = 0;
    unsigned char vertex = 0;
    unsigned char slots = 1;  // of a start, when resuming takes longer than a slot
    bool fresh = false;       // the start was the job's first
    unsigned char way = 0;
    int begin = 0;
    int end = 0;
    int lost = 0;
  };
  struct Gain {
    Node node;
    Back back;
  };
  struct Visit;

  void VisitSlot(const JobModel& job, const Choice& choice, const Offers& offers, std::size_t t, bool relax,
                 double lambda);
  Gain LongStart(const JobModel& job, const Choice& choice, const Offers& offers, std::size_t t, std::size_t level,
                 double price) const;
  double PriceAt(const JobModel& job, std::size_t t, bool relax, double lambda) const;
  void AddPieces(const JobModel& job, const Offers& offers, std::size_t levels, const Back& back, std::size_t t,
                 std::vector<SlotPiece>& pieces) const;

  int step_s_;
  double weight_;
  std::vector<Node> off_, run_;  // of the last Evaluate()
  std::vector<Back> off_back_, run_back_;
};

}  // namespace heliostat::reference
