#pragma once

#include <optional>
#include <vector>

#include "heliostat/planning/admission/ways.h"

namespace heliostat::admission {

// When one job runs, in one way. Seconds count from the start of the scenario.
struct Booking {
  struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  Way way;
  std::vector<Span> spans;  // in order of time, without overlap

  std::int64_t end() const { return spans.back().end; }
  bool Meets(std::int64_t begin, std::int64_t end) const;
};

// A job and the time in which it may run.
struct Request {
  const scenario::Job& job;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// The free GPUs of each group at every second of a horizon. Not thread-safe.
class Timetable {
 public:
  Timetable(const std::vector<int>& gpus, std::int64_t horizon_s);

  // The earliest time at which the job can be done in this way with GPUs that are free: a job that may stop runs in
  // every gap in which it makes progress, and one that runs may go on without a start. Nothing when it cannot be done
  // within the request.
  std::optional<Booking> Earliest(const Request& request, const Way& way) const;

  void Take(const Booking& booking) { Change(booking, -booking.way.workers); }
  void Release(const Booking& booking) { Change(booking, booking.way.workers); }
  // Takes GPUs of a group for a while. They need not be free.
  void Take(std::size_t group, std::int64_t begin, std::int64_t end, int gpus) { Change(group, begin, end, -gpus); }
  // The fewest GPUs that are free at any second of [begin, end).
  int Free(std::size_t group, std::int64_t begin, std::int64_t end) const;

 private:
  struct Level {
    std::int64_t from = 0;  // until the `from` of the next level
    int free = 0;
  };
  using Levels = std::vector<Level>;  // the last one begins at the end of the horizon, with no GPUs
  void Change(const Booking& booking, int gpus);
  void Change(std::size_t group, std::int64_t begin, std::int64_t end, int gpus);
  static std::size_t Cut(Levels& levels, std::int64_t at);

  std::vector<Levels> groups_;
};

}  // namespace heliostat::admission
