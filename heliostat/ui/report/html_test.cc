#include "heliostat/ui/report/html.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const PageTop kTop{"t", "s", {"It holds."}};

TEST(PageTest, EscapesEveryTextItIsGiven) {
  const std::string evil = "<script>'\"&";
  Page page({evil, evil, {evil, {{evil, evil, evil}}, {evil}}});
  page.Heading(evil, evil);
  page.SubHeading(evil);
  page.Paragraph(evil);
  page.Note(evil);
  page.Contents(std::vector<Link>{{evil, evil}});
  page.Add(HtmlTable{.header = {evil}, .rows = {{evil}}, .ids = {evil}});
  page.Fold(evil, HtmlTable{.header = {evil}, .rows = {{evil}}});
  const std::string html = std::move(page).Finish({evil, evil});
  EXPECT_EQ(XmlCheck::Problem(html), "");
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

TEST(PageTest, NeedsNothingFromTheNetwork) {
  const std::string html = Page(kTop).Finish({});
  for (const char* outside : {"src=", "@import", "url(", "<script"}) EXPECT_THAT(html, Not(HasSubstr(outside)));
  EXPECT_THAT(html, HasSubstr("default-src &#39;none&#39;"));
  EXPECT_THAT(html, HasSubstr("<link rel=\"icon\" href=\"data:,\"/>"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(html, HasSubstr("@media print"));
}

TEST(PageTest, ForbidsScriptsUnlessItHasOne) {
  PageTop top = kTop;
  EXPECT_THAT(Page(top).Finish({}), Not(HasSubstr("script-src")));
  top.has_script = true;
  EXPECT_THAT(Page(top).Finish({}), HasSubstr("script-src &#39;unsafe-inline&#39;"));
}

TEST(PageTest, BeginsWithItsAnswerAndEndsWithWhatMadeIt) {
  const Answer answer{"It saves 5 %.", {{"carbon", "−5 %", "run-now: 3 kg"}}, {"Jobs wait."}, Answer::Tone::kBad};
  Page page({"t", "s", answer});
  page.Heading("More");
  const std::string html = std::move(page).Finish({"heliostat 9", "heliostat plan 'my week.toml'"});
  EXPECT_THAT(html, HasSubstr("<section class=\"answer bad\""));
  EXPECT_THAT(html, HasSubstr("<dt>carbon</dt><dd><b>−5 %</b> <span>run-now: 3 kg</span></dd>"));
  EXPECT_LT(html.find("It saves 5 %."), html.find("<h2>"));
  EXPECT_THAT(html, HasSubstr("<footer>Made by heliostat 9 with <code>heliostat plan &#39;my week.toml&#39;</code>"
                              "</footer>\n</body>"));
}

TEST(PageTest, AFigureIsDrawnForWideAndForNarrowScreens) {
  Page page(kTop);
  std::vector<double> widths;
  const auto draw = [&](double width) -> Result<std::string> {
    widths.push_back(width);
    return fmt::format("<svg width=\"{}\"/>", width);
  };
  ASSERT_TRUE(page.Figure(draw, " class=\"x\""));
  ASSERT_EQ(widths.size(), 2U);
  EXPECT_GT(widths[0], 720);
  EXPECT_LT(widths[1], 390);
  EXPECT_THAT(std::move(page).Finish({}),
              HasSubstr("<figure class=\"x\">\n<div class=\"wide\">\n<svg width=\"880\"/>"));
}

TEST(PageTest, AFigureThatCannotBeDrawnIsAnError) {
  Page page(kTop);
  const auto draw = [](double) -> Result<std::string> {
    return Fail(ErrorCode::kInvalidArgument, "chart", "is empty");
  };
  EXPECT_FALSE(page.Figure(draw));
}

TEST(PageTest, TablesSetNumbersFlushRight) {
  Page page(kTop);
  page.Add(HtmlTable{.header = {"zone", "mean"}, .rows = {{"coal", "674"}}});
  EXPECT_THAT(std::move(page).Finish({}), HasSubstr("<tr><td class=\"text short\">coal</td><td>674</td></tr>"));
}

TEST(PageTest, OnlyATableThatIsWiderThanAPhoneHasAHint) {
  for (const std::size_t columns : {4U, 5U}) {
    Page page(kTop);
    page.Add(HtmlTable{.header = std::vector<std::string>(columns, "x"), .rows = {}});
    const bool has_hint = std::move(page).Finish({}).find("<p class=\"note hint\">") != std::string::npos;
    EXPECT_EQ(has_hint, columns > 4) << columns;
  }
}

TEST(PageTest, ATableWithoutHeadingsHasNoEmptyHead) {
  Page page(kTop);
  page.Add(HtmlTable{.header = {"", ""}, .rows = {{"machine", "node-1"}}, .text_columns = 2});
  const std::string html = std::move(page).Finish({});
  EXPECT_EQ(html.find("<thead>"), std::string::npos);
  EXPECT_THAT(html, HasSubstr("role=\"region\" aria-label=\"Table\"><table>\n<tbody>"));
}

TEST(PageTest, RowsCanBeLinkedTo) {
  Page page(kTop);
  page.Fold("All two jobs", HtmlTable{.header = {"job"}, .rows = {{"a"}, {"b"}}, .ids = {"job-0", "job-1"}});
  const std::string html = std::move(page).Finish({});
  EXPECT_THAT(html, HasSubstr("<details><summary>All two jobs</summary>"));
  EXPECT_THAT(html, HasSubstr("<tr id=\"job-1\"><td class=\"text short\">b</td></tr>"));
}

TEST(PageTest, ChartsStandSideBySideInAGrid) {
  Page page(kTop);
  page.Grid(std::vector<std::string>{"<svg/>", "<svg/>"});
  const std::string html = std::move(page).Finish({});
  EXPECT_THAT(html,
              HasSubstr("<div class=\"multiples\">\n<figure>\n<svg/></figure>\n<figure>\n<svg/></figure>\n</div>"));
  EXPECT_EQ(XmlCheck::Problem(html), "");
}

TEST(PageDeathTest, ARaggedTableIsAProgrammersError) {
  Page page(kTop);
  EXPECT_DEATH(page.Add(HtmlTable{.header = {"a", "b"}, .rows = {{"1"}}}), "not as wide");
}

}  // namespace
}  // namespace heliostat::report
