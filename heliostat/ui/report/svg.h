#pragma once

#include <string>
#include <string_view>

namespace heliostat::report {

// Which of the page's colours a mark has. Told apart by most colour-blind
// readers; a page has a light and a dark set, an SVG alone has the light one.
enum class Colour { kBlue, kVermilion, kGreen, kAmber, kPink, kGrey };
inline constexpr int kColours = 6;

// How a line is drawn: dashes tell apart what shares a colour, thin lines are one of many.
enum class Pen { kSolid, kDashed, kThin };

enum class Anchor { kStart, kMiddle, kEnd };

// Writes one SVG element after another. Coordinates are pixels from the top
// left; text is escaped here.
class SvgCanvas {
 public:
  // `title` is what a screen reader says; `attributes` are more of the element's, made by the caller: " data-x=\"1\"".
  SvgCanvas(double width, double height, std::string_view title, std::string_view attributes = {});

  void Line(double x1, double y1, double x2, double y2, std::string_view style);
  void Rect(double x, double y, double width, double height, std::string_view style);
  void Dot(double x, double y, Colour colour);
  // `path` is SVG path data made by the caller from numbers alone.
  void Stroke(std::string_view path, Colour colour, Pen pen = Pen::kSolid);
  void Fill(std::string_view path, Colour colour);
  void Area(double x, double y, double width, double height, Colour colour);  // a light patch, for legends of bands
  void Bar(double x, double y, double width, double height, Colour colour);
  void Text(double x, double y, std::string_view text, Anchor anchor = Anchor::kStart,
            std::string_view style = "label");
  // Markup made by this layer.
  void Raw(std::string_view markup) { body_ += markup; }

  std::string Finish() &&;

 private:
  std::string body_;
};

// "12.3": a coordinate with one decimal at most.
std::string Coordinate(double value);

// Width that `text` takes at the size of labels, in pixels; a guess on the safe side.
double TextWidth(std::string_view text);

// Style sheet for all charts of a page, light and dark.
std::string_view ChartStyle();

}  // namespace heliostat::report
