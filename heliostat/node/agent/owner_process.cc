#include "heliostat/node/agent/owner_process.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "heliostat/node/agent/protocol.h"

namespace heliostat::agent {
namespace {

using local_socket::Peer;

tl::unexpected<Error> Refuse(std::string what, std::string allowed) {
  return Fail(ErrorCode::kPermissionDenied, "pid", std::move(what), std::move(allowed));
}

tl::unexpected<Error> RefuseStranger(const Peer& peer, pid_t pid) {
  if (peer.is_root()) {
    return Refuse(fmt::format("process {} has ended, is a kernel thread, or is hidden from the agent", pid),
                  "must be a running process");
  }
  // The same answer for a missing process and for one of another user: the agent does not reveal who runs what.
  return Refuse(fmt::format("process {} is not a process of user {}", pid, peer.uid),
                "must be a running process of the caller that the agent can see in /proc");
}

bool IsAllowed(const Peer& peer, const std::optional<ProcessFacts>& facts) {
  return facts && (peer.is_root() || facts->uid == peer.uid);
}

Result<lease::Process> OwnProcess(const Peer& peer, const lease::Machine& machine, const FactsOf& facts_of) {
  const auto process = machine.Find(peer.pid);
  // Asked after /proc was read: while the process runs, no other process gets its id.
  if (peer.process && !peer.process->IsRunning()) {
    return Refuse(fmt::format("process {}, which opened the connection, has ended", peer.pid),
                  "each process needs a connection of its own");
  }
  if (!process) {
    return Refuse(fmt::format("the agent cannot read /proc/{}", peer.pid),
                  "where /proc is mounted with hidepid, the agent must be in the group of its option gid");
  }
  // The kernel has identified the process of an exact handle.
  if (peer.process && peer.process->is_exact()) return *process;
  if (!IsAllowed(peer, facts_of(peer.pid))) return RefuseStranger(peer, peer.pid);
  return *process;
}

Result<lease::Process> OtherProcess(const Peer& peer, pid_t pid, const lease::Machine& machine,
                                    const FactsOf& facts_of) {
  const auto callers = facts_of(peer.pid);
  if (callers && callers->is_nested) {
    return Refuse(
        fmt::format("the caller is in another pid namespace, where {} is not the agent's process {}", pid, pid),
        "0, for the caller's own process");
  }
  const auto process = machine.Find(pid);
  const auto facts = process ? facts_of(pid) : std::nullopt;
  // Looked up twice: the user must not be that of another process that got the same id meanwhile.
  const bool is_same = process && machine.Find(pid) == process;
  if (!callers || !is_same || !IsAllowed(peer, facts)) return RefuseStranger(peer, pid);
  return *process;
}

}  // namespace

std::optional<ProcessFacts> ReadProcessFacts(pid_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  std::optional<ProcessFacts> facts;
  for (std::string line; std::getline(status, line);) {
    unsigned real = 0;
    if (std::sscanf(line.c_str(), "Uid: %u", &real) == 1) facts = ProcessFacts{real, false};
    if (facts && line.starts_with("NSpid:")) {
      // One number for each namespace, from that of /proc down to the process's own.
      std::istringstream numbers(line.substr(std::string_view("NSpid:").size()));
      int count = 0;
      for (pid_t number = 0; numbers >> number;) ++count;
      facts->is_nested = count > 1;
    }
  }
  return facts;
}

Result<lease::Process> OwnerProcess(const Peer& peer, pid_t asked, const lease::Machine& machine,
                                    const FactsOf& facts_of) {
  // The kernel reports 0 for a process that has no id in the agent's pid namespace.
  if (peer.pid == 0) {
    return Refuse("the caller is in a pid namespace that the agent cannot see",
                  "run the agent outside of containers, or leave pid out");
  }
  if (asked == kOwnProcess) return OwnProcess(peer, machine, facts_of);
  return OtherProcess(peer, asked, machine, facts_of);
}

}  // namespace heliostat::agent
