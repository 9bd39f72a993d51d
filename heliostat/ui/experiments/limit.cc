#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heliostat/ui/experiments/design.h"
#include "heliostat/ui/experiments/finding.h"
#include "heliostat/ui/experiments/statistics.h"
#include "heliostat/ui/report/line_chart.h"

namespace heliostat::experiments {
namespace {

constexpr const char* kPolicy = "ca-rm-performance";
constexpr const char* kAfresh = "ca-rm-performance+afresh";
constexpr double kPublished = 0.021;  // lowest published distance of a rolling policy to its oracle, as far as known
constexpr double kOwnPlanGoal = 0.01;
constexpr double kAfreshGoal = 0.03;
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
        one.entries.push_back({kAfresh, {Sight::Kind::kSignals, 0.0}});
        cases.push_back(std::move(one));
      }
    }
  }
  return cases;
}

std::string About(const Entrant& entry) {
  const Sight& sight = entry.sight;
  if (entry.policy == kAfresh) return "perfect signals, jobs as they arrive, every plan afresh";
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

// How far above the yardsticks a policy with a sight is.
struct Distance {
  Entrant entry;
  std::vector<double> to_own_plan{};  // only with perfect foresight
  std::vector<double> to_plan{};
  std::vector<double> to_afresh{};   // what shorter searches cost: against a long search for every plan
  std::vector<double> to_signals{};  // what not knowing signals costs: against perfect signals
  std::vector<double> to_bound{};
  Keeping keeping{};
};

std::vector<Distance> DistancesOf(const std::vector<Case>& cases, const std::vector<CaseOutcome>& outcomes) {
  const Sight signals{Sight::Kind::kSignals, 0.0};
  std::vector<Distance> distances;
  for (const Entrant& entry : cases.front().entries) {
    Distance distance{entry};
    std::vector<const CaseScore*> scores;
    for (const CaseOutcome& outcome : outcomes) {
      const CaseScore* const score = outcome.Find(entry.policy, entry.sight);
      scores.push_back(score);
      const auto add = [&](std::optional<double> yardstick, std::vector<double>& to) {
        // A week in which on-site power covers all energy has no ratio.
        constexpr double kNothing = 0.5;
        if (yardstick && *yardstick > kNothing) to.push_back(score->figures.carbon_kg / *yardstick - 1.0);
      };
      add(score->own_plan_kg, distance.to_own_plan);
      add(outcome.bound.planned_carbon_kg, distance.to_plan);
      add(outcome.Find(kAfresh, signals)->figures.carbon_kg, distance.to_afresh);
      add(outcome.Find(kPolicy, signals)->figures.carbon_kg, distance.to_signals);
      add(outcome.bound.carbon_kg, distance.to_bound);
    }
    distance.keeping = KeepingOf(scores);
    distances.push_back(std::move(distance));
  }
  return distances;
}

report::HtmlTable TableOf(const std::vector<Distance>& distances) {
  report::HtmlTable table{{"what is known", "above its own plan", "above planning afresh", "above the clairvoyant plan",
                           "worst", "above the proven bound", "above perfect signals", "late", "SLO broken"},
                          {}};
  for (const Distance& distance : distances) {
    table.rows.push_back(
        {About(distance.entry), distance.to_own_plan.empty() ? "–" : PercentSpread(distance.to_own_plan),
         PercentSpread(distance.to_afresh), PercentSpread(distance.to_plan), Percent(SpreadOf(distance.to_plan).most),
         PercentSpread(distance.to_bound), PercentSpread(distance.to_signals), Percent(distance.keeping.misses, 2),
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
    if (distance.entry.sight.kind == Sight::Kind::kForecast) forecast = spread.mean * 100.0;
    if (distance.entry.sight.kind != Sight::Kind::kDisturbed) continue;
    const double x = distance.entry.sight.error * 100.0;
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

// Means over all cases, and the worst case where a goal is for each case.
struct Means {
  double own_plan = 0.0;        // perfect foresight, above the own plan
  double own_plan_worst = 0.0;  // the same
  double perfect = 0.0;         // perfect foresight, above the clairvoyant plan
  double search = 0.0;          // true signals, jobs unknown: above planning afresh
  double jobs = 0.0;            // planning afresh, true signals, jobs unknown: above the clairvoyant plan
  double signals = 0.0;         // our forecasts, above true signals
  double forecast = 0.0;        // our forecasts, above the clairvoyant plan

  bool own_plan_holds() const { return own_plan_worst <= kOwnPlanGoal; }
  bool search_holds() const { return search <= kAfreshGoal; }
};

Means MeansOf(const std::vector<Distance>& distances) {
  const auto of = [&distances](const char* policy, Sight::Kind kind) {
    return *std::ranges::find_if(distances, [&](const Distance& distance) {
      return distance.entry.policy == policy && distance.entry.sight.kind == kind;
    });
  };
  const Distance perfect = of(kPolicy, Sight::Kind::kPerfect);
  const Distance forecast = of(kPolicy, Sight::Kind::kForecast);
  return {MeanOf(perfect.to_own_plan),
          SpreadOf(perfect.to_own_plan).most,
          MeanOf(perfect.to_plan),
          MeanOf(of(kPolicy, Sight::Kind::kSignals).to_afresh),
          MeanOf(of(kAfresh, Sight::Kind::kSignals).to_plan),
          MeanOf(forecast.to_signals),
          MeanOf(forecast.to_plan)};
}

// "1.2 % above", "0.3 % below".
std::string Beside(double share, int digits = 1) {
  return Percent(std::abs(share), digits) + (share < 0.0 ? " below" : " above");
}

std::string VerdictOf(const Means& means, Size size) {
  return fmt::format(
      "Published: {} above an oracle at best. Ours, when everything is known: {} its own plan, {} it in the worst case "
      "(at most {} above in each: {}), and {} the clairvoyant plan. With our own forecasts and jobs unknown: {} the "
      "clairvoyant plan. What is information: planning afresh, with long searches, is {} the clairvoyant plan, because "
      "jobs are not known in advance and none is expected; forecasts add {} over true signals. What is ours to gain: "
      "the policy is {} planning afresh (at most {} above: {}).",
      Percent(kPublished), Beside(means.own_plan, 2), Beside(means.own_plan_worst, 2), Percent(kOwnPlanGoal, 0),
      Judged(means.own_plan_holds(), size), Beside(means.perfect), Beside(means.forecast), Beside(means.jobs),
      Percent(means.signals), Beside(means.search), Percent(kAfreshGoal, 0), Judged(means.search_holds(), size));
}

report::Answer AnswerOf(const Means& means, Size size) {
  const std::string own = Judged(means.own_plan_holds(), size);
  const std::string search = Judged(means.search_holds(), size);
  report::Answer answer{
      fmt::format(
          "A week in which everything is known ends {} its own plan (at most {} above: {}); with jobs unknown, a "
          "policy as fast as a live loop needs is {} one with long searches (at most {} above: {}).",
          Beside(means.own_plan, 2), Percent(kOwnPlanGoal, 0), own, Beside(means.search), Percent(kAfreshGoal, 0),
          search),
      {{"above its own plan", Percent(means.own_plan, 2), own},
       {"above long searches", Percent(means.search), search},
       {"by jobs not known in advance", Percent(means.jobs), "above the clairvoyant plan"},
       {"by forecasts of signals", Percent(means.signals), "above true signals"}}};
  Judge((means.own_plan_holds() ? 1 : 0) + (means.search_holds() ? 1 : 0), 2, size, answer);
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
           "Carbon of {} in {} case{}, mean (10th .. 90th percentile). Its own plan is the first that it makes. "
           "Planning afresh searches anew at every arrival, until it makes no more progress: what the same planner "
           "reaches without hurry, with the same knowledge. The clairvoyant plan is what papers call an oracle: the "
           "answer of the planner with "
           "perfect knowledge of the future. The proven bound ignores whole nodes and restarts, so no plan can close "
           "all of that distance.",
           kPolicy, cases.size(), cases.size() == 1 ? "" : "s"),
       TableOf(distances),
       {*picture}});
  io::Json::Array rows;
  for (const Distance& distance : distances) {
    io::Json row;
    row.Set("policy", distance.entry.policy).Set("sight", NameOf(distance.entry.sight));
    const std::array<std::pair<const char*, const std::vector<double>*>, 5> measures{
        {{"above_own_plan", &distance.to_own_plan},
         {"above_afresh", &distance.to_afresh},
         {"above_plan", &distance.to_plan},
         {"above_bound", &distance.to_bound},
         {"above_signals", &distance.to_signals}}};
    for (const auto& [name, values] : measures) {
      if (values->empty()) continue;
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
