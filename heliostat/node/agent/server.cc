#include "heliostat/node/agent/server.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/fault_point.h"
#include "heliostat/base/core/log.h"

namespace heliostat::agent {
namespace {

constexpr int kLinesPerTurn = 32;
constexpr int kAcceptsPerTurn = 16;
constexpr std::uint64_t kSecondsBetweenCounts = 60;
// One user may not keep all others out.
constexpr int kShareOfConnections = 4;

int EverySecond() {
  const int fd = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const itimerspec second{{1, 0}, {0, 1}};  // the first at once
  Check(fd >= 0 && ::timerfd_settime(fd, 0, &second, nullptr) == 0, "no timer");
  return fd;
}

}  // namespace

Server::Server(Parts parts)
    : parts_(std::move(parts)),
      owners_(poller_, *parts_.machine, [this] { parts_.workers->TickAll(); }),
      stop_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      timer_fd_(EverySecond()) {
  Check(stop_fd_ >= 0, "no eventfd");
  listener_key_ = poller_.Add(parts_.listener->fd(), EPOLLIN, [this](std::uint32_t) { Accept(); });
  poller_.Add(stop_fd_, EPOLLIN, [this](std::uint32_t) { is_stopping_ = true; });
  poller_.Add(timer_fd_, EPOLLIN, [this](std::uint32_t) { OnSecond(); });
  poller_.Add(parts_.workers->event_fd(), EPOLLIN, [this](std::uint32_t) {
    parts_.workers->Collect();
    owners_.Watch(parts_.workers->Owners());
    TellReady();
  });
  if (parts_.signals >= 0) poller_.Add(parts_.signals, EPOLLIN, [this](std::uint32_t) { OnSignal(); });
}

Server::~Server() {
  while (!connections_.empty()) Close(connections_.begin()->first);
  ::close(stop_fd_);
  ::close(timer_fd_);
}

void Server::Run() {
  while (!is_stopping_) {
    poller_.Wait(ready_.empty() ? std::chrono::milliseconds(-1) : std::chrono::milliseconds(0));
    for (const Number number : std::exchange(ready_, {})) Serve(number);
  }
  FaultPoint("agent-stopping");
  parts_.notifier->Send("STOPPING=1");
  parts_.handler->set_state("stopping");
}

void Server::Stop() const {
  const std::uint64_t one = 1;
  (void)!::write(stop_fd_, &one, sizeof(one));
}

Status Server::Admit(const Peer& peer) const {
  const auto same = std::count_if(connections_.begin(), connections_.end(),
                                  [&](const auto& entry) { return entry.second.session->peer().uid == peer.uid; });
  const int most = peer.is_root() ? parts_.max_connections : std::max(1, parts_.max_connections / kShareOfConnections);
  if (same < most && connections_.size() < static_cast<std::size_t>(parts_.max_connections)) return {};
  return Fail(ErrorCode::kUnavailable, "agent",
              fmt::format("{} connections are open, {} of user {}", connections_.size(), same, peer.uid),
              fmt::format("{} are allowed, {} of one user", parts_.max_connections, most));
}

void Server::Accept() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    const int fd = ::accept4(parts_.listener->fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return;
      // Out of files: asking again at once would not help, so the timer does.
      is_accepting_ = false;
      poller_.Change(listener_key_, 0);
      return;
    }
    auto peer = parts_.identify(fd);
    auto session = std::make_unique<ClientConnection>(fd, peer ? *peer : Peer{});
    const Status admitted = peer ? Admit(*peer) : Status(Propagate(peer));
    if (!admitted) {
      if (peer) parts_.handler->NoteRefusal(*peer, admitted.error());
      (void)session->Send(ErrorAnswer(admitted.error()));
      continue;
    }
    const Number number = next_++;
    const Poller::Key key =
        poller_.Add(fd, EPOLLIN, [this, number](std::uint32_t events) { OnEvents(number, events); });
    connections_.emplace(number, Connected{std::move(session), key});
  }
}

void Server::OnEvents(Number number, std::uint32_t events) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  ClientConnection& session = *found->second.session;
  bool is_fine = (events & EPOLLERR) == 0;
  if (is_fine && (events & EPOLLOUT) != 0) is_fine = session.Flush();
  if (is_fine && (events & EPOLLIN) != 0 && session.HasRoom()) is_fine = session.Receive();
  // Hung up: whoever asked reads no answer any more. What it sent before it went is still done, unless it waits.
  if (!is_fine || ((events & EPOLLHUP) != 0 && (session.is_waiting || !session.HasLine()))) {
    Close(number);
    return;
  }
  Serve(number);
}

