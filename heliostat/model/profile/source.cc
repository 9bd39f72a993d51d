#include "heliostat/model/profile/source.h"

#include <algorithm>

#include "heliostat/base/core/split.h"
#include "heliostat/model/profile/cells.h"
#include "heliostat/model/profile/gpu_facts.h"

namespace heliostat::profile {

scenario::CsvTable Source::Table(std::span<const std::string_view> columns,
                                 std::span<const std::string_view> numbers) const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; !sample.rows.empty() && i < sample.rows.front().size(); ++i) {
    const auto is_it = [&](std::string_view name) { return name == Trimmed(sample.rows.front()[i]); };
    if (std::ranges::any_of(columns, is_it) || std::ranges::any_of(numbers, is_it)) indices.push_back(i);
  }
  const auto decimal = options.decimal.empty() ? io::FindDecimal(sample, indices, file, "decimal")
                                               : io::ParseDecimal(options.decimal, "decimal option");
  scenario::CsvTable table(text, file, columns, skipped, {sample.delimiter, decimal.value_or(io::DecimalMark::kPoint)});
  if (!decimal) table.Stop(Propagate(decimal));
  return table;
}

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
