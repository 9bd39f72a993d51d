#include <fmt/format.h>

#include <cmath>

#include <algorithm>
#include <array>

#include "heliostat/ui/experiments/charts.h"
#include "heliostat/ui/experiments/design.h"
#include "heliostat/ui/experiments/finding.h"
#include "heliostat/ui/experiments/statistics.h"

namespace heliostat::experiments {
namespace {

constexpr std::array<const char*, 8> kPolicies{
    "run-now",      "run-now+sleep",      "fastest-node", "fastest-node+sleep",
    "least-energy", "least-energy+sleep", "ce-dla",       "ce-dla-drs"};

bool HasPrice(const StudyPlaces& world, const Place& place) { return !world.is_real || place.price.has_value(); }

std::vector<Case> Design(const StudyPlaces& world, Size size) {
  std::vector<Case> cases;
  const std::vector<StudySeason> seasons = SeasonsFor(size);
  std::size_t z = 0;
  for (const Place& place : world.places) {
    if (!HasPrice(world, place) || (size == Size::kQuick && z == 2)) continue;
    for (std::size_t s = 0; s < seasons.size(); ++s) {
      for (std::size_t d = 0; d < kDemands.size(); ++d) {
        if (size != Size::kFull && d != (z + s) % kDemands.size()) continue;
        Case one = BaseCase("ce-dla", place.name, seasons[s], kDemands[d], size);
        for (const char* policy : kPolicies) one.entries.push_back({policy});
        cases.push_back(std::move(one));
      }
    }
    ++z;
  }
  return cases;
}

// One market: all its seasons together, since weeks with prices around zero have no ratio of their own.
struct Market {
  std::string place;
  std::array<double, kPolicies.size()> cost{};  // for run-now's work, in the market's currency
};

std::vector<Market> MarketsOf(const std::vector<Case>& cases, const std::vector<CaseOutcome>& outcomes) {
  std::vector<Market> markets;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (markets.empty() || markets.back().place != cases[i].labels.place)
      markets.push_back({cases[i].labels.place, {}});
    const double work = outcomes[i].Find("run-now")->figures.performance;
    for (std::size_t p = 0; p < kPolicies.size(); ++p) {
      markets.back().cost[p] += CostPerWork(*outcomes[i].Find(kPolicies[p])) * work;
    }
  }
  return markets;
}

// Cost relative to the policy at `base`, in each market.
std::vector<double> Relative(const std::vector<Market>& markets, std::size_t policy, std::size_t base) {
  std::vector<double> shares;
  for (const Market& market : markets) {
    if (market.cost[base] > 0.0) shares.push_back(market.cost[policy] / market.cost[base]);
  }
  return shares;
}

std::vector<const CaseScore*> ScoresOf(const std::vector<CaseOutcome>& outcomes, const char* policy) {
  std::vector<const CaseScore*> scores;
  scores.reserve(outcomes.size());
  for (const CaseOutcome& outcome : outcomes) scores.push_back(outcome.Find(policy));
  return scores;
}

double MeanPeakShare(const std::vector<const CaseScore*>& scores) {
  std::vector<double> shares;
  shares.reserve(scores.size());
  for (const CaseScore* score : scores) shares.push_back(score->peak_share);
  return MeanOf(shares);
}

report::HtmlTable TableOf(const std::vector<Market>& markets, const std::vector<CaseOutcome>& outcomes) {
  report::HtmlTable table{{"policy"}, {}};
  for (const Market& market : markets) table.header.push_back(market.place);
  for (const char* more : {"mean", "in peak slots", "late", "undone", "SLO broken"}) table.header.emplace_back(more);
  for (std::size_t p = 0; p < kPolicies.size(); ++p) {
    std::vector<std::string> row{kPolicies[p]};
    for (const Market& market : markets) {
      row.push_back(market.cost[0] > 0.0 ? Percent(market.cost[p] / market.cost[0], 0) : "–");
    }
    const auto scores = ScoresOf(outcomes, kPolicies[p]);
    const Keeping keeping = KeepingOf(scores);
    row.push_back(Percent(MeanOf(Relative(markets, p, 0)), 1));
    row.push_back(Percent(MeanPeakShare(scores), 1));
    row.push_back(Percent(keeping.misses, 2));
    row.push_back(Percent(keeping.undone, 2));
    row.push_back(Percent(keeping.violations, 3));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Result<Picture> CostPicture(const std::vector<Market>& markets) {
  SpreadChart chart;
  chart.title = "Cost of electricity";
  chart.unit = "% of run-now; dot: mean over markets, thin line: all of them";
  chart.series = {"cost"};
  for (std::size_t p = 0; p < kPolicies.size(); ++p) {
    std::vector<double> percent = Relative(markets, p, 0);
    for (double& share : percent) share *= 100.0;
    chart.rows.push_back({kPolicies[p], {SpreadOf(percent)}});
  }
  return Drawn("ce_dla_cost", chart);
}

// "4.0 % less", "1.3 % more".
std::string Less(double saved) { return Percent(std::abs(saved)) + (saved < 0.0 ? " more" : " less"); }

Result<Finding> Conclude(const StudyPlaces& /*world*/, const std::vector<Case>& cases,
                         const std::vector<CaseOutcome>& outcomes, Size size) {
  const std::vector<Market> markets = MarketsOf(cases, outcomes);
  constexpr std::size_t kDrs = 7;
  constexpr std::size_t kPlain = 6;
  std::vector<double> against_sleep;
  for (const std::size_t base : {1U, 3U, 5U}) against_sleep.push_back(1.0 - MeanOf(Relative(markets, kDrs, base)));
  const auto drs = ScoresOf(outcomes, "ce-dla-drs");
  Finding finding{"ce-dla", "CE-DLA: cost of electricity with and without right-sizing", "", {}, {}};
  finding.verdict = fmt::format(
      "Published: less cost than its competitors and less work in peak-price slots; we know of no published figure. "
      "Ours, with right-sizing: {} cost than run-now, and with sleep for all {} than run-now, {} than fastest-node and "
      "{} than least-energy; without right-sizing {} than run-now. {} of training energy in the dearest quarter of "
      "slots, run-now has {}. Late: {} of jobs.",
      Less(1.0 - MeanOf(Relative(markets, kDrs, 0))), Less(against_sleep[0]), Less(against_sleep[1]),
      Less(against_sleep[2]), Less(1.0 - MeanOf(Relative(markets, kPlain, 0))), Percent(MeanPeakShare(drs)),
      Percent(MeanPeakShare(ScoresOf(outcomes, "run-now"))), Percent(KeepingOf(drs).misses, 2));
  const double saved = 1.0 - MeanOf(Relative(markets, kDrs, 0));
  finding.answer = {
      fmt::format("With right-sizing CE-DLA costs {} than run-now, and {} than run-now with sleep; no published "
                  "figure is known.",
                  Less(saved), Less(against_sleep[0])),
      {{"cost, against run-now", Percent(-saved), "with right-sizing"},
       {"against run-now with sleep", Percent(-against_sleep[0])},
       {"without right-sizing", Percent(MeanOf(Relative(markets, kPlain, 0)) - 1.0), "against run-now"},
       {"jobs late", Percent(KeepingOf(drs).misses, 2)}}};
  Judge((saved > 0.0 ? 1 : 0) + (against_sleep[0] > 0.0 ? 1 : 0), 2, size, finding.answer);
  auto picture = CostPicture(markets);
  if (!picture) return Propagate(picture);
  finding.passages.push_back(
      {"Cost by market",
       fmt::format(
           "Cost for the same work in % of run-now, {} cases; share of training's GPU energy in slots above the "
           "75th percentile of price.",
           cases.size()),
       TableOf(markets, outcomes),
       {*picture}});
  io::Json::Array rows;
  for (std::size_t p = 0; p < kPolicies.size(); ++p) {
    const auto scores = ScoresOf(outcomes, kPolicies[p]);
    io::Json row;
    row.Set("policy", kPolicies[p]);
    row.Set("cost_relative_to_run_now", MeanOf(Relative(markets, p, 0)));
    row.Set("peak_share", MeanPeakShare(scores));
    row.Set("keeps", ToJson(KeepingOf(scores)));
    io::Json by_market;
    for (const Market& market : markets) {
      if (market.cost[0] > 0.0) by_market.Set(market.place, market.cost[p] / market.cost[0]);
    }
    row.Set("by_market", std::move(by_market));
    rows.push_back(std::move(row));
  }
  finding.json.Set("policies", std::move(rows));
  return finding;
}

}  // namespace

Study CeDlaStudy() { return {"ce-dla", Design, Conclude}; }

}  // namespace heliostat::experiments
