#include "heliostat/node/local_socket/line_server.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "heliostat/base/core/check.h"
#include "heliostat/node/local_socket/connection_share.h"

namespace heliostat::local_socket {
namespace {

using std::chrono::milliseconds;

constexpr int kAcceptsPerTurn = 16;
constexpr milliseconds kPauseOfAccepting{1000};
const std::string kWhere = "server";

milliseconds Until(Clock::Time then, Clock::Time now) {
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(then - now));
}

}  // namespace

LineServer::LineServer(Listener listener, Answer answer, LineServerOptions options)
    : LineServer(std::move(listener),
                 Handler([this, answer = std::move(answer)](Ticket ticket, const Peer& peer, std::string_view line) {
                   Reply(ticket, answer(peer, line));
                 }),
                 std::move(options)) {}

LineServer::LineServer(Listener listener, Handler handler, LineServerOptions options)
    : listener_(std::move(listener)),
      handler_(std::move(handler)),
      options_(std::move(options)),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  Check(wake_fd_ >= 0, "no eventfd");
  listener_key_ = poller_.Add(listener_.fd(), EPOLLIN, [this](std::uint32_t) { Accept(); });
  poller_.Add(wake_fd_, EPOLLIN, [this](std::uint32_t) {
    std::uint64_t times = 0;
    (void)!::read(wake_fd_, &times, sizeof(times));
  });
}

LineServer::~LineServer() {
  while (!connections_.empty()) Close(connections_.begin()->first);
  ::close(wake_fd_);
}

void LineServer::Wake() const {
  const std::uint64_t one = 1;
  (void)!::write(wake_fd_, &one, sizeof(one));
}

void LineServer::Stop() {
  is_stopping_ = true;
  Wake();
}

void LineServer::Watch(int fd, std::function<void()> on_ready) {
  poller_.Add(fd, EPOLLIN, [on_ready = std::move(on_ready)](std::uint32_t) { on_ready(); });
}

void LineServer::Run() {
  while (!is_stopping_) Step(milliseconds(-1));
}

void LineServer::Step(milliseconds timeout) {
  CloseIdle();
  if (accepts_again_ && *accepts_again_ <= options_.now()) {
    accepts_again_.reset();
    poller_.Change(listener_key_, EPOLLIN);
  }
  poller_.Wait(WaitUpTo(timeout));
  for (const Number number : std::exchange(ready_, {})) Serve(number);
  // So that a loop that waits for event_fd() returns for the other lines.
  if (!ready_.empty()) Wake();
}

milliseconds LineServer::WaitUpTo(milliseconds timeout) const {
  if (!ready_.empty()) return milliseconds(0);
  const Clock::Time now = options_.now();
  std::vector<milliseconds> waits;
  if (timeout >= milliseconds(0)) waits.push_back(timeout);
  if (accepts_again_) waits.push_back(Until(*accepts_again_, now));
  for (const auto& entry : connections_) {
    if (!entry.second.is_waiting) waits.push_back(Until(entry.second.active + options_.idle, now));
  }
  return waits.empty() ? milliseconds(-1) : *std::min_element(waits.begin(), waits.end());
}

void LineServer::Accept() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    const int fd = ::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return;
      // Out of file descriptors: an immediate retry would not help.
      accepts_again_ = options_.now() + kPauseOfAccepting;
      poller_.Change(listener_key_, 0);
      return;
    }
    const auto peer = options_.identify(fd);
    auto lines = std::make_unique<LineConnection>(fd, peer ? *peer : Peer{}, LineLimits{options_.most_request_bytes});
    const Claimant claimant = peer ? options_.claimant(fd, *peer) : Claimant{};
    const Status admitted = peer ? AdmitOne(claimant) : Status(Propagate(peer));
    if (!admitted) {
      (void)lines->Send(options_.refusal(admitted.error()));
      continue;
    }
    const Number number = next_++;
    const auto key = poller_.Add(fd, EPOLLIN, [this, number](std::uint32_t events) { OnEvents(number, events); });
    connections_.emplace(number, Connected{std::move(lines), claimant, key, options_.now()});
  }
}

