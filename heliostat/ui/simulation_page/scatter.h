#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heliostat::simulation_page {

struct Spot {
  std::string label;
  double x = 0.0;
  double y = 0.0;
};

// A value of x that something beyond the spots has.
struct Mark {
  std::string label;
  double x = 0.0;
};

// Two figures against each other, each spot named where it stands. Less x is better; y as said.
struct Scatter {
  std::string title;
  std::string x_name;  // with its unit
  std::string y_name;
  bool more_y_is_better = true;
  std::vector<Spot> spots;
  std::vector<Mark> marks{};  // upright lines
};

// Which spots no other beats in both figures, by rising x.
std::vector<std::size_t> FrontOf(const Scatter& scatter);

// SVG with the front as a dashed line. At least one spot.
std::string Render(const Scatter& scatter, double width);

}  // namespace heliostat::simulation_page
