#include "heliostat/node/agent/request_handler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heliostat/base/core/fault_point.h"
#include "heliostat/node/agent/rights.h"
#include "heliostat/node/lease/lease_summary.h"

namespace heliostat::agent {
namespace {

using local_socket::Peer;
using Kind = RequestHandler::Handled::Kind;

// Whether the answer depends on leases, which the agent does not know before it has read the journals.
bool NeedsJournals(const Request& request) {
  return !std::holds_alternative<AskStatus>(request) && !std::holds_alternative<AskRights>(request);
}

// Delivers the answer to a request that changed the machine.
bool Answer(const RequestHandler::Reply& reply, std::string answer) {
  FaultPoint("agent-answering");
  const bool is_told = reply(std::move(answer));
  FaultPoint("agent-answered");
  return is_told;
}

std::string OkAnswer(io::Json json) {
  io::Json answer;
  answer.Set("ok", true);
  if (const auto members = json.Members()) {
    for (const io::Json::Member& member : **members) answer.Set(member.first, member.second);
  }
  return answer.Line();
}

io::Json TextList(const std::vector<std::string>& lines) {
  io::Json::Array list;
  for (const std::string& line : lines) list.emplace_back(Printable(line, 600));
  return list;
}

// So that an answer stays far below kMostAnswerBytes.
constexpr std::size_t kMostReleasedNamed = 4096;

// Collects the outcomes of a release or reset on several GPUs, and answers after the last one.
struct Gathering {
  std::size_t left = 0;
  std::vector<std::string> released;
  std::optional<Error> error;
  RequestHandler::Reply reply;

