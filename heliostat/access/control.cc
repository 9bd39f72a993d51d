#include "heliostat/access/control.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "heliostat/agent/client.h"
#include "heliostat/core/home_path.h"
#include "heliostat/core/log.h"
#include "heliostat/lease/book.h"
#include "heliostat/lease/folder.h"

namespace heliostat::access {
namespace {

constexpr std::string_view kAgentsFolder = "/var/lib/heliostat";
// Another program turns a knob in milliseconds; a driver may take its time.
constexpr std::chrono::seconds kPatience{5};

class ByAgent final : public Control {
 public:
  explicit ByAgent(agent::Client client) : client_(std::move(client)) {}
  std::string_view name() const override { return "agent"; }

  Result<lease::Grant> Take(device::Gpu& gpu, const Wish& wish) override {
    const auto answer = client_.Ask(agent::AskSet{gpu.identity().uuid, wish.setting, wish.ttl, wish.pid, wish.job});
    if (!answer) return Propagate(answer);
    return lease::ReadGrant(*answer);
  }

  Status Release(device::Gpu& /*gpu*/, const std::string& lease) override {
    const auto answer = client_.Ask(agent::AskRelease{lease});
    if (!answer) return Propagate(answer);
    return {};
  }

  Result<int> Reset(device::Gpu& gpu) override {
    const auto answer = client_.Ask(agent::AskReset{gpu.identity().uuid});
    if (!answer) return Propagate(answer);
    const auto released = answer->Get("released");
    if (!released) return Propagate(released);
    const auto ids = (*released)->Elements();
    if (!ids) return Propagate(ids);
    return static_cast<int>((*ids)->size());
  }

  Result<std::vector<lease::Summary>> Leases(bool all) override {
    const auto answer = client_.Ask(agent::AskLeases{all});
    if (!answer) return Propagate(answer);
    const auto leases = answer->Get("leases");
    if (!leases) return Propagate(leases);
    return lease::ReadSummaries(**leases);
  }

 private:
  agent::Client client_;
};

// Holds the books only while it turns a knob, so that several programs can share a machine without an agent, and an
// agent can be started under them.
class Direct final : public Control {
 public:
  Direct(std::string folder, const Gpus& gpus)
      : folder_(std::move(folder)), gpus_(gpus), machine_(lease::ThisMachine()) {}
  std::string_view name() const override { return "direct"; }

  Result<lease::Grant> Take(device::Gpu& gpu, const Wish& wish) override {
    auto book = BookOf(gpu);
    if (!book) return Propagate(book);
    lease::Request request{Owner(), wish.setting, wish.ttl};
    request.owner.job = wish.job;
    if (wish.pid) {
      request.owner.process = machine_->Find(*wish.pid);
      if (!request.owner.process) {
        return Fail(ErrorCode::kInvalidArgument, "--pid", fmt::format("there is no process {}", *wish.pid));
      }
    }
    const auto grant = book->book.Take(request);
    if (!grant) return Propagate(grant);
    return lease::Grant{lease::SummaryOf(grant->lease, machine_->SinceBoot()), grant->applied};
  }

  Status Release(device::Gpu& gpu, const std::string& id) override {
    auto book = BookOf(gpu);
    if (!book) return Propagate(book);
    return book->book.Release(id, lease::End::kReleased);
  }

  Result<int> Reset(device::Gpu& gpu) override {
    auto book = BookOf(gpu);
    if (!book) return Propagate(book);
    int ended = 0;
    for (const lease::Lease& lease : book->book.leases()) {
      if (const auto released = book->book.Release(lease.id, lease::End::kReleased); !released)
        return Propagate(released);
      ++ended;
    }
    const auto owed = book->book.owed();
    if (owed.empty()) return ended;
    return Fail(ErrorCode::kInternal, gpu.identity().uuid,
                fmt::format("could not be put back to {}: {}", owed.front().setting.Text(), owed.front().why));
  }

  Result<std::vector<lease::Summary>> Leases(bool /*all*/) override {
    std::vector<lease::Summary> leases;
    for (const auto& gpu : gpus_.all) {
      auto book = BookOf(*gpu);
      if (!book) return Propagate(book);
      for (const lease::Lease& lease : book->book.leases())
        leases.push_back(lease::SummaryOf(lease, machine_->SinceBoot()));
    }
    return leases;
  }

 private:
  static lease::Owner Owner() {
    const uid_t uid = ::getuid();
    const struct passwd* const entry = ::getpwuid(uid);
    return {uid, entry == nullptr ? std::to_string(uid) : entry->pw_name, std::nullopt, ""};
  }

  struct Opened {
    lease::Folder folder;  // goes last: it is the lock
    lease::Book book;
  };
  Result<Opened> BookOf(device::Gpu& gpu) {
    auto folder = lease::Folder::Open(folder_, kPatience);
    if (!folder) return Propagate(folder);
    const auto say = [](LogLevel level, const std::string& line) { LogLine(level, line); };
    auto book = lease::Book::Open(lease::JournalPath(folder_, gpu.identity().uuid), gpu, *machine_, say);
    if (!book) return Propagate(book);
    return Opened{std::move(*folder), std::move(*book)};
  }

  std::string folder_;
  const Gpus& gpus_;
  std::unique_ptr<lease::Machine> machine_;
};

}  // namespace

Result<std::string> StateFolder(const Environment& environment) {
  const auto named = environment("HELIOSTAT_STATE");
  if (::geteuid() == 0 && (!named || named->empty())) return std::string(kAgentsFolder);
  return HomePath({"folder of leases", "HELIOSTAT_STATE", HomeFolder::kState, ""}, environment);
}

std::optional<std::vector<lease::Summary>> AgentLeases(const Environment& environment) {
  auto client = agent::Client::Connect(agent::SocketPath(environment));
  if (!client) return std::nullopt;
  auto leases = ByAgent(std::move(*client)).Leases(true);
  if (!leases) return std::nullopt;
  return *std::move(leases);
}

Result<std::unique_ptr<Control>> OpenControl(const Environment& environment, const Gpus& gpus) {
  auto client = agent::Client::Connect(agent::SocketPath(environment));
  if (client) return std::make_unique<ByAgent>(std::move(*client));
  if (client.error().code != ErrorCode::kNotFound) return Propagate(client);
  const auto path = StateFolder(environment);
  if (!path) return Propagate(path);
  if (const auto folder = lease::Folder::Open(*path, kPatience); !folder) return Propagate(folder);
  return std::make_unique<Direct>(*path, gpus);
}

}  // namespace heliostat::access
