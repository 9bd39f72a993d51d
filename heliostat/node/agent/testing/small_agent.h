#pragma once

// For tests: an agent with two cards, in a thread of this process. The test sets the user of each connection.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "heliostat/node/agent/server.h"
#include "heliostat/node/agent/testing/small_workers.h"

namespace heliostat::agent {

class SmallAgent {
 public:
  // `machine`, if given, must outlive the agent. `process_owner`: the user of all processes.
  SmallAgent(const Config& config, uid_t process_owner, const lease::Machine* machine = nullptr,
             std::size_t most_answer_bytes = kMostAnswerBytes)
      : small(machine) {
    const lease::Machine* its = machine != nullptr ? machine : &small.machine;
    auto listener = local_socket::Listener::Open(path(), [](const std::string&) { return std::nullopt; });
    if (!listener) {
      ADD_FAILURE() << listener.error().Line();
      return;
    }
    listener_ = std::make_unique<local_socket::Listener>(*std::move(listener));
    handler_ = std::make_unique<RequestHandler>(RequestHandler::Parts{small.workers.get(),
                                                                      &small.audit,
                                                                      its,
                                                                      small.now(),
                                                                      [process_owner](pid_t) {
                                                                        return ProcessFacts{process_owner, false};
                                                                      },
                                                                      "simulated",
                                                                      {},
                                                                      most_answer_bytes},
                                                config);
    server_ = std::make_unique<Server>(Server::Parts{listener_.get(), small.workers.get(), handler_.get(), &small.audit,
                                                     its, &notifier_, -1,
                                                     [this](int) -> Result<local_socket::Peer> {
                                                       return local_socket::Peer{::getpid(), caller_.load(), {}};
                                                     },
                                                     nullptr, config.max_connections, small.now(), config.idle});
    thread_ = std::thread([this] { server_->Run(); });
  }
  ~SmallAgent() { End(); }
  SmallAgent(const SmallAgent&) = delete;
  SmallAgent& operator=(const SmallAgent&) = delete;

  void End() {
    if (!thread_.joinable()) return;
    server_->Stop();
    thread_.join();
    server_.reset();
    listener_.reset();
    small.audit.Flush();
  }
  std::string path() const { return small.folder / "agent.sock"; }
  // Connections that the agent accepts from now on belong to this user.
  void Believe(uid_t uid) { caller_ = uid; }

  SmallWorkers small;

 private:
  std::atomic<uid_t> caller_{0};
  local_socket::Notifier notifier_{[](const std::string&) { return std::nullopt; }};
  std::unique_ptr<local_socket::Listener> listener_;
  std::unique_ptr<RequestHandler> handler_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace heliostat::agent
