#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "heliostat/base/core/time.h"

namespace heliostat::sim {

// Future events in a total order: by time, then in the order of Push(). So equal input gives equal runs. Not
// thread-safe.
template <typename Event>
class EventQueue {
 public:
  void Push(Instant when, Event event) { heap_.push({when, next_++, event}); }
  bool empty() const { return heap_.empty(); }
  // The queue must not be empty for next_time() and Pop().
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
