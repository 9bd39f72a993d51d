#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "heliostat/ui/experiments/charts.h"
#include "heliostat/ui/experiments/design.h"
#include "heliostat/ui/experiments/finding.h"
#include "heliostat/ui/experiments/statistics.h"

namespace heliostat::experiments {
namespace {

constexpr double kPublished = 0.35;
constexpr std::array<const char*, 3> kFormulations{"ca-rm-carbon", "ca-rm-performance", "ca-rm-ppc"};
constexpr std::array<const char*, 9> kCompetitors{
    "run-now", "edf", "zeus", "chase", "wait-awhile", "lowest-window", "carbon-scaler", "price-greedy", "ce-dla-drs"};
constexpr std::array<std::pair<const char*, workload::OnSite>, 3> kSupplies{
    {{"solar", workload::OnSite::kSolar}, {"wind", workload::OnSite::kWind}, {"mixed", workload::OnSite::kMixed}}};

// ce-dla-drs lets nodes sleep without the suffix.
std::string WithSleep(const std::string& policy) { return policy == "ce-dla-drs" ? policy : policy + "+sleep"; }

std::vector<Entrant> AllEntries(Size size) {
  std::vector<Entrant> entries;
  entries.reserve(kFormulations.size() + 2 * kCompetitors.size());
  for (const char* policy : kFormulations) entries.push_back({policy});
  for (const std::string policy : kCompetitors) {
    if (size == Size::kQuick && policy != "run-now" && policy != "carbon-scaler") continue;
    entries.push_back({policy});
    if (WithSleep(policy) != policy) entries.push_back({WithSleep(policy)});
  }
  return entries;
}

// Usual: one demand and one supply for each place and season, turned so that all levels meet about equally often. Full:
// all of them.
std::vector<Case> Design(const StudyPlaces& world, Size size) {
  std::vector<Case> cases;
  const std::vector<StudySeason> seasons = SeasonsFor(size);
  const std::size_t places = size == Size::kQuick ? 2 : world.places.size();
  for (std::size_t z = 0; z < places; ++z) {
    for (std::size_t s = 0; s < seasons.size(); ++s) {
      for (std::size_t d = 0; d < kDemands.size(); ++d) {
        if (size != Size::kFull && d != (z + s) % kDemands.size()) continue;
        for (std::size_t u = 0; u < kSupplies.size(); ++u) {
          if (size != Size::kFull && u != (s + z / 4) % kSupplies.size()) continue;
          Case one = BaseCase("ca-rm", world.places[z].name, seasons[s], kDemands[d], size);
          one.labels.supply = kSupplies[u].first;
          one.recipe.on_site = kSupplies[u].second;
          one.entries = AllEntries(size);
          cases.push_back(std::move(one));
        }
      }
    }
  }
  return cases;
}

// What the comparisons of one block come to: a block is the competitors as published, or with sleep given to all.
struct Block {
  bool with_sleep = false;
  std::vector<std::string> competitors;                     // their names in this block
  std::vector<std::array<std::vector<double>, 3>> savings;  // [competitor][formulation][case]
  std::array<std::vector<double>, 3> of_case;               // [formulation][case]: mean over competitors
  std::array<std::vector<double>, 3> pairs;                 // [formulation]: all competitors and cases
};

Block Compare(const std::vector<CaseOutcome>& outcomes, bool with_sleep) {
  Block block;
  block.with_sleep = with_sleep;
  for (const std::string policy : kCompetitors) {
    const std::string name = with_sleep ? WithSleep(policy) : policy;
    if (outcomes.front().Find(name) != nullptr) block.competitors.push_back(name);
  }
  block.savings.resize(block.competitors.size());
  for (const CaseOutcome& outcome : outcomes) {
    for (std::size_t f = 0; f < kFormulations.size(); ++f) {
      const double ours = CarbonPerWork(*outcome.Find(kFormulations[f]));
      double sum = 0.0;
      for (std::size_t c = 0; c < block.competitors.size(); ++c) {
        const double theirs = CarbonPerWork(*outcome.Find(block.competitors[c]));
        const double saving = theirs > 0.0 ? 1.0 - ours / theirs : 0.0;
        block.savings[c][f].push_back(saving);
        block.pairs[f].push_back(saving);
        sum += saving;
      }
      block.of_case[f].push_back(sum / static_cast<double>(block.competitors.size()));
    }
  }
  return block;
}

double MeanOfAll(const Block& block) {
  std::vector<double> means;
  for (const auto& pairs : block.pairs) means.push_back(MeanOf(pairs));
  return MeanOf(means);
}

std::vector<const CaseScore*> ScoresOf(const std::vector<CaseOutcome>& outcomes, const std::string& policy) {
  std::vector<const CaseScore*> scores;
  for (const CaseOutcome& outcome : outcomes) {
    if (const CaseScore* score = outcome.Find(policy)) scores.push_back(score);
  }
  return scores;
}

std::vector<std::string> KeepingCells(const Keeping& keeping) {
  return {Percent(keeping.misses, 2), Percent(keeping.undone, 2), Percent(keeping.violations, 3)};
}

report::HtmlTable TableOf(const Block& block, const std::vector<CaseOutcome>& outcomes) {
  report::HtmlTable table;
  table.header = {"against"};
  for (const char* formulation : kFormulations) table.header.emplace_back(formulation);
  for (const char* more : {"worst", "late", "undone", "SLO broken"}) table.header.emplace_back(more);
  const auto add = [&](std::string name, std::vector<std::string> savings, double worst,
                       const std::vector<std::string>& kept) {
    std::vector<std::string> row{std::move(name)};
    row.insert(row.end(), savings.begin(), savings.end());
    row.push_back(Percent(worst, 0));
    row.insert(row.end(), kept.begin(), kept.end());
    table.rows.push_back(std::move(row));
  };
  double worst_of_all = 1.0;
  for (std::size_t c = 0; c < block.competitors.size(); ++c) {
    std::vector<std::string> savings;
    double worst = 1.0;
    for (const auto& shares : block.savings[c]) {
      savings.push_back(PercentSpread(shares));
      worst = std::min(worst, SpreadOf(shares).least);
    }
    worst_of_all = std::min(worst_of_all, worst);
    add(block.competitors[c], savings, worst, KeepingCells(KeepingOf(ScoresOf(outcomes, block.competitors[c]))));
  }
  std::vector<std::string> all;
  for (const auto& pairs : block.pairs) all.push_back(PercentSpread(pairs));
  add("all of them", all, worst_of_all, {"", "", ""});
  return table;
}

report::HtmlTable OwnTable(const std::vector<CaseOutcome>& outcomes) {
  report::HtmlTable table{{"policy", "late", "undone", "SLO broken"}, {}};
  for (const char* formulation : kFormulations) {
    const std::vector<std::string> kept = KeepingCells(KeepingOf(ScoresOf(outcomes, formulation)));
    table.rows.push_back({formulation, kept[0], kept[1], kept[2]});
  }
  return table;
}

// How much the grid's carbon moves in the cases of a place: standard deviation over mean.
double Variation(const StudyPlaces& world, const Case& one) {
  const auto place = world.Find(one.labels.place);
  if (!place || !(*place)->carbon) return std::numeric_limits<double>::quiet_NaN();
  const Instant end = one.recipe.start + one.recipe.step * static_cast<std::int64_t>(one.recipe.slots);
  const auto part = (*place)->carbon->series.Slice({one.recipe.start, end});
  if (!part) return std::numeric_limits<double>::quiet_NaN();
  const double mean = MeanOf(part->values());
  double squares = 0.0;
  for (const double value : part->values()) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(part->size())) / mean;
}

using LabelOf = std::string (*)(const Labels& labels);
constexpr std::array<std::pair<const char*, LabelOf>, 5> kLevels{{
    {"place", [](const Labels& labels) { return labels.place; }},
    {"season", [](const Labels& labels) { return labels.season; }},
    {"supply", [](const Labels& labels) { return labels.supply; }},
    {"deadlines", [](const Labels& labels) { return labels.slack; }},
    {"load", [](const Labels& labels) { return labels.load; }},
}};

// Savings of ca-rm-performance by each level of each factor.
report::HtmlTable LevelTable(const StudyPlaces& world, const std::vector<Case>& cases,
                             const std::array<Block, 2>& blocks) {
  report::HtmlTable table{
      {"factor", "level", "cases", "as published", "with sleep for all", "carbon varies by"}, {}, 2};
  for (const auto& [factor, label] : kLevels) {
    std::vector<std::string> levels;
    for (const Case& one : cases) {
      if (std::find(levels.begin(), levels.end(), label(one.labels)) == levels.end()) {
        levels.push_back(label(one.labels));
      }
    }
    for (const std::string& level : levels) {
      std::array<std::vector<double>, 2> savings;
      std::vector<double> variation;
      for (std::size_t i = 0; i < cases.size(); ++i) {
        if (label(cases[i].labels) != level) continue;
        for (std::size_t b = 0; b < 2; ++b) savings[b].push_back(blocks[b].of_case[1][i]);
        const double varies = Variation(world, cases[i]);
        if (std::isfinite(varies)) variation.push_back(varies);
      }
      table.rows.push_back({factor, level, std::to_string(savings[0].size()), PercentSpread(savings[0]),
                            PercentSpread(savings[1]), variation.empty() ? "–" : Percent(MeanOf(variation), 0)});
    }
  }
  return table;
}

Result<Picture> SavingsPicture(const Block& block) {
  SpreadChart chart;
  chart.title = block.with_sleep ? "Carbon saved, sleep given to all" : "Carbon saved, competitors as published";
  chart.unit = "% of the competitor's; dot: mean, line: 10th to 90th percentile";
  chart.series.assign(kFormulations.begin(), kFormulations.end());
  for (std::size_t c = 0; c < block.competitors.size(); ++c) {
    SpreadChart::Row row{block.competitors[c], {}};
    for (const auto& shares : block.savings[c]) {
      std::vector<double> percent = shares;
      for (double& share : percent) share *= 100.0;
      row.spreads.push_back(SpreadOf(percent));
    }
    chart.rows.push_back(std::move(row));
  }
  return Drawn(block.with_sleep ? "ca_rm_savings_with_sleep" : "ca_rm_savings", chart);
}

Result<Picture> PlacesPicture(const std::vector<Case>& cases, const Block& block) {
  CellChart chart;
  chart.title = "Carbon saved by ca-rm-performance, sleep given to all";
  chart.unit = "%, mean over competitors";
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> cells;
  const auto index = [](std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    names.push_back(name);
    return names.size() - 1;
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::size_t row = index(chart.rows, cases[i].labels.place);
    const std::size_t column = index(chart.columns, cases[i].labels.season);
    cells[{row, column}].push_back(block.of_case[1][i] * 100.0);
  }
  chart.values.assign(chart.rows.size(),
                      std::vector<double>(chart.columns.size(), std::numeric_limits<double>::quiet_NaN()));
  for (const auto& [place, values] : cells) chart.values[place.first][place.second] = MeanOf(values);
  return Drawn("ca_rm_places", chart);
}

io::Json JsonOf(const Block& block, const std::vector<CaseOutcome>& outcomes) {
  io::Json json;
  json.Set("mean_saving", MeanOfAll(block));
  io::Json::Array rows;
  for (std::size_t c = 0; c < block.competitors.size(); ++c) {
    for (std::size_t f = 0; f < kFormulations.size(); ++f) {
      const Spread spread = SpreadOf(block.savings[c][f]);
      io::Json row;
      row.Set("policy", kFormulations[f]);
      row.Set("against", block.competitors[c]);
      row.Set("mean_saving", spread.mean);
      row.Set("p10_saving", spread.low);
      row.Set("p90_saving", spread.high);
      row.Set("worst_saving", spread.least);
      row.Set("against_keeps", ToJson(KeepingOf(ScoresOf(outcomes, block.competitors[c]))));
      rows.push_back(std::move(row));
    }
  }
  json.Set("savings", std::move(rows));
  return json;
}

std::string VerdictOf(const std::array<Block, 2>& blocks, const std::vector<CaseOutcome>& outcomes, Size size) {
  std::vector<std::string> kept;
  for (const char* formulation : kFormulations) {
    const Keeping keeping = KeepingOf(ScoresOf(outcomes, formulation));
    kept.push_back(fmt::format("{} {} late, {} of requests beyond their latency objective", formulation,
                               Percent(keeping.misses, 2), Percent(keeping.violations, 3)));
  }
  const double published = MeanOfAll(blocks[0]);
  const double fair = MeanOfAll(blocks[1]);
  const auto holds = [size](double ours) { return Judged(ours >= kPublished, size); };
  return fmt::format(
      "Published: about 35 % less carbon than competing policies on average. Ours: {} against them as published "
      "({}), {} if all of them let idle nodes sleep ({}). Kept: {}; {}; {}.",
      Percent(published), holds(published), Percent(fair), holds(fair), kept[0], kept[1], kept[2]);
}

report::Answer AnswerOf(const std::array<Block, 2>& blocks, const std::vector<CaseOutcome>& outcomes, Size size) {
  const double published = MeanOfAll(blocks[0]);
  const double fair = MeanOfAll(blocks[1]);
  const Keeping keeping = KeepingOf(ScoresOf(outcomes, kFormulations[1]));
  const auto judged = [size](double ours) { return Judged(ours >= kPublished, size); };
  report::Answer answer{
      fmt::format("CA-RM emits {} less carbon than competing policies as published (published: about 35 %, {}), and {} "
                  "less if all of them let idle nodes sleep ({}).",
                  Percent(published), judged(published), Percent(fair), judged(fair)),
      {{"published", "35 %", "less carbon than competitors"},
       {"ours, as published", Percent(published), judged(published)},
       {"ours, sleep for all", Percent(fair), judged(fair)},
       {"jobs late", Percent(keeping.misses, 2), kFormulations[1]}}};
  Judge((published >= kPublished ? 1 : 0) + (fair >= kPublished ? 1 : 0), 2, size, answer);
  return answer;
}

// In how many comparisons the published figure is not reached, and against which competitor.
std::string WhereNot(const Block& block) {
  std::size_t below = 0;
  std::size_t negative = 0;
  std::size_t all = 0;
  std::pair<double, std::string> hardest{1.0, ""};
  for (std::size_t c = 0; c < block.competitors.size(); ++c) {
    for (const double saving : block.savings[c][1]) {
      below += saving < kPublished ? 1 : 0;
      negative += saving < 0.0 ? 1 : 0;
      ++all;
    }
    hardest = std::min(hardest, {MeanOf(block.savings[c][1]), block.competitors[c]});
  }
  return fmt::format(
      "{}: ca-rm-performance saves less than 35 % in {} of {} comparisons and emits more in {}; the hardest competitor "
      "is {} ({} on average).",
      block.with_sleep ? "With sleep for all" : "As published", below, all, negative, hardest.second,
      Percent(hardest.first));
}

Result<Finding> Conclude(const StudyPlaces& world, const std::vector<Case>& cases,
                         const std::vector<CaseOutcome>& outcomes, Size size) {
  const std::array<Block, 2> blocks{Compare(outcomes, false), Compare(outcomes, true)};
  Finding finding{
      "ca-rm", "CA-RM: three formulations against competing policies", VerdictOf(blocks, outcomes, size), {}, {}};
  finding.answer = AnswerOf(blocks, outcomes, size);
  auto as_published = SavingsPicture(blocks[0]);
  if (!as_published) return Propagate(as_published);
  auto with_sleep = SavingsPicture(blocks[1]);
  if (!with_sleep) return Propagate(with_sleep);
  auto places = PlacesPicture(cases, blocks[1]);
  if (!places) return Propagate(places);
  const std::string how = fmt::format(
      "Carbon saved for the same work, mean over {} cases (10th .. 90th percentile). The last columns show what the "
      "competitor did not keep.",
      cases.size());
  finding.passages.push_back({"What our policies kept", "", OwnTable(outcomes), {}});
  finding.passages.push_back({"Competitors as published", how, TableOf(blocks[0], outcomes), {*as_published}});
  finding.passages.push_back(
      {"With sleep given to all",
       "The same competitors, but their idle nodes sleep. The remaining savings come from when, where and how fast "
       "work runs.",
       TableOf(blocks[1], outcomes),
       {*with_sleep}});
  finding.passages.push_back(
      {"Where it holds and where not",
       (size == Size::kQuick ? "" : WhereNot(blocks[0]) + "\n\n" + WhereNot(blocks[1]) + "\n\n") +
           "Savings of ca-rm-performance over all competitors by level. The last column is "
           "the standard deviation of the carbon intensity divided by its mean: where it hardly "
           "changes, waiting saves little.",
       LevelTable(world, cases, blocks),
       {*places}});
  finding.json.Set("published_saving", kPublished);
  finding.json.Set("as_published", JsonOf(blocks[0], outcomes));
  finding.json.Set("with_sleep", JsonOf(blocks[1], outcomes));
  io::Json keeps;
  for (const char* formulation : kFormulations) {
    keeps.Set(formulation, ToJson(KeepingOf(ScoresOf(outcomes, formulation))));
  }
  finding.json.Set("keeps", std::move(keeps));
  return finding;
}

}  // namespace

Study CaRmStudy() { return {"ca-rm", Design, Conclude}; }

}  // namespace heliostat::experiments