Status LineServer::AdmitOne(const Claimant& claimant) const {
  const auto same = std::count_if(connections_.begin(), connections_.end(),
                                  [&](const auto& entry) { return entry.second.claimant.name == claimant.name; });
  return Admit(claimant, {static_cast<std::size_t>(same), connections_.size()}, options_.max_connections, kWhere);
}

void LineServer::OnEvents(Number number, std::uint32_t events) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  Connected& connected = found->second;
  LineConnection& lines = *connected.lines;
  bool is_fine = (events & EPOLLERR) == 0;
  if (is_fine && (events & EPOLLOUT) != 0) {
    is_fine = lines.Flush();
    if (!lines.HasUnsent()) connected.active = options_.now();
  }
  if (is_fine && (events & EPOLLIN) != 0) is_fine = lines.Receive();
  // A client that has hung up reads no more answers. Lines that it sent before are still handled.
  if (!is_fine || ((events & EPOLLHUP) != 0 && (connected.is_waiting || lines.HasUnsent()))) {
    Close(number);
    return;
  }
  Arrange(number);
}

void LineServer::Serve(Number number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  Connected& connected = found->second;
  if (const auto line = connected.lines->NextLine()) {
    connected.is_waiting = true;
    connected.active = options_.now();
    if (const auto fine = CheckRequest(connected, *line); !fine) {
      Reply(number, options_.refusal(fine.error()));
    } else {
      handler_(number, connected.lines->peer(), *line);
    }
  }
  Arrange(number);
}

void LineServer::Reply(Ticket ticket, std::string answer) {
  const auto found = connections_.find(ticket);
  if (found == connections_.end() || !found->second.is_waiting) return;
  if (answer.find('\n') != std::string::npos) {
    answer = options_.refusal(Error{ErrorCode::kInternal, kWhere, "its answer has several lines", ""});
  }
  found->second.is_waiting = false;
  found->second.active = options_.now();
  if (found->second.lines->Send(std::move(answer))) {
    Arrange(ticket);
  } else {
    Close(ticket);
  }
}

Status LineServer::CheckRequest(Connected& connected, std::string_view line) const {
  if (line.size() <= options_.most_request_bytes) return CheckUnsent(connected.claimant);
  connected.is_last = true;
  return Fail(ErrorCode::kInvalidArgument, "request", "is too long",
              fmt::format("at most {} bytes", options_.most_request_bytes));
}

Status LineServer::CheckUnsent(const Claimant& claimant) const {
  std::size_t of_claimant = 0;
  std::size_t together = 0;
  for (const auto& entry : connections_) {
    const std::size_t unsent = entry.second.lines->unsent();
    together += unsent;
    if (entry.second.claimant.name == claimant.name) of_claimant += unsent;
  }
  const Share share = ShareOf(options_.most_unsent_bytes, claimant.is_root);
  if (of_claimant < share.of_one && together < share.together) return {};
  return Fail(
      ErrorCode::kUnavailable, kWhere,
      fmt::format("answers of {} bytes are unread, {} of {} {}", together, of_claimant, claimant.kind, claimant.name),
      fmt::format("{} are allowed, {} of one {}", share.together, share.of_one, claimant.kind));
}

void LineServer::Arrange(Number number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  const LineConnection& lines = *found->second.lines;
  ready_.erase(number);
  std::uint32_t events = 0;
  if (found->second.is_waiting) {
    // Only its end is of interest.
  } else if (lines.HasUnsent()) {
    events = EPOLLOUT;
  } else if (found->second.is_last || (lines.has_ended() && !lines.HasLine())) {
    Close(number);
    return;
  } else if (lines.HasLine()) {
    ready_.insert(number);
  } else {
    events = EPOLLIN;
  }
  poller_.Change(found->second.key, events);
}

void LineServer::Close(Number number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  poller_.Remove(found->second.key);
  ready_.erase(number);
  connections_.erase(found);
}

void LineServer::CloseIdle() {
  const Clock::Time now = options_.now();
  std::vector<Number> idle;
  for (const auto& [number, connected] : connections_) {
    const bool is_busy = connected.is_waiting || ready_.count(number) > 0;
    if (!is_busy && now - connected.active >= options_.idle) idle.push_back(number);
  }
  for (const Number number : idle) Close(number);
}

}  // namespace heliostat::local_socket
