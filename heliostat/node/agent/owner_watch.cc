#include "heliostat/node/agent/owner_watch.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <set>

namespace heliostat::agent {

OwnerWatch::~OwnerWatch() {
  for (auto& entry : eyes_) Close(entry.second);
}

void OwnerWatch::Close(Eye& eye) {
  if (eye.fd < 0) return;
  poller_.Remove(eye.key);
  ::close(eye.fd);
  eye.fd = -1;
}

OwnerWatch::Eye OwnerWatch::Open(const lease::Process& owner) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, owner.pid, 0));
  // The number may be another process's by now: asked only after it is held.
  if (fd < 0 || !machine_.IsAlive(owner)) {
    if (fd >= 0) ::close(fd);
    died_();
    return {};
  }
  const Poller::Key key = poller_.Add(fd, EPOLLIN, [this, owner](std::uint32_t /*events*/) {
    // Stays on the list without an eye until its leases are gone, so that its end is told once.
    Close(eyes_.at(owner));
    died_();
  });
  return {fd, key};
}

void OwnerWatch::Watch(const std::vector<lease::Process>& owners) {
  const std::set<lease::Process, Earlier> wanted(owners.begin(), owners.end());
  for (auto entry = eyes_.begin(); entry != eyes_.end();) {
    if (wanted.contains(entry->first)) {
      ++entry;
      continue;
    }
    Close(entry->second);
    entry = eyes_.erase(entry);
  }
  for (const lease::Process& owner : wanted) {
    if (!eyes_.contains(owner)) eyes_.emplace(owner, Open(owner));
  }
}

}  // namespace heliostat::agent
