#include "heliostat/node/agent/owner_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "heliostat/node/agent/client.h"
#include "heliostat/node/agent/protocol.h"
#include "heliostat/node/agent/testing/small_workers.h"
#include "heliostat/node/local_socket/listen.h"

namespace heliostat::agent {
namespace {

using local_socket::Peer;
using local_socket::PeerOf;
using ::testing::HasSubstr;

constexpr pid_t kClient = 50;
constexpr uid_t kCallersUser = 1001;
constexpr uid_t kStrangersUser = 1002;

class OwnerProcessTest : public ::testing::Test {
 protected:
  void Run(pid_t pid, ProcessFacts facts) {
    machine_.Start(pid);
    facts_[pid] = facts;
  }
  Result<lease::Process> Ask(const Peer& peer, pid_t asked) {
    return OwnerProcess(peer, asked, machine_, [this](pid_t pid) {
      const auto found = facts_.find(pid);
      return found == facts_.end() ? std::nullopt : std::optional(found->second);
    });
  }
  std::string Refusal(const Peer& peer, pid_t asked) {
    const auto owner = Ask(peer, asked);
    EXPECT_FALSE(owner) << "was accepted";
    return owner ? "" : owner.error().Line();
  }

  FixedMachine machine_;
  std::map<pid_t, ProcessFacts> facts_;
};

TEST_F(OwnerProcessTest, OnlyProcessesOfTheCallerOrAnyForRoot) {
  Run(kClient, {kCallersUser, false});
  Run(77, {kCallersUser, false});
  Run(78, {kStrangersUser, false});
  const Peer ada{kClient, kCallersUser, {}};
  EXPECT_EQ(Ask(ada, 77), (lease::Process{77, 7}));
  // The answer does not reveal whether the process exists.
  std::string other = Refusal(ada, 78);
  other.replace(other.find("78"), 2, "79");
  EXPECT_EQ(other, Refusal(ada, 79));
  const Peer root{kClient, 0, {}};
  EXPECT_TRUE(Ask(root, 78));
  EXPECT_THAT(Refusal(root, 79), HasSubstr("kernel thread"));
}

TEST_F(OwnerProcessTest, TheOwnProcessNeedsNoNumber) {
  Run(kClient, {kCallersUser, false});
  EXPECT_EQ(Ask({kClient, kCallersUser, {}}, kOwnProcess), (lease::Process{kClient, 7}));
  Run(60, {kCallersUser, true});
  EXPECT_EQ(Ask({60, kCallersUser, {}}, kOwnProcess), (lease::Process{60, 7})) << "in a container too";
}

TEST_F(OwnerProcessTest, ANumberFromAContainerIsThatOfAnotherProcessHere) {
  Run(8, {0, false});
  Run(60, {0, true});
  EXPECT_THAT(Refusal({60, 0, {}}, 8), HasSubstr("another pid namespace"));
  EXPECT_THAT(Refusal({60, 0, {}}, 8), HasSubstr("0, for the caller's own process"));
}

TEST_F(OwnerProcessTest, ACallerOutsideOfTheAgentsNamespaceOwnsNothing) {
  for (const pid_t asked : {kOwnProcess, 77}) {
    EXPECT_THAT(Refusal({0, 0, {}}, asked), HasSubstr("pid namespace that the agent cannot see"));
  }
}

TEST_F(OwnerProcessTest, AProcThatHidesProcessesIsNamed) {
  EXPECT_THAT(Refusal({kClient, kCallersUser, {}}, kOwnProcess), HasSubstr("hidepid"));
  EXPECT_THAT(Refusal({kClient, kCallersUser, {}}, 77), HasSubstr("that the agent can see in /proc"));
}

TEST(ProcessFactsTest, ProcessesHaveUsers) {
  const auto own = ReadProcessFacts(::getpid());
  ASSERT_TRUE(own);
  EXPECT_EQ(own->uid, ::getuid());
  EXPECT_FALSE(ReadProcessFacts(1 << 30));
}

// A process that connects to a listener, and the agent's end of that connection.
class ConnectedChild {
 public:
  explicit ConnectedChild(bool is_in_container) {
    auto listener = local_socket::Listener::Open(folder_ / "a.sock", [](const std::string&) { return std::nullopt; });
    EXPECT_TRUE(listener);
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    starter_ = ::fork();
    if (starter_ == 0) {
      if (is_in_container) {
        if (::unshare(CLONE_NEWPID) != 0) ::_exit(1);
        // The namespace begins with the next process.
        const pid_t inner = ::fork();
        if (inner != 0) {
          ::waitpid(inner, nullptr, 0);
          ::_exit(0);
        }
      }
      auto client = Client::Connect(folder_ / "a.sock");
      (void)!::write(ready[1], "x", 1);
      ::pause();
      ::_exit(client ? 0 : 1);
    }
    ::close(ready[1]);
    char byte = 0;
    is_connected_ = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
    if (is_connected_) fd_ = ::accept(listener->fd(), nullptr, nullptr);
  }
  ~ConnectedChild() {
    Kill();
    if (fd_ >= 0) ::close(fd_);
  }
  ConnectedChild(const ConnectedChild&) = delete;
  ConnectedChild& operator=(const ConnectedChild&) = delete;

  void Kill() {
    if (starter_ <= 0) return;
    const auto peer = is_connected_ ? PeerOf(fd_) : Result<Peer>(Peer{starter_, 0, {}});
    ::kill(peer->pid, SIGKILL);
    ::waitpid(starter_, nullptr, 0);
    starter_ = -1;
  }
  bool is_connected() const { return is_connected_; }
  int fd() const { return fd_; }
  pid_t starter() const { return starter_; }

 private:
  ScratchFolder folder_;
  pid_t starter_ = -1;
  bool is_connected_ = false;
  int fd_ = -1;
};

TEST(OwnerProcessOfPeerTest, IsTheProcessThatConnectedUntilItEnds) {
  ConnectedChild child(false);
  ASSERT_TRUE(child.is_connected());
  const auto peer = PeerOf(child.fd());
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->pid, child.starter());
  const auto machine = lease::ThisMachine();
  const auto owner = OwnerProcess(*peer, kOwnProcess, *machine, ReadProcessFacts);
  ASSERT_TRUE(owner) << owner.error().Line();
  EXPECT_EQ(owner->pid, child.starter());
  child.Kill();
  const auto late = OwnerProcess(*peer, kOwnProcess, *machine, ReadProcessFacts);
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().Line(), HasSubstr("has ended"));
}

TEST(OwnerProcessOfPeerTest, HasTheAgentsNumberWhenItConnectsFromAContainer) {
  ConnectedChild child(true);
  if (!child.is_connected()) GTEST_SKIP() << "this user may not create pid namespaces";
  const auto peer = PeerOf(child.fd());
  ASSERT_TRUE(peer);
  EXPECT_GT(peer->pid, 1) << "in its own namespace it is process 1";
  EXPECT_TRUE(ReadProcessFacts(peer->pid)->is_nested);
  const auto machine = lease::ThisMachine();
  const auto owner = OwnerProcess(*peer, kOwnProcess, *machine, ReadProcessFacts);
  ASSERT_TRUE(owner) << owner.error().Line();
  EXPECT_EQ(owner->pid, peer->pid);
  EXPECT_FALSE(OwnerProcess(*peer, 1, *machine, ReadProcessFacts)) << "process 1 is another one here";
}

}  // namespace
}  // namespace heliostat::agent
