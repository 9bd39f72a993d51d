#include "heliostat/node/agent/gpu_workers.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/log.h"
#include "heliostat/node/lease/folder.h"

namespace heliostat::agent {
namespace {

std::string NameOf(const Worker& worker) { return fmt::format("GPU {}", worker.identity().index); }

}  // namespace

// Where workers put outcomes. Shared with the workers, so that an abandoned one can still use it safely.
struct GpuWorkers::Outbox {
  Outbox() : fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { Check(fd >= 0, "no eventfd"); }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox() { ::close(fd); }

  void Post(Done one) {
    {
      const std::lock_guard hold(mutex);
      done.push_back(std::move(one));
    }
    const std::uint64_t count = 1;
    // Fails only when the counter is full, and then the file is readable already.
    (void)!::write(fd, &count, sizeof(count));
  }
  std::vector<Done> Take() {
    std::uint64_t count = 0;
    (void)!::read(fd, &count, sizeof(count));
    const std::lock_guard hold(mutex);
    return std::exchange(done, {});
  }

  const int fd;
  std::mutex mutex;
  std::vector<Done> done;
};

GpuWorkers::GpuWorkers(Parts parts) : parts_(std::move(parts)), outbox_(std::make_shared<Outbox>()) {}

GpuWorkers::GpuWorkers(std::vector<std::unique_ptr<device::Gpu>> gpus, Parts parts) : GpuWorkers(std::move(parts)) {
  Add(std::move(gpus));
}

void GpuWorkers::Add(std::vector<std::unique_ptr<device::Gpu>> gpus) {
  for (auto& gpu : gpus) {
    const std::string journal = lease::JournalPath(parts_.state, gpu->identity().uuid);
    const auto options = parts_.leases ? parts_.leases(gpu->identity()) : lease::OpenOptions();
    workers_.push_back(std::make_unique<Worker>(
        std::move(gpu), journal,
        WorkerContext{parts_.machine, parts_.audit, parts_.now, parts_.sample,
                      [outbox = outbox_](Done done) { outbox->Post(std::move(done)); }, options}));
  }
  was_stuck_.resize(workers_.size(), false);
  FindStrayJournals();
}

GpuWorkers::~GpuWorkers() = default;

void GpuWorkers::FindStrayJournals() {
  const std::vector<std::string> before = std::exchange(strays_, {});
  missing_gpus_.clear();
  std::set<std::string> known;
  for (const auto& worker : workers_) known.insert(lease::JournalPath(parts_.state, worker->identity().uuid));
  for (const std::string& journal : lease::JournalsIn(parts_.state)) {
    if (known.contains(journal)) continue;
    missing_gpus_.push_back(std::filesystem::path(journal).stem());
    strays_.push_back(fmt::format("{}: the GPU of this journal is missing; the journal is kept until the GPU is back",
                                  Printable(journal)));
    const bool is_new = std::find(before.begin(), before.end(), strays_.back()) == before.end();
    if (is_new) LogLine(LogLevel::kWarning, strays_.back());
  }
}

Result<std::size_t> GpuWorkers::Find(const GpuSelector& name) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const device::Identity& identity = workers_[i]->identity();
    if (identity.uuid == name || fmt::format("{}", identity.index) == name) return i;
    if (identity.uuid.starts_with(name)) found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  std::string known;
  for (const auto& worker : workers_) {
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", worker->identity().index, worker->identity().uuid);
  }
  return Fail(ErrorCode::kNotFound, fmt::format("GPU {}", Printable(name, 100)),
              found.empty() ? "is not on this machine" : "matches several GPUs",
              known.empty() ? "this machine has no GPU that the agent can reach" : "one of " + known);
}

std::optional<GpuWorkers::Held> GpuWorkers::FindLease(std::string_view id) const {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const auto snapshot = workers_[i]->snapshot();
    for (const GpuSnapshot::HeldLease& held : snapshot->leases) {
      if (held.lease.id == id) return Held{i, held.lease};
    }
  }
  return std::nullopt;
}

