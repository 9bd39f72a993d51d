#include "heliostat/node/agent/server.h"

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
#include "heliostat/node/local_socket/connection_share.h"

namespace heliostat::agent {
namespace {

constexpr int kLinesPerTurn = 32;
constexpr int kAcceptsPerTurn = 16;
constexpr std::uint64_t kSecondsBetweenCounts = 60;

int EverySecond() {
  const int fd = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const itimerspec second{{1, 0}, {0, 1}};  // the first one immediately
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
    ReportReady();
  });
  if (parts_.search != nullptr) {
    poller_.Add(parts_.search->event_fd(), EPOLLIN, [this](std::uint32_t) { AddFoundGpus(); });
  }
  has_looked_ = parts_.search == nullptr;
  if (parts_.signals >= 0) poller_.Add(parts_.signals, EPOLLIN, [this](std::uint32_t) { OnSignal(); });
}

Server::~Server() {
  while (!connections_.empty()) Close(connections_.begin()->first);
  parts_.audit->WriteCounts();
  ::close(stop_fd_);
  ::close(timer_fd_);
}

void Server::Run() {
  // Before the first request: the journals may be read already.
  ReportReady();
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

Status Server::Admit(const local_socket::Peer& peer) const {
  const auto same = std::count_if(connections_.begin(), connections_.end(),
                                  [&](const auto& entry) { return entry.second.connection->peer().uid == peer.uid; });
  // Root always gets a connection: it must be able to release leases.
  return local_socket::Admit(local_socket::UserOf(peer), {static_cast<std::size_t>(same), connections_.size()},
                             static_cast<std::size_t>(parts_.max_connections), "agent");
}

void Server::Accept() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    const int fd = ::accept4(parts_.listener->fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return;
      // Out of file descriptors: an immediate retry would not help; the timer accepts again.
      is_accepting_ = false;
      poller_.Change(listener_key_, 0);
      return;
    }
    auto peer = parts_.identify(fd);
    auto connection = std::make_unique<ClientConnection>(fd, peer ? *peer : local_socket::Peer{});
    const Status admitted = peer ? Admit(*peer) : Status(Propagate(peer));
    if (!admitted) {
      if (peer) parts_.handler->NoteRefusal(*peer, admitted.error());
      (void)connection->Send(ErrorAnswer(admitted.error()));
      continue;
    }
    const Number number = next_++;
    const local_socket::Poller::Key key =
        poller_.Add(fd, EPOLLIN, [this, number](std::uint32_t events) { OnEvents(number, events); });
    ++connection->counts.connections;
    connection->active = parts_.now();
    connections_.emplace(number, Connected{std::move(connection), key});
  }
}

void Server::OnEvents(Number number, std::uint32_t events) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  ClientConnection& connection = *found->second.connection;
  bool is_fine = (events & EPOLLERR) == 0;
  if (is_fine && (events & EPOLLOUT) != 0) is_fine = connection.Flush();
  if (is_fine && (events & EPOLLIN) != 0 && connection.HasRoom()) is_fine = connection.Receive();
  // The client has hung up and reads no more answers. Lines that it sent before are still handled, unless one waits.
  if (!is_fine || ((events & EPOLLHUP) != 0 && (connection.is_waiting || !connection.HasLine()))) {
    Close(number);
    return;
  }
  Serve(number);
}

void Server::Serve(Number number) {
  for (int i = 0; i < kLinesPerTurn; ++i) {
    const auto found = connections_.find(number);
    if (found == connections_.end()) return;
    ClientConnection& connection = *found->second.connection;
    if (connection.is_waiting) break;
    const auto line = connection.NextLine();
    if (!line) break;
    connection.is_waiting = true;
    connection.active = parts_.now();
    auto handled = parts_.handler->Handle(connection.peer(), *line,
                                          [this, number](const std::string& answer) { return Reply(number, answer); });
    // Sending the answer may have closed the connection.
    const auto still = connections_.find(number);
    if (still == connections_.end()) return;
    if (handled.kind == RequestHandler::Handled::Kind::kRead) ++connection.counts.reads;
    if (handled.kind == RequestHandler::Handled::Kind::kLimited) ++connection.counts.limited;
    if (connection.is_waiting) connection.tickets = std::move(handled.tickets);
  }
  Arrange(number);
}

