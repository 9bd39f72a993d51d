#include "heliostat/node/process/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "heliostat/base/core/fault_point.h"
#include "heliostat/node/process/descendants.h"

namespace heliostat::process {
namespace {

using std::chrono::milliseconds;

// How long to wait, after the program's end, for output that another process still holds open.
constexpr milliseconds kDrain{200};
// The longest wait, for the case that a child of the program never stops writing.
constexpr milliseconds kLongestDrain{2000};
// Time for a program to react to Ctrl-Z before it is held or released again: SIGCONT would undo the stop.
constexpr milliseconds kTimeToStop{300};
// How long a list of process groups is used: making it takes a few milliseconds.
constexpr std::chrono::seconds kGroupsHold{10};
constexpr milliseconds kLook{500};
// How long the report of a program that is gone may take before its ending counts as unknown.
constexpr milliseconds kReportDelay{1000};
// The size of pipes: fewer calls per byte. Users may ask for this much.
constexpr int kPipeSize = 1 << 20;

bool AreSameFile(int a, int b) {
  struct stat first {};
  struct stat second {};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

Ending EndingOf(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

// Gives the signal its default effect on this process, without our handler.
void StopSelf(int number, bool is_for_group) {
  struct sigaction plain {};
  struct sigaction before {};
  plain.sa_handler = SIG_DFL;
  (void)::sigaction(number, &plain, &before);
  (void)::kill(is_for_group ? 0 : ::getpid(), number);
  (void)::sigaction(number, &before, nullptr);
}

}  // namespace

Child::Child(std::unique_ptr<SignalInbox> inbox, Observer observer)
    : inbox_(std::move(inbox)), observer_(std::move(observer)) {}

Result<std::unique_ptr<Child>> Child::Start(const ProgramCommand& command, Observer observer) {
  if (command.argv.empty() || command.argv[0].empty()) {
    return Fail(ErrorCode::kInvalidArgument, "command", "is empty", "name a program to run");
  }
  auto inbox = SignalInbox::Open();
  if (!inbox) return Propagate(inbox);
  std::unique_ptr<Child> child(new Child(std::move(*inbox), std::move(observer)));
  const auto files = child->OpenFiles();
  if (!files) return Propagate(files);
  auto state = SharedGuardState::Make();
  if (!state) return Propagate(state);
  child->state_ = std::move(*state);
  // Becomes the program's parent when both guards die.
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto guards = StartGuards(command, *files, child->relays_, child->inbox_->broken_pipe(), *child->state_.get());
  if (files->out >= 0) ::close(files->out);
  if (files->err >= 0 && files->err != files->out) ::close(files->err);
  if (!guards) return Propagate(guards);
  child->guards_ = *guards;
  if (const auto running = child->AwaitStart(command); !running) return Propagate(running);
  return child;
}

Result<int> Child::OpenFile(int users) {
  if (::isatty(users) != 0) {
    const auto ends = OutputTerminal::Open(users);
    if (!ends) return Propagate(ends);
    terminal_.emplace(ends->master, users);
    relays_.emplace_back(ends->master, users);
    return ends->slave;
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Fail(ErrorCode::kInternal, "pipe", std::strerror(errno));
  (void)::fcntl(ends[1], F_SETPIPE_SZ, kPipeSize);
  relays_.emplace_back(ends[0], users);
  return ends[1];
}

Result<ProgramFiles> Child::OpenFiles() {
  ProgramFiles files;
  // A file that was closed when Heliostat started is closed for the program too.
  if (::fcntl(STDOUT_FILENO, F_GETFD) >= 0) {
    const auto out = OpenFile(STDOUT_FILENO);
    if (!out) return Propagate(out);
    files.out = *out;
  }
  if (::fcntl(STDERR_FILENO, F_GETFD) < 0) return files;
  if (files.out >= 0 && AreSameFile(STDOUT_FILENO, STDERR_FILENO)) {
    files.err = files.out;
    return files;
  }
  const auto err = OpenFile(STDERR_FILENO);
  if (!err) {
    if (files.out >= 0) ::close(files.out);
    return Propagate(err);
  }
  files.err = *err;
  return files;
}

Status Child::AwaitStart(const ProgramCommand& command) {
  GuardReport report;
  ssize_t got = 0;
  do {
    got = ::recv(guards_.channels[0], &report, sizeof(report), 0);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof(report)) {
    return Fail(ErrorCode::kInternal, command.argv[0], "the process that was to start it ended");
  }
  if (report.kind == GuardReport::Kind::kStarted) {
    pid_ = report.pid;
    FaultPoint("run-started");
    return {};
  }
  const int number = report.detail;
  const ErrorCode code = number == ENOENT || number == ENOTDIR   ? ErrorCode::kNotFound
                         : number == EACCES || number == ENOEXEC ? ErrorCode::kPermissionDenied
                                                                 : ErrorCode::kInternal;
  return Fail(code, command.argv[0], fmt::format("cannot be started: {}", std::strerror(number)),
              "name a program on PATH, or its path");
}

Child::~Child() {
  Release();
  keyboard_.TakeBackFrom(pid_);
  if (terminal_) terminal_->PutModesBack();
  relays_.clear();
  for (const int channel : guards_.channels) {
    if (channel >= 0) ::close(channel);
  }
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 0);
  if (guards_.child <= 0) return;
  // The guards of an ended program end at once; if there is still output to pass on, they stay.
  for (int tries = ending_ || pid_ == 0 ? 50 : 0; tries >= 0; --tries) {
    if (::waitpid(guards_.child, nullptr, WNOHANG) != 0 || tries == 0) return;
    (void)::poll(nullptr, 0, 2);
  }
}

std::vector<pollfd> Child::Wants() const {
  std::vector<pollfd> wanted{{inbox_->fd(), POLLIN, 0}};
  for (const int channel : guards_.channels) wanted.push_back({channel, POLLIN, 0});
  for (const Relay& relay : relays_) wanted.push_back(relay.Wants());
  return wanted;
}

void Child::Poll(milliseconds timeout) {
  // Some changes need polling: the size of a terminal whose keys belong to the program, keys to
  // pass on, and the end of draining.
  const bool looks = has_keyboard_ || ending_.has_value() || (terminal_ && terminal_->WantsKeys());
  if (looks) timeout = std::min(timeout, milliseconds(20));
  auto wanted = Wants();
  (void)::poll(wanted.data(), wanted.size(), static_cast<int>(timeout.count()));
  Handle();
}

void Child::Handle() {
  // After a long silence of this process the guards have continued the program.
  if (state_->IsSilent(GuardState::kHeliostat)) Release();
  state_->Beat(GuardState::kHeliostat);
  HandleRelays();
  HandleSignals();
  HandleGuards();
  if (terminal_ && !ending_) {
    (void)terminal_->CarryModes();
    HandleKeys();
    if (has_keyboard_ && terminal_->CarrySize()) Signal(SIGWINCH);
  }
}

void Child::HandleKeys() {
  if (has_keyboard_ || !terminal_->WantsKeys()) return;
  std::array<char, 256> keys{};
  if (const std::size_t count = keyboard_.Read(keys); count > 0) terminal_->PassKeys({keys.data(), count});
}

void Child::HandleRelays() {
  for (std::size_t i = 0; i < relays_.size(); ++i) {
    const bool was_gone = relays_[i].is_target_gone();
    if (relays_[i].Handle(observer_) && ending_) passed_on_at_ = Clock::now();
    if (was_gone || !relays_[i].is_target_gone()) continue;
    // Once the guard's copy is closed too, the program gets a broken pipe, as it would without Heliostat.
    state_->closed_relays |= 1U << i;
    WakeGuards();
  }
}

void Child::WakeGuards() const {
  for (const int channel : guards_.channels) {
    if (channel >= 0) (void)::send(channel, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

void Child::HandleSignals() {
  while (const auto number = inbox_->Take()) {
    if (ending_) continue;
    if (*number == SIGWINCH && terminal_) (void)terminal_->CarrySize();
    if (*number == SIGTSTP) no_hold_before_ = Clock::now() + kTimeToStop;
    Signal(*number);
  }
}

void Child::HandleGuards() {
  for (int& channel : guards_.channels) {
    GuardReport report;
    ssize_t got = 0;
    while (channel >= 0 && (got = ::recv(channel, &report, sizeof(report), MSG_DONTWAIT)) == sizeof(report)) {
      TakeReport(report);
    }
    // The end of the channel is the end of the guard. The other one takes over.
    if (channel >= 0 && got == 0) ::close(std::exchange(channel, -1));
  }
  const auto now = Clock::now();
  if (now < looked_at_ + kLook) return;
  looked_at_ = now;
  for (const auto guard : {GuardState::kFirstGuard, GuardState::kSecondGuard}) {
    const int channel = guards_.channels.at(guard - GuardState::kFirstGuard);
    if (channel >= 0 && state_->IsSilent(guard)) (void)::kill(state_->pids.at(guard), SIGCONT);
  }
  if (is_held_ && !HasGuard()) Release();
  CollectItself();
}

// When both guards are dead, this process is the parent of the program and of what it has left behind.
void Child::CollectItself() {
  if (ending_) return;
  if (guards_.channels[0] < 0 && guards_.channels[1] < 0) {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
      if (pid != pid_) continue;
      if (!WIFSTOPPED(status)) return End(EndingOf(status));
      if (WSTOPSIG(status) != SIGSTOP) Suspend(WSTOPSIG(status));
    }
  }
  // A guard that was killed after it had collected the program cannot report how it ended.
  if (!state_->IsProgramGone()) return;
  if (!gone_at_) gone_at_ = Clock::now();
  if (Clock::now() > *gone_at_ + kReportDelay) End({1, 0});
}

void Child::TakeReport(const GuardReport& report) {
  if (report.kind == GuardReport::Kind::kSuspended) Suspend(report.detail);
  if (report.kind == GuardReport::Kind::kEnded && !ending_) End(EndingOf(report.detail));
}

void Child::End(const Ending& ending) {
  FaultPoint("run-ended");
  ending_ = ending;
  ended_at_ = passed_on_at_ = Clock::now();
  // Its workers in other groups may still be held.
  is_held_ = false;
  if (state_->has_held) state_->SignalAll(SIGCONT);
  keyboard_.TakeBackFrom(pid_);
  has_keyboard_ = false;
  if (terminal_) terminal_->PutModesBack();
}

bool Child::is_done() const {
  if (!ending_) return false;
  const bool has_all = std::all_of(relays_.begin(), relays_.end(),
                                   [](const Relay& relay) { return !relay.is_open() && relay.is_clear(); });
  if (has_all) return true;
  const bool is_clear = std::all_of(relays_.begin(), relays_.end(), [](const Relay& r) { return r.is_clear(); });
  const auto now = Clock::now();
  return is_clear && (now > passed_on_at_ + kDrain || now > ended_at_ + kLongestDrain);
}

void Child::Suspend(int number) {
  const bool wants_keyboard = number == SIGTTIN || number == SIGTTOU;
  if (wants_keyboard && keyboard_.IsOurs()) {
    has_keyboard_ = had_keyboard_ = true;
    keyboard_.GiveTo(pid_);
    (void)::kill(-pid_, SIGCONT);
    return;
  }
  // The shell sees its job stop, including processes of our group that the keys did not reach.
  const bool had_keys = std::exchange(has_keyboard_, false);
  keyboard_.TakeBackFrom(pid_);
  StopSelf(number, had_keys);
  // This process was continued.
  if ((had_keys || wants_keyboard) && keyboard_.IsOurs()) {
    has_keyboard_ = had_keyboard_ = true;
    keyboard_.GiveTo(pid_);
  }
  if (terminal_) (void)terminal_->CarrySize();
  no_hold_before_ = Clock::time_point();
  (void)::kill(-pid_, SIGCONT);
}

void Child::Signal(int number) {
  if (pid_ <= 0 || ending_) return;
  // A held group does not react, and SIGCONT would discard a pending stop signal.
  Release();
  (void)::kill(-pid_, number);
}

bool Child::HasGuard() const {
  return (guards_.channels[0] >= 0 && !state_->IsSilent(GuardState::kFirstGuard)) ||
         (guards_.channels[1] >= 0 && !state_->IsSilent(GuardState::kSecondGuard));
}

// Only while nothing is held: the list must have all that is stopped.
void Child::ListGroups() {
  const auto now = Clock::now();
  if (groups_at_ != Clock::time_point() && now < groups_at_ + kGroupsHold) return;
  groups_at_ = now;
  std::uint32_t count = 0;
  state_->group_count = 0;
  for (const pid_t group : GroupsUnder(pid_)) {
    const bool is_ours = group == ::getpgrp() || group == state_->pids[GuardState::kFirstGuard] ||
                         group == state_->pids[GuardState::kSecondGuard];
    if (group != pid_ && !is_ours && count < GuardState::kMostGroups) state_->groups.at(count++) = group;
  }
  state_->group_count = count;
}

void Child::Hold() {
  if (is_held_ || ending_ || pid_ <= 0 || Clock::now() < no_hold_before_ || !HasGuard()) return;
  ListGroups();
  is_held_ = true;
  state_->has_held = true;
  state_->Beat(GuardState::kHeliostat);
  FaultPoint("run-holding");
  state_->SignalAll(SIGSTOP);
  FaultPoint("run-held");
}

void Child::Release() {
  if (!is_held_) return;
  FaultPoint("run-releasing");
  is_held_ = false;
  state_->SignalAll(SIGCONT);
}

}  // namespace heliostat::process
