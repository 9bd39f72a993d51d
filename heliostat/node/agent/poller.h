#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

namespace heliostat::agent {

// Calls back when files are ready (epoll, level-triggered). Not thread-safe.
class Poller {
 public:
  using Key = std::uint64_t;
  // `events` as epoll tells them.
  using Handler = std::function<void(std::uint32_t events)>;

  Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller();

  Key Add(int fd, std::uint32_t events, Handler handler);
  void Change(Key key, std::uint32_t events);
  // From within any handler too. Before the file is closed.
  void Remove(Key key);
  // Waits until something is ready, and handles it; without a timeout, for ever.
  void Wait(std::chrono::milliseconds timeout = std::chrono::milliseconds(-1));

 private:
  struct Watch {
    int fd = -1;
    std::shared_ptr<Handler> handler;
  };
  int epoll_ = -1;
  Key next_ = 1;
  // By key and not by file: an event of a file that was closed in the same turn must not reach the next one with its
  // number.
  std::unordered_map<Key, Watch> watches_;
};

}  // namespace heliostat::agent
