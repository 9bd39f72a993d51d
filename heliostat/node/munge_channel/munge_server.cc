#include "heliostat/node/munge_channel/munge_server.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

#include "heliostat/base/core/check.h"
#include "heliostat/node/munge_channel/envelope.h"
#include "heliostat/node/munge_channel/tcp.h"

namespace heliostat::munge_channel {
namespace {

using local_socket::Claimant;
using local_socket::LineServer;
using local_socket::Peer;

// A credential of the longest request, in base 64, with what MUNGE adds.
constexpr std::size_t kMostLineBytes = std::size_t{64} * 1024;
static_assert(kMostLineBytes > kMostRequestBytes / 3 * 4 + 8192);
constexpr std::size_t kMostBuckets = 1000;  // addresses, before full buckets are discarded
constexpr std::string_view kRefused = "refused: ";
constexpr std::string_view kLater = "later: ";

// What MUNGE writes: spares a process for what is plainly something else.
bool LooksLikeCredential(std::string_view line) {
  return line.starts_with("MUNGE:") && line.size() > 7 && line.back() == ':' &&
         std::all_of(line.begin(), line.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '+' || c == '/' || c == '=' || c == ':';
         });
}

// Requests name hosts in lower case.
MungeServerOptions WithLowerCase(MungeServerOptions options) {
  for (std::string& name : options.names) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  }
  return options;
}

Error Busy() {
  return {ErrorCode::kUnavailable, "server", "is busy: too many requests, or munged is slow", "ask later"};
}

}  // namespace

std::vector<std::string> NamesOfThisHost() {
  std::array<char, 256> buffer{};
  if (::gethostname(buffer.data(), buffer.size() - 1) != 0) return {};
  const std::string whole(buffer.data());
  const std::string part = whole.substr(0, whole.find('.'));
  return part == whole ? std::vector{whole} : std::vector{whole, part};
}

std::string RefusalLine(const Error& error) {
  return std::string(error.code == ErrorCode::kUnavailable ? kLater : kRefused) + error.Line();
}

Error RefusalIn(std::string_view line, const std::string& where) {
  for (const auto& [begin, code] :
       {std::pair{kLater, ErrorCode::kUnavailable}, std::pair{kRefused, ErrorCode::kPermissionDenied}}) {
    if (line.starts_with(begin)) return {code, where, "refuses: " + std::string(line.substr(begin.size())), ""};
  }
  return {ErrorCode::kCorrupt, where, "answers '" + Printable(line, 40) + "'", "a credential of MUNGE"};
}

MungeServer::MungeServer(local_socket::Listener listener, Answer answer, MungeServerOptions options)
    : options_(WithLowerCase(std::move(options))),
      answer_(std::move(answer)),
      seen_(options_.now(), options_.tolerance, options_.most_remembered),
      server_(std::move(listener), LineServer::Handler([this](Ticket ticket, const Peer& peer, std::string_view line) {
                Take(ticket, peer, line);
              }),
              LineOptions()) {
  server_.Watch(done_file_.fd, [this] { SendDone(); });
  for (std::size_t i = 0; i < options_.workers; ++i) threads_.emplace_back([this] { Work(); });
  threads_.emplace_back([this] { server_.Run(); });
}

