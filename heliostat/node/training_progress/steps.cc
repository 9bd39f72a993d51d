#include "heliostat/node/training_progress/steps.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "heliostat/node/training_progress/step_layout.h"

namespace heliostat::training_progress {

Result<StepFile> StepFile::Create(const Environment& environment) {
  // A file on disk works too, but the kernel writes it out from time to time.
  std::vector<std::string> folders{"/dev/shm", environment("TMPDIR").value_or("/tmp"), "/tmp"};
  std::string trouble;
  for (const std::string& folder : folders) {
    std::string path = folder + "/heliostat-steps-XXXXXX";
    const int fd = ::mkostemp(path.data(), O_CLOEXEC);  // 0600
    if (fd < 0) {
      trouble = fmt::format("{}: {}", folder, std::strerror(errno));
      continue;
    }
    void* memory = MAP_FAILED;
    if (::ftruncate(fd, sizeof(StepLayout)) == 0) {
      memory = ::mmap(nullptr, sizeof(StepLayout), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (memory == MAP_FAILED) trouble = fmt::format("{}: {}", folder, std::strerror(errno));
    ::close(fd);
    if (memory == MAP_FAILED) {
      ::unlink(path.c_str());
      continue;
    }
    auto* shared = new (memory) StepLayout{};
    shared->version.store(kStepVersion);
    shared->magic.store(kStepMagic);
    return StepFile(std::move(path), shared);
  }
  return Fail(ErrorCode::kInternal, "steps", "cannot be shared: " + trouble, "/dev/shm or TMPDIR must be writable");
}

StepFile::StepFile(StepFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), shared_(std::exchange(other.shared_, nullptr)) {}

StepFile& StepFile::operator=(StepFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(shared_, other.shared_);
  return *this;
}

StepFile::~StepFile() {
  if (shared_ != nullptr) (void)::munmap(shared_, sizeof(StepLayout));
  if (!path_.empty()) (void)::unlink(path_.c_str());
}

std::optional<StepReading> StepFile::Read() const {
  if (shared_ == nullptr || shared_->magic.load() != kStepMagic || shared_->version.load() != kStepVersion) {
    return std::nullopt;
  }
  StepReading reading;
  reading.pid = static_cast<int>(shared_->pid.load() & 0x7fffffffU);
  if (reading.pid == 0) return std::nullopt;
  // The count is written last: a time and samples read before it are never newer than it.
  reading.last = std::chrono::nanoseconds(shared_->last_ns.load() & 0x7fffffff'ffffffffULL);
  reading.samples = shared_->samples.load();
  reading.steps = shared_->steps.load();
  const std::uint64_t phase = shared_->phase.load();
  reading.phase = phase <= 2 ? static_cast<StepPhase>(phase) : StepPhase::kTrain;
  return reading;
}

}  // namespace heliostat::training_progress