int GpuWorkers::HeldBy(uid_t uid) const {
  std::ptrdiff_t held = 0;
  for (const auto& worker : workers_) {
    const auto snapshot = worker->snapshot();
    held += std::count_if(snapshot->leases.begin(), snapshot->leases.end(),
                          [&](const GpuSnapshot::HeldLease& one) { return one.lease.owner.uid == uid; });
  }
  held += std::count_if(pending_.begin(), pending_.end(),
                        [&](const auto& entry) { return entry.second.taker && entry.second.taker->uid == uid; });
  return static_cast<int>(held);
}

std::vector<lease::Process> GpuWorkers::Owners() const {
  std::vector<lease::Process> owners;
  for (const auto& worker : workers_) {
    const auto snapshot = worker->snapshot();
    for (const GpuSnapshot::HeldLease& held : snapshot->leases) {
      if (held.lease.owner.process) owners.push_back(*held.lease.owner.process);
    }
  }
  return owners;
}

std::optional<Seconds> GpuWorkers::Stuck(std::size_t gpu) const {
  const auto since = workers_[gpu]->busy_since();
  if (!since) return std::nullopt;
  const SteadyTime length = parts_.now() - *since;
  return length > parts_.hang ? std::optional<Seconds>(length) : std::nullopt;
}

bool GpuWorkers::IsOpen() const {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (!workers_[i]->snapshot()->is_open && !Stuck(i)) return false;
  }
  return true;
}

std::vector<std::string> GpuWorkers::Unread() const {
  std::vector<std::string> uuids = missing_gpus_;
  for (const auto& worker : workers_) {
    if (!worker->snapshot()->is_open) uuids.push_back(worker->identity().uuid);
  }
  return uuids;
}

std::vector<std::string> GpuWorkers::Troubles() const {
  std::vector<std::string> troubles = strays_;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (const auto since = Stuck(i)) troubles.push_back(StuckError(i, *since, false).Line());
    const auto snapshot = workers_[i]->snapshot();
    troubles.insert(troubles.end(), snapshot->troubles.begin(), snapshot->troubles.end());
  }
  if (const auto trouble = parts_.audit->trouble()) troubles.push_back(*trouble);
  return troubles;
}

Error GpuWorkers::StuckError(std::size_t gpu, Seconds since, bool is_kept) const {
  return {ErrorCode::kUnavailable, NameOf(*workers_[gpu]),
          fmt::format("a driver call has been hanging for {:.0f} s", since.count()),
          is_kept ? "it will be done as soon as the driver answers" : "try again later; other GPUs are served"};
}

Result<GpuWorkers::Ticket> GpuWorkers::Submit(std::size_t gpu, Work work, AuditRecord record, Answer answer) {
  const auto* take = std::get_if<Take>(&work);
  const bool gives = take != nullptr || std::holds_alternative<Renew>(work);
  const auto stuck = Stuck(gpu);
  if (stuck && gives) return tl::unexpected<Error>(StuckError(gpu, *stuck, false));
  Pending pending{gpu, take == nullptr ? std::nullopt : std::optional(take->request.owner), std::move(answer),
                  stuck ? Fate::kAnswered : Fate::kWanted};
  const Ticket ticket = next_ticket_++;
  if (!workers_[gpu]->Submit({ticket, std::move(work), std::move(record)})) {
    return Fail(ErrorCode::kUnavailable, NameOf(*workers_[gpu]),
                fmt::format("{} requests wait already", Worker::kMostQueued), "try again later");
  }
  pending_.emplace(ticket, std::move(pending));
  if (stuck) return tl::unexpected<Error>(StuckError(gpu, *stuck, true));
  return ticket;
}

void GpuWorkers::Forget(Ticket ticket) {
  const auto found = pending_.find(ticket);
  if (found != pending_.end() && found->second.fate == Fate::kWanted) found->second.fate = Fate::kForgotten;
}

