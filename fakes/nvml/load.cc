#include "fakes/nvml/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "fakes/nvml/process.h"
#include "heliostat/model/profile/library.h"

namespace heliostat::nvml_double {
namespace {

std::string KnownModels() {
  std::string known;
  for (const std::string_view model : profile::TrainingModels()) {
    if (!known.empty()) known += ", ";
    known += model;
  }
  return known;
}

}  // namespace

Result<RunningLoad> MakeLoad(const LoadPlan& plan, const device_model::CardModel& card, pid_t pid) {
  const auto found = device_model::LoadOf(plan.model, card);
  if (!found) return Fail(ErrorCode::kInvalidArgument, "model", Printable(plan.model) + " is unknown", KnownModels());
  RunningLoad load;
  load.is_used = true;
  load.load = *found;
  load.load.duty = plan.duty;
  load.samples_per_step = plan.samples_per_step;
  load.goal = plan.goal;
  std::copy_n(plan.model.begin(), std::min(plan.model.size(), load.model.size() - 1), load.model.begin());
  if (pid == 0) return load;
  const auto process = LookAt(pid);
  if (!process) return Fail(ErrorCode::kNotFound, fmt::format("process {}", pid), "does not exist");
  load.pid = pid;
  load.start_ticks = process->start_ticks;
  return load;
}

RunningLoad* FindLoad(GpuState& gpu, const RunningLoad& like) {
  const auto found = std::find_if(gpu.loads.begin(), gpu.loads.end(), [&](const RunningLoad& load) {
    return load.is_used && load.pid == like.pid && load.start_ticks == like.start_ticks;
  });
  return found == gpu.loads.end() ? nullptr : &*found;
}

Status StartLoad(GpuState& gpu, const RunningLoad& load) {
  RunningLoad* place = FindLoad(gpu, load);
  if (place == nullptr) {
    const auto free = std::find_if(gpu.loads.begin(), gpu.loads.end(), [](const RunningLoad& l) { return !l.is_used; });
    if (free == gpu.loads.end()) {
      return Fail(ErrorCode::kUnavailable, gpu.uuid.data(), fmt::format("{} loads run already", gpu.loads.size()));
    }
    place = &*free;
  }
  *place = load;
  place->beat_s = gpu.at_s;
  return {};
}

void StopLoads(GpuState& gpu) {
  for (RunningLoad& load : gpu.loads) {
    if (load.is_used && load.pid == 0) load = RunningLoad{};
  }
}

}  // namespace heliostat::nvml_double
