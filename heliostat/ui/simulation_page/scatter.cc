#include "heliostat/ui/simulation_page/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/escape.h"
#include "heliostat/ui/report/svg.h"

namespace heliostat::simulation_page {
namespace {

using report::Anchor;
using report::Coordinate;
using report::SvgCanvas;
using report::TextWidth;

constexpr double kTop = 46;
constexpr double kBelow = 40;
constexpr double kSize = 4.5;         // of a marker
constexpr double kLeastSpread = 0.1;  // of the y axis, as a share of y

struct Box {
  double left, top, right, bottom;

  bool Meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

struct Frame {
  report::Axis x;
  report::Axis y;
  double left, right, top, bottom;

  double X(double value) const { return left + x.ShareOf(value) * (right - left); }
  double Y(double value) const { return bottom - y.ShareOf(value) * (bottom - top); }
  bool Holds(const Box& box) const {
    return box.left >= left && box.right <= right + 6 && box.top >= top - 8 && box.bottom <= bottom;
  }
};

// Six shapes, filled or open. Further spots repeat them; their labels distinguish them.
std::string Marker(std::size_t index, double x, double y) {
  static constexpr std::array<std::string_view, 6> kShapes{"m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
                                                           "m-4 -4h8v8h-8z",
                                                           "m0 -5l5 9h-10z",
                                                           "m0 -5.5l5 5.5l-5 5.5l-5 -5.5z",
                                                           "m0 5l5 -9h-10z",
                                                           "m-5 -1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z"};
  const bool is_open = index / kShapes.size() % 2 == 1;
  return fmt::format("<path class=\"mark spot{}\" d=\"M{} {}{}\"/>\n", is_open ? " open" : "", Coordinate(x),
                     Coordinate(y), kShapes[index % kShapes.size()]);
}

struct Placed {
  double x, y;
  Anchor anchor;
  bool is_far;  // needs a line to its spot
  Box box;
};

Placed Place(double x, double y, double width, double dx, double dy) {
  const Anchor anchor = dx > 0 ? Anchor::kStart : dx < 0 ? Anchor::kEnd : Anchor::kMiddle;
  const double from = dx > 0 ? x + dx : dx < 0 ? x + dx - width : x - width / 2;
  return {x + dx, y + dy, anchor, std::abs(dy - 4) > 14, {from - 1, y + dy - 10, from + width + 1, y + dy + 3}};
}

// The first place around a spot where its label overlaps nothing; next to the spot if there is none.
Placed FindPlace(double x, double y, double width, const Frame& frame, const std::vector<Box>& taken) {
  const auto is_free = [&](const Placed& place) {
    return frame.Holds(place.box) && std::ranges::none_of(taken, [&](const Box& box) { return box.Meets(place.box); });
  };
  std::vector<Placed> places{Place(x, y, width, 9, 4), Place(x, y, width, -9, 4), Place(x, y, width, 0, -9),
                             Place(x, y, width, 0, 17)};
  for (int away = 15; away < 260; away += 6) {
    for (const double side : {9.0, -9.0}) {
      places.push_back(Place(x, y, width, side, 4 - away));
      places.push_back(Place(x, y, width, side, 4 + away));
    }
  }
  const auto found = std::ranges::find_if(places, is_free);
  return found == places.end() ? places.front() : *found;
}

void DrawAxes(const Scatter& scatter, const Frame& frame, SvgCanvas& canvas) {
  for (const report::Tick& tick : frame.y.ticks) {
    const double y = frame.Y(tick.value);
    canvas.Line(frame.left, y, frame.right, y, "grid");
    canvas.Text(frame.left - 6, y + 4, tick.label, Anchor::kEnd);
  }
  for (const report::Tick& tick : frame.x.ticks) {
    const double x = frame.X(tick.value);
    canvas.Line(x, frame.bottom, x, frame.bottom + 4, "zero");
    canvas.Text(x, frame.bottom + 17, tick.label, Anchor::kMiddle);
  }
  canvas.Line(frame.left, frame.bottom, frame.right, frame.bottom, "zero");
  canvas.Text(frame.right, frame.bottom + 33, scatter.x_name + " (← better)", Anchor::kEnd);
  canvas.Text(0, 31, scatter.y_name + (scatter.more_y_is_better ? " (↑ better)" : " (↓ better)"));
}

Frame FrameOf(const Scatter& scatter, double width, double height) {
  double low = scatter.spots.front().x;
  double high = low;
  double below = scatter.spots.front().y;
  double above = below;
  for (const Spot& spot : scatter.spots) {
    low = std::min(low, spot.x);
    high = std::max(high, spot.x);
    below = std::min(below, spot.y);
    above = std::max(above, spot.y);
  }
  for (const Mark& mark : scatter.marks) {
    low = std::min(low, mark.x);
    high = std::max(high, mark.x);
  }
  // Very small differences must not fill the axis.
  const double room = std::max(0.0, kLeastSpread * std::abs(above) - (above - below)) / 2;
  below -= room;
  above += room;
  Frame frame{report::NumberAxis(low, high, std::max(3, static_cast<int>(width / 110))),
              report::NumberAxis(below, above, 5),
              0,
              width - 14,
              kTop,
              height - kBelow};
  double widest = 0;
  for (const report::Tick& tick : frame.y.ticks) widest = std::max(widest, TextWidth(tick.label));
  frame.left = widest + 12;
  return frame;
}

void DrawFront(const Scatter& scatter, const Frame& frame, SvgCanvas& canvas) {
  std::string path;
  for (const std::size_t i : FrontOf(scatter)) {
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", Coordinate(frame.X(scatter.spots[i].x)),
                        Coordinate(frame.Y(scatter.spots[i].y)));
  }
  canvas.Stroke(path, report::Colour::kGreen, report::Pen::kDashed);
}

// Each label has a row of its own, and each line begins at its label, so that no line runs through a label.
void DrawMarks(const Scatter& scatter, const Frame& frame, std::vector<Box>& taken, SvgCanvas& canvas) {
  std::vector<Mark> marks = scatter.marks;
  std::ranges::stable_sort(marks, {}, &Mark::x);
  double y = frame.top + 2;
  for (const Mark& mark : marks) {
    const double x = frame.X(mark.x);
    const double width = TextWidth(mark.label);
    const bool goes_left = x + 5 + width > frame.right;
    canvas.Raw(fmt::format("<path class=\"s5\" d=\"M{} {}V{}\" fill=\"none\" stroke-dasharray=\"2 3\"/>\n",
                           Coordinate(x), Coordinate(y - 8), Coordinate(frame.bottom)));
    canvas.Text(goes_left ? x - 5 : x + 5, y, mark.label, goes_left ? Anchor::kEnd : Anchor::kStart, "name soft");
    const double from = goes_left ? x - 5 - width : x + 5;
    taken.push_back({from, y - 10, from + width, y + 3});
    y += 14;
  }
}

}  // namespace

std::vector<std::size_t> FrontOf(const Scatter& scatter) {
  std::vector<std::size_t> order(scatter.spots.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double sign = scatter.more_y_is_better ? -1.0 : 1.0;  // less is better from here on
  const auto rank = [&](std::size_t i) { return std::pair(scatter.spots[i].x, sign * scatter.spots[i].y); };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    if (front.empty() || rank(i).second < rank(front.back()).second) front.push_back(i);
  }
  return front;
}

std::string Render(const Scatter& scatter, double width) {
  const double height = std::clamp(150.0 + 14.0 * static_cast<double>(scatter.spots.size()), 260.0, 360.0);
  const Frame frame = FrameOf(scatter, width, height);
  SvgCanvas canvas(width, height, scatter.title);
  canvas.Text(0, 13, scatter.title, Anchor::kStart, "title");
  DrawAxes(scatter, frame, canvas);
  std::vector<Box> taken;
  DrawMarks(scatter, frame, taken, canvas);
  DrawFront(scatter, frame, canvas);
  for (const Spot& spot : scatter.spots) {
    const double x = frame.X(spot.x);
    const double y = frame.Y(spot.y);
    taken.push_back({x - kSize, y - kSize, x + kSize, y + kSize});
  }
  for (std::size_t i = 0; i < scatter.spots.size(); ++i) {
    const Spot& spot = scatter.spots[i];
    const double x = frame.X(spot.x);
    const double y = frame.Y(spot.y);
    const Placed place = FindPlace(x, y, TextWidth(spot.label) * 1.05 + 3, frame, taken);
    taken.push_back(place.box);
    if (place.is_far) canvas.Line(x, y, place.x - (place.x > x ? 2 : -2), place.y - 4, "leader");
    canvas.Text(place.x, place.y, spot.label, place.anchor, "name");
  }
  for (std::size_t i = 0; i < scatter.spots.size(); ++i) {
    canvas.Raw(Marker(i, frame.X(scatter.spots[i].x), frame.Y(scatter.spots[i].y)));
  }
  return std::move(canvas).Finish();
}

}  // namespace heliostat::simulation_page
