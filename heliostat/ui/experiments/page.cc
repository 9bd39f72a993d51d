#include "heliostat/ui/experiments/page.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliostat::experiments {
namespace {

// A bar would end a cell.
std::string Cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::string Markdown(const report::HtmlTable& table) {
  std::string text;
  const auto add = [&text](const std::vector<std::string>& cells) {
    text += "|";
    for (const std::string& cell : cells) text += " " + Cell(cell) + " |";
    text += "\n";
  };
  add(table.header);
  text += "|";
  for (std::size_t i = 0; i < table.header.size(); ++i) text += i < table.text_columns ? "---|" : "---:|";
  text += "\n";
  for (const auto& row : table.rows) add(row);
  return text;
}

std::vector<std::string> Paragraphs(const std::string& text) {
  std::vector<std::string> paragraphs;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find("\n\n", begin), text.size());
    paragraphs.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return paragraphs;
}

}  // namespace

std::string MarkdownPage(const std::vector<Finding>& findings, const std::vector<std::string>& about,
                         const std::string& title) {
  std::string text = fmt::format("# {}\n", title);
  for (const std::string& paragraph : about) text += "\n" + paragraph + "\n";
  for (const Finding& finding : findings) {
    text += fmt::format("\n## {}\n\n**{}**\n", finding.title, finding.verdict);
    for (const Passage& passage : finding.passages) {
      text += fmt::format("\n### {}\n", passage.heading);
      if (!passage.text.empty()) text += "\n" + passage.text + "\n";
      if (passage.table) text += "\n" + Markdown(*passage.table);
      for (const Picture& picture : passage.pictures) {
        text += fmt::format("\n![{}]({}.svg)\n", passage.heading, picture.name);
      }
    }
  }
  return text;
}

std::string HtmlPage(const std::vector<Finding>& findings, const std::vector<std::string>& about,
                     const std::string& title) {
  report::Page page(title, about.empty() ? "" : about.front());
  for (std::size_t i = 1; i < about.size(); ++i) page.Note(about[i]);
  std::vector<report::Link> links;
  links.reserve(findings.size());
  for (const Finding& finding : findings) links.push_back({finding.title, finding.id});
  page.Contents(links);
  for (const Finding& finding : findings) {
    page.Heading(finding.title, finding.id);
    page.Paragraph(finding.verdict);
    for (const Passage& passage : finding.passages) {
      page.SubHeading(passage.heading);
      for (const std::string& paragraph : Paragraphs(passage.text)) page.Paragraph(paragraph);
      if (passage.table) page.Add(*passage.table);
      for (const Picture& picture : passage.pictures) page.Figure(picture.svg);
    }
  }
  return std::move(page).Finish();
}

}  // namespace heliostat::experiments
