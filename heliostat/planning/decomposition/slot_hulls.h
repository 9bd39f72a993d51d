#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heliostat/planning/decomposition/schedule.h"

namespace heliostat::decomposition {

// The cheapest schedule of a job that starts and resizes at no cost. Its slots are then independent: what n samples
// cost in a slot is the lower hull of its points, and the cheapest schedule takes the segments of all hulls in the
// order of their cost per sample until it has the samples of the job. Reuses its memory. Not thread-safe.
class SlotHulls {
 public:
  // Whether the cheapest schedule in these offers can be found this way.
  static bool IsFor(const JobModel& job, const Offers& offers);

  struct Answer {
    bool feasible = false;
    Schedule schedule;    // in whole seconds
    double bound = 0.0;   // the cost with parts of seconds, less the worth of the samples
    double lambda = 0.0;  // the cost of the last sample
  };
  // Only if IsFor(). `weight` turns worth into cost.
  Answer Cheapest(const JobModel& job, std::size_t choice, const Offers& offers, double weight);

 private:
  // A way to run, at a number of workers and a vertex.
  struct Point {
    double rate = 0.0;
    double watts = 0.0;
    double workers = 0.0;
    std::size_t level = 0;
    std::size_t vertex = 0;
  };
  // A step from one point of a slot's hull to the next.
  struct Segment {
    double slope = 0.0;  // cost per sample
    double samples = 0.0;
    std::uint32_t slot = 0;  // of the window
    std::uint32_t from = 0;  // index of a point; the number of points: not running
    std::uint32_t to = 0;
  };

  void ListPoints(const Choice& choice);
  void AddHull(std::size_t slot, const Offer& offer);
  std::size_t Select(double samples, double& left);
  void AddPieces(const JobModel& job, std::size_t t, const Offer& offer, const Segment* partial, double left,
                 std::vector<SlotPiece>& pieces) const;

  std::vector<Point> points_;  // by rate
  std::vector<std::uint32_t> hull_;
  std::vector<double> burn_;  // [point]: cost per second in the present slot
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> taken_;  // [slot]: the point that it reaches with whole segments
};

}  // namespace heliostat::decomposition
