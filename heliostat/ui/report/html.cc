#include "heliostat/ui/report/html.h"

#include <fmt/format.h>

#include "heliostat/base/core/check.h"
#include "heliostat/ui/report/escape.h"
#include "heliostat/ui/report/svg.h"

namespace heliostat::report {
namespace {

constexpr std::string_view kPageStyle = R"(html { color-scheme: light dark; }
body { margin: 0 auto; padding: 1.5rem 1.25rem 4rem; max-width: 62rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .4rem; padding-top: .8rem; border-top: 2px solid var(--faint); }
h3 { font-size: 1rem; margin: 1.6rem 0 .5rem; }
p { margin: .4rem 0; max-width: 46rem; } .subtitle, .note { color: var(--soft); } .note { font-size: .85rem; }
nav { margin: 1rem 0; display: flex; flex-wrap: wrap; gap: .3rem 1rem; } a { color: var(--c0); }
figure { margin: .8rem 0; overflow-x: auto; } figure .chart { min-width: 40rem; }
.multiples { display: grid; grid-template-columns: repeat(auto-fill, minmax(14.5rem, 1fr)); gap: .8rem; }
.multiples figure { margin: 0; } .multiples .chart { min-width: 0; width: 100%; }
footer { margin-top: 3rem; border-top: 1px solid var(--faint); } code { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .87rem; margin: .8rem 0; }
th, td { padding: .25rem .55rem; text-align: right; border-bottom: 1px solid var(--faint); white-space: nowrap;
  font-variant-numeric: tabular-nums; }
th { color: var(--soft); font-weight: 600; } .text { text-align: left; } td.text { white-space: normal; } .long { min-width: 16rem; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } nav { display: none; }
  h2, h3 { break-after: avoid; } figure, table { break-inside: avoid; } figure .chart { min-width: 0; } }
)";

// Cells with a longer text get a minimum width.
constexpr std::size_t kSentence = 60;

std::string Row(const std::vector<std::string>& cells, std::size_t text_columns, std::string_view tag) {
  std::string row = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool is_long = cells[i].size() > kSentence;
    const char* const kind = i >= text_columns ? "" : is_long ? " class=\"text long\"" : " class=\"text\"";
    row += fmt::format("<{0}{1}>{2}</{0}>", tag, kind, Escape(cells[i]));
  }
  return row + "</tr>\n";
}

}  // namespace

Page::Page(std::string_view title, std::string_view subtitle, std::string_view head) {
  html_ = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{0}</title>\n"
      "<style>\n{1}{2}</style>\n{4}</head>\n<body>\n<h1>{0}</h1>\n<p class=\"subtitle\">{3}</p>\n",
      Escape(title), ChartStyle(), kPageStyle, Escape(subtitle), head);
}

void Page::Heading(std::string_view text, std::string_view id) {
  html_ += id.empty() ? fmt::format("<h2>{}</h2>\n", Escape(text))
                      : fmt::format("<h2 id=\"{}\">{}</h2>\n", Escape(id), Escape(text));
}

void Page::SubHeading(std::string_view text) { html_ += fmt::format("<h3>{}</h3>\n", Escape(text)); }

void Page::Paragraph(std::string_view text) { html_ += fmt::format("<p>{}</p>\n", Escape(text)); }

void Page::Note(std::string_view text) { html_ += fmt::format("<p class=\"note\">{}</p>\n", Escape(text)); }

void Page::Contents(std::span<const Link> links) {
  html_ += "<nav>\n";
  for (const Link& link : links) html_ += fmt::format("<a href=\"#{}\">{}</a>\n", Escape(link.id), Escape(link.label));
  html_ += "</nav>\n";
}

void Page::Figure(std::string_view svg) { html_ += fmt::format("<figure>\n{}</figure>\n", svg); }

void Page::Grid(std::span<const std::string> svgs) {
  html_ += "<div class=\"multiples\">\n";
  for (const std::string& svg : svgs) Figure(svg);
  html_ += "</div>\n";
}

void Page::Add(const HtmlTable& table) {
  html_ +=
      "<div class=\"scroll\"><table>\n<thead>" + Row(table.header, table.text_columns, "th") + "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    Check(row.size() == table.header.size(), "a table's row is not as wide as its header");
    html_ += Row(row, table.text_columns, "td");
  }
  html_ += "</tbody>\n</table></div>\n";
}

void Page::MadeBy(std::string_view command_line, std::string_view version) {
  if (command_line.empty()) return;
  html_ += fmt::format("<footer><p class=\"note\">Made by heliostat {}: <code>{}</code></p></footer>\n",
                       Escape(version), Escape(command_line));
}

std::string Page::Finish() && { return std::move(html_) + "</body>\n</html>\n"; }

}  // namespace heliostat::report