  void Add(const Done& done) {
    released.insert(released.end(), done.released.begin(), done.released.end());
    if (!done.status && !error) error = done.status.error();
    if (--left > 0) return;
    io::Json json;
    if (released.size() > kMostReleasedNamed) {
      json.Set("released_count", released.size());
      released.resize(kMostReleasedNamed);
    }
    json.Set("released", TextList(released));
    Answer(reply, error ? ErrorAnswer(*error) : OkAnswer(json));
  }
};

}  // namespace

RequestHandler::RequestHandler(Parts parts, const Config& config) : parts_(std::move(parts)), started_(parts_.now()) {
  Adopt(config);
}

void RequestHandler::Adopt(const Config& config) {
  allowances_ = config.allowances;
  writes_ = config.writes;
  reads_ = config.reads;
  warnings_ = config.warnings;
}

RequestHandler::Buckets& RequestHandler::BucketsOf(uid_t uid) {
  const SteadyTime now = parts_.now();
  return buckets_.try_emplace(uid, Buckets{TokenBucket(writes_, now), TokenBucket(reads_, now)}).first->second;
}

void RequestHandler::Prune() {
  const SteadyTime now = parts_.now();
  std::erase_if(buckets_, [&](const auto& entry) {
    return entry.second.writes.IsFull(writes_, now) && entry.second.reads.IsFull(reads_, now);
  });
}

RequestHandler::Handled RequestHandler::Limit(const Peer& peer, const RateLimit& rate, const Reply& reply) {
  reply(ErrorAnswer({ErrorCode::kUnavailable, "agent", fmt::format("user {} sends too many requests", peer.uid),
                     fmt::format("{} per second are allowed, {} at once", rate.per_second, rate.burst)}));
  return {Kind::kLimited, {}};
}

RequestHandler::Handled RequestHandler::Refuse(const Peer& peer, const io::Json& request, const Error& error,
                                               const Reply& reply) {
  parts_.audit->NoteUnchanged({peer.uid, peer.pid, request, "refused: " + error.Line()});
  reply(ErrorAnswer(error));
  return {Kind::kRefused, {}};
}

void RequestHandler::NoteRefusal(const Peer& peer, const Error& error) {
  parts_.audit->Count(peer.uid, {1, 0, 0, 0});
  parts_.audit->NoteUnchanged({peer.uid, peer.pid, "connect", "refused: " + error.Line()});
}

RequestHandler::Handled RequestHandler::Handle(const Peer& peer, std::string_view line, const Reply& reply) {
  Buckets& buckets = BucketsOf(peer.uid);
  const SteadyTime now = parts_.now();
  if (!buckets.reads.Take(reads_, now)) return Limit(peer, reads_, reply);
  const auto request = ParseRequest(line);
  const bool waits = request && state_ == kStarting && NeedsJournals(*request);
  if (request && !IsWrite(*request)) {
    if (waits) {
      reply(ErrorAnswer(StartingError()));
      return {Kind::kRead, {}};
    }
    reply(Read(peer, *request));
    return {Kind::kRead, {}};
  }
  // A line that is no request counts as a write: each adds a line to the audit log.
  if (!buckets.writes.Take(writes_, now)) return Limit(peer, writes_, reply);
  if (!request) return Refuse(peer, io::Json(Printable(line, 200)), request.error(), reply);
  if (waits) return Refuse(peer, Describe(*request), StartingError(), reply);

  Result<Tickets> tickets;
  if (const auto* set = std::get_if<AskSet>(&*request)) tickets = Set(peer, *set, reply);
  if (const auto* renew = std::get_if<AskRenew>(&*request)) tickets = RenewLease(peer, *renew, reply);
  if (const auto* release = std::get_if<AskRelease>(&*request)) tickets = ReleaseLease(peer, *release, reply);
  if (const auto* reset = std::get_if<AskReset>(&*request)) tickets = Reset(peer, *reset, reply);
  if (!tickets) return Refuse(peer, Describe(*request), tickets.error(), reply);
  return {Kind::kWrite, *std::move(tickets)};
}

std::string RequestHandler::Read(const Peer& peer, const Request& request) const {
  if (std::holds_alternative<AskList>(request)) return List();
  if (const auto* show = std::get_if<AskShow>(&request)) return Show(*show);
  if (const auto* leases = std::get_if<AskLeases>(&request)) return Leases(peer, *leases);
  if (std::holds_alternative<AskRights>(request)) return OkAnswer(DescribeRights(allowances_, peer));
  return AgentStatus();
}

std::string RequestHandler::AgentStatus() const {
  std::size_t leases = 0;
  for (std::size_t i = 0; i < parts_.workers->size(); ++i)
    leases += parts_.workers->worker(i).snapshot()->leases.size();
  std::vector<std::string> troubles = parts_.troubles;
  troubles.insert(troubles.end(), warnings_.begin(), warnings_.end());
  const auto more = parts_.workers->Troubles();
  troubles.insert(troubles.end(), more.begin(), more.end());
  io::Json json;
  json.Set("version", HELIOSTAT_VERSION).Set("pid", static_cast<std::int64_t>(::getpid()));
  json.Set("uptime_s", std::floor(Seconds(parts_.now() - started_).count()));
  json.Set("state", state_).Set("driver", parts_.driver).Set("gpus", parts_.workers->size());
  json.Set("leases", state_ == kStarting ? io::Json() : io::Json(leases));
  json.Set("troubles", TextList(troubles));
  return OkAnswer(json);
}

std::string RequestHandler::GpuText(std::size_t gpu, const std::string& text, SteadyTime taken) const {
  const auto stuck = parts_.workers->Stuck(gpu);
  const std::string age = taken.count() == 0 ? "null" : fmt::format("{:.3f}", Seconds(parts_.now() - taken).count());
  return fmt::format("{},\"age_s\":{},\"stuck_s\":{}}}", text, age,
                     stuck ? fmt::format("{:.1f}", stuck->count()) : "null");
}

std::string RequestHandler::List() const {
  std::string answer = R"({"ok":true,"gpus":[)";
  // By index: a GPU that came late may have a low one.
  std::vector<std::size_t> order(parts_.workers->size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return parts_.workers->worker(a).identity().index < parts_.workers->worker(b).identity().index;
  });
  for (const std::size_t gpu : order) {
    const auto snapshot = parts_.workers->worker(gpu).snapshot();
    if (gpu != order.front()) answer += ',';
    answer += GpuText(gpu, snapshot->list_text, snapshot->taken);
  }
  return answer + "]}";
}