bool Server::Reply(Number number, const std::string& answer) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return false;
  ClientConnection& connection = *found->second.connection;
  connection.is_waiting = false;
  connection.active = parts_.now();
  connection.tickets.clear();
  if (!connection.Send(answer)) {
    Close(number);
    return false;
  }
  // Called from Serve() or later, for a line that waited. There may be more lines.
  ready_.insert(number);
  return true;
}

void Server::Arrange(Number number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  const ClientConnection& connection = *found->second.connection;
  if (!connection.is_waiting && connection.HasLine()) {
    ready_.insert(number);
  } else {
    ready_.erase(number);
    if (connection.has_ended() && !connection.is_waiting && !connection.HasUnsent()) {
      Close(number);
      return;
    }
  }
  std::uint32_t events = 0;
  if (!connection.is_waiting && !connection.has_ended() && connection.HasRoom()) events |= EPOLLIN;
  if (connection.HasUnsent()) events |= EPOLLOUT;
  poller_.Change(found->second.key, events);
}

void Server::CountRequests(ClientConnection& connection) {
  parts_.audit->Count(connection.peer().uid, std::exchange(connection.counts, {}));
}

void Server::Close(Number number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  for (const GpuWorkers::Ticket ticket : found->second.connection->tickets) parts_.workers->Forget(ticket);
  CountRequests(*found->second.connection);
  poller_.Remove(found->second.key);
  ready_.erase(number);
  connections_.erase(found);
}

void Server::CloseIdle() {
  const SteadyTime now = parts_.now();
  std::vector<Number> idle;
  for (const auto& [number, connected] : connections_) {
    const ClientConnection& connection = *connected.connection;
    if (!connection.is_waiting && now - connection.active > parts_.idle) idle.push_back(number);
  }
  for (const Number number : idle) Close(number);
}

void Server::OnSecond() {
  std::uint64_t times = 0;
  (void)!::read(timer_fd_, &times, sizeof(times));
  parts_.workers->Sweep();
  owners_.Watch(parts_.workers->Owners());
  parts_.handler->Prune();
  CloseIdle();
  if (!std::exchange(is_accepting_, true)) poller_.Change(listener_key_, EPOLLIN);
  if (parts_.notifier->is_watched()) parts_.notifier->Send("WATCHDOG=1");
  if (++seconds_ % kSecondsBetweenCounts == 0) {
    for (auto& entry : connections_) CountRequests(*entry.second.connection);
    parts_.audit->WriteCounts();
  }
  ReportReady();
}

void Server::AddFoundGpus() {
  while (auto found = parts_.search->Take()) {
    has_looked_ = true;
    for (const std::string& trouble : found->troubles) LogLine(LogLevel::kWarning, trouble);
    const std::size_t count = found->gpus.size();
    // Also without GPUs: then the journals of all of them are without a GPU.
    parts_.workers->Add(std::move(found->gpus));
    parts_.handler->set_driver(std::move(found->driver), std::move(found->troubles));
    if (is_ready_ && count > 0) Log(LogLevel::kInfo, "found {} more GPUs", count);
  }
  ReportReady();
}

void Server::ReportReady() {
  if (is_ready_ || !has_looked_ || !parts_.workers->IsOpen()) return;
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
    Log(LogLevel::kError, "the policy file cannot be used, the old policy stays in force: {}", config.error().Line());
    return;
  }
  for (const std::string& warning : config->warnings) LogLine(LogLevel::kWarning, warning);
  parts_.handler->Adopt(*config);
  Log(LogLevel::kInfo, "read the policy again: {} [[allow]] tables", config->allowances.size());
}

}  // namespace heliostat::agent
