#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "heliostat/ui/experiments/design.h"
#include "heliostat/ui/experiments/finding.h"
#include "heliostat/ui/experiments/statistics.h"
#include "heliostat/ui/report/line_chart.h"

namespace heliostat::experiments {
namespace {

constexpr const char* kPolicy = "ca-rm-performance";

// A factor that is varied while all others have their usual value.
struct Factor {
  const char* name;   // in labels and JSON
  const char* title;  // of its plot
  const char* axis;
  std::vector<double> levels;
  void (*set)(Case& one, double level);
};

std::vector<Factor> Factors() {
  return {
      {"forecast-error",
       "Forecast error",
       "standard deviation one day ahead, %",
       {0, 20, 50},
       [](Case& one, double level) {
         for (Entrant& entry : one.entries) {
           entry.sight =
               level > 0.0 ? Sight{Sight::Kind::kDisturbed, level / 100.0} : Sight{Sight::Kind::kSignals, 0.0};
         }
       }},
      {"slack",
       "Deadline slack",
       "mean window of a job, in multiples of its length",
       {1.2, 2, 4, 8},
       [](Case& one, double level) { one.recipe.slack = level; }},
      {"renewable-share",
       "On-site power",
       "% of the energy of the cluster, in a mean year",
       {0, 30, 60, 100},
       [](Case& one, double level) {
         one.recipe.renewable_share = level / 100.0;
         if (level == 0.0) one.recipe.on_site = workload::OnSite::kNone;
       }},
      {"wake-cost",
       "Cost of waking a node",
       "times the usual (5 minutes, 20 Wh)",
       {0, 1, 4},
       [](Case& one, double level) { one.wake_cost = level; }},
      {"pue",
       "PUE",
       "facility energy / IT energy",
       {1.0, 1.2, 1.6},
       [](Case& one, double level) { one.recipe.pue = level; }},
  };
}

std::string VariantOf(const Factor& factor, double level) { return fmt::format("{} {:g}", factor.name, level); }

// Places that differ most: all sun, all wind, a mix that trades, hardly any change.
std::vector<std::string> PlacesOf(const StudyPlaces& world, Size size) {
  std::vector<std::string> wanted = world.is_real
                                        ? std::vector<std::string>{"US-CAL-CISO", "DE-LU", "US-TEX-ERCO", "KR"}
                                        : std::vector<std::string>{"duck-curve", "mixed-import", "wind-heavy", "coal"};
  if (size == Size::kQuick) wanted.resize(1);
  return wanted;
}

std::vector<Case> Design(const StudyPlaces& world, Size size) {
  std::vector<Case> cases;
  const std::vector<StudySeason> seasons = SeasonsFor(size);
  const std::vector<std::string> places = PlacesOf(world, size);
  for (const Factor& factor : Factors()) {
    for (const double level : factor.levels) {
      if (size == Size::kQuick && level != factor.levels.front() && level != factor.levels.back()) continue;
      for (std::size_t z = 0; z < places.size(); ++z) {
        for (std::size_t s = 0; s < seasons.size(); ++s) {
          // Usual: one season for each place.
          if (size == Size::kUsual && s != z % seasons.size()) continue;
          constexpr Demand kMiddle{"middle", 2.5, "middle", 0.25};
          Case one = BaseCase("sensitivity", places[z], seasons[s], kMiddle, size);
          one.labels.supply = "mixed";
          one.labels.variant = VariantOf(factor, level);
          one.recipe.on_site = workload::OnSite::kMixed;
          one.recipe.has_prices = false;
          for (const char* policy : {"run-now", "run-now+sleep", kPolicy}) one.entries.push_back({policy});
          factor.set(one, level);
          cases.push_back(std::move(one));
        }
      }
    }
  }
  return cases;
}

// Savings at one level of one factor.
struct Level {
  double level = 0.0;
  std::vector<double> against_plain;
  std::vector<double> against_sleep;
  Keeping keeping;
};

std::vector<Level> LevelsOf(const Factor& factor, const std::vector<Case>& cases,
                            const std::vector<CaseOutcome>& outcomes) {
  std::vector<Level> levels;
  for (const double value : factor.levels) {
    Level level{value, {}, {}, {}};
    std::vector<const CaseScore*> scores;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (cases[i].labels.variant != VariantOf(factor, value)) continue;
      const std::vector<CaseScore>& all = outcomes[i].scores;
      const auto saving = [&](std::size_t against) {
        const double theirs = CarbonPerWork(all[against]);
        return theirs > 0.0 ? 1.0 - CarbonPerWork(all[2]) / theirs : 0.0;
      };
      level.against_plain.push_back(saving(0));
      level.against_sleep.push_back(saving(1));
      scores.push_back(&all[2]);
    }
    if (scores.empty()) continue;
    level.keeping = KeepingOf(scores);
    levels.push_back(std::move(level));
  }
  return levels;
}

Result<Picture> PictureOf(const Factor& factor, const std::vector<Level>& levels) {
  report::LineChart chart;
  chart.title = factor.title;
  chart.unit = "% carbon saved by ca-rm-performance";
  chart.x = report::LineChart::X::kNumber;
  chart.x_label = factor.axis;
  report::Line plain{"against run-now", {}, {}, report::Colour::kBlue};
  report::Line sleep{"against run-now+sleep", {}, {}, report::Colour::kVermilion};
  report::ChartBand band{"", {}, {}, {}, report::Colour::kVermilion};
  for (const Level& level : levels) {
    const Spread spread = SpreadOf(level.against_sleep);
    chart.x_ticks.push_back(level.level);
    plain.x.push_back(level.level);
    plain.y.push_back(MeanOf(level.against_plain) * 100.0);
    sleep.x.push_back(level.level);
    sleep.y.push_back(spread.mean * 100.0);
    band.x.push_back(level.level);
    band.low.push_back(spread.least * 100.0);
    band.high.push_back(spread.most * 100.0);
  }
  chart.lines = {plain, sleep};
  chart.bands = {band};
  chart.width = 520;
  chart.from_zero = true;
  std::string name = factor.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return Drawn("sensitivity_" + name, chart);
}

Result<Finding> Conclude(const StudyPlaces& /*world*/, const std::vector<Case>& cases,
                         const std::vector<CaseOutcome>& outcomes, Size size) {
  Finding finding{"sensitivity", "Sensitivity of the savings", "", {}, {}};
  Passage passage{"One factor at a time", "", report::HtmlTable{}, {}};
  passage.text =
      "Carbon saved by ca-rm-performance for the same work, mean (10th .. 90th percentile) over places; all other "
      "factors have their usual value.";
  passage.table =
      report::HtmlTable{{"factor", "level", "against run-now", "against run-now+sleep", "late", "SLO broken"}, {}, 2};
  std::string strongest;
  double widest = -1.0;
  double least_saving = 0.0;  // of the strongest factor
  double most_saving = 0.0;
  io::Json::Array rows;
  for (const Factor& factor : Factors()) {
    const std::vector<Level> levels = LevelsOf(factor, cases, outcomes);
    if (levels.empty()) continue;
    std::vector<double> means;
    for (const Level& level : levels) {
      means.push_back(MeanOf(level.against_sleep));
      passage.table->rows.push_back({factor.name, fmt::format("{:g}", level.level), PercentSpread(level.against_plain),
                                     PercentSpread(level.against_sleep), Percent(level.keeping.misses, 2),
                                     Percent(level.keeping.violations, 3)});
      io::Json row;
      row.Set("factor", factor.name);
      row.Set("level", level.level);
      row.Set("saving_against_run_now", MeanOf(level.against_plain));
      row.Set("saving_against_run_now_sleep", MeanOf(level.against_sleep));
      row.Set("keeps", ToJson(level.keeping));
      rows.push_back(std::move(row));
    }
    const auto [least, most] = std::minmax_element(means.begin(), means.end());
    if (*most - *least > widest) {
      widest = *most - *least;
      strongest = factor.title;
      least_saving = *least;
      most_saving = *most;
    }
    auto picture = PictureOf(factor, levels);
    if (!picture) return Propagate(picture);
    passage.pictures.push_back(*std::move(picture));
  }
  finding.verdict =
      size == Size::kQuick
          ? "Which factor has the largest effect is not judged."
          : fmt::format("The factor with the largest effect on savings is {}: {:.0f} percentage points over its range.",
                        strongest, widest * 100.0);
  finding.answer = {
      fmt::format("The savings depend most on one factor, {}: it moves them by {:.0f} percentage points, from "
                  "{} to {} against run-now with sleep.",
                  strongest, widest * 100.0, Percent(least_saving, 0), Percent(most_saving, 0)),
      {{"factor with the largest effect", strongest},
       {"effect", fmt::format("{:.0f} points", widest * 100.0)},
       {"least saving", Percent(least_saving, 0)},
       {"most saving", Percent(most_saving, 0)}}};
  Judge(1, 1, size, finding.answer);
  finding.passages.push_back(std::move(passage));
  finding.json.Set("levels", std::move(rows));
  return finding;
}

}  // namespace

Study SensitivityStudy() { return {"sensitivity", Design, Conclude}; }

std::vector<Study> Studies() { return {CaRmStudy(), CeDlaStudy(), LimitStudy(), SensitivityStudy()}; }

}  // namespace heliostat::experiments
