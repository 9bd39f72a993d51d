#pragma once

#include <string>
#include <vector>

#include "heliostat/ui/simulation_page/time_figure.h"

namespace heliostat::simulation_page {

// One value a step, shown as shades: the darker (on a dark page the lighter) the more.
struct Strip {
  std::string label;
  std::string note;  // behind the label: "212 g/kWh"
  std::vector<double> values;
};

// Strips below each other over one time axis. Those of a group share one scale, so that they can be compared.
struct StripGroup {
  std::string title;
  std::string unit;
  std::vector<Strip> strips;
  bool from_zero = true;  // the palest shade is nothing; else it is the least there is
};

struct StripFigure {
  std::string key;
  std::string title;
  TimeGrid grid;
  std::vector<StripGroup> groups;
};

// SVG, `width` pixels wide; labels stand above their strips where there is no room beside them.
std::string Render(const StripFigure& figure, double width);

// As DataOf(TimeFigure): a panel for each group.
std::string DataOf(const StripFigure& figure);

}  // namespace heliostat::simulation_page
