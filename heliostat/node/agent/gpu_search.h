#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "heliostat/node/device/gpu.h"

namespace heliostat::agent {

// Finds the GPUs of the machine: at the start, and later those that come then, because a driver may be loaded after the
// agent has started and a lost card may return. A separate thread calls the driver, since any call may hang. Used from
// one thread.
class GpuSearch {
 public:
  // What one look at the driver brought.
  struct Found {
    std::string driver;                              // "NVML 580.159"
    std::vector<std::unique_ptr<device::Gpu>> gpus;  // those that were not found before
    std::vector<std::string> troubles;
  };
  using Open = std::function<std::unique_ptr<device::GpuDriver>()>;
  // How long it pauses before it asks a driver again that may have more GPUs: at first, and after many times in vain. A
  // question may be costly: without a kernel driver, NVML tries to load one.
  static constexpr std::chrono::milliseconds kShortestPause{1000};
  static constexpr std::chrono::milliseconds kLongestPause{30'000};

  // Looks at once. `open` is called by the thread, which may outlive the search.
  explicit GpuSearch(Open open, std::chrono::milliseconds shortest = kShortestPause,
                     std::chrono::milliseconds longest = kLongestPause);
  GpuSearch(const GpuSearch&) = delete;
  GpuSearch& operator=(const GpuSearch&) = delete;
  // Waits for the thread, unless Stop() left it behind.
  ~GpuSearch();

  // Readable when there is something to take.
  int event_fd() const;
  // The next look that brought GPUs or other troubles; the first one in any case.
  std::optional<Found> Take();
  // Ends the search. False when the driver does not return within `grace`: then the thread is left behind.
  bool Stop(std::chrono::milliseconds grace);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  // shared with the thread
  std::thread thread_;
};

}  // namespace heliostat::agent
