#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/ui/report/svg.h"

namespace heliostat::simulation_page {

// How an area is filled. Each texture has its own colour and pattern, so that it can be recognised without colour. The
// page defines them once (page.css, PatternDefinitions()).
enum class Texture { kPlain, kHatched, kDotted, kRuled, kCrossed, kUpright, kLeaning };
inline constexpr int kTextures = 7;

// An area of a stack: one value per step, NaN if missing.
struct Layer {
  std::string label;
  std::vector<double> values;
  Texture texture = Texture::kPlain;
};

// A line: one value per step, NaN if missing.
struct Curve {
  std::string label;
  std::vector<double> values;
  report::Colour colour = report::Colour::kBlue;
  report::Pen pen = report::Pen::kSolid;
};

// A plot with one y axis: stacked areas, the first at the bottom, and curves in front of them.
struct Panel {
  std::string title;
  std::string unit;
  double height = 120;
  std::vector<Layer> stack{};
  std::vector<Curve> curves{};
  std::optional<double> ceiling{};  // end of the y axis; higher values are drawn there
};

// Equal steps over a span. The last step is shorter if the span is not a multiple of `step`.
struct TimeGrid {
  Interval span;
  Duration step{3600};

  std::size_t size() const { return static_cast<std::size_t>((span.length() + step - Duration{1}) / step); }
};

// Panels above each other over one time axis.
struct TimeFigure {
  std::string key;  // by which the page's script finds the data
  std::string title;
  TimeGrid grid;
  std::vector<Panel> panels;
};

// The figure as SVG, `width` pixels wide. Legends wrap; a panel without values has an empty axis.
std::string Render(const TimeFigure& figure, double width);

// The numbers as JSON for the page's script: {start, step, end, panels: [{title, unit, stacked, series: [{label,
// values}]}]}. The first `stacked` series are the layers from top to bottom, then come the curves.
std::string DataOf(const TimeFigure& figure);

// The mean of every `bucket` consecutive values, without missing ones.
std::vector<double> Thinned(const std::vector<double>& values, std::size_t bucket);

// The SVG definitions of all textures; a page with figures needs them once.
std::string PatternDefinitions();

}  // namespace heliostat::simulation_page
