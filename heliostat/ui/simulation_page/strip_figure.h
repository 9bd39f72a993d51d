#pragma once

#include <string>
#include <vector>

#include "heliostat/ui/simulation_page/time_figure.h"

namespace heliostat::simulation_page {

// One value per step, shown as shades: a higher value is darker, on a dark page lighter.
struct Strip {
  std::string label;
  std::string note;  // after the label: "212 g/kWh"
  std::vector<double> values;
};

// Warm shades are for carbon, cold ones for power, so that "dark" is not mistaken for the same thing in both.
enum class Ramp { kCold, kWarm };

// Strips that share one scale of shades, so that they can be compared.
struct StripGroup {
  std::string title;
  std::string unit;
  std::vector<Strip> strips;
  bool from_zero = true;  // the palest shade is 0, else the lowest value
  Ramp ramp = Ramp::kCold;
};

// Groups of strips below each other over one time axis.
struct StripFigure {
  std::string key;
  std::string title;
  TimeGrid grid;
  std::vector<StripGroup> groups;
};

// The figure as SVG, `width` pixels wide. If it is narrow, labels are above their strips.
std::string Render(const StripFigure& figure, double width);

// As DataOf(TimeFigure), with one panel per group.
std::string DataOf(const StripFigure& figure);

}  // namespace heliostat::simulation_page
