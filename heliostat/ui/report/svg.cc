#include "heliostat/ui/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "heliostat/ui/report/escape.h"

namespace heliostat::report {
namespace {

// For an SVG outside of a page; the style sheet of a page overrides attributes.
constexpr std::array<std::string_view, kColours> kLight{"#1f6fb4", "#c8501e", "#1d8a63",
                                                        "#c98a00", "#b35a92", "#6b7280"};

constexpr double kBold = 1.1;  // width of bold letters against others
constexpr double kFirstRow = 14;

std::string_view HexOf(Colour colour) { return kLight[static_cast<std::size_t>(colour)]; }

std::string_view AnchorName(Anchor anchor) {
  return anchor == Anchor::kStart ? "start" : anchor == Anchor::kMiddle ? "middle" : "end";
}

}  // namespace

std::string Coordinate(double value) {
  const double rounded = std::round(value * 10) / 10;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

double TextWidth(std::string_view text) {
  const auto letters =
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return 6.3 * static_cast<double>(letters);
}

SvgCanvas::SvgCanvas(double width, double height, std::string_view title, std::string_view attributes) {
  body_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"11\"{3}>\n<title>{2}</title>\n",
      Coordinate(width), Coordinate(height), Escape(title), attributes);
}

void SvgCanvas::Line(double x1, double y1, double x2, double y2, std::string_view style) {
  body_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#d5d9df\"/>\n", style,
                       Coordinate(x1), Coordinate(y1), Coordinate(x2), Coordinate(y2));
}

void SvgCanvas::Rect(double x, double y, double width, double height, std::string_view style) {
  body_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#eceff3\"/>\n", style,
                       Coordinate(x), Coordinate(y), Coordinate(width), Coordinate(height));
}

void SvgCanvas::Dot(double x, double y, Colour colour) {
  body_ += fmt::format("<circle class=\"f{}\" cx=\"{}\" cy=\"{}\" r=\"2.5\" fill=\"{}\"/>\n", static_cast<int>(colour),
                       Coordinate(x), Coordinate(y), HexOf(colour));
}

void SvgCanvas::Stroke(std::string_view path, Colour colour, Pen pen) {
  const std::string_view look = pen == Pen::kSolid    ? R"(stroke-width="1.5")"
                                : pen == Pen::kDashed ? R"(stroke-width="1.5" stroke-dasharray="5 3")"
                                                      : R"(stroke-width="0.7" stroke-opacity="0.6")";
  body_ += fmt::format("<path class=\"s{}\" d=\"{}\" fill=\"none\" stroke=\"{}\" {} stroke-linejoin=\"round\"/>\n",
                       static_cast<int>(colour), path, HexOf(colour), look);
}

void SvgCanvas::Fill(std::string_view path, Colour colour) {
  body_ += fmt::format("<path class=\"f{}\" d=\"{}\" fill=\"{}\" fill-opacity=\"0.2\"/>\n", static_cast<int>(colour),
                       path, HexOf(colour));
}

void SvgCanvas::Area(double x, double y, double width, double height, Colour colour) {
  Fill(fmt::format("M{} {}h{}v{}h{}z", Coordinate(x), Coordinate(y), Coordinate(width), Coordinate(height),
                   Coordinate(-width)),
       colour);
}

void SvgCanvas::Bar(double x, double y, double width, double height, Colour colour) {
  body_ += fmt::format("<rect class=\"f{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" fill=\"{}\"/>\n",
                       static_cast<int>(colour), Coordinate(x), Coordinate(y), Coordinate(width), Coordinate(height),
                       HexOf(colour));
}

void SvgCanvas::Text(double x, double y, std::string_view text, Anchor anchor, std::string_view style) {
  body_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\" fill=\"#4b5563\">{}</text>\n", style,
                       Coordinate(x), Coordinate(y), AnchorName(anchor), EscapeNumbers(text));
}

namespace {

// The text in lines of at most `width` pixels, unless a word is wider.
std::vector<std::string> LinesOf(std::string_view text, double width) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word(text.substr(begin, end - begin));
    if (lines.empty() || TextWidth(lines.back() + " " + word) > width) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
    begin = end + 1;
  }
  return lines;
}

}  // namespace