void GpuWorkers::GiveUp(std::size_t gpu, const lease::Lease& lease) {
  AuditRecord record{lease.owner.uid, 0, Describe(Request(AskRelease{lease.id})), {}};
  Log(LogLevel::kWarning, "{}: lease {} is released: its client disconnected before the answer", NameOf(*workers_[gpu]),
      lease.id);
  // A stuck GPU does it later. When the queue is full, the lease stays until it expires.
  (void)Submit(gpu, Release{lease.id}, std::move(record), nullptr);
}

void GpuWorkers::TickAll() {
  for (const auto& worker : workers_) worker->RequestTick();
}

int GpuWorkers::event_fd() const { return outbox_->fd; }

void GpuWorkers::Collect() {
  for (Done& done : outbox_->Take()) Settle(std::move(done));
}

void GpuWorkers::Settle(Done done) {
  const auto found = pending_.find(done.ticket);
  if (found == pending_.end()) return;
  const Pending pending = std::move(found->second);
  pending_.erase(found);
  if (pending.fate == Fate::kWanted) {
    if (pending.answer) pending.answer(std::move(done));
    return;
  }
  if (!done.grant) return;
  // The client was answered with an error, or has gone without an owner process: it would never release the lease.
  if (pending.fate == Fate::kAnswered || !pending.taker->process) GiveUp(pending.gpu, done.grant->lease);
}

void GpuWorkers::ReportStuck(std::size_t gpu) {
  const Seconds since = Stuck(gpu).value_or(Seconds(0));
  const auto taken_back = workers_[gpu]->TakeBackQueued();
  std::vector<std::pair<Answer, Done>> answered;
  for (auto entry = pending_.begin(); entry != pending_.end();) {
    Pending& pending = entry->second;
    const bool is_over = std::find(taken_back.begin(), taken_back.end(), entry->first) != taken_back.end();
    if (pending.gpu == gpu && pending.fate == Fate::kWanted && pending.answer) {
      Done done;
      done.ticket = entry->first;
      done.status = tl::unexpected<Error>(StuckError(gpu, since, !pending.taker && !is_over));
      answered.emplace_back(std::move(pending.answer), std::move(done));
      pending.fate = Fate::kAnswered;
    }
    entry = is_over ? pending_.erase(entry) : std::next(entry);
  }
  // Last, because an answer may submit more work.
  for (auto& [answer, done] : answered) answer(std::move(done));
}

void GpuWorkers::Sweep() {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const auto stuck = Stuck(i);
    if (stuck) {
      if (!was_stuck_[i]) LogLine(LogLevel::kError, StuckError(i, *stuck, false).Line());
      ReportStuck(i);
    } else if (was_stuck_[i]) {
      Log(LogLevel::kInfo, "{}: the driver answers again", NameOf(*workers_[i]));
    }
    was_stuck_[i] = stuck.has_value();
  }
}

std::vector<std::string> GpuWorkers::Stop(std::chrono::milliseconds grace) {
  const auto deadline = std::chrono::steady_clock::now() + grace;
  std::vector<Status> outcomes(workers_.size(), Fail(ErrorCode::kUnavailable, "", "does not answer"));
  std::size_t left = workers_.size();
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const Ticket ticket = next_ticket_++;
    pending_.emplace(ticket, Pending{i, std::nullopt,
                                     [&outcomes, &left, i](Done done) {
                                       outcomes[i] = done.status;
                                       --left;
                                     },
                                     Fate::kWanted});
    workers_[i]->Submit({ticket, PutBack{}, {}});
    workers_[i]->Finish();
  }
  while (left > 0) {
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (rest.count() <= 0) break;
    pollfd ready{outbox_->fd, POLLIN, 0};
    (void)::poll(&ready, 1, static_cast<int>(rest.count()));
    Collect();
  }
  pending_.clear();
  std::vector<std::string> troubles;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (outcomes[i]) continue;
    troubles.push_back(fmt::format("{}: not put back: {}; the next start will do it", NameOf(*workers_[i]),
                                   outcomes[i].error().Line()));
    if (workers_[i]->busy_since()) workers_[i]->Abandon();
  }
  return troubles;
}

}  // namespace heliostat::agent
