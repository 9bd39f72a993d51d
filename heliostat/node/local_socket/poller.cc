#include "heliostat/node/local_socket/poller.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "heliostat/base/core/check.h"

namespace heliostat::local_socket {

Poller::Poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) { Check(epoll_ >= 0, "no epoll"); }

Poller::~Poller() { ::close(epoll_); }

Poller::Key Poller::Add(int fd, std::uint32_t events, Handler handler) {
  const Key key = next_++;
  epoll_event event{};
  event.events = events;
  event.data.u64 = key;
  Check(::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0, "epoll refuses a file");
  watches_.emplace(key, Watch{fd, std::make_shared<Handler>(std::move(handler))});
  return key;
}

void Poller::Change(Key key, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = key;
  Check(::epoll_ctl(epoll_, EPOLL_CTL_MOD, watches_.at(key).fd, &event) == 0, "epoll refuses a change");
}

void Poller::Remove(Key key) {
  const auto found = watches_.find(key);
  if (found == watches_.end()) return;
  (void)::epoll_ctl(epoll_, EPOLL_CTL_DEL, found->second.fd, nullptr);
  watches_.erase(found);
}

void Poller::Wait(std::chrono::milliseconds timeout) {
  std::array<epoll_event, 64> events{};
  const int count =
      ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), static_cast<int>(timeout.count()));
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    // The kernel packs the structure: its members have no address that a reference may be bound to.
    const std::uint64_t id = event.data.u64;
    const auto found = watches_.find(id);
    if (found == watches_.end()) continue;
    // Kept while it runs, even if it removes itself.
    const auto handler = found->second.handler;
    (*handler)(event.events);
  }
}

}  // namespace heliostat::local_socket
