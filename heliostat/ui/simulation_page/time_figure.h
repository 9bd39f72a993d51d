#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/ui/report/svg.h"

namespace heliostat::simulation_page {

// How an area is filled: each has a colour and a pattern of its own, so that none needs its colour to be known. The
// page defines them once (page.css, PatternDefinitions()).
enum class Texture { kPlain, kHatched, kDotted, kRuled, kCrossed, kUpright, kLeaning };
inline constexpr int kTextures = 7;

// One value a step. NaN: missing.
struct Layer {
  std::string label;
  std::vector<double> values;
  Texture texture = Texture::kPlain;
};

struct Curve {
  std::string label;
  std::vector<double> values;
  report::Colour colour = report::Colour::kBlue;
  report::Pen pen = report::Pen::kSolid;
};

// One y axis: areas laid on top of each other, the first at the bottom, and curves before them.
struct Panel {
  std::string title;
  std::string unit;
  double height = 120;
  std::vector<Layer> stack{};
  std::vector<Curve> curves{};
  std::optional<double> ceiling{};  // the axis ends here; what is higher is drawn at its end
};

// Even steps from `start` on; the last ends with the span, if need be early.
struct TimeGrid {
  Interval span;
  Duration step{3600};

  std::size_t size() const { return static_cast<std::size_t>((span.length() + step - Duration{1}) / step); }
};

// Panels above each other over one time axis.
struct TimeFigure {
  std::string key;  // by which the page's script finds the numbers
  std::string title;
  TimeGrid grid;
  std::vector<Panel> panels;
};

// SVG, `width` pixels wide. Legends wrap; a panel without values has an empty axis.
std::string Render(const TimeFigure& figure, double width);

// The numbers as JSON for the script that reads them out: {start, step, end, panels: [{title, unit, stacked, series:
// [{label, values}]}]}: `stacked` layers from top to bottom as one sees them, then curves.
std::string DataOf(const TimeFigure& figure);

// Means of each `bucket` values, missing ones left out.
std::vector<double> Thinned(const std::vector<double>& values, std::size_t bucket);

// SVG definitions of all textures, for a page that shows figures.
std::string PatternDefinitions();

}  // namespace heliostat::simulation_page
