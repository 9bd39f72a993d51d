#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/ui/report/plan_tables.h"

namespace heliostat::report {

// What can be had of one thing for how much of another.
struct FrontierChart {
  std::string x_name;
  std::string x_unit;
  std::string y_name;
  std::string y_unit;
  std::vector<double> x;
  std::vector<double> y;
};
Result<std::string> Render(const FrontierChart& chart);

// Text and tables that a page has beyond its own.
struct PageSection {
  std::string heading;
  std::string id;
  std::vector<std::string> paragraphs;
  std::vector<HtmlTable> tables;
};

struct PlanPage {
  std::string title;
  std::string subtitle;
  const PlanView* plan = nullptr;  // none: a page of a frontier alone
  std::optional<FrontierChart> frontier;
  std::vector<PageSection> sections;  // after the frontier, before the jobs' table
};

// A whole page. Long scenarios are cut to what a reader can take in, and the page says so.
Result<std::string> Render(const PlanPage& page);

}  // namespace heliostat::report
