#include "heliostat/ui/experiments/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heliostat/ui/experiments/charts.h"
#include "heliostat/ui/experiments/design.h"
#include "heliostat/ui/experiments/page.h"
#include "heliostat/ui/experiments/statistics.h"
#include "heliostat/ui/report/xml_check.h"

namespace heliostat::experiments {
namespace {

using testing::Contains;
using testing::DoubleNear;
using testing::HasSubstr;
using testing::Not;

// A world in which a policy emits what its number says, and keeps everything.
CaseOutcome Invented(const Case& one, double (*carbon)(const Entrant& entry, std::size_t place)) {
  CaseOutcome outcome;
  for (std::size_t i = 0; i < one.entries.size(); ++i) {
    CaseScore score{one.entries[i], {}, 0.1};
    score.figures.carbon_kg = carbon(one.entries[i], i);
    score.figures.cost = score.figures.carbon_kg * 2.0;
    score.figures.performance = 10.0;
    score.figures.jobs_total = score.figures.jobs_completed = 50;
    score.figures.requests_total = 1000.0;
    outcome.scores.push_back(score);
  }
  outcome.bound.carbon_kg = 40.0;
  outcome.bound.planned_carbon_kg = 50.0;
  return outcome;
}

bool IsOurs(const Entrant& entry) { return entry.policy.starts_with("ca-rm") || entry.policy == "ce-dla-drs"; }

Finding Concluded(const Study& study, Size size, double (*carbon)(const Entrant& entry, std::size_t place)) {
  const StudyPlaces world = BuiltInWorld();
  const auto cases = study.design(world, size);
  std::vector<CaseOutcome> outcomes;
  for (const Case& one : cases) outcomes.push_back(Invented(one, carbon));
  auto finding = study.conclude(world, cases, outcomes, size);
  EXPECT_TRUE(finding) << finding.error().Line();
  return finding ? *std::move(finding) : Finding{};
}

TEST(DesignTest, NoTwoCasesAreTheSame) {
  const StudyPlaces world = BuiltInWorld();
  for (const Size size : {Size::kQuick, Size::kUsual, Size::kFull}) {
    std::set<std::string> seen;
    std::size_t count = 0;
    for (const Study& study : Studies()) {
      for (const Case& one : study.design(world, size)) {
        seen.insert(Describe(one));
        ++count;
      }
    }
    EXPECT_EQ(seen.size(), count);
  }
}

TEST(DesignTest, EveryLevelOfCaRmIsMetAboutEquallyOften) {
  StudyPlaces world = BuiltInWorld();
  world.places.resize(8);
  const auto cases = CaRmStudy().design(world, Size::kUsual);
  std::map<std::string, int> met;
  for (const Case& one : cases) {
    for (const std::string& level :
         {one.labels.place, one.labels.season, one.labels.supply, one.labels.slack, one.labels.load}) {
      ++met[level];
    }
    // Both at once, so that neither can stand in for the other.
    ++met[one.labels.slack + one.labels.load];
  }
  const auto count = static_cast<int>(cases.size());
  for (const char* half : {"tight", "loose", "light", "heavy"}) EXPECT_EQ(met[half] * 2, count) << half;
  for (const char* quarter : {"Jan", "Apr", "Jul", "Oct", "tightlight", "looseheavy"}) {
    EXPECT_EQ(met[quarter] * 4, count) << quarter;
  }
  for (const char* third : {"solar", "wind", "mixed"}) EXPECT_NEAR(met[third] * 3, count, count / 4) << third;
  for (const Place& place : world.places) EXPECT_EQ(met[place.name] * 8, count) << place.name;
}

TEST(DesignTest, TheFullDesignHoldsTheUsualOne) {
  const StudyPlaces world = BuiltInWorld();
  for (const Study& study : Studies()) {
    std::set<std::string> all;
    for (const Case& one : study.design(world, Size::kFull)) all.insert(Describe(one));
    for (const Case& one : study.design(world, Size::kUsual)) EXPECT_THAT(all, Contains(Describe(one)));
  }
}

TEST(CaRmTest, SavingsAreThoseOfTheNumbersGiven) {
  const Finding finding = Concluded(CaRmStudy(), Size::kUsual, [](const Entrant& entry, std::size_t) {
    return entry.policy.starts_with("ca-rm") ? 60.0 : entry.policy.ends_with("+sleep") ? 75.0 : 100.0;
  });
  const io::Json* const published = finding.json.Find("as_published");
  const io::Json* const fair = finding.json.Find("with_sleep");
  ASSERT_TRUE(published != nullptr && fair != nullptr);
  EXPECT_THAT(*(*published->Get("mean_saving"))->Number(), DoubleNear(0.4, 1e-12));
  // ce-dla-drs sleeps in both blocks: eight of nine at 20 %, one at 40 %.
  EXPECT_THAT(*(*fair->Get("mean_saving"))->Number(), DoubleNear((8 * 0.2 + 0.4) / 9, 1e-12));
  EXPECT_THAT(finding.verdict, HasSubstr("40.0 % against them as published (reached)"));
  EXPECT_THAT(finding.verdict, HasSubstr("(not reached)"));
  EXPECT_THAT(finding.answer.sentence, HasSubstr("40.0 % less carbon than competing policies as published"));
  EXPECT_EQ(finding.answer.tone, report::Answer::Tone::kOpen) << "one of two is reached";
}

TEST(CaRmTest, LeavingWorkUndoneSavesNothing) {
  const StudyPlaces world = BuiltInWorld();
  const auto cases = CaRmStudy().design(world, Size::kQuick);
  std::vector<CaseOutcome> outcomes;
  for (const Case& one : cases) {
    outcomes.push_back(Invented(one, [](const Entrant&, std::size_t) { return 80.0; }));
    for (CaseScore& score : outcomes.back().scores) {
      if (IsOurs(score.entry)) continue;
      score.figures.carbon_kg /= 2.0;
      score.figures.performance /= 2.0;
      score.figures.jobs_completed /= 2;
    }
  }
  const auto finding = CaRmStudy().conclude(world, cases, outcomes, Size::kQuick);
  ASSERT_TRUE(finding);
  EXPECT_THAT(*(*finding->json.Find("as_published")->Get("mean_saving"))->Number(), DoubleNear(0.0, 1e-12));
}

TEST(CeDlaTest, CostsAreRelativeToRunNow) {
  const Finding finding = Concluded(CeDlaStudy(), Size::kQuick, [](const Entrant& entry, std::size_t) {
    return entry.policy == "ce-dla-drs" ? 30.0 : entry.policy == "run-now" ? 120.0 : 60.0;
  });
  EXPECT_THAT(finding.verdict,
              HasSubstr("75.0 % less cost than run-now, and with sleep for all 50.0 % less than run-now"));
}

TEST(LimitTest, DistancesAreThoseOfTheNumbersGiven) {
  const Finding finding = Concluded(LimitStudy(), Size::kUsual, [](const Entrant& entry, std::size_t) {
    if (entry.policy.ends_with("+afresh")) return 51.0;
    switch (entry.sight.kind) {
      case Sight::Kind::kPerfect:
        return 50.5;
      case Sight::Kind::kSignals:
        return 52.0;
      case Sight::Kind::kForecast:
        return 53.0;
      case Sight::Kind::kDisturbed:
        break;
    }
    return 52.0 * (1.0 + entry.sight.error);
  });
  EXPECT_THAT(finding.verdict,
              HasSubstr("and 1.0 % above the clairvoyant plan. With our own forecasts and jobs unknown: 6.0 %"));
  EXPECT_THAT(finding.verdict, HasSubstr("planning afresh, with long searches, is 2.0 % above the clairvoyant plan"));
  EXPECT_THAT(finding.verdict, HasSubstr("forecasts add 1.9 % over true signals"));
  EXPECT_THAT(finding.verdict, HasSubstr("the policy is 2.0 % above planning afresh (at most 3 % above: reached)"));
}

TEST(SensitivityTest, NamesWhatMovesSavingsMost) {
  const Finding finding = Concluded(SensitivityStudy(), Size::kUsual, [](const Entrant& entry, std::size_t) {
    return entry.policy.starts_with("ca-rm") ? 40.0 + entry.sight.error * 40.0 : 80.0;
  });
  EXPECT_THAT(finding.verdict, HasSubstr("Forecast error: 25 percentage points"));
}

TEST(PageTest, PagesHoldAllTablesAndWellFormedPictures) {
  std::vector<Finding> findings;
  for (const Study& study : Studies()) {
    findings.push_back(Concluded(study, Size::kUsual, [](const Entrant& entry, std::size_t place) {
      return (IsOurs(entry) ? 50.0 : 90.0) + static_cast<double>(place);
    }));
  }
  const std::string markdown = MarkdownPage(findings, {"one", "two"});
  const std::string html = *HtmlPage(findings, {"one", "two"}, {});
  EXPECT_EQ(report::XmlCheck::Problem(html), "");
  std::set<std::string> names;
  for (const Finding& finding : findings) {
    EXPECT_THAT(markdown, HasSubstr(finding.verdict));
    for (const Passage& passage : finding.passages) {
      if (passage.table) {
        for (const auto& row : passage.table->rows) EXPECT_EQ(row.size(), passage.table->header.size());
      }
      for (const Picture& picture : passage.pictures) {
        EXPECT_EQ(report::XmlCheck::Problem(picture.svg), "") << picture.name;
        EXPECT_THAT(markdown, HasSubstr("(" + picture.name + ".svg)"));
        EXPECT_TRUE(names.insert(picture.name).second) << picture.name;
      }
    }
  }
  EXPECT_GE(names.size(), 9U);
}

TEST(ChartTest, ChartsWithoutNumbersAreRefused) {
  EXPECT_FALSE(Render(SpreadChart{}));
  EXPECT_FALSE(Render(CellChart{"t", "u", {"a"}, {"b"}, {{std::nan("")}}}));
}

TEST(StatisticsTest, SpreadsAreOrderedAndInsideTheirValues) {
  const Spread spread = SpreadOf({5.0, 1.0, 4.0, 2.0, 3.0});
  EXPECT_DOUBLE_EQ(spread.mean, 3.0);
  EXPECT_DOUBLE_EQ(spread.low, 1.4);
  EXPECT_DOUBLE_EQ(spread.high, 4.6);
  EXPECT_DOUBLE_EQ(spread.least, 1.0);
  EXPECT_DOUBLE_EQ(spread.most, 5.0);
  EXPECT_EQ(SpreadOf({}).count, 0U);
  EXPECT_DOUBLE_EQ(SpreadOf({7.0}).low, 7.0);
}

}  // namespace
}  // namespace heliostat::experiments
