#include "heliostat/ui/simulation_page/sections.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "heliostat/ui/report/escape.h"
#include "heliostat/ui/report/xml_check.h"
#include "heliostat/ui/simulation_page/columns.h"
#include "heliostat/ui/simulation_page/testing/compared.h"

namespace heliostat::simulation_page {
namespace {

using testing::Compared;
using testing::FiguresOf;
using ::testing::HasSubstr;
using testing::Invented;
using ::testing::Not;

int Count(const std::string& text, std::string_view word) {
  int count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// The answer as the page shows it.
std::string AnswerMarkup(const SimulationPage& page, const Headline& headline) {
  const std::string html = report::Page({"title", "subtitle", AnswerOf(page, headline)}).Finish({});
  const std::size_t begin = html.find("<section");
  return html.substr(begin, html.find("</section>") + 10 - begin);
}

TEST(TableMarkupTest, HasACellForEveryPolicyAndColumnAsTheColumnWritesIt) {
  const Compared small = testing::Small();
  const SimulationPage page{small.scenario, small.comparison, ""};
  const std::string markup = TableMarkup(page);
  EXPECT_EQ(report::XmlCheck::Problem(markup), "");
  auto columns = ColumnsOf(small.scenario, small.comparison);
  std::erase_if(columns,
                [](const FigureColumn& column) { return column.head == kWallColumn || column.head == kIdleColumn; });
  EXPECT_EQ(Count(markup, "<td>"), static_cast<int>(columns.size() * small.comparison.runs.size()));
  for (const FigureColumn& column : columns) {
    EXPECT_THAT(markup, HasSubstr(">" + column.head + "</th>"));
    const auto best = BestOf(column, small.comparison.figures);
    for (std::size_t i = 0; i < best.size(); ++i) {
      const std::string text = report::EscapeNumbers(column.text(small.comparison.figures[i]));
      EXPECT_THAT(markup, HasSubstr(best[i] ? "<strong>★ " + text + "</strong>" : "<td>" + text + "</td>"));
    }
  }
}

TEST(TableMarkupTest, HowLongASimulationTookIsNotOnThePage) {
  Compared small = testing::Small();
  const std::string before = TableMarkup({small.scenario, small.comparison, ""});
  for (sim::Figures& figures : small.comparison.figures) figures.wall_s += 17;
  EXPECT_EQ(TableMarkup({small.scenario, small.comparison, ""}), before);
  EXPECT_THAT(before, Not(HasSubstr(std::string(kWallColumn))));
}

TEST(TableMarkupTest, NamesOfPoliciesAreText) {
  const auto scenario = plan::testing::SmallScenario();
  const auto comparison = Invented({{"<b>&\"", FiguresOf(4, 0)}, {"two", FiguresOf(2, 0)}});
  const std::string markup = TableMarkup({scenario, comparison, ""});
  EXPECT_EQ(report::XmlCheck::Problem(markup), "");
  EXPECT_THAT(markup, Not(HasSubstr("<b>")));
}

TEST(LegendMarkupTest, ExplainsEveryColumnOfTheTable) {
  const Compared small = testing::Small();
  const SimulationPage page{small.scenario, small.comparison, ""};
  const std::string legend = LegendMarkup(page);
  EXPECT_EQ(report::XmlCheck::Problem(legend), "");
  EXPECT_EQ(Count(legend, "<dt>"), Count(TableMarkup(page), "<th scope=\"col\" title="));
  for (const FigureColumn& column : ColumnsOf(small.scenario, small.comparison)) {
    EXPECT_FALSE(column.meaning.empty()) << column.head;
  }
}

TEST(AnswerMarkupTest, TilesAddToTheSentenceAndDoNotRepeatIt) {
  const auto scenario = plan::testing::SmallScenario();
  auto base = FiguresOf(800, 1);
  auto good = FiguresOf(100, 0);
  base.cost = 40;
  good.cost = 50;
  auto comparison = Invented({{"first", base}, {"good", good}});
  comparison.split.stages = {
      {"", "first", 800, 0, 0}, {"sleep", "", 450, 0, 0}, {"timing", "", 240, 0, 0}, {"speed", "", 100, 0, 0}};
  const std::string markup = AnswerMarkup({scenario, comparison, ""}, HeadlineOf(scenario, comparison));
  EXPECT_EQ(report::XmlCheck::Problem(markup), "");
  EXPECT_EQ(Count(markup, "87.5 %"), 1);
  EXPECT_EQ(Count(markup, "100 kg"), 1);
  EXPECT_THAT(markup, HasSubstr("<b>+25.0 %</b>"));  // of cost
  EXPECT_THAT(markup, HasSubstr("<b>50 / 30 / 20 %</b>"));
  EXPECT_THAT(markup, HasSubstr("<b>2 of 2</b> <span>first: 1 of 2</span>"));
  EXPECT_THAT(markup, Not(HasSubstr("requests in time")));  // there were none
}

TEST(AnswerMarkupTest, TheFirstPolicyAsTheBestSavesNothing) {
  const auto scenario = plan::testing::SmallScenario();
  const auto comparison = Invented({{"first", FiguresOf(100, 0)}, {"other", FiguresOf(800, 0)}});
  const std::string markup = AnswerMarkup({scenario, comparison, ""}, HeadlineOf(scenario, comparison));
  EXPECT_THAT(markup, Not(HasSubstr("%")));
  EXPECT_THAT(markup, Not(HasSubstr("first: ")));
}

TEST(AnswerMarkupTest, EveryCaveatIsThere) {
  const auto scenario = plan::testing::SmallScenario();
  const auto comparison = Invented({{"a", FiguresOf(100, 1, 10)}, {"b", FiguresOf(50, 0, 9)}});
  const Headline headline = HeadlineOf(scenario, comparison);
  ASSERT_FALSE(headline.caveats.empty());
  EXPECT_EQ(Count(AnswerMarkup({scenario, comparison, ""}, headline), "class=\"caveat\""),
            static_cast<int>(headline.caveats.size()));
}

TEST(LatencyTableTest, OneRowPerPolicyAndServiceWithWhatWasPromised) {
  Compared small = testing::Small();
  const SimulationPage page{small.scenario, small.comparison, ""};
  const std::string markup = LatencyTableMarkup(page, {0});
  EXPECT_EQ(report::XmlCheck::Problem(markup), "");
  EXPECT_EQ(Count(markup, "<tr><th scope=\"row\""), static_cast<int>(small.comparison.runs.size()));
  EXPECT_EQ(Count(markup, "<td>200</td>"), static_cast<int>(small.comparison.runs.size()));
}

TEST(LatencyTableTest, ASlotThatWasNotServedIsTheWorst) {
  Compared small = testing::Small();
  small.comparison.runs[0].services[0].slots[1].latency = Seconds(std::numeric_limits<double>::infinity());
  EXPECT_THAT(LatencyTableMarkup({small.scenario, small.comparison, ""}, {0}), HasSubstr("<td>not served</td>"));
}

TEST(LatencyTableTest, AServiceThatNobodyAskedHasNoShareLate) {
  Compared small = testing::Small();
  for (sim::SimulatedRun& run : small.comparison.runs) run.services[0].requests = 0.0;
  const std::string markup = LatencyTableMarkup({small.scenario, small.comparison, ""}, {0});
  EXPECT_EQ(Count(markup, "<td>–</td></tr>"), static_cast<int>(small.comparison.runs.size()));
}

TEST(ZoneTableTest, ZonesDownAndPoliciesAcrossEachOnce) {
  EXPECT_EQ(ZoneTableMarkup({}), "");
  const std::string markup =
      ZoneTableMarkup({{"a<1>", "edf", 10}, {"b", "zeus", -5.04}, {"a<1>", "zeus", 20}, {"b", "edf", 7}});
  EXPECT_EQ(report::XmlCheck::Problem(markup), "");
  EXPECT_EQ(Count(markup, "<tr><th scope=\"row\""), 2);
  EXPECT_THAT(markup, HasSubstr("a&lt;1&gt;</th><td>10.0 %</td><td>20.0 %</td>"));
  EXPECT_THAT(markup, HasSubstr(">b</th><td>7.0 %</td><td>−5.0 %</td>"));
}

}  // namespace
}  // namespace heliostat::simulation_page