std::string RequestHandler::Show(const AskShow& ask) const {
  const auto gpu = parts_.workers->Find(ask.gpu);
  if (!gpu) return ErrorAnswer(gpu.error());
  const auto snapshot = parts_.workers->worker(*gpu).snapshot();
  return R"({"ok":true,"gpu":)" + GpuText(*gpu, snapshot->show_text, snapshot->taken) + "}";
}

std::string RequestHandler::Leases(const Peer& peer, const AskLeases& ask) const {
  std::vector<std::shared_ptr<const GpuSnapshot>> snapshots;  // kept while their leases are used
  std::vector<const GpuSnapshot::HeldLease*> shown;
  for (std::size_t i = 0; i < parts_.workers->size(); ++i) {
    snapshots.push_back(parts_.workers->worker(i).snapshot());
    for (const GpuSnapshot::HeldLease& held : snapshots.back()->leases) {
      const bool may_see = ask.all || peer.is_root() || held.lease.owner.uid == peer.uid;
      if (may_see && (!ask.limit || held.lease.id > ask.after)) shown.push_back(&held);
    }
  }
  if (ask.limit) {
    // Pages follow each other by the ids, so that a lease that ends meanwhile does not hide another one.
    std::sort(shown.begin(), shown.end(), [](const auto* a, const auto* b) { return a->lease.id < b->lease.id; });
  }
  std::string answer = R"({"ok":true,"leases":[)";
  std::size_t count = 0;
  for (const GpuSnapshot::HeldLease* held : shown) {
    const bool is_full = count > 0 && answer.size() + held->text.size() > parts_.most_answer_bytes;
    if (is_full && !ask.limit) return ErrorAnswer(TooLongError());
    if (is_full || (ask.limit && count == static_cast<std::size_t>(*ask.limit))) break;
    if (count++ > 0) answer += ',';
    answer += held->text;
  }
  answer += ']';
  if (count < shown.size()) answer += R"(,"next":)" + io::Json(shown[count - 1]->lease.id).Line();
  if (const auto unread = parts_.workers->Unread(); !unread.empty()) {
    answer += R"(,"incomplete":)" + TextList(unread).Line();
  }
  return answer + "}";
}

Result<lease::Owner> RequestHandler::OwnerOf(const Peer& peer, const AskSet& ask) const {
  lease::Owner owner{peer.uid, {}, std::nullopt, ask.job};
  if (!ask.pid) return owner;
  const auto process = OwnerProcess(peer, *ask.pid, *parts_.machine, parts_.facts_of);
  if (!process) return Propagate(process);
  owner.process = *process;
  return owner;
}

Result<RequestHandler::Tickets> RequestHandler::Set(const Peer& peer, const AskSet& ask, const Reply& reply) {
  const auto gpu = parts_.workers->Find(ask.gpu);
  if (!gpu) return Propagate(gpu);
  const WriteWish wish{parts_.workers->worker(*gpu).identity(), ask.wanted, ask.ttl, parts_.workers->HeldBy(peer.uid)};
  if (const auto allowed = CheckRight(allowances_, peer, wish); !allowed) return Propagate(allowed);
  auto owner = OwnerOf(peer, ask);
  if (!owner) return Propagate(owner);
  FaultPoint("agent-accepted");
  const auto answer = [this, reply, gpu = *gpu](const Done& done) {
    if (!done.status) {
      Answer(reply, ErrorAnswer(done.status.error()));
      return;
    }
    const lease::LeaseSummary lease = lease::SummaryOf(done.grant->lease, parts_.machine->SinceBoot());
    const bool is_told = Answer(reply, OkAnswer(lease::Describe(lease::Grant{lease, done.grant->applied})));
    if (!is_told && !done.grant->lease.owner.process) parts_.workers->GiveUp(gpu, done.grant->lease);
  };
  const auto ticket = parts_.workers->Submit(*gpu, Take{{*std::move(owner), ask.wanted, ask.ttl}},
                                             {peer.uid, peer.pid, Describe(Request(ask)), {}}, answer);
  if (!ticket) return Propagate(ticket);
  return Tickets{*ticket};
}

