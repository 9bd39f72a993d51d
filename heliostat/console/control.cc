#include "heliostat/console/control.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "heliostat/agent/client.h"
#include "heliostat/core/home_path.h"
#include "heliostat/core/log.h"
#include "heliostat/device/describe.h"
#include "heliostat/lease/book.h"
#include "heliostat/lease/folder.h"

namespace heliostat::console {
namespace {

constexpr std::string_view kAgentsFolder = "/var/lib/heliostat";
// Another program turns a knob in milliseconds; a driver may take its time.
constexpr std::chrono::seconds kPatience{5};

class ByAgent final : public Control {
 public:
  explicit ByAgent(agent::Client client) : client_(std::move(client)) {}
  std::string_view name() const override { return "agent"; }

  Result<io::Json> Take(device::Gpu& gpu, const Wish& wish) override {
    io::Json question = QuestionFor("set", gpu);
    const device::Setting& setting = wish.setting;
    if (setting.knob == device::Knob::kPowerLimit) {
      question.Set("power_limit_w", setting.limit().value);
    } else {
      const char* const key = setting.knob == device::Knob::kCoreClock ? "core_clock_mhz" : "memory_clock_mhz";
      question.Set(key, io::Json::Array{setting.low, setting.high});
    }
    question.Set("ttl_s", static_cast<std::int64_t>(wish.ttl.count()));
    if (wish.pid) question.Set("pid", static_cast<std::int64_t>(*wish.pid));
    if (!wish.job.empty()) question.Set("job", wish.job);
    return client_.Ask(question);
  }

  Status Release(device::Gpu& /*gpu*/, const std::string& lease) override {
    io::Json question;
    question.Set("do", "release").Set("lease", lease);
    const auto answer = client_.Ask(question);
    if (!answer) return Propagate(answer);
    return {};
  }

  Result<int> Reset(device::Gpu& gpu) override {
    const auto answer = client_.Ask(QuestionFor("reset", gpu));
    if (!answer) return Propagate(answer);
    const auto released = answer->Get("released");
    if (!released) return Propagate(released);
    const auto ids = (*released)->Elements();
    if (!ids) return Propagate(ids);
    return static_cast<int>((*ids)->size());
  }

  Result<io::Json> Leases(bool all) override {
    io::Json question;
    question.Set("do", "leases").Set("all", all);
    const auto answer = client_.Ask(question);
    if (!answer) return Propagate(answer);
    const auto leases = answer->Get("leases");
    if (!leases) return Propagate(leases);
    return **leases;
  }

 private:
  static io::Json QuestionFor(const char* what, const device::Gpu& gpu) {
    io::Json question;
    question.Set("do", what).Set("gpu", gpu.identity().uuid);
    return question;
  }

  agent::Client client_;
};

// Holds the books only while it turns a knob, so that several programs can share a machine without an agent, and an
// agent can be started under them.
class Direct final : public Control {
 public:
  Direct(std::string folder, const Gpus& gpus)
      : folder_(std::move(folder)), gpus_(gpus), machine_(lease::ThisMachine()) {}
  std::string_view name() const override { return "direct"; }

  Result<io::Json> Take(device::Gpu& gpu, const Wish& wish) override {
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
    io::Json answer;
    answer.Set("lease", lease::Describe(grant->lease, machine_->SinceBoot()));
    return answer.Set("applied", device::Describe(grant->applied));
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

  Result<io::Json> Leases(bool /*all*/) override {
    io::Json rows{io::Json::Array{}};
    for (const auto& gpu : gpus_.all) {
      auto book = BookOf(*gpu);
      if (!book) return Propagate(book);
      for (const lease::Lease& lease : book->book.leases()) rows.Append(lease::Describe(lease, machine_->SinceBoot()));
    }
    return rows;
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

Result<std::unique_ptr<Control>> OpenControl(const Environment& environment, const Gpus& gpus) {
  auto client = agent::Client::Connect(agent::SocketPath(environment));
  if (client) return std::make_unique<ByAgent>(std::move(*client));
  if (client.error().code != ErrorCode::kNotFound) return Propagate(client);
  const auto path = StateFolder(environment);
  if (!path) return Propagate(path);
  if (const auto folder = lease::Folder::Open(*path, kPatience); !folder) return Propagate(folder);
  return std::make_unique<Direct>(*path, gpus);
}

}  // namespace heliostat::console
