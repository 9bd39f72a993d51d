#include "heliostat/ui/report/run_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

#include "heliostat/node/ledger/testing/plausible_run.h"
#include "heliostat/ui/report/run_text.h"
#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// An hour at 350 W in two parts, then half an hour at the default.
ledger::Run ShortRun() {
  ledger::Run run;
  run.id = "20261115-184500-train-4f2a";
  run.begin = ledger::PlausibleBegin();
  run.begin.currency = Currency::Eur();
  ledger::Period period;
  period.start = run.begin.start;
  period.end = period.start + Duration(1800);
  period.elapsed = Seconds(1800);
  period.level = 350;
  period.why = "the grid is at its dirtiest <today>";
  period.energy = {KilowattHours(0.17)};
  period.forecast_g_per_kwh = 410;
  period.carbon_g_per_kwh = 400;
  period.price_per_kwh = 0.25;
  period.steps = 10'000;
  period.at_default = ledger::LevelPrediction{700, {650, 6.5}, {7, 0.07}};
  period.at_optimum = ledger::LevelPrediction{400, {390, 5}, {6, 0.1}};
  run.periods = {period, period};
  run.periods[1].start = period.end;
  run.periods[1].end = period.end + Duration(1800);
  period.start = run.periods[1].end;
  period.end = period.start + Duration(1800);
  period.decision = 1;
  period.level = 700;
  period.why = "the grid is clean";
  period.carbon_g_per_kwh = 150;
  period.freshness = signal::Freshness::kStale;
  period.signal_age = Duration(900);
  period.energy = {KilowattHours(0.325)};
  period.steps = 12'600;
  run.periods.push_back(period);
  run.notes = {{run.begin.start + Duration(600), "the provider did not answer"}};
  run.end = ledger::EndRecord{period.end, 0, "exited"};
  return run;
}

TEST(RunTextTest, IsThisBill) {
  EXPECT_EQ(BillText(ShortRun(), "finished", 100), R"(run 20261115-184500-train-4f2a: finished
python3 train.py --epochs 3
2026-11-15 18:45 to 2026-11-15 20:15 UTC on node7 (1 x NVIDIA H200)
power-limit, eta 0.5, signal: file carbon.csv

                this run  default, same start  default, same moment  energy-optimal, carbon-blind
energy        0.6650 kWh    0.841 ± 0.014 kWh     0.841 ± 0.014 kWh             0.589 ± 0.024 kWh
carbon           184.8 g        288.6 ± 5.7 g         255.1 ± 5.7 g                 178.6 ± 7.4 g
cost          0.1663 EUR  0.2102 ± 0.0036 EUR   0.2102 ± 0.0036 EUR           0.1472 ± 0.0061 EUR
time          1 h 30 min    1 h 17 min ± 56 s     1 h 17 min ± 56 s       1 h 30 min ± 2 min 57 s
energy saved                     20.9 ± 1.3 %          20.9 ± 1.3 %                 -13.0 ± 4.7 %
carbon saved                     36.0 ± 1.3 %          27.6 ± 1.6 %                  -3.5 ± 4.3 %
cost saved                       20.9 ± 1.3 %          20.9 ± 1.3 %                 -13.0 ± 4.7 %
longer by                        16.0 ± 1.4 %          16.0 ± 1.4 %                  -0.6 ± 3.2 %

Against the default setting from the same start, it saved 36.0 ± 1.3 % of carbon and took 16.0 ± 1.4 % longer.
32600 steps done.
Ranges (±) are 95 % intervals, from the standard errors of the profile.
)");
}

TEST(RunTextTest, DigitsFollowTheBar) {
  EXPECT_EQ(EstimateText({1.23456, 0.0}, "g"), "1.235 g");
  EXPECT_EQ(EstimateText({1234.56, 10.0}, "g"), "1235 ± 20 g");
  EXPECT_EQ(EstimateText({12.3456, 0.56}, "%"), "12.3 ± 1.1 %");
}

TEST(RunTextTest, ALossIsCalledOne) {
  ledger::Run run = ShortRun();
  for (ledger::Period& period : run.periods) period.energy = {KilowattHours(2)};
  EXPECT_THAT(VerdictText(ledger::BillOf(run)), HasSubstr("cost "));
}

