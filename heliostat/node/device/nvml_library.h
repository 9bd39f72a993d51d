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

// The functions of a library; nullptr for those that it does not have.
struct Functions {
#define HELIOSTAT_NVML_MEMBER(name, type) std::add_pointer_t<type> name = nullptr;
  HELIOSTAT_NVML_REQUIRED(HELIOSTAT_NVML_MEMBER)
  HELIOSTAT_NVML_OPTIONAL(HELIOSTAT_NVML_MEMBER)
#undef HELIOSTAT_NVML_MEMBER
};

// NVML, loaded at run time and initialised. Shared by all GPUs of a driver. Thread-safe.
class Library {
 public:
  // `path` as dlopen() takes it. kNotFound when there is no such library, kUnsupported when it lacks a required
  // function, kUnavailable when the kernel driver does not answer.
  static Result<std::shared_ptr<Library>> Load(const std::string& path);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const Functions& call() const { return functions_; }
  // Names of the optional functions that the library lacks.
  const std::vector<std::string>& missing() const { return missing_; }

  // Counts initialisations. A device handle is valid only within the one in which it was obtained.
  std::uint64_t generation() const { return generation_; }
  // Initialises NVML again, which is needed after a reload of the kernel driver. Does nothing when the generation is no
  // longer `seen`: then another thread has done so.
  Status Restart(std::uint64_t seen);

  // "WHERE: cannot DOING: text of NVML; advice", with the ErrorCode that corresponds to `code`.
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
