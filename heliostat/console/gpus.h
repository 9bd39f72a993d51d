#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/core/environment.h"
#include "heliostat/device/gpu.h"
#include "heliostat/io/json.h"
#include "heliostat/lease/summary.h"
#include "heliostat/report/html.h"

namespace heliostat::console {

// The GPUs of this machine, open for reading.
struct Gpus {
  std::unique_ptr<device::Driver> driver;
  std::vector<std::unique_ptr<device::Gpu>> all;

  // Those that a user names: "0", a UUID or the beginning of one, or "all". kNotFound says which there are.
  Result<std::vector<device::Gpu*>> Select(const std::vector<std::string>& names) const;
};

// A machine without a driver has none, and that is no error.
Result<Gpus> OpenGpus(const Environment& environment);

// A result for people and for programs.
struct Told {
  std::string text;
  io::Json json;
};

// One line a GPU: who it is, what it draws, how fast it runs, where its limit stands.
Told List(const Gpus& gpus);
// Everything there is to know about one. `leases`: all of the machine, of which those on this GPU are told; nothing
// where no agent keeps any.
Result<Told> Show(device::Gpu& gpu, const std::optional<std::vector<lease::Summary>>& leases);

// A GPU's reading beside its identity: what List() and the live view tell of it. Errors stand in it as "error".
io::Json Summary(device::Gpu& gpu);
// "612 W", "–" for what is not told.
std::string CellOf(const io::Json& summary, std::string_view key, std::string_view unit);

}  // namespace heliostat::console
