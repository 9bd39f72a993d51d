#include "heliostat/control/sim/event_queue.h"

#include <gtest/gtest.h>

namespace heliostat::sim {
namespace {

TEST(EventQueue, OrdersByTimeThenBySequence) {
  EventQueue<int> queue;
  const Instant t{};
  queue.Push(t + Duration{5}, 1);
  queue.Push(t + Duration{3}, 2);
  queue.Push(t + Duration{5}, 3);
  queue.Push(t + Duration{3}, 4);
  std::vector<int> order;
  Instant last = t;
  while (!queue.empty()) {
    EXPECT_GE(queue.next_time(), last);
    last = queue.next_time();
    order.push_back(queue.Pop());
  }
  EXPECT_EQ(order, (std::vector<int>{2, 4, 1, 3}));
}

}  // namespace
}  // namespace heliostat::sim
