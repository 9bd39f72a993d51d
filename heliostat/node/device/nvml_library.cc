#include "heliostat/node/device/nvml_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace heliostat::device::nvml {
namespace {

ErrorCode CodeOf(Return code) {
  switch (code) {
    case kInvalidArgument:
      return ErrorCode::kInvalidArgument;
    case kNotSupported:
      return ErrorCode::kUnsupported;
    case kNoPermission:
      return ErrorCode::kPermissionDenied;
    case kNotFound:
      return ErrorCode::kNotFound;
    case kUninitialized:
    case kDriverNotLoaded:
    case kTimeout:
    case kGpuIsLost:
    case kResetRequired:
      return ErrorCode::kUnavailable;
    default:
      return ErrorCode::kInternal;
  }
}

std::string_view Advice(Return code) {
  switch (code) {
    case kNoPermission:
      return "run as root, or use the node agent (heliostatd)";
    case kGpuIsLost:
      return "the card fell off the bus; see the kernel's log, and reset or reboot";
    case kDriverNotLoaded:
    case kUninitialized:
      return "load the NVIDIA kernel driver";
    case kLibRmVersionMismatch:
      return "library and kernel driver differ in version; reload the driver or reboot";
    default:
      return "";
  }
}

template <typename Function>
bool FindSymbol(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<std::shared_ptr<Library>> Library::Load(const std::string& path) {
  std::shared_ptr<Library> library(new Library);
  if (auto found = library->Find(path); !found) return Propagate(found);
  const Return code = library->functions_.nvmlInit_v2();
  if (code != kSuccess) return tl::unexpected(library->ToError(code, path, "start"));
  library->generation_ = 1;
  return library;
}

Status Library::Find(const std::string& path) {
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* const told = ::dlerror();
    std::string why = told == nullptr ? "no reason given" : told;
    if (why.starts_with(path + ": ")) why.erase(0, path.size() + 2);
    const bool is_absent = why.find("No such file or directory") != std::string::npos;
    return Fail(ErrorCode::kNotFound, path, is_absent ? "is not installed" : "cannot be loaded: " + why,
                "install the NVIDIA driver, or name a library with HELIOSTAT_NVML");
  }
  std::vector<std::string> needed;
#define HELIOSTAT_NVML_FIND(name, type) \
  if (!FindSymbol(handle_, #name, functions_.name)) needed.emplace_back(#name);
  HELIOSTAT_NVML_REQUIRED(HELIOSTAT_NVML_FIND)
#undef HELIOSTAT_NVML_FIND
#define HELIOSTAT_NVML_FIND(name, type) \
  if (!FindSymbol(handle_, #name, functions_.name)) missing_.emplace_back(#name);
  HELIOSTAT_NVML_OPTIONAL(HELIOSTAT_NVML_FIND)
#undef HELIOSTAT_NVML_FIND
  if (needed.empty()) return {};
  return Fail(ErrorCode::kUnsupported, path, fmt::format("has no {}", fmt::join(needed, ", ")),
              "the NVML of an NVIDIA driver, version 410 or newer");
}

Library::~Library() {
  // The library stays loaded: it may have running threads.
  if (generation_ > 0) (void)functions_.nvmlShutdown();
}

Status Library::Restart(std::uint64_t seen) {
  const std::lock_guard hold(restarting_);
  if (generation_ != seen) return {};
  (void)functions_.nvmlShutdown();
  const Return code = functions_.nvmlInit_v2();
  if (code != kSuccess) return tl::unexpected(ToError(code, "NVML", "start again"));
  ++generation_;
  return {};
}

Error Library::ToError(Return code, std::string where, std::string_view doing) const {
  const char* const text = functions_.nvmlErrorString == nullptr ? nullptr : functions_.nvmlErrorString(code);
  return {CodeOf(code), std::move(where),
          fmt::format("cannot {}: {}", doing, text == nullptr ? fmt::format("NVML error {}", code) : text),
          std::string(Advice(code))};
}

}  // namespace heliostat::device::nvml
