#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::report {

// A table of plain text. All columns but the first `text_columns` hold numbers and are aligned right.
struct HtmlTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as wide as the header
  std::size_t text_columns = 1;
  std::vector<std::string> ids{};  // of the rows, for links; empty: none
};

// A link to a heading of the same page.
struct Link {
  std::string label;
  std::string id;  // of the heading
};

// A figure in large type: "carbon", "−63.3 %", "run-now: 185 kg".
struct Tile {
  std::string name;
  std::string value;
  std::string beside{};
};

// What the reader of a page wants to know first.
struct Answer {
  enum class Tone { kGood, kOpen, kBad };  // the colour of its edge

  std::string sentence;                // one, with its full stop
  std::vector<Tile> tiles{};           // the two to four figures that matter
  std::vector<std::string> caveats{};  // whole sentences
  Tone tone = Tone::kGood;
};

// What made a page, for its footer.
struct MadeBy {
  std::string version{};  // "heliostat 0.1.0"
  std::string command{};  // "heliostat plan week.toml --html plan.html"
};

// Draws a chart as SVG of this width in pixels.
using ChartMaker = std::function<Result<std::string>(double width)>;

// The top of a page.
struct PageTop {
  std::string title;
  std::string subtitle;
  Answer answer;
  std::string style{};      // CSS in addition to that of all pages; not escaped
  bool has_script = false;  // otherwise the page forbids scripts
};

// Builds a self-contained HTML page from top to bottom: one file without network access, for wide and narrow, light and
// dark screens and for print, and, without scripts, also well-formed XML. Every page begins with its answer and ends
// with what made it. It escapes text. Not thread-safe.
class Page {
 public:
  explicit Page(const PageTop& top);

  void Heading(std::string_view text, std::string_view id = {});
  void SubHeading(std::string_view text);
  void Paragraph(std::string_view text);
  void Note(std::string_view text);  // small print
  void Contents(std::span<const Link> links);
  // Draws the chart twice, for wide and for narrow screens. `attributes` are further attributes of the element, such as
  // " data-x=\"1\""; they are not escaped. Fails as `render` does.
  Status Figure(const ChartMaker& render, std::string_view attributes = {});
  // Charts of one size, as many side by side as fit.
  void Grid(std::span<const std::string> svgs);
  // A wide table scrolls within the page.
  void Add(const HtmlTable& table);
  // A table that the reader opens; `summary` states what is in it.
  void Fold(std::string_view summary, const HtmlTable& table);
  // A further answer, of a part of the page.
  void Card(const Answer& answer);
  // Adds markup as it is; the caller escapes it.
  void Raw(std::string_view markup) { html_ += markup; }

  std::string Finish(const MadeBy& made_by) &&;

 private:
  std::string html_;
};

// Stands above a table, in its box, that may be wider than a phone; other screens do not show it.
inline constexpr std::string_view kScrollHint = "<p class=\"note hint\">Swipe the table for more columns →</p>";

// The element that Page::Figure adds, for markup inside of other elements.
Result<std::string> FigureMarkup(const ChartMaker& render, std::string_view attributes = {});

// Draws a copy of `chart`, which has a width and a function Render(), at any width.
template <typename Chart>
ChartMaker AtAnyWidth(Chart chart) {
  return [chart = std::move(chart)](double width) mutable {
    chart.width = width;
    return Render(chart);
  };
}

// The style sheet of all pages (page.css).
std::string_view PageStyle();

}  // namespace heliostat::report