Result<GpuWorkers::Held> RequestHandler::LeaseOf(const Peer& peer, const std::string& id) const {
  auto held = parts_.workers->FindLease(id);
  if (const auto unread = parts_.workers->Unread(); !held && !unread.empty()) {
    return Fail(ErrorCode::kUnavailable, fmt::format("lease {}", Printable(id, 100)),
                fmt::format("is not known: the journal of {} is not read yet", unread.front()), "try again later");
  }
  if (!held) {
    return Fail(ErrorCode::kNotFound, fmt::format("lease {}", Printable(id, 100)), "does not exist",
                "it may have ended");
  }
  if (!peer.is_root() && held->lease.owner.uid != peer.uid) {
    return Fail(ErrorCode::kPermissionDenied, fmt::format("lease {}", Printable(id, 100)),
                fmt::format("does not belong to user {}", peer.uid), "only its owner and root may change it");
  }
  return *std::move(held);
}

Result<RequestHandler::Tickets> RequestHandler::RenewLease(const Peer& peer, const AskRenew& ask, const Reply& reply) {
  const auto held = LeaseOf(peer, ask.lease);
  if (!held) return Propagate(held);
  // The policy may have changed since it was taken. This lease itself is not counted.
  const WriteWish wish{parts_.workers->worker(held->gpu).identity(), held->lease.wanted, ask.ttl,
                       parts_.workers->HeldBy(peer.uid) - 1};
  if (const auto allowed = CheckRight(allowances_, peer, wish); !allowed) return Propagate(allowed);
  FaultPoint("agent-accepted");
  const auto answer = [this, reply](const Done& done) {
    if (!done.status) {
      Answer(reply, ErrorAnswer(done.status.error()));
      return;
    }
    io::Json json;
    json.Set("lease", lease::Describe(lease::SummaryOf(*done.renewed, parts_.machine->SinceBoot())));
    Answer(reply, OkAnswer(json));
  };
  const auto ticket = parts_.workers->Submit(held->gpu, Renew{ask.lease, ask.ttl},
                                             {peer.uid, peer.pid, Describe(Request(ask)), {}}, answer);
  if (!ticket) return Propagate(ticket);
  return Tickets{*ticket};
}

Result<RequestHandler::Tickets> RequestHandler::ReleaseLease(const Peer& peer, const AskRelease& ask,
                                                             const Reply& reply) {
  const auto held = LeaseOf(peer, ask.lease);
  if (!held) return Propagate(held);
  FaultPoint("agent-accepted");
  const auto gathering = std::make_shared<Gathering>(Gathering{1, {}, {}, reply});
  const auto ticket =
      parts_.workers->Submit(held->gpu, Release{ask.lease}, {peer.uid, peer.pid, Describe(Request(ask)), {}},
                             [gathering](const Done& done) { gathering->Add(done); });
  if (!ticket) return Propagate(ticket);
  return Tickets{*ticket};
}

Result<RequestHandler::Tickets> RequestHandler::Reset(const Peer& peer, const AskReset& ask, const Reply& reply) {
  std::vector<std::size_t> gpus;
  if (ask.gpu) {
    const auto gpu = parts_.workers->Find(*ask.gpu);
    if (!gpu) return Propagate(gpu);
    gpus.push_back(*gpu);
  } else {
    for (std::size_t i = 0; i < parts_.workers->size(); ++i) gpus.push_back(i);
  }
  FaultPoint("agent-accepted");
  // One more than the number of GPUs, so that the answer waits until all have been asked, even without GPUs.
  const auto gathering = std::make_shared<Gathering>(Gathering{gpus.size() + 1, {}, {}, reply});
  const std::optional<uid_t> whose = peer.is_root() ? std::nullopt : std::optional(peer.uid);
  Tickets tickets;
  for (const std::size_t gpu : gpus) {
    const auto ticket = parts_.workers->Submit(gpu, ReleaseAll{whose}, {peer.uid, peer.pid, Describe(Request(ask)), {}},
                                               [gathering](const Done& done) { gathering->Add(done); });
    if (ticket) {
      tickets.push_back(*ticket);
      continue;
    }
    parts_.audit->NoteUnchanged({peer.uid, peer.pid, Describe(Request(ask)), "waits: " + ticket.error().Line()});
    Done done;
    done.status = Propagate(ticket);
    gathering->Add(done);
  }
  gathering->Add({});
  return tickets;
}

}  // namespace heliostat::agent