TEST(RunTextTest, WithoutAProfileThereIsNoVerdict) {
  ledger::Run run = ShortRun();
  run.periods.resize(2);
  for (ledger::Period& period : run.periods) period.at_default.reset();
  EXPECT_EQ(VerdictText(ledger::BillOf(run)), "");
  EXPECT_THAT(BillText(run, "running", 100), HasSubstr("For 100 % of the time profile or progress was unknown"));
  run.periods.clear();
  EXPECT_THAT(BillText(run, "running", 100), HasSubstr("there is no bill"));
}

TEST(RunTextTest, DecisionsAreWholeAgain) {
  const HtmlTable table = DecisionTable(ShortRun(), 100);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][1], "350 W");
  EXPECT_EQ(table.rows[0][4], "1 h");
  EXPECT_EQ(table.rows[1][3], "stale by 15 min");
  EXPECT_EQ(DecisionTable(ShortRun(), 1).rows.size(), 1U);
}

TEST(RunTextTest, TheCurvesOfAPlotBeginInOneColumn) {
  const auto plot = RunPlot(ShortRun(), {.width = 80, .is_utf8 = false});
  ASSERT_TRUE(plot);
  std::istringstream lines(*plot);
  std::string line;
  std::getline(lines, line);  // from when to when
  while (std::getline(lines, line)) EXPECT_EQ(line.substr(8, 2), "  ") << line;
}

TEST(RunTextTest, AShortRunIsToldInWordsAndSmallUnits) {
  ledger::Run run = ShortRun();
  run.periods.resize(1);
  ledger::Period& period = run.periods.front();
  period.level = run.begin.default_level;
  period.at_default.reset();
  period.at_optimum.reset();
  period.energy.assign(run.begin.gpus.size(), Joules{0.42});
  const std::string text = BillText(run, "interrupted by Ctrl-C", 200);
  EXPECT_THAT(text, HasSubstr("mWh"));
  EXPECT_THAT(text, HasSubstr("Too short to learn; nothing was changed."));
  EXPECT_THAT(text, Not(HasSubstr("same moment")));
  EXPECT_THAT(text, Not(HasSubstr("e-0")));
  run.begin.is_shadow = true;
  EXPECT_THAT(BillText(run, "finished", 200), HasSubstr("no saving can be estimated"));
  period.at_shadow = ledger::LevelPrediction{350, {300, 3}, {period.steps / period.elapsed.count(), 0}};
  EXPECT_THAT(BillText(run, "finished", 200), HasSubstr("finished (shadow)"));
  EXPECT_THAT(BillText(run, "finished", 200), HasSubstr("would have been"));
  EXPECT_THAT(BillText(run, "finished", 200), HasSubstr("Shadow: nothing was changed. It would have "));
  period.others.assign(run.begin.gpus.size(), Joules{7200});
  EXPECT_THAT(BillText(run, "finished", 200), HasSubstr("Shared: "));
}

TEST(RunTextTest, ALongRunWhoseKnobWasRefusedSaysSo) {
  ledger::Run run = ShortRun();
  for (ledger::Period& period : run.periods) {
    period.level = run.begin.default_level;
    period.at_default.reset();
    period.at_optimum.reset();
    period.elapsed = Seconds(36000);
    period.why = std::string(ledger::kKnobRefused) + "350 W for 4 s to learn its speed";
  }
  run.notes.push_back({run.begin.start, std::string(ledger::kNotTurned) + "GPU-1: not yours; run as root"});
  const std::string text = BillText(run, "finished", 200);
  EXPECT_THAT(text, HasSubstr("The knob could not be turned (GPU-1: not yours; run as root); nothing was changed."));
  EXPECT_THAT(text, Not(HasSubstr("Too short")));
  for (ledger::Period& period : run.periods) {
    period.why = "starting";
    period.carbon_g_per_kwh.reset();
  }
  EXPECT_THAT(BillText(run, "finished", 200), HasSubstr("No carbon intensity was known at any time"));
}

