#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heliostat::report {

// The colours of marks, which most colour-blind readers can distinguish. A page has a light and a dark set; an SVG
// outside of a page has the light one.
enum class Colour { kBlue, kVermilion, kGreen, kAmber, kPink, kGrey };
inline constexpr int kColours = 6;

// How a line is drawn. Dashes distinguish lines of the same colour; thin is for one line of many.
enum class Pen { kSolid, kDashed, kThin };

enum class Anchor { kStart, kMiddle, kEnd };

// Writes an SVG document, one element after another. Coordinates are in pixels from the top left. It escapes text. Not
// thread-safe.
class SvgCanvas {
 public:
  // `title` is for screen readers. `attributes` are further attributes of the root element, such as " data-x=\"1\"";
  // they are not escaped.
  SvgCanvas(double width, double height, std::string_view title, std::string_view attributes = {});

  void Line(double x1, double y1, double x2, double y2, std::string_view style);
  void Rect(double x, double y, double width, double height, std::string_view style);
  void Dot(double x, double y, Colour colour);
  // `path` is SVG path data; it is not escaped.
  void Stroke(std::string_view path, Colour colour, Pen pen = Pen::kSolid);
  void Fill(std::string_view path, Colour colour);
  void Area(double x, double y, double width, double height, Colour colour);  // a light rectangle, for legends of bands
  void Bar(double x, double y, double width, double height, Colour colour);
  void Text(double x, double y, std::string_view text, Anchor anchor = Anchor::kStart,
            std::string_view style = "label");
  // Adds markup as it is; the caller escapes it.
  void Raw(std::string_view markup) { body_ += markup; }

  std::string Finish() &&;

 private:
  std::string body_;
};

// The title of a chart and its unit: next to each other if there is room, else below each other, wrapped. Immutable.
class ChartTitle {
 public:
  ChartTitle(std::string_view title, std::string_view unit, double width);

  std::size_t rows() const;  // each kTitleRow high
  double right() const;      // where it ends, if it is one row
  void Draw(SvgCanvas& canvas) const;

 private:
  std::vector<std::string> title_;
  std::vector<std::string> unit_;
  bool is_beside_ = true;
};
inline constexpr double kTitleRow = 16;  // pixels

// "12.3": a coordinate with at most one decimal.
std::string Coordinate(double value);

// The estimated width of `text` at the size of labels, in pixels; rather too large than too small.
double TextWidth(std::string_view text);

// The CSS style sheet of all charts of a page, light and dark.
std::string_view ChartStyle();

}  // namespace heliostat::report
