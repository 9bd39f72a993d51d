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

namespace {

// The answer of the only finding, or a tile for each of several.
report::Answer AnswerOf(const std::vector<Finding>& findings) {
  if (findings.size() == 1) return findings.front().answer;
  report::Answer answer{fmt::format("{} studies; the answer of each is below.", findings.size())};
  answer.tone = report::Answer::Tone::kOpen;
  for (const Finding& finding : findings) {
    // The second tile is our figure; the first is the published one.
    const auto& tiles = finding.answer.tiles;
    if (tiles.size() > 1) answer.tiles.push_back({finding.id + ": " + tiles[1].name, tiles[1].value, tiles[1].beside});
  }
  return answer;
}

}  // namespace

Result<std::string> HtmlPage(const std::vector<Finding>& findings, const std::vector<std::string>& about,
                             const report::MadeBy& made_by, const std::string& title) {
  // The command is in the footer, so the page begins with what the numbers are of.
  report::Page page({title, about.size() > 1 ? about[1] : "", AnswerOf(findings)});
  for (std::size_t i = 0; i < about.size(); ++i) {
    if (i != 1) page.Note(about[i]);
  }
  std::vector<report::Link> links;
  links.reserve(findings.size());
  for (const Finding& finding : findings) links.push_back({finding.title, finding.id});
  if (links.size() > 1) page.Contents(links);
  for (const Finding& finding : findings) {
    page.Heading(finding.title, finding.id);
    if (findings.size() > 1) page.Card(finding.answer);
    page.Paragraph(finding.verdict);
    for (const Passage& passage : finding.passages) {
      page.SubHeading(passage.heading);
      for (const std::string& paragraph : Paragraphs(passage.text)) page.Paragraph(paragraph);
      if (passage.table) page.Add(*passage.table);
      for (const Picture& picture : passage.pictures) {
        if (const auto bad = page.Figure(picture.draw); !bad) return Propagate(bad);
      }
    }
  }
  return std::move(page).Finish(made_by);
}

}  // namespace heliostat::experiments
