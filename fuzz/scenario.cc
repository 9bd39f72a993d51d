// Any bytes are a scenario or one error. A scenario that is read is valid, and after it is written and read again it
// has the same horizon, groups, jobs and services.
//
// One input contains all files: a line "@@ NAME" begins each.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/model/scenario/read.h"
#include "heliostat/model/scenario/write.h"

namespace {

using heliostat::Check;
using heliostat::ErrorCode;
using heliostat::Fail;
using heliostat::Result;
using heliostat::scenario::Scenario;
using Files = std::map<std::string, std::string>;

// Scenarios with long horizons, many services or long names are read but not written again, to limit memory.
constexpr std::size_t kMostSlots = 2000;
constexpr std::size_t kMostBytes = 16384;
constexpr std::ptrdiff_t kMostServices = 16;

Files Split(std::string_view text) {
  Files files;
  std::string* current = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line.substr(0, 3) == "@@ ") {
      current = &files[std::string(line.substr(3, line.find('\n') - 3))];
    } else if (current != nullptr) {
      *current += line;
    }
  }
  return files;
}

Result<Scenario> ReadAll(const Files& files) {
  const auto toml = files.find("scenario.toml");
  return heliostat::scenario::ReadText(toml == files.end() ? std::string_view() : toml->second, "scenario.toml",
                                       [&](const std::string& path) -> Result<std::string> {
                                         const auto found = files.find(path);
                                         if (found != files.end()) return found->second;
                                         return Fail(ErrorCode::kNotFound, path, "is not there");
                                       });
}

void WriteAndReadBack(const Scenario& scenario) {
  const auto written = heliostat::scenario::ToFiles(scenario);
  Check(written.has_value(), "a scenario that was read cannot be written");
  Files files;
  for (const auto& file : *written) files[file.name] = file.text;
  const auto back = ReadAll(files);
  Check(back.has_value(), back ? "" : back.error().Line());
  Check(back->horizon() == scenario.horizon() && back->step == scenario.step, "the horizon has changed");
  Check(back->jobs == scenario.jobs, "jobs have changed");
  Check(back->groups.size() == scenario.groups.size(), "groups have changed");
  Check(back->services.size() == scenario.services.size(), "services have changed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Files files = Split({reinterpret_cast<const char*>(data), size});
  std::ptrdiff_t longest = 0;
  for (const auto& [name, text] : files) {
    if (name.find("services") != std::string::npos) longest = std::max(longest, std::ranges::count(text, '\n'));
  }
  if (longest > kMostServices) return 0;
  const auto scenario = ReadAll(files);
  if (!scenario) {
    Check(!scenario.error().Line().empty(), "an error has no text");
    return 0;
  }
  Check(Validate(*scenario).has_value(), "a scenario that was read is not valid");
  if (scenario->slots <= kMostSlots && size <= kMostBytes) WriteAndReadBack(*scenario);
  return 0;
}
