#include "heliostat/node/agent/gpu_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>

#include "heliostat/node/device_model/simulated_gpu.h"

namespace heliostat::agent {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A machine to which a driver and cards come while the agent runs. Thread-safe.
struct LaterMachine {
  std::atomic<bool> has_driver{false};
  std::atomic<int> cards{0};  // those that can be opened, of two
};

class ComingDriver final : public device::GpuDriver {
 public:
  explicit ComingDriver(LaterMachine& machine) : machine_(machine), has_driver_(machine.has_driver) {}
  std::string_view name() const override { return has_driver_ ? "test" : "none"; }
  std::string version() const override { return "1"; }
  std::vector<std::string> troubles() const override {
    return is_complete() ? std::vector<std::string>{} : std::vector<std::string>{"something is missing"};
  }
  Result<std::vector<std::unique_ptr<device::Gpu>>> Gpus() override {
    std::vector<std::unique_ptr<device::Gpu>> gpus;
    opened_ = has_driver_ ? machine_.cards.load() : 0;
    for (int i = 0; i < opened_; ++i) {
      gpus.push_back(std::make_unique<device_model::SimulatedGpu>(*device_model::FindCardModel("H200"), i));
    }
    return gpus;
  }
  bool is_complete() const override { return opened_ == 2; }

 private:
  LaterMachine& machine_;
  const bool has_driver_;
  int opened_ = 0;
};

class GpuSearchTest : public ::testing::Test {
 protected:
  GpuSearch::Found Next() {
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (std::chrono::steady_clock::now() < deadline) {
      if (auto found = search_.Take()) return *std::move(found);
      pollfd ready{search_.event_fd(), POLLIN, 0};
      ::poll(&ready, 1, 30'000);
    }
    ADD_FAILURE() << "nothing was found";
    return {};
  }

  LaterMachine machine_;
  GpuSearch search_{[this] { return std::make_unique<ComingDriver>(machine_); }, 1ms, 5ms};
};

TEST_F(GpuSearchTest, ADriverAndCardsThatComeLaterAreFoundOnceEach) {
  const auto first = Next();
  EXPECT_THAT(first.gpus, IsEmpty());
  EXPECT_EQ(first.driver, "none 1");
  EXPECT_THAT(first.troubles, SizeIs(1));
  machine_.cards = 1;
  machine_.has_driver = true;
  const auto second = Next();
  ASSERT_THAT(second.gpus, SizeIs(1));
  EXPECT_EQ(second.driver, "test 1");
  machine_.cards = 2;
  const auto third = Next();
  ASSERT_THAT(third.gpus, SizeIs(1));
  EXPECT_EQ(third.gpus[0]->identity().index, 1);
  EXPECT_THAT(third.troubles, IsEmpty());
  EXPECT_TRUE(search_.Stop(30s));
}

TEST(HangingSearchTest, ADriverThatDoesNotReturnIsLeftBehind) {
  const auto hangs = std::make_shared<std::atomic<bool>>(true);
  const auto machine = std::make_shared<LaterMachine>();
  GpuSearch search(
      [hangs, machine] {
        while (*hangs) std::this_thread::sleep_for(1ms);
        return std::make_unique<ComingDriver>(*machine);
      },
      1ms, 5ms);
  EXPECT_FALSE(search.Stop(20ms));
  EXPECT_FALSE(search.Take());
  *hangs = false;
}

}  // namespace
}  // namespace heliostat::agent