TEST(RunTextTest, ARunThatIsOnlyMeasuredIsComparedWithNothing) {
  ledger::Run run = ShortRun();
  run.begin.only_measures = true;
  for (ledger::Period& period : run.periods) period.level = run.begin.default_level;
  const std::string text = BillText(run, "finished", 200);
  EXPECT_THAT(text, HasSubstr("Measured only: "));
  EXPECT_THAT(text, Not(HasSubstr("same moment")));
}

TEST(RunTextTest, AmountsAreInUnitsThatAreEasyToRead) {
  EXPECT_EQ(EnergyText(Joules{0.42}), "0.1167 mWh");
  EXPECT_EQ(EnergyText(Joules{3600 * 12.5}), "12.50 Wh");
  EXPECT_EQ(EnergyText(Joules{3600 * 250.0}), "0.2500 kWh");
  EXPECT_EQ(EnergyText(KilowattHours(3)), "3.000 kWh");
  EXPECT_EQ(CarbonText(Grams{0.002}), "2.000 mg");
  EXPECT_EQ(StepsText(996.0), "996");
  EXPECT_EQ(StepsText(12.0), "12");
}

TEST(RunTextTest, ProbesInARowShareOne) {
  ledger::Run run = ShortRun();
  const ledger::Period last = run.periods.back();
  for (int i = 0; i < 5; ++i) {
    ledger::Period probe = last;
    probe.decision = 2 + i;
    probe.start = last.end + Duration(4 * i);
    probe.end = probe.start + Duration(4);
    probe.elapsed = Seconds(4);
    probe.level = 300 + 50 * i;
    probe.is_probe = true;
    probe.why = "to learn its speed";
    run.periods.push_back(probe);
  }
  EXPECT_EQ(DecisionTable(run, 100).rows.size(), 7U);
  const HtmlTable table = DecisionTable(run, 100, /*probes_as_one=*/true);
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[2][1], "300 to 500 W, probes");
  EXPECT_THAT(table.rows[2][2], HasSubstr("5 levels in a row"));
  EXPECT_EQ(table.rows[2][4], "20 s");
}

TEST(RunTextTest, PlotsFitTheTerminal) {
  const auto plot = RunPlot(ShortRun(), {.width = 80, .is_utf8 = false});
  ASSERT_TRUE(plot);
  std::size_t begin = 0;
  for (std::size_t end = plot->find('\n'); end != std::string::npos; end = plot->find('\n', begin)) {
    EXPECT_LE(end - begin, 80U) << plot->substr(begin, end - begin);
    begin = end + 1;
  }
  EXPECT_FALSE(RunPlot(ledger::Run{}, {}));
}

TEST(RunPageTest, HasEverythingEscaped) {
  const auto page = RunPage(ShortRun(), "finished", {});
  ASSERT_TRUE(page);
  EXPECT_EQ(XmlCheck::Problem(*page), "");
  for (const char* part : {"dirtiest &lt;today&gt;", "Carbon intensity", "as forecast", "saved 36.0 ± 1.3 % of carbon",
                           "<dt>longer by</dt>", "Carbon so far", "Speed", "Power", "the provider did not answer",
                           "stale\u00a0by\u00a015\u00a0min", "default, same moment"}) {
    EXPECT_THAT(*page, HasSubstr(part));
  }
  EXPECT_THAT(*page, Not(HasSubstr("nan")));
}

RC_GTEST_PROP(RunPageLaw, AnyRunAndAnyBeginningOfItHasAPage, (std::uint64_t seed)) {
  ledger::Run run = ledger::PlausibleRun(seed, 2);
  run.periods.resize(*rc::gen::inRange<std::size_t>(0, run.periods.size() + 1));
  // A clock that was put back, and one that jumped ahead.
  if (run.periods.size() > 2) {
    run.periods[1].start -= Duration(7200);
    run.periods[1].end -= Duration(7200);
    run.periods.back().end += Duration(90'000);
  }
  const auto page = RunPage(run, "cut off", {});
  RC_ASSERT(page.has_value());
  RC_ASSERT(XmlCheck::Problem(*page).empty());
}

}  // namespace
}  // namespace heliostat::report
