#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/control/sim/comparison.h"

namespace heliostat::simulation_page {

enum class Better { kLess, kMore, kNeither };

// One figure that policies are compared by: the same on the terminal and on the page.
struct FigureColumn {
  std::string head;     // "kg CO2e"
  std::string meaning;  // one line for who wonders
  std::function<double(const sim::Figures&)> value;
  std::function<std::string(const sim::Figures&)> text;
  Better better = Better::kNeither;
};

// The column that differs from run to run.
inline constexpr std::string_view kWallColumn = "wall s";

// Those that say something of this scenario: no cost without prices, no latency without services. Savings are against
// `base`.
std::vector<FigureColumn> ColumnsOf(const scenario::Scenario& scenario, const sim::Figures& base);

// Which policies are best in a column; none when all are alike or nothing is better.
std::vector<bool> BestOf(const FigureColumn& column, const std::vector<sim::Figures>& figures);

// "+88.8 %" of `base` saved; "-" where there was nothing to save.
std::string SavedText(double base, double value);

}  // namespace heliostat::simulation_page
