#pragma once

#include <string>
#include <string_view>

#include "heliostat/model/scenario/csv_table.h"

namespace heliostat::profile {

// The range of numbers that readers accept. Products of larger numbers would overflow.
inline constexpr double kLargest = 1e12;
inline constexpr double kSmallest = 1e-9;

// Read a cell of the present row. A wrong cell ends the table, as with CsvTable::Number(), and gives 1.
double PositiveNumber(scenario::CsvTable& table, std::string_view column);
int PositiveWhole(scenario::CsvTable& table, std::string_view column);

// The file name without folder and ending: "summary_power_a40" for "data/summary_power_a40.csv".
std::string StemOf(std::string_view path);
// One spelling for files and drivers: "A40" for "a40", "RTX4090" for "NVIDIA GeForce RTX 4090", "A100" for
// "NVIDIA A100-SXM4-40GB".
std::string GpuName(std::string_view text);

}  // namespace heliostat::profile
