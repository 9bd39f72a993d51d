#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heliostat::simulation_page {

// A labelled point.
struct Spot {
  std::string label;
  double x = 0.0;
  double y = 0.0;
};

// A labelled value of x, drawn as a vertical line.
struct Mark {
  std::string label;
  double x = 0.0;
};

// Two figures against each other, with a label at each spot. Less x is better; for y see more_y_is_better.
struct Scatter {
  std::string title;
  std::string x_name;  // with its unit
  std::string y_name;
  bool more_y_is_better = true;
  std::vector<Spot> spots;
  std::vector<Mark> marks{};
};

// The indices of the spots that no other spot beats in both figures, by ascending x.
std::vector<std::size_t> FrontOf(const Scatter& scatter);

// The chart as SVG, with the front as a dashed line. There must be at least one spot.
std::string Render(const Scatter& scatter, double width);

}  // namespace heliostat::simulation_page
