#include "heliostat/model/profile/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "heliostat/base/core/made_up.h"

namespace heliostat::profile {

double PositiveNumber(scenario::CsvTable& table, std::string_view column) {
  const double value = table.Number(column);
  if (value >= kSmallest && value <= kLargest) return value;
  table.Stop(
      Fail(ErrorCode::kInvalidArgument, table.where(), fmt::format("{} is {}", column, value), "must be above 0"));
  return 1.0;
}

int PositiveWhole(scenario::CsvTable& table, std::string_view column) {
  const int value = table.Whole(column);
  if (value > 0) return value;
  table.Stop(
      Fail(ErrorCode::kInvalidArgument, table.where(), fmt::format("{} is {}", column, value), "must be 1 or more"));
  return 1;
}

std::string StemOf(std::string_view path) { return std::filesystem::path(path).stem().string(); }

std::string GpuName(std::string_view text) {
  if (IsMadeUp(text)) text.remove_suffix(kMadeUpMark.size());
  std::string upper;
  for (const char c : text) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c == '_' ? ' ' : c;
  // Drivers have long names, which end in the form factor and the memory.
  constexpr std::array<std::string_view, 7> kMakers{"NVIDIA", "GEFORCE",  "TESLA", "QUADRO",
                                                    "AMD",    "INSTINCT", "RADEON"};
  constexpr std::array<std::string_view, 5> kForms{"SXM", "PCIE", "HBM", "NVL", "OAM"};
  std::string name;
  bool is_of_driver = false;
  for (std::size_t begin = 0; begin < upper.size();) {
    const std::size_t end = std::min(upper.find(' ', begin), upper.size());
    std::string word = upper.substr(begin, end - begin);
    begin = end + 1;
    if (std::ranges::find(kMakers, word) != kMakers.end()) {
      is_of_driver = true;
      continue;
    }
    if (is_of_driver) {
      const bool is_form = std::ranges::any_of(kForms, [&](std::string_view form) { return word.starts_with(form); }) ||
                           word.ends_with("GB");
      if (is_form && !name.empty()) break;
      // "RTX A6000" is the A6000.
      if (name == "RTX" && word.starts_with('A')) name.clear();
      word = word.substr(0, word.find('-'));
    }
    name += word;
  }
  return name;
}

}  // namespace heliostat::profile
