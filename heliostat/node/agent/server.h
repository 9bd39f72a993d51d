#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "heliostat/node/agent/audit.h"
#include "heliostat/node/agent/client_connection.h"
#include "heliostat/node/agent/config.h"
#include "heliostat/node/agent/gpu_workers.h"
#include "heliostat/node/agent/listen.h"
#include "heliostat/node/agent/owner_watch.h"
#include "heliostat/node/agent/peer.h"
#include "heliostat/node/agent/poller.h"
#include "heliostat/node/agent/request_handler.h"
#include "heliostat/node/agent/systemd.h"

namespace heliostat::agent {

// The one thread that serves all connections: accepts, reads lines, has the desk answer them, and looks after timers,
// signals and owners. Never calls a driver and never waits for a disk on a request's behalf.
class Server {
 public:
  // Pointers outlive the server.
  struct Parts {
    const Listener* listener = nullptr;
    GpuWorkers* workers = nullptr;
    RequestHandler* handler = nullptr;
    Audit* audit = nullptr;
    const lease::Machine* machine = nullptr;
    const Notifier* notifier = nullptr;
    int signals = -1;  // a signalfd, where there is one
    // Who is at the other end of a socket.
    std::function<Result<Peer>(int fd)> identify = PeerOf;
    // The policy file, read anew on SIGHUP.
    std::function<Result<Config>()> reread;
    int max_connections = 256;
  };

  explicit Server(Parts parts);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Until SIGTERM, SIGINT or Stop().
  void Run();
  // From any thread.
  void Stop() const;

 private:
  struct Connected {
    std::unique_ptr<ClientConnection> session;
    Poller::Key key = 0;
  };
  using Number = std::uint64_t;

  void Accept();
  // An error is told to whoever connected.
  Status Admit(const Peer& peer) const;
  void OnEvents(Number number, std::uint32_t events);
  // Answers lines of a connection, a bounded number so that others have their turn.
  void Serve(Number number);
  // What happens next with a connection; closes it when nothing does.
  void Arrange(Number number);
  bool Reply(Number number, const std::string& answer);
  void Close(Number number);
  void CountReads(ClientConnection& session);
  void OnSecond();
  // Once, when all that earlier agents left behind is made good.
  void TellReady();
  void OnSignal();
  void Reread();

  Parts parts_;
  Poller poller_;
  OwnerWatch owners_;
  int stop_fd_ = -1;
  int timer_fd_ = -1;
  Poller::Key listener_key_ = 0;
  bool is_accepting_ = true;
  bool is_stopping_ = false;
  bool is_ready_ = false;
  std::uint64_t seconds_ = 0;
  Number next_ = 1;
  std::map<Number, Connected> connections_;
  std::set<Number> ready_;  // have lines that are not answered
};

}  // namespace heliostat::agent
