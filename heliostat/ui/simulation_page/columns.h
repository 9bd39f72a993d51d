#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/control/sim/comparison.h"

namespace heliostat::simulation_page {

enum class Better { kLess, kMore, kNeither };

// One figure by which policies are compared, on the terminal and on the page.
struct FigureColumn {
  std::string head;     // "kg CO2e"
  std::string meaning;  // explanation in one line
  std::function<double(const sim::Figures&)> value;
  std::function<std::string(const sim::Figures&)> text;
  Better better = Better::kNeither;
};

// The column with the time of the simulation, the only one that differs between equal simulations.
inline constexpr std::string_view kWallColumn = "wall s";
inline constexpr std::string_view kIdleColumn = "idle node h";

// The columns for this scenario: no cost without prices, no latency without services. Savings are against the first
// policy and, where it was compared, against the same with sleeping nodes. `comparison` must have at least one run.
std::vector<FigureColumn> ColumnsOf(const scenario::Scenario& scenario, const sim::Comparison& comparison);

// Per policy, whether it is the best in a column. None is if all are equal or if the column has no better direction.
std::vector<bool> BestOf(const FigureColumn& column, const std::vector<sim::Figures>& figures);

// "+88.8 %": the saved share of `base`; "-" if `base` is 0.
std::string SavedText(double base, double value);

}  // namespace heliostat::simulation_page
