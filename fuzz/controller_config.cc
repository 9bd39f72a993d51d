// Any bytes are a config of the controller or one error with its place. What a config means can be said in words.
#include <cstddef>
#include <cstdint>
#include <string>

#include "heliostat/base/core/check.h"
#include "heliostat/control/controller/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heliostat;
  const auto config = controller::ParseConfig(std::string(reinterpret_cast<const char*>(data), size), "/etc/c.toml");
  if (!config) {
    Check(config.error().where.find("c.toml") != std::string::npos, "an error does not name the file");
    Check(config.error().Line().find('\n') == std::string::npos, "an error has several lines");
    return 0;
  }
  Check(config->pue >= 1.0 && config->poll.count() >= 1 && config->step.count() > 0, "a value is out of range");
  Check(config->state.starts_with('/') && config->socket.starts_with('/'), "a path is not absolute");
  Check(controller::Explain(*config).ends_with('\n'), "the config is not explained");
  return 0;
}