ChartTitle::ChartTitle(std::string_view title, std::string_view unit, double width)
    : title_(LinesOf(title, width / kBold)), unit_(LinesOf(unit, width)) {
  is_beside_ = unit_.size() <= 1 && title_.size() <= 1 && right() <= width;
}

double ChartTitle::right() const {
  const double title = title_.empty() ? 0 : TextWidth(title_.front()) * kBold;
  return title + (unit_.empty() ? 0 : 8 + TextWidth(unit_.front()));
}

std::size_t ChartTitle::rows() const { return is_beside_ ? 1 : title_.size() + unit_.size(); }

void ChartTitle::Draw(SvgCanvas& canvas) const {
  double y = kFirstRow;
  for (const std::string& line : title_) {
    canvas.Text(0, y, line, Anchor::kStart, "title");
    y += kTitleRow;
  }
  if (is_beside_) {
    const double x = title_.empty() ? 0 : TextWidth(title_.front()) * kBold + 8;
    if (!unit_.empty()) canvas.Text(x, kFirstRow, unit_.front());
    return;
  }
  for (const std::string& line : unit_) {
    canvas.Text(0, y, line);
    y += kTitleRow;
  }
}

std::string SvgCanvas::Finish() && { return std::move(body_) + "</svg>\n"; }

std::string_view ChartStyle() {
  return R"(:root { --ink: #1c2430; --soft: #4b5563; --faint: #d9dde3; --paper: #ffffff; --panel: #f5f7f9;
  --c0: #1f6fb4; --c1: #c8501e; --c2: #1d8a63; --c3: #c98a00; --c4: #b35a92; --c5: #6b7280;
  --h0: #f3f0e2; --h1: #dfe6c8; --h2: #bfd9b8; --h3: #94c8b0; --h4: #66b3ab; --h5: #3f9aa5; --h6: #2b7d99;
  --h7: #235f88; --h8: #1e3f6e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --soft: #aab4c0; --faint: #364150; --paper: #12171e;
  --panel: #1a212a; --c0: #62aef0; --c1: #ff8f5e; --c2: #46c795; --c3: #edb63c; --c4: #e094c3; --c5: #9aa5b1;
  --h0: #17263f; --h1: #1c3a5c; --h2: #225376; --h3: #2c6f8a; --h4: #3e8b96; --h5: #5fa79b; --h6: #8cc19f;
  --h7: #c0d9ac; --h8: #f0efcb; } }
@media print { :root { --ink: #000000; --soft: #333333; --faint: #cccccc; --paper: #ffffff; --panel: #ffffff;
  --c0: #1f6fb4; --c1: #c8501e; --c2: #1d8a63; --c3: #c98a00; --c4: #b35a92; --c5: #6b7280;
  --h0: #f3f0e2; --h1: #dfe6c8; --h2: #bfd9b8; --h3: #94c8b0; --h4: #66b3ab; --h5: #3f9aa5; --h6: #2b7d99;
  --h7: #235f88; --h8: #1e3f6e; } }
.chart { max-width: 100%; height: auto; display: block; }
.chart text { fill: var(--soft); } .chart .title { fill: var(--ink); font-weight: 600; }
.chart .grid { stroke: var(--faint); } .chart .zero { stroke: var(--soft); } .chart .empty { fill: var(--faint); }
.s0 { stroke: var(--c0); } .s1 { stroke: var(--c1); } .s2 { stroke: var(--c2); } .s3 { stroke: var(--c3); }
.s4 { stroke: var(--c4); } .s5 { stroke: var(--c5); }
.f0 { fill: var(--c0); } .f1 { fill: var(--c1); } .f2 { fill: var(--c2); } .f3 { fill: var(--c3); }
.f4 { fill: var(--c4); } .f5 { fill: var(--c5); }
.h0 { stroke: var(--h0); } .h1 { stroke: var(--h1); } .h2 { stroke: var(--h2); } .h3 { stroke: var(--h3); }
.h4 { stroke: var(--h4); } .h5 { stroke: var(--h5); } .h6 { stroke: var(--h6); } .h7 { stroke: var(--h7); }
.h8 { stroke: var(--h8); }
)";
}

}  // namespace heliostat::report
