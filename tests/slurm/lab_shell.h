#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "heliostat/base/core/environment.h"
#include "heliostat/node/process/capture.h"

// What tests on a lab do beside the code under test.
namespace heliostat::cluster {

inline constexpr std::chrono::seconds kLongest{30};

inline std::string Shell(const std::string& script) {
  const auto captured = process::Capture({"sh", "-c", script}, ProcessVariables(), {.time = kLongest});
  EXPECT_TRUE(captured) << captured.error().Line();
  if (!captured) return "";
  EXPECT_EQ(captured->ending.Status(), 0) << script << ": " << captured->errors;
  return captured->output;
}

// start, stop, kill, freeze or thaw a daemon or a node.
inline void Do(const std::string& action, const std::string& name) {
  const std::string conf = ProcessEnvironment()("SLURM_CONF").value_or("");
  const std::string folder = conf.substr(0, conf.rfind("/etc/"));
  (void)Shell(fmt::format(HELIOSTAT_SOURCE_DIR "/tests/slurm/lab do {} {} {}", folder, action, name));
}

// Returns its number.
inline std::int64_t Submit(const std::string& options, const std::string& script = "exec sleep 3600") {
  return std::atoll(Shell(fmt::format("sbatch --parsable -o /dev/null {} --wrap '{}'", options, script)).c_str());
}

}  // namespace heliostat::cluster
