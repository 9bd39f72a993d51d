#include "heliostat/ui/report/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/check.h"
#include "heliostat/ui/report/escape.h"
#include "heliostat/ui/report/svg.h"

namespace heliostat::report {
namespace {

// Stretched to 1060 pixels on a screen, shrunk to 700 on paper: letters are readable on both.
constexpr double kWide = 880;
constexpr double kNarrow = 356;  // a phone of 375 pixels and its margins
// Cells with a longer text get a minimum width; cells with a text no longer than a name are not broken into lines.
constexpr std::size_t kSentence = 60;
constexpr std::size_t kName = 16;
// A table with more columns is wider than a phone.
constexpr std::size_t kColumnsOfAPhone = 4;

// The page must not load or send anything.
std::string PolicyMarkup(bool has_script) {
  return fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; style-src "
      "&#39;unsafe-inline&#39;;{} img-src data:; base-uri &#39;none&#39;; form-action &#39;none&#39;\"/>\n"
      "<link rel=\"icon\" href=\"data:,\"/>\n",
      has_script ? " script-src &#39;unsafe-inline&#39;;" : "");
}

std::string_view ToneClass(Answer::Tone tone) {
  return tone == Answer::Tone::kGood ? "good" : tone == Answer::Tone::kOpen ? "open" : "bad";
}

std::string MarkupOf(const Answer& answer) {
  std::string markup =
      fmt::format("<section class=\"answer {}\" aria-label=\"The answer\">\n<p class=\"headline\">{}</p>\n",
                  ToneClass(answer.tone), EscapeProse(answer.sentence));
  if (!answer.tiles.empty()) {
    markup += "<dl class=\"tiles\">\n";
    for (const Tile& tile : answer.tiles) {
      markup += fmt::format("<div class=\"tile\"><dt>{}</dt><dd><b>{}</b> <span>{}</span></dd></div>\n",
                            Escape(tile.name), EscapeNumbers(tile.value), EscapeNumbers(tile.beside));
    }
    markup += "</dl>\n";
  }
  for (const std::string& caveat : answer.caveats) {
    markup += fmt::format("<p class=\"caveat\">{}</p>\n", EscapeProse(caveat));
  }
  return markup + "</section>\n";
}

std::string Row(const std::vector<std::string>& cells, std::size_t text_columns, std::string_view tag,
                std::string_view id) {
  std::string row = id.empty() ? "<tr>" : fmt::format("<tr id=\"{}\">", Escape(id));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i >= text_columns) {
      row += fmt::format("<{0}>{1}</{0}>", tag, EscapeNumbers(cells[i]));
      continue;
    }
    const char* const length = cells[i].size() > kSentence ? " long" : cells[i].size() <= kName ? " short" : "";
    row += fmt::format("<{0} class=\"text{1}\">{2}</{0}>", tag, length, Escape(cells[i]));
  }
  return row + "</tr>\n";
}

bool IsBlank(const std::vector<std::string>& cells) {
  return std::ranges::all_of(cells, [](const std::string& cell) { return cell.empty(); });
}

// For screen readers: "Table: zone, carbon, price".
std::string NameOf(const HtmlTable& table) {
  std::string name;
  for (const std::string& head : table.header) {
    if (!head.empty()) name += (name.empty() ? "Table: " : ", ") + head;
  }
  return name.empty() ? "Table" : name;
}

std::string MarkupOf(const HtmlTable& table) {
  Check(table.ids.empty() || table.ids.size() == table.rows.size(), "a table needs one id per row");
  std::string markup = fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}<table>\n",
                                   Escape(NameOf(table)), table.header.size() > kColumnsOfAPhone ? kScrollHint : "");
  if (!IsBlank(table.header)) markup += "<thead>" + Row(table.header, table.text_columns, "th", {}) + "</thead>\n";
  markup += "<tbody>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    Check(table.rows[i].size() == table.header.size(), "a table's row is not as wide as its header");
    markup += Row(table.rows[i], table.text_columns, "td", table.ids.empty() ? std::string_view() : table.ids[i]);
  }
  return markup + "</tbody>\n</table></div>\n";
}

}  // namespace

Page::Page(const PageTop& top) {
  html_ = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n{0}<title>{1}</title>\n"
      "<style>\n{2}{3}{4}</style>\n</head>\n<body>\n<h1>{1}</h1>\n<p class=\"subtitle\">{5}</p>\n",
      PolicyMarkup(top.has_script), Escape(top.title), ChartStyle(), PageStyle(), top.style, Escape(top.subtitle));
  Card(top.answer);
}

void Page::Card(const Answer& answer) { html_ += MarkupOf(answer); }

void Page::Heading(std::string_view text, std::string_view id) {
  html_ += id.empty() ? fmt::format("<h2>{}</h2>\n", Escape(text))
                      : fmt::format("<h2 id=\"{}\">{}</h2>\n", Escape(id), Escape(text));
}

void Page::SubHeading(std::string_view text) { html_ += fmt::format("<h3>{}</h3>\n", Escape(text)); }

void Page::Paragraph(std::string_view text) { html_ += fmt::format("<p>{}</p>\n", EscapeProse(text)); }

void Page::Note(std::string_view text) { html_ += fmt::format("<p class=\"note\">{}</p>\n", EscapeProse(text)); }

void Page::Contents(std::span<const Link> links) {
  html_ += "<nav>\n";
  for (const Link& link : links) html_ += fmt::format("<a href=\"#{}\">{}</a>\n", Escape(link.id), Escape(link.label));
  html_ += "</nav>\n";
}

Status Page::Figure(const ChartMaker& render, std::string_view attributes) {
  const auto markup = FigureMarkup(render, attributes);
  if (!markup) return Propagate(markup);
  html_ += *markup;
  return {};
}

void Page::Grid(std::span<const std::string> svgs) {
  html_ += "<div class=\"multiples\">\n";
  for (const std::string& svg : svgs) html_ += fmt::format("<figure>\n{}</figure>\n", svg);
  html_ += "</div>\n";
}

void Page::Add(const HtmlTable& table) { html_ += MarkupOf(table); }

void Page::Fold(std::string_view summary, const HtmlTable& table) {
  html_ += fmt::format("<details><summary>{}</summary>\n{}</details>\n", Escape(summary), MarkupOf(table));
}

std::string Page::Finish(const MadeBy& made_by) && {
  html_ += "<footer>Made by " + Escape(made_by.version.empty() ? "Heliostat" : made_by.version);
  if (!made_by.command.empty()) html_ += " with <code>" + Escape(made_by.command) + "</code>";
  return std::move(html_) + "</footer>\n</body>\n</html>\n";
}

Result<std::string> FigureMarkup(const ChartMaker& render, std::string_view attributes) {
  const auto wide = render(kWide);
  if (!wide) return Propagate(wide);
  const auto narrow = render(kNarrow);
  if (!narrow) return Propagate(narrow);
  return fmt::format("<figure{}>\n<div class=\"wide\">\n{}</div>\n<div class=\"narrow\">\n{}</div>\n</figure>\n",
                     attributes, *wide, *narrow);
}

}  // namespace heliostat::report
