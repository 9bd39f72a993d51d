#include "heliostat/ui/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PageTest, EscapesEveryTextItIsGiven) {
  const std::string evil = "<script>'\"&";
  Page page(evil, evil);
  page.Heading(evil, evil);
  page.SubHeading(evil);
  page.Paragraph(evil);
  page.Note(evil);
  page.Contents(std::vector<Link>{{evil, evil}});
  page.Add(HtmlTable{.header = {evil}, .rows = {{evil}}});
  const std::string html = std::move(page).Finish();
  EXPECT_EQ(XmlCheck::Problem(html), "");
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

TEST(PageTest, NeedsNothingFromTheNetwork) {
  Page page("t", "s");
  const std::string html = std::move(page).Finish();
  for (const char* outside : {"src=", "@import", "url(", "<link", "<script"})
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(html, HasSubstr("@media print"));
}

TEST(PageTest, TablesSetNumbersFlushRight) {
  Page page("t", "s");
  page.Add(HtmlTable{.header = {"zone", "mean"}, .rows = {{"coal", "674"}}});
  EXPECT_THAT(std::move(page).Finish(), HasSubstr("<tr><td class=\"text\">coal</td><td>674</td></tr>"));
}

TEST(PageTest, ChartsStandSideBySideInAGrid) {
  Page page("t", "s");
  page.Grid(std::vector<std::string>{"<svg/>", "<svg/>"});
  const std::string html = std::move(page).Finish();
  EXPECT_THAT(html,
              HasSubstr("<div class=\"multiples\">\n<figure>\n<svg/></figure>\n<figure>\n<svg/></figure>\n</div>"));
  EXPECT_EQ(XmlCheck::Problem(html), "");
}

TEST(PageDeathTest, ARaggedTableIsAProgrammersError) {
  Page page("t", "s");
  EXPECT_DEATH(page.Add(HtmlTable{.header = {"a", "b"}, .rows = {{"1"}}}), "not as wide");
}

}  // namespace
}  // namespace heliostat::report
