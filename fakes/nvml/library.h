#pragma once

#include <string_view>
#include <type_traits>

#include "heliostat/node/device/nvml_abi.h"

// The functions of libnvidia-ml.so.1 that the project uses, as the double defines them.

namespace heliostat::nvml_double {

// Copies a text as NVML does: kInsufficientSize when the buffer is too small for the text and its terminating zero.
device::nvml::Return CopyText(std::string_view text, char* where, unsigned size);

}  // namespace heliostat::nvml_double

// NVML's own types under the names that the list of functions uses.
using heliostat::device::nvml::Device;
using heliostat::device::nvml::Memory;
using heliostat::device::nvml::PciInfo;
using heliostat::device::nvml::ProcessInfo;
using heliostat::device::nvml::ProcessUtilization;
using heliostat::device::nvml::Return;
using heliostat::device::nvml::Utilization;

extern "C" {
// NOLINTBEGIN(bugprone-macro-parentheses): names to declare, not expressions.
#define HELIOSTAT_DOUBLE_DECLARE(name, type) __attribute__((visibility("default"))) std::type_identity_t<type> name;
HELIOSTAT_NVML_REQUIRED(HELIOSTAT_DOUBLE_DECLARE)
HELIOSTAT_NVML_OPTIONAL(HELIOSTAT_DOUBLE_DECLARE)
#undef HELIOSTAT_DOUBLE_DECLARE
// NOLINTEND(bugprone-macro-parentheses)
}
