#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"
#include "heliostat/ui/experiments/outcome.h"
#include "heliostat/ui/report/html.h"

namespace heliostat::experiments {

struct Picture {
  std::string name;  // of its file, without ending
  std::string svg;
  report::ChartMaker draw;  // for pages
};
// Fails as Render(chart) does.
template <typename Chart>
Result<Picture> Drawn(std::string name, const Chart& chart) {
  auto svg = Render(chart);
  if (!svg) return Propagate(svg);
  return Picture{std::move(name), *std::move(svg), report::AtAnyWidth(chart)};
}

// A part of a finding: words, then a table, then pictures; each may be missing.
struct Passage {
  std::string heading;
  std::string text;
  std::optional<report::HtmlTable> table{};
  std::vector<Picture> pictures{};
};

// The result of a study, for the terminal, pages and JSON.
struct Finding {
  std::string id;  // "ca-rm"
  std::string title;
  std::string verdict;  // the published figure, ours, and whether it holds
  std::vector<Passage> passages;
  io::Json json;
  report::Answer answer{};  // the verdict in one sentence, and its figures
};

// How large a study is. The smallest is for tests: its numbers mean nothing.
enum class Size { kQuick, kUsual, kFull };

// "reached", "not reached", or for the smallest size that it is not judged.
std::string Judged(bool holds, Size size);
// The tone of an answer with `held` of `all` goals. Of the smallest size it says that nothing is judged, without
// figures.
void Judge(int held, int all, Size size, report::Answer& answer);

// A study: `design` makes its cases, `conclude` its finding from their outcomes, which are in the same order.
struct Study {
  std::string id;
  std::vector<Case> (*design)(const StudyPlaces& world, Size size);
  Result<Finding> (*conclude)(const StudyPlaces& world, const std::vector<Case>& cases,
                              const std::vector<CaseOutcome>& outcomes, Size size);
};

// The studies of `heliostat reproduce`.
Study CaRmStudy();
Study CeDlaStudy();
Study LimitStudy();
Study SensitivityStudy();

// All, in the order in which pages show them.
std::vector<Study> Studies();

}  // namespace heliostat::experiments
