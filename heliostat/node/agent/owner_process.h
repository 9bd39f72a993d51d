#pragma once

#include <functional>
#include <optional>

#include "heliostat/base/core/error.h"
#include "heliostat/node/lease/machine.h"
#include "heliostat/node/local_socket/peer.h"

namespace heliostat::agent {

// What /proc shows about a process.
struct ProcessFacts {
  uid_t uid = 0;           // the real user
  bool is_nested = false;  // in a pid namespace below that of the agent, as in a container
};
// Absent when there is no such process, or when /proc hides it from the agent.
using FactsOf = std::function<std::optional<ProcessFacts>(pid_t)>;
std::optional<ProcessFacts> ReadProcessFacts(pid_t pid);

// The process that a lease of `peer` is tied to. `asked` is an id, or kOwnProcess for the process that opened the
// connection, which the kernel identifies: a number that a client in a container sends is the number of another process
// here. kPermissionDenied for a process of another user (except for root), a kernel thread, a process that the agent
// cannot see, and for an id that comes from another pid namespace.
Result<lease::Process> OwnerProcess(const local_socket::Peer& peer, pid_t asked, const lease::Machine& machine,
                                    const FactsOf& facts_of);

}  // namespace heliostat::agent
