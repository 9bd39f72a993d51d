#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/device/nvml_abi.h"

namespace heliostat::device::nvml {

// The functions of a library; null for those that it does not have.
struct Functions {
#define HELIOSTAT_NVML_MEMBER(name, type) std::add_pointer_t<type> name = nullptr;
  HELIOSTAT_NVML_REQUIRED(HELIOSTAT_NVML_MEMBER)
  HELIOSTAT_NVML_OPTIONAL(HELIOSTAT_NVML_MEMBER)
#undef HELIOSTAT_NVML_MEMBER
};

// NVML, loaded at run time and initialised. Shared by all GPUs of a driver. Thread-safe.
class Library {
 public:
  // `path` as dlopen() takes it. kNotFound when there is no such library, kUnsupported when it lacks what nothing works
  // without, kUnavailable when the kernel's driver does not answer.
  static Result<std::shared_ptr<Library>> Load(const std::string& path);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const Functions& call() const { return functions_; }
  // Names of optional functions that are not there.
  const std::vector<std::string>& missing() const { return missing_; }

  // Counts initialisations. A handle is worth something only within the one in which it was got.
  std::uint64_t generation() const { return generation_; }
  // Initialises anew, as is needed once the kernel's driver was loaded anew; nothing when another thread has done so
  // since `seen`.
  Status Restart(std::uint64_t seen);

  // "WHERE: cannot DOING: what NVML says", with the code that fits.
  Error ToError(Return code, std::string where, std::string_view doing) const;

 private:
  Library() = default;
  Status Find(const std::string& path);

  void* handle_ = nullptr;
  Functions functions_;
  std::vector<std::string> missing_;
  std::mutex restarting_;
  std::atomic<std::uint64_t> generation_{0};
};

}  // namespace heliostat::device::nvml
