#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/core/token_bucket.h"
#include "heliostat/node/local_socket/line_server.h"
#include "heliostat/node/munge_channel/munge_commands.h"
#include "heliostat/node/munge_channel/seen_requests.h"

namespace heliostat::munge_channel {

// Who a MungeServer is, its bounds, and what tests replace.
struct MungeServerOptions {
  std::string service;             // requests for other services are refused
  std::vector<std::string> names;  // of this host; requests for other hosts are refused
  MungeCommands commands;
  std::size_t workers = 2;                       // commands of MUNGE that run at once
  Duration tolerance{60};                        // between the clocks of both hosts
  std::size_t most_remembered = 100'000;         // requests within that time
  std::chrono::milliseconds longest_wait{5000};  // of a request for a worker
  std::size_t most_waiting = 64;                 // requests that wait for a worker
  RateLimit rate{50.0, 100.0};                   // of requests from one address
  std::size_t max_connections = 64;              // a quarter of them from one address
  std::size_t most_unsent_bytes = std::size_t{256} << 20;
  std::chrono::milliseconds idle{30'000};  // see LineServerOptions
  std::function<Instant()> now = [] { return SystemClock().Now(); };
  std::function<Clock::Time()> steady = [] { return std::chrono::steady_clock::now(); };
};

// The names of this machine for MungeServerOptions: that of the kernel, and its part before the first dot.
std::vector<std::string> NamesOfThisHost();
// What a server answers when it refuses, one line: it is no credential, so whoever gets it does not know from whom.
std::string RefusalLine(const Error& error);
// The error in such a line; of anything else, that this is no answer. `where`: of the error.
Error RefusalIn(std::string_view line, const std::string& where);

// Answers requests from other hosts, whose users MUNGE vouches for. A request and its answer are one line each: a
// credential that only the server's user can decode, and the credentials of the answer's parts, which only the asker
// can. Serves in threads of its own: nothing else waits for a client or for munged.
class MungeServer {
 public:
  // Returns an answer of up to kMostAnswerBytes. Called from several threads at once.
  using Answer = std::function<std::string(uid_t uid, std::string_view request)>;

  MungeServer(local_socket::Listener listener, Answer answer, MungeServerOptions options);
  MungeServer(const MungeServer&) = delete;
  MungeServer& operator=(const MungeServer&) = delete;
  // Waits for the commands that run, each within its limit.
  ~MungeServer();

 private:
  using Ticket = local_socket::LineServer::Ticket;
  struct Task {
    Ticket ticket = 0;
    std::string line;
    Clock::Time arrived;
  };
  struct Done {
    Ticket ticket = 0;
    std::string answer;
  };
  // An eventfd.
  struct EventFile {
    EventFile();
    ~EventFile();
    EventFile(const EventFile&) = delete;
    EventFile& operator=(const EventFile&) = delete;
    const int fd;
  };

  local_socket::LineServerOptions LineOptions() const;
  // In the thread of the line server.
  void Take(Ticket ticket, const local_socket::Peer& peer, std::string_view line);
  Status Admit(const std::string& address, std::string_view line);
  void SendDone();
  // In the workers.
  void Work();
  Result<std::string> Handle(const Task& task);
  Result<Request> Open(const Decoded& decoded);
  Result<std::string> Seal(const Request& request, uid_t reader, const std::string& answer) const;

  const MungeServerOptions options_;
  const Answer answer_;
  const EventFile done_file_;  // readable when `done_` has answers
  std::mutex mutex_;
  std::condition_variable has_task_;
  bool is_stopping_ = false;
  std::deque<Task> tasks_;
  std::vector<Done> done_;
  SeenRequests seen_;
  std::unordered_map<std::string, TokenBucket> buckets_;  // by address; of the line server's thread alone
  local_socket::LineServer server_;
  std::vector<std::thread> threads_;
};

}  // namespace heliostat::munge_channel
