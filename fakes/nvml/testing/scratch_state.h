#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "fakes/nvml/load.h"
#include "fakes/nvml/state.h"
#include "heliostat/base/core/check.h"

namespace heliostat::nvml_double {

// A separate state in a separate folder, removed with the object.
class ScratchState {
 public:
  explicit ScratchState(Plan plan) : folder_(MakeFolder()) {
    Check(State::Create(path(), plan).has_value(), "a state for the test");
  }
  // With a manual clock.
  explicit ScratchState(std::vector<std::string> gpus)
      : ScratchState(Plan{.gpus = std::move(gpus), .is_manual = true}) {}
  ScratchState(const ScratchState&) = delete;
  ScratchState& operator=(const ScratchState&) = delete;
  ~ScratchState() { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ + "/gpus.state"; }
  State Open() const {
    auto opened = State::Open(path());
    Check(opened.has_value(), "the state of the test");
    return std::move(*opened);
  }

 private:
  static std::string MakeFolder() {
    std::string folder = std::filesystem::temp_directory_path() / "double-test-XXXXXX";
    Check(::mkdtemp(folder.data()) != nullptr, "a folder for the test");
    return folder;
  }

  std::string folder_;
};

inline void Put(GpuState& gpu, const LoadPlan& plan, pid_t pid = 0) {
  const auto load = MakeLoad(plan, gpu.card(), pid);
  Check(load.has_value() && StartLoad(gpu, *load).has_value(), "a load for the test");
}

}  // namespace heliostat::nvml_double
