#include "heliostat/model/profile/cells.h"

#include <fmt/format.h>

#include <filesystem>

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
  // The driver has long names: "NVIDIA A100-SXM4-40GB", "NVIDIA H100 80GB HBM3".
  constexpr std::string_view kMaker = "NVIDIA ";
  if (text.substr(0, kMaker.size()) == kMaker) {
    text.remove_prefix(kMaker.size());
    text = text.substr(0, text.find_first_of(" -"));
  }
  std::string name;
  for (const char c : text) {
    if (c == ' ' || c == '_') continue;
    name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return name;
}

}  // namespace heliostat::profile
