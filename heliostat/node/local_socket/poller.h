#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

namespace heliostat::local_socket {

// Calls handlers when files are ready (epoll, level-triggered). Not thread-safe.
class Poller {
 public:
  using Key = std::uint64_t;
  // `events`: the bits of epoll_event.
  using Handler = std::function<void(std::uint32_t events)>;

  Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller();

  // Does not own `fd`.
  Key Add(int fd, std::uint32_t events, Handler handler);
  void Change(Key key, std::uint32_t events);
  // May be called from any handler. To be called before the file is closed. Ignores an unknown key.
  void Remove(Key key);
  // Waits until files are ready and calls their handlers; a negative timeout waits without limit.
  void Wait(std::chrono::milliseconds timeout = std::chrono::milliseconds(-1));
  // Readable when Wait() would call a handler.
  int fd() const { return epoll_; }

 private:
  struct Watch {
    int fd = -1;
    std::shared_ptr<Handler> handler;
  };
  int epoll_ = -1;
  Key next_ = 1;
  // By key and not by file: an event of a file that was closed in the same turn must not reach a new file with the same
  // descriptor.
  std::unordered_map<Key, Watch> watches_;
};

}  // namespace heliostat::local_socket
