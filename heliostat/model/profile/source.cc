#include "heliostat/model/profile/source.h"

#include <algorithm>

#include "heliostat/model/profile/cells.h"
#include "heliostat/model/profile/gpu_facts.h"

namespace heliostat::profile {

std::string Source::GpuOr(std::string_view cell) const { return GpuName(options.gpu.empty() ? cell : options.gpu); }

Result<std::string> Source::GpuOfFile() const {
  if (!options.gpu.empty()) return GpuName(options.gpu);
  constexpr std::string_view kBetween = "_-+. ";
  const std::string stem = StemOf(file);
  for (std::size_t begin = 0; begin < stem.size();) {
    const std::size_t end = std::min(stem.find_first_of(kBetween, begin), stem.size());
    std::string name = GpuName(std::string_view(stem).substr(begin, end - begin));
    if (HighestWatts(name)) return name;
    begin = end + 1;
  }
  return Fail(ErrorCode::kInvalidArgument, file, "does not say which GPU was measured",
              "option 'gpu' with its name, or a file name with a known one, such as summary_power_a40.csv");
}

}  // namespace heliostat::profile
