#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heliostat::report {

// A table of plain text. All columns but the first `text_columns` hold numbers and are aligned right.
struct HtmlTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as wide as the header
  std::size_t text_columns = 1;
};

// A link to a heading of the same page.
struct Link {
  std::string label;
  std::string id;  // of the heading
};

// Builds a self-contained HTML page from top to bottom: one file without scripts or network access, for light and dark
// screens and for print, and also well-formed XML. It escapes text; charts are SVG from Render(). Not thread-safe.
class Page {
 public:
  // `head` is markup for the head of the document, such as a style sheet. It is not escaped.
  Page(std::string_view title, std::string_view subtitle, std::string_view head = {});

  void Heading(std::string_view text, std::string_view id = {});
  void SubHeading(std::string_view text);
  void Paragraph(std::string_view text);
  void Note(std::string_view text);  // small print
  void Contents(std::span<const Link> links);
  void Figure(std::string_view svg);
  // Charts of one size, as many side by side as fit.
  void Grid(std::span<const std::string> svgs);
  void Add(const HtmlTable& table);
  // States what made the page, as its last line. An empty command line adds nothing.
  void MadeBy(std::string_view command_line, std::string_view version);
  // Adds markup as it is; the caller escapes it.
  void Raw(std::string_view markup) { html_ += markup; }

  std::string Finish() &&;

 private:
  std::string html_;
};

}  // namespace heliostat::report
