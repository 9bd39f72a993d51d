#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "heliostat/base/core/time.h"

namespace heliostat::sim {

// What will happen, in a total order: by time, and at one time in the order in which it was put in. So the same input
// gives the same run, whatever the events are.
template <typename Event>
class EventQueue {
 public:
  void Push(Instant when, Event event) { heap_.push({when, next_++, event}); }
  bool empty() const { return heap_.empty(); }
  Instant next_time() const { return heap_.top().when; }
  Event Pop() {
    const Event event = heap_.top().event;
    heap_.pop();
    return event;
  }

 private:
  struct Entry {
    Instant when;
    std::uint64_t sequence;
    Event event;
    bool operator<(const Entry& other) const {
      return when != other.when ? when > other.when : sequence > other.sequence;
    }
  };
  std::priority_queue<Entry> heap_;
  std::uint64_t next_ = 0;
};

}  // namespace heliostat::sim
