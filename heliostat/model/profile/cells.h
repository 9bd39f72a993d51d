#pragma once

#include <string>
#include <string_view>

#include "heliostat/model/scenario/csv_table.h"

namespace heliostat::profile {

// Beyond these a number is a slip, and products of such numbers would overflow.
inline constexpr double kLargest = 1e12;
inline constexpr double kSmallest = 1e-9;

// Cells as every reader here needs them. What is wrong ends the table, as Table's own readings do, and gives 1.
double PositiveNumber(scenario::CsvTable& table, std::string_view column);
int PositiveWhole(scenario::CsvTable& table, std::string_view column);

// "summary_power_a40" of "data/summary_power_a40.csv".
std::string StemOf(std::string_view path);
// "A40" of "a40", "RTX4090" of "rtx 4090": one spelling for all files.
std::string GpuName(std::string_view text);

}  // namespace heliostat::profile
