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
#include "heliostat/node/agent/gpu_search.h"
#include "heliostat/node/agent/gpu_workers.h"
#include "heliostat/node/agent/owner_watch.h"
#include "heliostat/node/agent/request_handler.h"
#include "heliostat/node/local_socket/listen.h"
#include "heliostat/node/local_socket/peer.h"
#include "heliostat/node/local_socket/poller.h"
#include "heliostat/node/local_socket/systemd.h"

namespace heliostat::agent {

// The thread that serves all connections: accepts them, reads lines, passes them to the RequestHandler, and handles
// timers, signals and owners of leases. Never calls a driver, and never waits for a disk because of a request. Used
// from one thread, except Stop().
class Server {
 public:
  // Pointers must outlive the server.
  struct Parts {
    const local_socket::Listener* listener = nullptr;
    GpuWorkers* workers = nullptr;
    RequestHandler* handler = nullptr;
    Audit* audit = nullptr;
    const lease::Machine* machine = nullptr;
    const local_socket::Notifier* notifier = nullptr;
    int signals = -1;  // a signalfd; -1: none
    // Identifies the peer of a socket.
    std::function<Result<local_socket::Peer>(int fd)> identify = local_socket::PeerOf;
    // Reads the policy file again, on SIGHUP.
    std::function<Result<Config>()> reread;
    int max_connections = 256;
    SteadyNow now = SteadyClockNow;
    std::chrono::milliseconds idle{60'000};  // a connection that is idle for longer is closed
    GpuSearch* search = nullptr;             // nullptr: the workers have all GPUs
  };

  explicit Server(Parts parts);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Serves until SIGTERM, SIGINT or Stop().
  void Run();
  // Makes Run() return. May be called from any thread.
  void Stop() const;

 private:
  struct Connected {
    std::unique_ptr<ClientConnection> connection;
    local_socket::Poller::Key key = 0;
  };
  using Number = std::uint64_t;

  void Accept();
  // The error is sent to the client.
  Status Admit(const local_socket::Peer& peer) const;
  void OnEvents(Number number, std::uint32_t events);
  // Answers a bounded number of lines of one connection, so that others are served too.
  void Serve(Number number);
  // Decides which events a connection waits for next; closes one that has ended.
  void Arrange(Number number);
  bool Reply(Number number, const std::string& answer);
  void Close(Number number);
  void CountRequests(ClientConnection& connection);
  void CloseIdle();
  void OnSecond();
  void AddFoundGpus();
  // Reports once to systemd that the agent is ready: what earlier agents left is restored.
  void ReportReady();
  void OnSignal();
  void Reread();

  Parts parts_;
  local_socket::Poller poller_;
  OwnerWatch owners_;
  int stop_fd_ = -1;
  int timer_fd_ = -1;
  local_socket::Poller::Key listener_key_ = 0;
  bool is_accepting_ = true;
  bool is_stopping_ = false;
  bool is_ready_ = false;
  bool has_looked_ = false;  // for GPUs, at least once
  std::uint64_t seconds_ = 0;
  Number next_ = 1;
  std::map<Number, Connected> connections_;
  std::set<Number> ready_;  // connections with lines that are not answered yet
};

}  // namespace heliostat::agent
