#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "heliostat/planning/decomposition/schedule.h"

namespace heliostat::decomposition {

// A job's best way through the slots of its window when a sample has a price: a dynamic programme over slots, numbers
// of workers, and running or not. Keeps its scratch memory from one call to the next; one object a thread.
class SlotProgramme {
 public:
  // `performance_weight` turns worth into cost.
  SlotProgramme(int step_s, double performance_weight) : step_s_(step_s), weight_(performance_weight) {}

  // The profit of a job that cannot run at all and has to.
  static constexpr double kUnreached = -std::numeric_limits<double>::infinity();

  // What the best way earns and makes.
  struct Step {
    double profit = 0.0;
    double samples = 0.0;
    double lambda = 0.0;
    double cost() const { return lambda * samples - profit; }
  };

  // At `lambda` a sample. With `relax`, starts that fall across the edge of two slots count too.
  Step Evaluate(const JobModel& job, const Choice& choice, const Offers& offers, bool relax, double lambda);

  // The way that the last Evaluate found, which has to have been without `relax` and in this choice of the job's.
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
    unsigned char slots = 1;  // that a start took, when resuming takes longer than a slot
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
  std::vector<Node> off_, run_;  // of the last Evaluate
  std::vector<Back> off_back_, run_back_;
};

}  // namespace heliostat::decomposition