void Server::Serve(Number number) {
  for (int i = 0; i < kLinesPerTurn; ++i) {
    const auto found = connections_.find(number);
    if (found == connections_.end()) return;
    ClientConnection& session = *found->second.session;
    if (session.is_waiting) break;
    const auto line = session.NextLine();
    if (!line) break;
    session.is_waiting = true;
    auto handled = parts_.handler->Handle(session.peer(), *line,
                                          [this, number](const std::string& answer) { return Reply(number, answer); });
    // The answer may have been the last thing that the connection could take.
    const auto still = connections_.find(number);
    if (still == connections_.end()) return;
    if (handled.kind == RequestHandler::Handled::Kind::kRead) ++session.reads;
    if (handled.kind == RequestHandler::Handled::Kind::kLimited) ++session.limited;
    if (session.is_waiting) session.tickets = std::move(handled.tickets);
  }
  Arrange(number);
}

bool Server::Reply(Number number, const std::string& answer) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return false;
  ClientConnection& session = *found->second.session;
  session.is_waiting = false;
  session.tickets.clear();
  if (!session.Send(answer)) {
    Close(number);
    return false;
  }
  // Answered from within Serve() or, later, for a line that waited: there may be more of them.
  ready_.insert(number);
  return true;
}

void Server::Arrange(Number number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  const ClientConnection& session = *found->second.session;
  if (!session.is_waiting && session.HasLine()) {
    ready_.insert(number);
  } else {
    ready_.erase(number);
    if (session.has_ended() && !session.is_waiting && !session.HasUnsent()) {
      Close(number);
      return;
    }
  }
  std::uint32_t events = 0;
  if (!session.is_waiting && !session.has_ended() && session.HasRoom()) events |= EPOLLIN;
  if (session.HasUnsent()) events |= EPOLLOUT;
  poller_.Change(found->second.key, events);
}

void Server::CountReads(ClientConnection& session) {
  if (session.reads == 0 && session.limited == 0) return;
  io::Json counts;
  counts.Set("reads", static_cast<std::int64_t>(std::exchange(session.reads, 0)));
  counts.Set("limited", static_cast<std::int64_t>(std::exchange(session.limited, 0)));
  parts_.audit->Note({session.peer().uid, session.peer().pid, std::move(counts), "counted"});
}

void Server::Close(Number number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  for (const GpuWorkers::Ticket ticket : found->second.session->tickets) parts_.workers->Forget(ticket);
  CountReads(*found->second.session);
  poller_.Remove(found->second.key);
  ready_.erase(number);
  connections_.erase(found);
}

void Server::OnSecond() {
  std::uint64_t times = 0;
  (void)!::read(timer_fd_, &times, sizeof(times));
  parts_.workers->Sweep();
  owners_.Watch(parts_.workers->Owners());
  parts_.handler->Prune();
  if (!std::exchange(is_accepting_, true)) poller_.Change(listener_key_, EPOLLIN);
  if (parts_.notifier->is_watched()) parts_.notifier->Send("WATCHDOG=1");
  if (++seconds_ % kSecondsBetweenCounts == 0) {
    for (auto& entry : connections_) CountReads(*entry.second.session);
  }
  TellReady();
}

void Server::TellReady() {
  if (is_ready_ || !parts_.workers->IsOpen()) return;
  is_ready_ = true;
  parts_.handler->set_state("serving");
  parts_.notifier->Send("READY=1");
  FaultPoint("agent-started");
  Log(LogLevel::kInfo, "serving {} GPUs", parts_.workers->size());
}

void Server::OnSignal() {
  signalfd_siginfo info{};
  while (::read(parts_.signals, &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo == SIGHUP) {
      Reread();
    } else {
      is_stopping_ = true;
    }
  }
}

void Server::Reread() {
  parts_.audit->Reopen();
  const auto config = parts_.reread();
  if (!config) {
    Log(LogLevel::kError, "the policy stays as it was: {}", config.error().Line());
    return;
  }
  for (const std::string& warning : config->warnings) LogLine(LogLevel::kWarning, warning);
  parts_.handler->Adopt(*config);
  Log(LogLevel::kInfo, "the policy was read anew: {} [[allow]] tables", config->allowances.size());
}

}  // namespace heliostat::agent
