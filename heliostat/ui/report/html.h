#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heliostat::report {

// Cells are plain text. All but the first `text_columns` are numbers, set flush right.
struct HtmlTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as wide as the header
  std::size_t text_columns = 1;
};

struct Link {
  std::string label;
  std::string id;  // of a heading on the same page
};

// A self-contained HTML page, built from top to bottom: one file, no scripts of
// its own, no network, light and dark, fit for print. Text is escaped here; charts
// come as the SVG that Render() made. Well-formed as XML too.
class Page {
 public:
  // `head` is markup for the document's head that the caller has made: a style sheet, a policy.
  Page(std::string_view title, std::string_view subtitle, std::string_view head = {});

  void Heading(std::string_view text, std::string_view id = {});
  void SubHeading(std::string_view text);
  void Paragraph(std::string_view text);
  void Note(std::string_view text);  // small print
  void Contents(std::span<const Link> links);
  void Figure(std::string_view svg);
  // Small multiples: charts of one size side by side, as many as fit.
  void Grid(std::span<const std::string> svgs);
  void Add(const HtmlTable& table);
  // Markup that the caller has made and escaped.
  void Raw(std::string_view markup) { html_ += markup; }

  std::string Finish() &&;

 private:
  std::string html_;
};

}  // namespace heliostat::report
