#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/error.h"
#include "heliostat/node/local_socket/connection_share.h"
#include "heliostat/node/local_socket/line_connection.h"
#include "heliostat/node/local_socket/listen.h"
#include "heliostat/node/local_socket/peer.h"
#include "heliostat/node/local_socket/poller.h"

namespace heliostat::local_socket {

// The bounds of a LineServer, and what tests replace.
struct LineServerOptions {
  std::size_t most_request_bytes = std::size_t{64} * 1024;
  std::size_t max_connections = 256;  // shared among claimants as ShareOf() says, like the bytes below
  // While clients leave this much of their answers unread, further requests are refused.
  std::size_t most_unsent_bytes = std::size_t{256} << 20;
  // A connection is closed when it sends no whole request, or does not read a whole answer, for this long.
  std::chrono::milliseconds idle{60'000};
  // The line that a client gets instead of an answer.
  std::function<std::string(const Error&)> refusal = [](const Error& error) { return error.Line(); };
  // Identifies the peer of a socket.
  std::function<Result<Peer>(int fd)> identify = PeerOf;
  std::function<Claimant(int fd, const Peer& peer)> claimant = [](int, const Peer& peer) { return UserOf(peer); };
  std::function<Clock::Time()> now = [] { return std::chrono::steady_clock::now(); };
};

// Answers request lines over a Unix socket, one line each. All users may connect; the answer decides about rights.
// A client may send several requests over one connection; they are answered in order. Never waits for a client. Used
// from one thread, which is either inside Run() or calls Step() in its own loop; only Stop() may be called from any
// thread.
class LineServer {
 public:
  // Returns one line, without its end, of any length. Called from the server's thread, which serves nobody meanwhile.
  using Answer = std::function<std::string(const Peer& peer, std::string_view line)>;

  // For answers that take their time: handles a request and leads to one Reply() with its ticket, now or later. Peer
  // and line are valid until then, and no longer than the call.
  using Ticket = std::uint64_t;
  using Handler = std::function<void(Ticket ticket, const Peer& peer, std::string_view line)>;

  LineServer(Listener listener, Answer answer, LineServerOptions options = {});
  LineServer(Listener listener, Handler handler, LineServerOptions options = {});
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;
  // Closes all connections. Unread rests of answers are lost.
  ~LineServer();

  // Waits up to `timeout` until there is something to do, and does it; a negative timeout waits without limit. May
  // return earlier. Answers at most one request of each connection.
  void Step(std::chrono::milliseconds timeout);
  // Serves until Stop().
  void Run();
  // Ignored when the client has gone.
  void Reply(Ticket ticket, std::string answer);
  // Calls `on_ready` when `fd` is readable, which must stay open as long as the server exists.
  void Watch(int fd, std::function<void()> on_ready);
  // Ends Run(), now and in future, and the wait of one Step().
  void Stop();
  // Readable when Step() has something to do, so that a loop with files of its own can wait for it. Idle connections do
  // not make it readable.
  int event_fd() const { return poller_.fd(); }

 private:
  using Number = Ticket;
  struct Connected {
    std::unique_ptr<LineConnection> lines;
    Claimant claimant;
    Poller::Key key = 0;
    Clock::Time active;       // when it was opened, last sent a whole request or had read a whole answer
    bool is_waiting = false;  // for its answer
    bool is_last = false;     // closed after the current answer
  };

  void Wake() const;
  void Accept();
  Status AdmitOne(const Claimant& claimant) const;
  void OnEvents(Number number, std::uint32_t events);
  void Serve(Number number);
  // An error for a line that is not handled.
  Status CheckRequest(Connected& connected, std::string_view line) const;
  // An error when clients have left too much unread.
  Status CheckUnsent(const Claimant& claimant) const;
  // Decides which events a connection waits for next; closes one that has ended.
  void Arrange(Number number);
  void Close(Number number);
  void CloseIdle();
  std::chrono::milliseconds WaitUpTo(std::chrono::milliseconds timeout) const;

  const Listener listener_;
  const Handler handler_;
  const LineServerOptions options_;
  Poller poller_;
  int wake_fd_ = -1;
  Poller::Key listener_key_ = 0;
  std::optional<Clock::Time> accepts_again_;  // absent: it accepts
  std::atomic<bool> is_stopping_{false};
  Number next_ = 1;
  std::map<Number, Connected> connections_;
  std::set<Number> ready_;  // connections with lines that are not answered yet
};

}  // namespace heliostat::local_socket
