#include "heliostat/node/agent/gpu_search.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <utility>

#include "heliostat/base/core/check.h"

namespace heliostat::agent {

struct GpuSearch::Shared {
  Shared(Open how, std::chrono::milliseconds first, std::chrono::milliseconds last)
      : open(std::move(how)), shortest(first), longest(last), fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    Check(fd >= 0, "no eventfd");
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { ::close(fd); }

  void Loop();
  // One look at the driver, which may take any time.
  Found Look();
  void Post(Found found);

  const Open open;
  const std::chrono::milliseconds shortest;
  const std::chrono::milliseconds longest;
  const int fd;

  // Used by the thread only.
  std::unique_ptr<device::GpuDriver> driver;
  std::set<std::string> known;  // UUIDs

  std::mutex mutex;
  std::condition_variable change;
  std::deque<Found> found;
  bool is_stopping = false;
  bool is_over = false;
};

GpuSearch::Found GpuSearch::Shared::Look() {
  // A driver without GPUs is opened again: what was missing may be installed or loaded by now.
  if (!driver || driver->name() == "none") driver = open();
  Found look;
  auto gpus = driver->Gpus();
  look.driver = fmt::format("{} {}", driver->name(), driver->version());
  look.troubles = driver->troubles();
  if (!gpus) {
    look.troubles.push_back(gpus.error().Line());
    return look;
  }
  for (auto& gpu : *gpus) {
    if (known.insert(gpu->identity().uuid).second) look.gpus.push_back(std::move(gpu));
  }
  return look;
}

void GpuSearch::Shared::Post(Found look) {
  {
    const std::lock_guard hold(mutex);
    found.push_back(std::move(look));
  }
  const std::uint64_t one = 1;
  // Fails only when the counter is full, and then the file is readable already.
  (void)!::write(fd, &one, sizeof(one));
}

void GpuSearch::Shared::Loop() {
  std::optional<std::vector<std::string>> told;
  std::chrono::milliseconds pause = shortest;
  while (true) {
    // The driver is asked again only while it may have more GPUs.
    if (!told || !driver->is_complete()) {
      Found look = Look();
      pause = look.gpus.empty() ? std::min(2 * pause, longest) : shortest;
      if (!told || !look.gpus.empty() || look.troubles != *told) {
        told = look.troubles;
        Post(std::move(look));
      }
    }
    std::unique_lock hold(mutex);
    if (change.wait_for(hold, pause, [this] { return is_stopping; })) break;
  }
  driver.reset();
  const std::lock_guard hold(mutex);
  is_over = true;
  change.notify_all();
}

GpuSearch::GpuSearch(Open open, std::chrono::milliseconds shortest, std::chrono::milliseconds longest)
    : shared_(std::make_shared<Shared>(std::move(open), shortest, longest)) {
  thread_ = std::thread([shared = shared_] { shared->Loop(); });
}

GpuSearch::~GpuSearch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard hold(shared_->mutex);
    shared_->is_stopping = true;
  }
  shared_->change.notify_all();
  thread_.join();
}

int GpuSearch::event_fd() const { return shared_->fd; }

std::optional<GpuSearch::Found> GpuSearch::Take() {
  const std::lock_guard hold(shared_->mutex);
  if (shared_->found.empty()) {
    std::uint64_t count = 0;
    (void)!::read(shared_->fd, &count, sizeof(count));
    return std::nullopt;
  }
  Found first = std::move(shared_->found.front());
  shared_->found.pop_front();
  return first;
}

bool GpuSearch::Stop(std::chrono::milliseconds grace) {
  if (!thread_.joinable()) return true;
  std::unique_lock hold(shared_->mutex);
  shared_->is_stopping = true;
  shared_->change.notify_all();
  const bool is_over = shared_->change.wait_for(hold, grace, [this] { return shared_->is_over; });
  hold.unlock();
  if (is_over) {
    thread_.join();
  } else {
    thread_.detach();
  }
  return is_over;
}

}  // namespace heliostat::agent
