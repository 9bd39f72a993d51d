#pragma once

// The part of the C interface of the NVIDIA Management Library (NVML) that this project uses. It is declared here
// because no free package contains the header. Names and values follow NVML's public API reference; functions are found
// at run time by their versioned names. The test double fakes/nvml defines the same functions.

#include <cstdint>

namespace heliostat::device::nvml {

using Return = int;
inline constexpr Return kSuccess = 0;
inline constexpr Return kUninitialized = 1;
inline constexpr Return kInvalidArgument = 2;
inline constexpr Return kNotSupported = 3;
inline constexpr Return kNoPermission = 4;
inline constexpr Return kNotFound = 6;
inline constexpr Return kInsufficientSize = 7;
inline constexpr Return kDriverNotLoaded = 9;
inline constexpr Return kTimeout = 10;
inline constexpr Return kLibRmVersionMismatch = 18;
inline constexpr Return kGpuIsLost = 15;
inline constexpr Return kResetRequired = 16;
inline constexpr Return kUnknown = 999;

using Device = struct DeviceHandle*;

inline constexpr int kClockGraphics = 0;
inline constexpr int kClockSm = 1;
inline constexpr int kClockMemory = 2;
inline constexpr int kTemperatureGpu = 0;

inline constexpr unsigned kNameSize = 96;
inline constexpr unsigned kUuidSize = 96;
inline constexpr unsigned kVersionSize = 80;

struct PciInfo {  // nvmlPciInfo_t
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pci_device_id;
  unsigned pci_subsystem_id;
  char bus_id[32];
};

struct Utilization {  // nvmlUtilization_t, per cent
  unsigned gpu;
  unsigned memory;
};

struct Memory {  // nvmlMemory_t, bytes
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct ProcessInfo {  // nvmlProcessInfo_t as of version 3
  unsigned pid;
  unsigned long long used_gpu_memory;  // all ones: not available
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};

struct ProcessUtilization {  // nvmlProcessUtilizationSample_t, per cent
  unsigned pid;
  unsigned long long time_stamp;  // microseconds
  unsigned sm;
  unsigned memory;
  unsigned encoder;
  unsigned decoder;
};

// Bits of nvmlDeviceGetCurrentClocksEventReasons (in older drivers ...ThrottleReasons).
inline constexpr unsigned long long kReasonIdle = 0x1;
inline constexpr unsigned long long kReasonApplicationsClocks = 0x2;
inline constexpr unsigned long long kReasonPowerCap = 0x4;
inline constexpr unsigned long long kReasonHwSlowdown = 0x8;
inline constexpr unsigned long long kReasonSyncBoost = 0x10;
inline constexpr unsigned long long kReasonSwThermal = 0x20;
inline constexpr unsigned long long kReasonHwThermal = 0x40;
inline constexpr unsigned long long kReasonHwPowerBrake = 0x80;
inline constexpr unsigned long long kReasonDisplayClock = 0x100;

// Every function: its name in the library and its type. Power in milliwatts, energy in millijoules, clocks in MHz.
// A library without one of the REQUIRED functions is not usable; without an OPTIONAL one, some ability is missing.
#define HELIOSTAT_NVML_REQUIRED(X)                                         \
  X(nvmlInit_v2, Return())                                                 \
  X(nvmlShutdown, Return())                                                \
  X(nvmlDeviceGetCount_v2, Return(unsigned* count))                        \
  X(nvmlDeviceGetHandleByIndex_v2, Return(unsigned index, Device* device)) \
  X(nvmlDeviceGetName, Return(Device device, char* name, unsigned size))   \
  X(nvmlDeviceGetUUID, Return(Device device, char* uuid, unsigned size))   \
  X(nvmlDeviceGetPowerUsage, Return(Device device, unsigned* milliwatts))

#define HELIOSTAT_NVML_OPTIONAL(X)                                                                                \
  X(nvmlErrorString, const char*(Return code))                                                                    \
  X(nvmlSystemGetDriverVersion, Return(char* version, unsigned size))                                             \
  X(nvmlDeviceGetHandleByUUID, Return(const char* uuid, Device* device))                                          \
  X(nvmlDeviceGetPciInfo_v3, Return(Device device, PciInfo* pci))                                                 \
  X(nvmlDeviceGetPowerManagementLimit, Return(Device device, unsigned* milliwatts))                               \
  X(nvmlDeviceGetPowerManagementLimitConstraints, Return(Device device, unsigned* low, unsigned* high))           \
  X(nvmlDeviceGetPowerManagementDefaultLimit, Return(Device device, unsigned* milliwatts))                        \
  X(nvmlDeviceGetEnforcedPowerLimit, Return(Device device, unsigned* milliwatts))                                 \
  X(nvmlDeviceGetTotalEnergyConsumption, Return(Device device, unsigned long long* millijoules))                  \
  X(nvmlDeviceGetClockInfo, Return(Device device, int clock, unsigned* mhz))                                      \
  X(nvmlDeviceGetSupportedMemoryClocks, Return(Device device, unsigned* count, unsigned* mhz))                    \
  X(nvmlDeviceGetSupportedGraphicsClocks, Return(Device device, unsigned memory, unsigned* count, unsigned* mhz)) \
  X(nvmlDeviceGetUtilizationRates, Return(Device device, Utilization* rates))                                     \
  X(nvmlDeviceGetTemperature, Return(Device device, int sensor, unsigned* celsius))                               \
  X(nvmlDeviceGetCurrentClocksEventReasons, Return(Device device, unsigned long long* reasons))                   \
  X(nvmlDeviceGetCurrentClocksThrottleReasons, Return(Device device, unsigned long long* reasons))                \
  X(nvmlDeviceGetComputeRunningProcesses_v3, Return(Device device, unsigned* count, ProcessInfo* processes))      \
  X(nvmlDeviceGetProcessUtilization,                                                                              \
    Return(Device device, ProcessUtilization* samples, unsigned* count, unsigned long long since))                \
  X(nvmlDeviceGetMigMode, Return(Device device, unsigned* current, unsigned* pending))                            \
  X(nvmlDeviceGetPersistenceMode, Return(Device device, int* enabled))                                            \
  X(nvmlDeviceGetMemoryInfo, Return(Device device, Memory* memory))                                               \
  X(nvmlDeviceSetPowerManagementLimit, Return(Device device, unsigned milliwatts))                                \
  X(nvmlDeviceSetGpuLockedClocks, Return(Device device, unsigned low_mhz, unsigned high_mhz))                     \
  X(nvmlDeviceResetGpuLockedClocks, Return(Device device))                                                        \
  X(nvmlDeviceSetMemoryLockedClocks, Return(Device device, unsigned low_mhz, unsigned high_mhz))                  \
  X(nvmlDeviceResetMemoryLockedClocks, Return(Device device))

}  // namespace heliostat::device::nvml
