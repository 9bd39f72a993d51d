#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/ui/report/plan_tables.h"

namespace heliostat::report {

// The points of a trade-off between two quantities.
struct FrontierChart {
  std::string x_name;
  std::string x_unit;
  std::string y_name;
  std::string y_unit;
  std::vector<double> x;
  std::vector<double> y;
  double width = 960;
};
// The chart as SVG. Fails if there is no point.
Result<std::string> Render(const FrontierChart& chart);

// An additional section of a page.
struct PageSection {
  std::string heading;
  std::string id;
  std::vector<std::string> paragraphs;
  std::vector<HtmlTable> tables;
};

// The content of the page of a plan.
struct PlanPage {
  std::string title;
  std::string subtitle;
  Answer answer;
  MadeBy made_by;
  const PlanView* plan = nullptr;  // nullptr: a page of a trade-off only; must outlive Render()
  std::optional<FrontierChart> frontier;
  std::vector<PageSection> sections;  // after the trade-off
};

// The whole page as HTML. Of a scenario with many jobs or services it shows only a part, and states that.
Result<std::string> Render(const PlanPage& page);

}  // namespace heliostat::report
