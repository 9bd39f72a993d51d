#include "heliostat/node/agent/worker_tasks.h"

#include <fmt/format.h>
#include <pwd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "heliostat/base/core/log.h"
#include "heliostat/node/device/describe.h"
#include "heliostat/node/lease/lease_summary.h"

namespace heliostat::agent {
namespace {

using namespace std::chrono_literals;
using device::Knob;

// Reading the energy counter takes 4 ms on some cards; for eight cards this interval costs 0.1 % of a core.
constexpr SteadyTime kCounterEvery = 30s;
constexpr SteadyTime kDetailsEvery = 10s;
constexpr std::size_t kMostLeasesShown = 100;  // as a part of the GPU; {"do":"leases"} has all

// Asks the account database, which may be on the network: not to be called by the serving thread.
std::string UserName(uid_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> room(16'384);
  if (::getpwuid_r(uid, &entry, room.data(), room.size(), &found) != 0 || found == nullptr) {
    return fmt::format("{}", uid);
  }
  return Printable(found->pw_name, 64);
}

// The text of an object without its closing brace, so that members can be added.
std::string WithoutEnd(const io::Json& object) {
  std::string text = object.Line();
  text.pop_back();
  return text;
}

std::string OutcomeText(const Done& done) {
  if (!done.status) return "failed: " + done.status.error().Line();
  if (done.grant) {
    return fmt::format("granted {}: {}", done.grant->lease.id, device::NameOf(done.grant->applied.outcome));
  }
  if (done.renewed) return "renewed " + done.renewed->id;
  std::string text = "released";
  for (const std::string& id : done.released) text += " " + id;
  return text;
}

}  // namespace

WorkerTasks::WorkerTasks(std::unique_ptr<device::Gpu> gpu, std::string journal, const WorkerContext& context)
    : gpu_(std::move(gpu)), journal_(std::move(journal)), context_(context), meter_(kCounterEvery) {}

void WorkerTasks::Open() {
  auto leases = lease::GpuLeases::Open(
      journal_, *gpu_, *context_.machine, [](LogLevel level, const std::string& line) { LogLine(level, line); },
      context_.leases);
  if (leases) {
    leases_.emplace(*std::move(leases));
    leases_error_.reset();
  } else {
    const bool is_news = !leases_error_ || leases_error_->Line() != leases.error().Line();
    leases_error_ = leases.error();
    if (is_news) LogLine(LogLevel::kError, leases_error_->Line());
  }
  is_open_ = true;
}

Result<lease::GpuLeases*> WorkerTasks::OpenLeases() {
  if (leases_) return &*leases_;
  return tl::unexpected<Error>(*leases_error_);
}

void WorkerTasks::DoWork(const Take& work, Done& done) {
  const auto leases = OpenLeases();
  if (!leases) {
    done.status = Propagate(leases);
    return;
  }
  if (is_put_back_) {
    done.status = Fail(ErrorCode::kUnavailable, "agent", "is stopping", "try again when it runs again");
    return;
  }
  lease::LeaseRequest request = work.request;
  request.owner.user = UserName(request.owner.uid);
  auto grant = (*leases)->Take(request);
  if (grant) {
    done.grant = *std::move(grant);
  } else {
    done.status = Propagate(grant);
  }
}

void WorkerTasks::DoWork(const Renew& work, Done& done) {
  const auto leases = OpenLeases();
  if (!leases) {
    done.status = Propagate(leases);
    return;
  }
  auto renewed = (*leases)->Renew(work.lease, work.ttl);
  if (renewed) {
    done.renewed = *std::move(renewed);
  } else {
    done.status = Propagate(renewed);
  }
}

void WorkerTasks::DoWork(const Release& work, Done& done) {
  const auto leases = OpenLeases();
  done.status = leases ? (*leases)->Release(work.lease, lease::LeaseEnd::kReleased) : Status(Propagate(leases));
  if (done.status) done.released.push_back(work.lease);
}

void WorkerTasks::DoWork(const ReleaseAll& work, Done& done) {
  const auto leases = OpenLeases();
  if (!leases) {
    done.status = Propagate(leases);
    return;
  }
  for (const lease::Lease& held : (*leases)->leases()) {
    if (work.uid && held.owner.uid != *work.uid) continue;
    // A failure does not stop the others from being released.
    if (auto released = (*leases)->Release(held.id, lease::LeaseEnd::kReleased); released) {
      done.released.push_back(held.id);
    } else if (done.status) {
      done.status = released;
    }
  }
}

void WorkerTasks::DoWork(const PutBack& /*work*/, Done& done) {
  is_put_back_ = true;
  const auto leases = OpenLeases();
  done.status = leases ? (*leases)->PutBack() : Status(Propagate(leases));
}

Done WorkerTasks::Do(WorkerCommand command) {
  Done done;
  done.ticket = command.ticket;
  const bool gives = std::holds_alternative<Take>(command.work) || std::holds_alternative<Renew>(command.work);
  if (gives) {
    // A setting that cannot be audited is not applied.
    command.record.outcome = "allowed";
    done.status = context_.audit->Put(command.record);
    if (!done.status) {
      // A log that blocks may still take the line above: this one says that nothing was done.
      command.record.outcome = OutcomeText(done);
      context_.audit->Note(command.record);
      return done;
    }
  }
  std::visit([&](const auto& work) { DoWork(work, done); }, command.work);
  ReadSettings();
  if (!std::holds_alternative<PutBack>(command.work)) {
    command.record.outcome = OutcomeText(done);
    if (gives || !done.released.empty()) {
      context_.audit->Note(command.record);
    } else {
      context_.audit->NoteUnchanged(command.record);
    }
  }
  return done;
}

void WorkerTasks::ReadSettings() {
  for (const Knob knob : device::kKnobs) {
    auto stands = gpu_->Stands(knob);
    settings_[static_cast<std::size_t>(knob)] = stands ? std::optional(*stands) : std::nullopt;
  }
}

void WorkerTasks::Sample() {
  // After PutBack the card is left alone: the agent is about to end.
  if (!is_put_back_) {
    if (!leases_) Open();  // Somebody may have repaired or removed the journal.
    if (leases_) leases_->Tick();
  }
  auto reading = gpu_->Read();
  taken_ = context_.now();
  reading_ = reading ? std::optional(*reading) : std::nullopt;
  reading_trouble_ = reading ? "" : reading.error().Line();
  // A failure here has occurred above too, and is reported there.
  (void)meter_.Sample(*gpu_, taken_);
  ReadSettings();
  if (details_taken_ && taken_ - *details_taken_ < kDetailsEvery) return;
  const auto details = gpu_->Inspect();
  details_ = details ? std::optional(*details) : std::nullopt;
  details_taken_ = taken_;
}

io::Json WorkerTasks::DescribeSettings() const {
  io::Json json;
  auto settings = settings_;
  // For a knob that the driver cannot read, show the setting of the lease in force.
  for (const lease::Lease& held : leases_ ? leases_->leases() : std::vector<lease::Lease>()) {
    auto& setting = settings[static_cast<std::size_t>(held.wanted.knob)];
    if (!setting && held.state == lease::LeaseState::kInForce) setting = held.wanted;
  }
  for (const Knob knob : device::kKnobs) {
    const auto& stands = settings[static_cast<std::size_t>(knob)];
    json.Set(std::string(device::NameOf(knob)), stands ? device::Describe(*stands) : io::Json());
  }
  return json;
}

io::Json WorkerTasks::DescribeOwed() const {
  io::Json::Array owed;
  if (!leases_) return owed;
  for (const auto& one : leases_->owed()) {
    io::Json json;
    json.Set("setting", device::Describe(one.setting)).Set("why", Printable(one.why, 400));
    owed.push_back(std::move(json));
  }
  return owed;
}

GpuSnapshot WorkerTasks::Describe() const {
  GpuSnapshot snapshot;
  snapshot.taken = taken_;
  snapshot.is_open = is_open_;
  const std::string name = fmt::format("GPU {}: ", gpu_->identity().index);
  if (leases_error_) snapshot.troubles.push_back(name + leases_error_->Line());
  if (!reading_trouble_.empty()) snapshot.troubles.push_back(name + reading_trouble_);

  io::Json json;
  json.Set("identity", device::Describe(gpu_->identity())).Set("abilities", device::Describe(gpu_->abilities()));
  json.Set("reading", reading_ ? device::Describe(*reading_) : io::Json()).Set("settings", DescribeSettings());
  json.Set("energy_j", meter_.energy().value).Set("owed", DescribeOwed());
  io::Json::Array texts;
  if (leases_) {
    const auto since_boot = context_.machine->SinceBoot();
    for (lease::Lease& held : leases_->leases()) {
      io::Json text = lease::Describe(lease::SummaryOf(held, since_boot));
      snapshot.leases.push_back({std::move(held), text.Line()});
      if (texts.size() < kMostLeasesShown) texts.push_back(std::move(text));
    }
    for (const std::string& trouble : leases_->troubles()) snapshot.troubles.push_back(name + trouble);
    for (const auto& one : leases_->owed()) {
      snapshot.troubles.push_back(fmt::format("{}{} {} is owed: {}", name, device::NameOf(one.setting.knob),
                                              one.setting.Text(), Printable(one.why, 300)));
    }
  }
  json.Set("lease_count", snapshot.leases.size());
  snapshot.list_text = WithoutEnd(json);
  json.Set("leases", std::move(texts)).Set("details", details_ ? device::Describe(*details_) : io::Json());
  snapshot.show_text = WithoutEnd(json);
  return snapshot;
}

}  // namespace heliostat::agent
