#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "heliostat/node/agent/worker.h"
#include "heliostat/node/device/energy_meter.h"
#include "heliostat/node/device/gpu.h"
#include "heliostat/node/lease/gpu_leases.h"

namespace heliostat::agent {

// What a worker's thread does with its GPU: executes commands on its leases, takes samples, and describes the present
// state. Except Describe(), a call may last as long as the driver or the disk takes. Not thread-safe.
class WorkerTasks {
 public:
  // `context` must outlive it.
  WorkerTasks(std::unique_ptr<device::Gpu> gpu, std::string journal, const WorkerContext& context);

  // Reads the journal and restores the state that it describes. To be called first. A failure is logged, later commands
  // return it, and Sample() tries again.
  void Open();
  Done Do(WorkerCommand command);
  // Ends leases that are over, checks whether other programs turned the knobs, and reads the card.
  void Sample();
  // The state as of the last sample and command. Does not call the driver.
  GpuSnapshot Describe() const;

 private:
  void DoWork(const Take& work, Done& done);
  void DoWork(const Renew& work, Done& done);
  void DoWork(const Release& work, Done& done);
  void DoWork(const ReleaseAll& work, Done& done);
  void DoWork(const PutBack& work, Done& done);
  void ReadSettings();
  // The leases, or the error of Open().
  Result<lease::GpuLeases*> OpenLeases();
  io::Json DescribeSettings() const;
  io::Json DescribeOwed() const;

  const std::unique_ptr<device::Gpu> gpu_;
  const std::string journal_;
  const WorkerContext& context_;
  std::optional<lease::GpuLeases> leases_;
  std::optional<Error> leases_error_;
  bool is_open_ = false;
  bool is_put_back_ = false;

  device::EnergyMeter meter_;
  SteadyTime taken_{0};
  std::optional<device::Reading> reading_;
  std::string reading_trouble_;
  std::optional<device::Details> details_;
  std::optional<SteadyTime> details_taken_;
  std::array<std::optional<device::Setting>, device::kKnobs.size()> settings_;
};

}  // namespace heliostat::agent
