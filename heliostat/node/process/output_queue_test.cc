#include "heliostat/node/process/output_queue.h"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>

namespace heliostat::process {
namespace {

TEST(OutputQueueTest, GivesWhatWasPutOnce) {
  OutputQueue queue;
  queue.Put("step 1\nste");
  queue.Put("p 2\n");
  EXPECT_EQ(queue.Take(), "step 1\nstep 2\n");
  EXPECT_EQ(queue.Take(), "");
}

TEST(OutputQueueTest, OfAFloodWholeLinesAreLeftOut) {
  OutputQueue queue(20);
  queue.Put("step 1\nstep 2\nste");
  queue.Put("p 3\nstep 4\n");
  queue.Put("step 5\n");
  EXPECT_EQ(queue.Take(), "step 1\nstep 2\n");
  queue.Put("p 6\nstep 7\nst");
  queue.Put("ep 8\n");
  EXPECT_EQ(queue.Take(), "step 7\nstep 8\n");
}

TEST(OutputQueueTest, AMillionLinesBetweenTwoThreadsArriveInOrder) {
  OutputQueue queue;
  std::thread writer([&] {
    for (int i = 0; i < 1'000'000; ++i) queue.Put("step " + std::to_string(i) + "\n");
  });
  std::string all;
  int seen = 0;
  while (seen < 1'000'000) {
    std::istringstream lines(queue.Take());
    for (std::string line; std::getline(lines, line);) ASSERT_EQ(line, "step " + std::to_string(seen++));
  }
  writer.join();
}

}  // namespace
}  // namespace heliostat::process
