#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heliostat/ui/experiments/design.h"
#include "heliostat/ui/experiments/finding.h"
#include "heliostat/ui/experiments/statistics.h"
#include "heliostat/ui/report/line_chart.h"

namespace heliostat::experiments {
namespace {

constexpr const char* kPolicy = "ca-rm-performance";
constexpr double kPublished = 0.021;  // lowest published distance of a rolling policy to its oracle, as far as known
constexpr double kPerfectGoal = 0.02;
constexpr double kForecastGoal = 0.05;
constexpr std::array<double, 4> kErrors{0.1, 0.2, 0.3, 0.5};

std::vector<Sight> Sights(Size size) {
  std::vector<Sight> sights{{Sight::Kind::kPerfect, 0.0}, {Sight::Kind::kSignals, 0.0}, {Sight::Kind::kForecast, 0.0}};
  for (const double error : kErrors) {
    if (size == Size::kQuick && error < 0.5) continue;
    sights.push_back({Sight::Kind::kDisturbed, error});
  }
  return sights;
}

// All jobs have deadlines: how long a job without one may wait is a rule of the policy, which a bound does not have.
std::vector<Case> Design(const StudyPlaces& world, Size size) {
  std::vector<Case> cases;
  const std::vector<StudySeason> seasons = SeasonsFor(size);
  const std::size_t places = size == Size::kQuick ? 1 : world.places.size();
  for (std::size_t z = 0; z < places; ++z) {
    for (std::size_t s = 0; s < seasons.size(); ++s) {
      // Usual: two of the four seasons of each place, in turns.
      if (size == Size::kUsual && (z + s) % 2 != 0) continue;
      for (std::size_t d = 0; d < kDemands.size(); ++d) {
        if (size != Size::kFull && d != (z / 2 + s) % kDemands.size()) continue;
        Case one = BaseCase("limit", world.places[z].name, seasons[s], kDemands[d], size);
        one.labels.supply = "mixed";
        one.recipe.on_site = workload::OnSite::kMixed;
        one.recipe.best_effort = 0.0;
        one.recipe.has_prices = false;
        one.with_bound = true;
        for (const Sight& sight : Sights(size)) one.entries.push_back({kPolicy, sight});
        cases.push_back(std::move(one));
      }
    }
  }
  return cases;
}

std::string About(const Sight& sight) {
  switch (sight.kind) {
    case Sight::Kind::kPerfect:
      return "perfect: signals and jobs";
    case Sight::Kind::kSignals:
      return "perfect signals, jobs as they arrive";
    case Sight::Kind::kForecast:
      return "our forecasts, jobs as they arrive";
    case Sight::Kind::kDisturbed:
      break;
  }
  return fmt::format("signals with {:.0f} % error one day ahead", sight.error * 100.0);
}

// How far above two limits a sight leaves the policy.
struct Distance {
  Sight sight;
  std::vector<double> to_plan;
  std::vector<double> to_bound;
  std::vector<double> to_signals;  // what not knowing signals costs: against perfect signals
  Keeping keeping;
};

std::vector<Distance> DistancesOf(const std::vector<Case>& cases, const std::vector<CaseOutcome>& outcomes) {
  std::vector<Distance> distances;
  for (const Entrant& entry : cases.front().entries) {
    Distance distance{entry.sight, {}, {}, {}, {}};
    std::vector<const CaseScore*> scores;
    for (const CaseOutcome& outcome : outcomes) {
      const CaseScore* const score = outcome.Find(entry.policy, entry.sight);
      const double signals = outcome.Find(kPolicy, {Sight::Kind::kSignals, 0.0})->figures.carbon_kg;
      const double carbon = score->figures.carbon_kg;
      scores.push_back(score);
      // A week in which on-site power covers all energy has no ratio.
      constexpr double kNothing = 0.5;
      if (outcome.bound.planned_carbon_kg && *outcome.bound.planned_carbon_kg > kNothing) {
        distance.to_plan.push_back(carbon / *outcome.bound.planned_carbon_kg - 1.0);
      }
      if (outcome.bound.carbon_kg > kNothing) distance.to_bound.push_back(carbon / outcome.bound.carbon_kg - 1.0);
      if (signals > kNothing) distance.to_signals.push_back(carbon / signals - 1.0);
    }
    distance.keeping = KeepingOf(scores);
    distances.push_back(std::move(distance));
  }
  return distances;
}

report::HtmlTable TableOf(const std::vector<Distance>& distances) {
  report::HtmlTable table{{"what is known", "above the clairvoyant plan", "worst", "above the proven bound",
                           "above perfect signals", "late", "SLO broken"},
                          {}};
  for (const Distance& distance : distances) {
    table.rows.push_back({About(distance.sight), PercentSpread(distance.to_plan),
                          Percent(SpreadOf(distance.to_plan).most), PercentSpread(distance.to_bound),
                          PercentSpread(distance.to_signals), Percent(distance.keeping.misses, 2),
                          Percent(distance.keeping.violations, 3)});
  }
  return table;
}

Result<Picture> ErrorPicture(const std::vector<Distance>& distances) {
  report::LineChart chart;
  chart.title = "Cost of a forecast error";
  chart.unit = "% more carbon than with perfect signals";
  chart.x = report::LineChart::X::kNumber;
  chart.x_label = "standard deviation of the error one day ahead, %";
  report::Line line{"mean", {0.0}, {0.0}};
  report::ChartBand band{"10th to 90th percentile", {0.0}, {0.0}, {0.0}};
  chart.x_ticks = {0.0};
  double forecast = 0.0;
  for (const Distance& distance : distances) {
    const Spread spread = SpreadOf(distance.to_signals);
    if (distance.sight.kind == Sight::Kind::kForecast) forecast = spread.mean * 100.0;
    if (distance.sight.kind != Sight::Kind::kDisturbed) continue;
    const double x = distance.sight.error * 100.0;
    chart.x_ticks.push_back(x);
    line.x.push_back(x);
    line.y.push_back(spread.mean * 100.0);
    band.x.push_back(x);
    band.low.push_back(spread.low * 100.0);
    band.high.push_back(spread.high * 100.0);
  }
  chart.lines = {line,
                 {"our forecasts",
                  {0.0, chart.x_ticks.back()},
                  {forecast, forecast},
                  report::Colour::kVermilion,
                  report::Pen::kDashed}};
  chart.bands = {band};
  return Drawn("limit_forecast_error", chart);
}

// Means over all cases.
struct Means {
  double perfect = 0.0;        // perfect foresight, above the plan
  double perfect_bound = 0.0;  // the same above the bound
  double forecast = 0.0;       // our forecasts, above the plan
  double priced = 0.0;         // our forecasts, above perfect signals
};
Means MeansOf(const std::vector<Distance>& distances) {
  const auto mean = [&distances](Sight::Kind kind, std::vector<double> Distance::*to) {
    for (const Distance& distance : distances) {
      if (distance.sight.kind == kind) return MeanOf(distance.*to);
    }
    return 0.0;
  };
  return {mean(Sight::Kind::kPerfect, &Distance::to_plan), mean(Sight::Kind::kPerfect, &Distance::to_bound),
          mean(Sight::Kind::kForecast, &Distance::to_plan), mean(Sight::Kind::kForecast, &Distance::to_signals)};
}

std::string VerdictOf(const Means& means, Size size) {
  return fmt::format(
      "Published: {} above an oracle at best. Ours with perfect foresight: {} above the clairvoyant plan (goal {}: {}) "
      "and {} above the proven bound, which no plan may reach. With our own forecasts, jobs unknown: {} above the plan "
      "(goal {}: {}), of which forecasts of signals are {}.",
      Percent(kPublished), Percent(means.perfect), Percent(kPerfectGoal, 0),
      Judged(means.perfect <= kPerfectGoal, size), Percent(means.perfect_bound), Percent(means.forecast),
      Percent(kForecastGoal, 0), Judged(means.forecast <= kForecastGoal, size), Percent(means.priced));
}

report::Answer AnswerOf(const Means& means, Size size) {
  const std::string perfect = Judged(means.perfect <= kPerfectGoal, size);
  const std::string forecast = Judged(means.forecast <= kForecastGoal, size);
  report::Answer answer{
      fmt::format("With perfect foresight the rolling policy emits {} more than a clairvoyant plan (goal {}: {}), with "
                  "our forecasts {} more (goal {}: {}); published is {} above an oracle at best.",
                  Percent(means.perfect), Percent(kPerfectGoal, 0), perfect, Percent(means.forecast),
                  Percent(kForecastGoal, 0), forecast, Percent(kPublished)),
      {{"published", Percent(kPublished), "above an oracle, at best"},
       {"ours, perfect foresight", Percent(means.perfect), perfect},
       {"ours, own forecasts", Percent(means.forecast), forecast},
       {"of it by forecasts of signals", Percent(means.priced)}}};
  Judge((means.perfect <= kPerfectGoal ? 1 : 0) + (means.forecast <= kForecastGoal ? 1 : 0), 2, size, answer);
  return answer;
}

Result<Finding> Conclude(const StudyPlaces& /*world*/, const std::vector<Case>& cases,
                         const std::vector<CaseOutcome>& outcomes, Size size) {
  const std::vector<Distance> distances = DistancesOf(cases, outcomes);
  const Means means = MeansOf(distances);
  Finding finding{"limit",
                  "Against the limit: the rolling policy and a plan with perfect knowledge",
                  VerdictOf(means, size),
                  {},
                  {}};
  finding.answer = AnswerOf(means, size);
  auto picture = ErrorPicture(distances);
  if (!picture) return Propagate(picture);
  finding.passages.push_back(
      {"Distance to what could be known",
       fmt::format(
           "Carbon of {} in {} case{}, mean (10th .. 90th percentile). The clairvoyant plan is what papers call an "
           "oracle: the answer of the planner with perfect knowledge of the future. The proven bound ignores whole "
           "nodes and restarts, so no plan can close all of that distance.",
           kPolicy, cases.size(), cases.size() == 1 ? "" : "s"),
       TableOf(distances),
       {*picture}});
  io::Json::Array rows;
  for (const Distance& distance : distances) {
    io::Json row;
    row.Set("sight", NameOf(distance.sight));
    const std::array<std::pair<const char*, const std::vector<double>*>, 3> measures{
        {{"above_plan", &distance.to_plan},
         {"above_bound", &distance.to_bound},
         {"above_signals", &distance.to_signals}}};
    for (const auto& [name, values] : measures) {
      const Spread spread = SpreadOf(*values);
      io::Json measure;
      measure.Set("mean", spread.mean);
      measure.Set("p10", spread.low);
      measure.Set("p90", spread.high);
      measure.Set("worst", spread.most);
      row.Set(name, std::move(measure));
    }
    row.Set("keeps", ToJson(distance.keeping));
    rows.push_back(std::move(row));
  }
  finding.json.Set("published_distance", kPublished);
  finding.json.Set("distances", std::move(rows));
  return finding;
}

}  // namespace

Study LimitStudy() { return {"limit", Design, Conclude}; }

}  // namespace heliostat::experiments
