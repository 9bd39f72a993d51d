#include "heliostat/node/agent/owner_watch.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <set>

namespace heliostat::agent {

OwnerWatch::~OwnerWatch() {
  for (auto& entry : watched_) Close(entry.second);
}

void OwnerWatch::Close(Watched& watched) {
  if (watched.fd < 0) return;
  poller_.Remove(watched.key);
  ::close(watched.fd);
  watched.fd = -1;
}

OwnerWatch::Watched OwnerWatch::Open(const lease::Process& owner) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, owner.pid, 0));
  // The id may belong to another process by now. The check comes after pidfd_open(), which pins the process.
  if (fd < 0 || !machine_.IsAlive(owner)) {
    if (fd >= 0) ::close(fd);
    died_();
    return {};
  }
  const local_socket::Poller::Key key = poller_.Add(fd, EPOLLIN, [this, owner](std::uint32_t /*events*/) {
    // Stays listed, without a file, until its leases have ended, so that its end is reported once.
    Close(watched_.at(owner));
    died_();
  });
  return {fd, key};
}

void OwnerWatch::Watch(const std::vector<lease::Process>& owners) {
  const std::set<lease::Process, Earlier> wanted(owners.begin(), owners.end());
  for (auto entry = watched_.begin(); entry != watched_.end();) {
    if (wanted.contains(entry->first)) {
      ++entry;
      continue;
    }
    Close(entry->second);
    entry = watched_.erase(entry);
  }
  for (const lease::Process& owner : wanted) {
    if (!watched_.contains(owner)) watched_.emplace(owner, Open(owner));
  }
}

}  // namespace heliostat::agent
