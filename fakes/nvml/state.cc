#include "fakes/nvml/state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include "fakes/nvml/physics.h"
#include "fakes/nvml/process.h"
#include "heliostat/base/core/check.h"
#include "heliostat/base/core/split.h"

namespace heliostat::nvml_double {
namespace {

constexpr std::uint64_t kMagic = 0x48656c696f447562ULL;
constexpr std::uint32_t kVersion = 2;
// On the machine's clock. Programs report twenty times per second; one that is silent for this long is stopped or
// starved.
constexpr double kGraceRealSeconds = 1.0;
// The energy counter of a new card does not start at 0, so that it falls when the driver is reloaded, however soon.
constexpr double kUsedBeforeJoules = 1e7;
constexpr double kForever = 1e200;
constexpr double kNeverHeardOf = -1e300;

// One GPU, twice: the valid state and the one that is being written.
struct Slots {
  std::array<GpuState, 2> gpu;
  std::atomic<std::uint32_t> valid{0};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "shared between processes");

Error SystemError(const std::string& path, const char* doing) {
  const ErrorCode code = errno == ENOENT                     ? ErrorCode::kNotFound
                         : errno == EACCES || errno == EPERM ? ErrorCode::kPermissionDenied
                                                             : ErrorCode::kInternal;
  return {code, path, fmt::format("cannot {}: {}", doing, std::strerror(errno)), {}};
}

void MakeMutex(pthread_mutex_t& mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

Status CheckPlan(const Plan& plan) {
  if (plan.gpus.empty() || plan.gpus.size() > kMostGpus) {
    return Fail(ErrorCode::kInvalidArgument, "--gpu", fmt::format("{} GPUs", plan.gpus.size()),
                fmt::format("1 to {}", kMostGpus));
  }
  for (const std::string& gpu : plan.gpus) {
    if (device_model::FindCardModel(gpu) != nullptr) continue;
    std::string known;
    for (const device_model::CardModel& card : device_model::CardModels()) {
      if (!known.empty()) known += ", ";
      known += card.gpu;
    }
    return Fail(ErrorCode::kInvalidArgument, "--gpu", fmt::format("no card model {}", gpu), known);
  }
  if (!(plan.time_scale > 0.0) || plan.time_scale > 1e6) {
    return Fail(ErrorCode::kInvalidArgument, "--time-scale", fmt::format("{}", plan.time_scale),
                "above 0, at most 1e6");
  }
  return {};
}

// Updates loads by their processes: the load of an ended process ends, a stopped process does not report.
void LookAfterProcesses(GpuState& gpu) {
  for (RunningLoad& load : gpu.loads) {
    if (!load.is_used || load.pid == 0) continue;
    const auto process = LookAt(load.pid);
    if (!process || process->start_ticks != load.start_ticks) {
      load = RunningLoad{};
    } else if (process->is_stopped) {
      load.beat_s = kNeverHeardOf;
    }
  }
}

}  // namespace

struct State::Shared {
  std::uint64_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::int32_t gpus = 0;
  std::uint64_t bytes = sizeof(Shared);
  double time_scale = 1.0;
  double origin_real_s = 0.0;
  bool is_root_only = false;
  bool is_manual = false;
  bool is_marked = false;
  std::atomic<double> manual_s{0.0};
  std::atomic<std::uint64_t> generation{1};
  pthread_mutex_t mutex{};
  std::array<Slots, kMostGpus> slots;
};

double RealSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

State::Hold::Hold(const State& state) : state_(state) {
  const int locked = pthread_mutex_lock(&state.shared_->mutex);
  // The holder died. Its change was not published, so nothing needs repair.
  if (locked == EOWNERDEAD) pthread_mutex_consistent(&state.shared_->mutex);
  Check(locked == 0 || locked == EOWNERDEAD, "the lock of the double's state");
}

State::Hold::~Hold() { pthread_mutex_unlock(&state_.shared_->mutex); }

Status State::Write(const std::string& path, const Plan& plan, bool replaces) {
  if (auto fine = CheckPlan(plan); !fine) return fine;
  // Written under another name first, so that no process sees it incomplete.
  const std::string fresh = fmt::format("{}.{}.new", path, ::getpid());
  const int fd = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return tl::unexpected(SystemError(path, "make it"));
  const bool is_sized = ::ftruncate(fd, sizeof(Shared)) == 0 && (!replaces || ::fchmod(fd, 0666) == 0);
  void* const memory =
      is_sized ? ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  Status made;
  if (memory == MAP_FAILED) {
    made = tl::unexpected(SystemError(path, "make it"));
  } else {
    auto* const shared = new (memory) Shared;
    shared->gpus = static_cast<std::int32_t>(plan.gpus.size());
    shared->time_scale = plan.time_scale;
    shared->origin_real_s = RealSeconds();
    shared->is_root_only = plan.is_root_only;
    shared->is_manual = plan.is_manual;
    shared->is_marked = plan.is_marked;
    MakeMutex(shared->mutex);
    for (std::size_t i = 0; i < plan.gpus.size(); ++i) {
      GpuState& gpu = shared->slots[i].gpu[0];
      gpu = NewGpu(*device_model::FindCardModel(plan.gpus[i]), static_cast<int>(i));
      gpu.energy_j = kUsedBeforeJoules;
    }
    ::munmap(memory, sizeof(Shared));
    const bool is_there = replaces ? ::rename(fresh.c_str(), path.c_str()) == 0
                                   : ::link(fresh.c_str(), path.c_str()) == 0 || errno == EEXIST;
    if (!is_there) made = tl::unexpected(SystemError(path, "put it in its place"));
  }
  ::close(fd);
  ::unlink(fresh.c_str());
  return made;
}

Status State::Create(const std::string& path, const Plan& plan) { return Write(path, plan, true); }

Result<State> State::Open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return tl::unexpected(SystemError(path, "open it"));
  struct stat status {};
  const bool fits = ::fstat(fd, &status) == 0 && status.st_size == static_cast<off_t>(sizeof(Shared));
  void* const memory = fits ? ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  ::close(fd);
  auto* const shared = memory == MAP_FAILED ? nullptr : static_cast<Shared*>(memory);
  const bool is_ours = shared != nullptr && shared->magic == kMagic && shared->version == kVersion &&
                       shared->bytes == sizeof(Shared) && shared->gpus >= 1 && shared->gpus <= kMostGpus;
  if (is_ours) return State(shared);
  if (shared != nullptr) ::munmap(memory, sizeof(Shared));
  return Fail(ErrorCode::kCorrupt, path, "is not a state of this version of the double",
              "a file made by nvml-double create");
}

Result<State> State::OpenNamed(const Environment& environment) {
  const auto named = environment("HELIOSTAT_DOUBLE");
  const auto gpus = environment("HELIOSTAT_DOUBLE_GPUS");
  if (named && !named->empty()) {
    auto opened = Open(*named);
    if (opened || !gpus || gpus->empty()) return opened;
    if (opened.error().code == ErrorCode::kCorrupt) (void)::unlink(named->c_str());
    // Another process may make the file meanwhile, and it then stays.
    if (auto made = Write(*named, {.gpus = SplitAtCommas(*gpus), .is_marked = true}, false); !made)
      return Propagate(made);
    return Open(*named);
  }
  const std::string path = fmt::format("/tmp/heliostat-double-{}.state", ::getuid());
  if (::access(path.c_str(), F_OK) != 0) {
    if (auto made = Write(path, Plan{{"H200", "A40"}}, false); !made) return Propagate(made);
  }
  return Open(path);
}

State::State(State&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}

State& State::operator=(State&& other) noexcept {
  std::swap(shared_, other.shared_);
  return *this;
}

State::~State() {
  if (shared_ != nullptr) ::munmap(shared_, sizeof(Shared));
}

int State::gpus() const { return shared_->gpus; }
double State::time_scale() const { return shared_->time_scale; }
bool State::is_root_only() const { return shared_->is_root_only; }
bool State::is_manual() const { return shared_->is_manual; }
bool State::is_marked() const { return shared_->is_marked; }
std::uint64_t State::generation() const { return shared_->generation.load(); }

double State::Now() const {
  return shared_->is_manual ? shared_->manual_s.load() : (RealSeconds() - shared_->origin_real_s) * shared_->time_scale;
}

void State::Advance(double seconds) {
  const Hold hold(*this);
  shared_->manual_s.store(shared_->manual_s.load() + seconds);
}

double State::grace_s() const { return shared_->is_manual ? kForever : kGraceRealSeconds * shared_->time_scale; }

GpuState State::Settled(int gpu) const {
  Check(gpu >= 0 && gpu < gpus(), "a GPU of the double");
  const Slots& slots = shared_->slots[static_cast<std::size_t>(gpu)];
  GpuState settled = slots.gpu[slots.valid.load()];
  LookAfterProcesses(settled);
  Settle(settled, Now(), grace_s());
  return settled;
}

void State::Publish(int gpu, const GpuState& next) {
  Slots& slots = shared_->slots[static_cast<std::size_t>(gpu)];
  const std::uint32_t other = 1 - slots.valid.load();
  slots.gpu[other] = next;
  slots.valid.store(other);
}

GpuState State::Look(int gpu) {
  GpuState found;
  Update(gpu, [&found](const GpuState& now) { found = now; });
  return found;
}

void State::Reload(bool is_boot) {
  for (int gpu = 0; gpu < gpus(); ++gpu) {
    Update(gpu, [is_boot](GpuState& state) {
      Reset(state);
      if (!is_boot) return;
      for (RunningLoad& load : state.loads) {
        if (load.pid != 0) load = RunningLoad{};
      }
    });
  }
  shared_->generation.fetch_add(1);
}

}  // namespace heliostat::nvml_double
