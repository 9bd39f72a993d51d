#include "heliostat/ui/simulation_page/simulation_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/ui/report/xml_check.h"
#include "heliostat/ui/simulation_page/testing/compared.h"

namespace heliostat::simulation_page {
namespace {

using testing::Compared;
using ::testing::HasSubstr;
using ::testing::Not;

std::string PageOf(const Compared& compared, std::vector<ZoneSaving> zones = {}) {
  return *Render(SimulationPage{compared.scenario, compared.comparison, "Policies saw all.", std::move(zones)});
}

// The page without its script, which is no XML.
std::string WithoutScript(std::string page) {
  const std::size_t begin = page.find("<script>");
  const std::size_t end = page.find("</script>", begin);
  EXPECT_NE(begin, std::string::npos);
  return page.erase(begin, end + 9 - begin);
}

int Count(const std::string& text, std::string_view word) {
  int count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(SimulationPageTest, IsWellFormedAndKeepsHostileNamesText) {
  auto scenario = plan::testing::SmallScenario();
  scenario.name = "a <b>week</b> & more";
  scenario.jobs[0].id = "</script><script>alert(1)</script>";
  scenario.services[0].id = "s\"0<i>";
  scenario.groups[0].name = "g&1";
  const auto page = PageOf({scenario, {"run-now", "wait-awhile"}});
  EXPECT_EQ(report::XmlCheck::Problem(WithoutScript(page)), "");
  EXPECT_EQ(Count(page, "<script"), 2) << "the data and the script";
  EXPECT_EQ(Count(page, "</script>"), 2);
  EXPECT_THAT(page, HasSubstr("a &lt;b&gt;week&lt;/b&gt; &amp; more"));
  EXPECT_THAT(page, HasSubstr("\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy"));
}

TEST(SimulationPageTest, AsksNobodyForAnything) {
  const auto page = PageOf(testing::Small());
  EXPECT_EQ(Count(page, "http"), Count(page, "http://www.w3.org/2000/svg") + Count(page, "http-equiv"));
  for (const char* word : {" src=", "@import", "eval(", "fetch(", "XMLHttpRequest", "url(h", "url(/"}) {
    EXPECT_THAT(page, Not(HasSubstr(word)));
  }
}

TEST(SimulationPageTest, HasWhatAReaderLooksFor) {
  const Compared small = testing::Small();
  const auto page = PageOf(small);
  for (const char* text :
       {"kg CO2e where run-now emits", "★", "Power over time", "When each policy ran its work", "Jobs and nodes",
        "Carbon against performance", "Carbon against waiting", "Latency", "percentile 99",
        "Carbon saved against run-now", "No policy can emit less than", "Policies saw all.", "How this was computed"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  for (const sim::SimulatedRun& run : small.comparison.runs) EXPECT_THAT(page, HasSubstr(">" + run.policy + "</th>"));
  EXPECT_THAT(page, Not(HasSubstr("Savings by zone")));
}

TEST(SimulationPageTest, NothingToDoIsAPageToo) {
  auto scenario = plan::testing::IdleCluster();
  scenario.price_per_kwh.clear();
  scenario.renewable.assign(scenario.slots, Watts{});
  const auto page = PageOf({scenario, {"run-now", "edf"}});
  EXPECT_EQ(report::XmlCheck::Problem(WithoutScript(page)), "");
  EXPECT_THAT(page, HasSubstr("There are no jobs."));
  EXPECT_THAT(page, Not(HasSubstr("Latency")));
  EXPECT_THAT(page, Not(HasSubstr("Price of the grid")));
  EXPECT_THAT(page, Not(HasSubstr("Carbon against waiting")));
  EXPECT_THAT(WithoutScript(page), Not(HasSubstr("nan")));
}

TEST(SimulationPageTest, OnePolicyIsNotComparedWithItself) {
  const auto page = PageOf({plan::testing::SmallScenario(), {"edf"}});
  EXPECT_EQ(report::XmlCheck::Problem(WithoutScript(page)), "");
  EXPECT_THAT(page, Not(HasSubstr("Carbon saved against")));
  EXPECT_THAT(page, Not(HasSubstr("Carbon against performance")));
  EXPECT_THAT(page, Not(HasSubstr("<strong>★ "))) << "the best of one";
}

TEST(SimulationPageTest, ZonesAreATableAndBars) {
  const auto page = PageOf(testing::Small(), {{"coal <1>", "edf", 12.34}, {"sunny", "edf", 50}, {"sunny", "zeus", 60}});
  EXPECT_EQ(report::XmlCheck::Problem(WithoutScript(page)), "");
  EXPECT_THAT(page, HasSubstr("Savings by zone"));
  EXPECT_THAT(page, HasSubstr("<td>12.3 %</td><td>–</td>"));
  EXPECT_THAT(page, HasSubstr("<td>50.0 %</td><td>60.0 %</td>"));
}

TEST(SimulationPageTest, ManyJobsAreCutAndThePageSaysSo) {
  auto scenario = plan::testing::IdleCluster();
  for (int i = 0; i < 450; ++i) scenario.jobs.push_back(plan::testing::JobOf("j" + std::to_string(i), 0, 6, 100));
  const auto page = PageOf({scenario, {"run-now"}});
  EXPECT_THAT(page, HasSubstr("Of 450 jobs, the 400 that need the most energy are drawn."));
}

TEST(SimulationPageTest, NoPoliciesAreNoPage) {
  const auto scenario = plan::testing::SmallScenario();
  const sim::Comparison nothing;
  EXPECT_FALSE(Render(SimulationPage{scenario, nothing, ""}).has_value());
}

TEST(SimulationPageTest, TablesAreLinkedByTheirPathFromThePage) {
  const testing::Compared small = testing::Small();
  SimulationPage page{small.scenario, small.comparison, ""};
  page.tables = {"../my tables/slots.csv", "a:b.csv"};
  const auto html = Render(page);
  ASSERT_TRUE(html);
  EXPECT_EQ(report::XmlCheck::Problem(WithoutScript(*html)), "");
  EXPECT_THAT(*html, ::testing::HasSubstr(R"(<a href="./../my%20tables/slots.csv">slots.csv</a>)"));
  EXPECT_THAT(*html, ::testing::HasSubstr(R"(<a href="./a%3Ab.csv">a:b.csv</a>)"));
}

}  // namespace
}  // namespace heliostat::simulation_page