MungeServer::~MungeServer() {
  server_.Stop();
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  has_task_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

MungeServer::EventFile::EventFile() : fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { Check(fd >= 0, "no eventfd"); }
MungeServer::EventFile::~EventFile() { ::close(fd); }

local_socket::LineServerOptions MungeServer::LineOptions() const {
  local_socket::LineServerOptions options;
  options.most_request_bytes = kMostLineBytes;
  options.max_connections = options_.max_connections;
  options.most_unsent_bytes = options_.most_unsent_bytes;
  options.idle = options_.idle;
  options.refusal = RefusalLine;
  options.identify = TcpPeer;
  options.claimant = [](int, const Peer& peer) { return Claimant{"address", peer.address, false}; };
  options.now = options_.steady;
  return options;
}

void MungeServer::Take(Ticket ticket, const Peer& peer, std::string_view line) {
  if (const Status admitted = Admit(peer.address, line); !admitted) {
    server_.Reply(ticket, RefusalLine(admitted.error()));
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    // Requests whose askers have gone wait, too: the bound of connections is none for them.
    if (tasks_.size() < options_.most_waiting) {
      tasks_.push_back({ticket, std::string(line), options_.steady()});
      has_task_.notify_one();
      return;
    }
  }
  server_.Reply(ticket, RefusalLine(Busy()));
}

Status MungeServer::Admit(const std::string& address, std::string_view line) {
  const TokenBucket::Time now = options_.steady().time_since_epoch();
  if (buckets_.size() >= kMostBuckets) {
    std::erase_if(buckets_, [&](const auto& entry) { return entry.second.IsFull(options_.rate, now); });
  }
  // Without room for another address, none is let in: a bucket that is forgotten would be a full one.
  const bool has_room = buckets_.size() < kMostBuckets || buckets_.count(address) > 0;
  if (!has_room || !buckets_.try_emplace(address, options_.rate, now).first->second.Take(options_.rate, now)) {
    return Fail(ErrorCode::kUnavailable, "server", fmt::format("too many requests from {}", address),
                fmt::format("{:g} a second from one address", options_.rate.per_second));
  }
  if (LooksLikeCredential(line)) return {};
  return Fail(ErrorCode::kInvalidArgument, "request", "is no credential", "what `munge` writes, on one line");
}

void MungeServer::SendDone() {
  std::uint64_t times = 0;
  (void)!::read(done_file_.fd, &times, sizeof(times));
  std::vector<Done> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(done_);
  }
  for (Done& one : done) server_.Reply(one.ticket, std::move(one.answer));
}

void MungeServer::Work() {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      has_task_.wait(lock, [this] { return is_stopping_ || !tasks_.empty(); });
      if (is_stopping_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    Result<std::string> answer = Handle(task);
    {
      const std::lock_guard lock(mutex_);
      done_.push_back({task.ticket, answer ? *std::move(answer) : RefusalLine(answer.error())});
    }
    const std::uint64_t one = 1;
    (void)!::write(done_file_.fd, &one, sizeof(one));
  }
}

Result<std::string> MungeServer::Handle(const Task& task) {
  // Its asker has given up, or will before long.
  if (options_.steady() - task.arrived > options_.longest_wait) {
    return tl::unexpected<Error>(Busy());
  }
  const auto decoded = Decode(options_.commands, task.line);
  if (!decoded) {
    Error error = decoded.error();
    if (error.allowed.empty()) {
      error.allowed = fmt::format("a new credential of this cluster, for the user with the number {}", ::geteuid());
    }
    return tl::unexpected<Error>(std::move(error));
  }
  const auto request = Open(*decoded);
  if (!request) return Propagate(request);
  const std::string answer = answer_(decoded->uid, request->text);
  return Seal(*request, decoded->uid, answer);
}

Result<Request> MungeServer::Open(const Decoded& decoded) {
  auto request = ReadRequest(decoded.payload);
  if (!request) return request;
  if (request->service != options_.service) {
    return Fail(ErrorCode::kPermissionDenied, "request", "is for the service '" + request->service + "'",
                "this one is '" + options_.service + "'");
  }
  if (std::find(options_.names.begin(), options_.names.end(), request->target) == options_.names.end()) {
    return Fail(ErrorCode::kPermissionDenied, "request", "is for the host '" + request->target + "'",
                fmt::format("this one is {}", fmt::join(options_.names, " or ")));
  }
  const std::lock_guard lock(mutex_);
  if (const Status taken = seen_.Take(*request, options_.now()); !taken) return Propagate(taken);
  return request;
}

Result<std::string> MungeServer::Seal(const Request& request, uid_t reader, const std::string& answer) const {
  if (answer.size() > kMostAnswerBytes) {
    return Fail(ErrorCode::kUnavailable, "server", fmt::format("its answer has {} bytes", answer.size()),
                fmt::format("at most {} can be sent", kMostAnswerBytes));
  }
  std::string line;
  const std::size_t of = PartsOf(answer.size());
  for (std::size_t number = 1; number <= of; ++number) {
    const AnswerPart part{request.nonce, number, of, std::string(TextOfPart(answer, number))};
    const auto credential = Encode(options_.commands, WritePart(part), reader);
    if (!credential) return Propagate(credential);
    line += (number == 1 ? "" : " ") + *credential;
  }
  return line;
}

}  // namespace heliostat::munge_channel
