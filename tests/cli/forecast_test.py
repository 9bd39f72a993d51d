#!/usr/bin/env python3
"""Forecasts as users of the command line meet them.

usage: forecast_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import datetime
import json
import unittest

import fake_providers
from program import DATA, Case, run

CISO = DATA / "carbon/carboncast/CISO_lifecycle_emissions.csv"
PRICES = DATA / "price/wholesale/price_utc_2023_2024.csv"
GB = DATA / "carbon/neso_gb/gb_30min_actual_forecast_mix_2023_2024.csv"


class ForecastTest(Case):
    """The forecast commands on made data, and on public traces where they are present."""

    made = {}  # what several tests ask for

    def zone(self, start="2023-01-01", end="2023-02-01", step="1h", quantity="carbon"):
        wanted = ("--quantity", quantity, "--start", start, "--end", end, "--step", step)
        if wanted not in self.made:
            made = run("signal", "generate", "--zone", "duck-curve", *wanted, "-o", "-")
            self.assertEqual(made.returncode, 0, made.stderr)
            self.made[wanted] = made.stdout
        return self.write(f"zone_{quantity}_{start}_{step}.csv", self.made[wanted])

    def rows(self, path, begin, end):
        """A file with the rows of a public trace, where each begins with its time, from begin until end."""
        lines = path.read_text().splitlines(keepends=True)
        return self.write(path.name, lines[0] + "".join(line for line in lines if begin <= line < end))

    def told(self, *arguments):
        result = run("forecast", *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_backtest_json_has_the_fields_of_the_contract(self):
        path = self.zone()
        told = self.told("backtest", path, "--models", "yesterday,svr", "--horizon", "36h")
        expected = {"file": str(path), "column": "carbon_g_per_kwh", "unit": "gCO2e/kWh", "horizon_s": 36 * 3600,
                    "step_s": 3600, "first_origin": "2023-01-02T00:00:00Z", "last_origin": "2023-01-30T00:00:00Z",
                    "origins": 29, "train_s": 24 * 3600}
        self.assertEqual({key: told[key] for key in expected}, expected)
        self.assertEqual([model["name"] for model in told["models"]], ["yesterday", "svr"])
        for model in told["models"]:
            self.assertEqual([row["lead_s"] for row in model["by_lead"]], [3600 * (i + 1) for i in range(36)])
            self.assertEqual([row["day"] for row in model["by_day"]], [1, 2])
            self.assertEqual(model["leak_check"], "passed")
            for key in ("mape_percent", "mae", "rmse", "coverage90_percent", "fit_s", "predict_s", "bias", "pinball",
                        "coverage50_percent", "coverage80_percent", "skill_percent", "refit_s", "train_s"):
                self.assertIsInstance(model[key], (int, float), key)
            by_lead = [row["mape_percent"] for row in model["by_lead"]]
            self.assertAlmostEqual(sum(by_lead) / len(by_lead), model["mape_percent"], 6)  # no value is missing
        self.assertEqual(told["models"][0]["skill_percent"], 0)

    def test_start_and_end_are_origins_and_both_count(self):
        told = self.told("backtest", self.zone(), "--models", "yesterday", "--start", "2023-01-10", "--end", "2023-01-12",
                         "--train", "48h", "--origins", "12h", "--no-leak-check", "--refit", "never")
        self.assertEqual((told["origins"], told["last_origin"]), (5, "2023-01-12T00:00:00Z"))
        self.assertEqual((told["train_s"], told["models"][0]["train_s"]), (48 * 3600, 48 * 3600))
        self.assertEqual((told["models"][0]["leak_check"], told["models"][0]["refit_s"]), ("not run", None))

    def test_backtest_tells_people_and_draws_a_page(self):
        page = self.folder / "page.html"
        result = run("forecast", "backtest", self.zone(), "--models", "persistence,yesterday,climatology", "--horizon",
                     "48h", "--html", page)
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ("MAPE", "day 2", "climatology", "fitted at every origin", "Leak check: passed", "*"):
            self.assertIn(word, result.stdout)
        self.assertEqual(page.read_text().count("<svg"), 2 * 4, "for wide and for narrow screens")
        self.assertRegex(result.stdout.splitlines()[0], r"^(yesterday|climatology) is the best of 3 models: it errs by ")

    def test_prices_are_ranked_by_absolute_error(self):
        result = run("forecast", "backtest", self.zone(quantity="price"), "--models", "persistence,yesterday")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("MAPE means little", result.stdout)
        header = next(line for line in result.stdout.splitlines() if line.startswith("model "))
        self.assertLess(header.index("MAE"), header.index("MAPE"))

    def test_leap_days_and_clock_changes_are_days_like_others(self):
        for start, end in (("2024-02-20", "2024-03-05"), ("2023-03-20", "2023-03-30"), ("2023-10-25", "2023-11-03")):
            with self.subTest(start):
                told = self.told("backtest", self.zone(start, end), "--models", "yesterday", "--no-leak-check")
                first, last = (datetime.datetime.fromisoformat(told[key][:10]) for key in ("first_origin", "last_origin"))
                self.assertEqual(told["origins"], (last - first).days + 1)

    def test_show_gives_nested_bands_and_the_same_futures_for_the_same_seed(self):
        show = ("show", self.zone(end="2023-03-01"), "--model", "yesterday", "--horizon", "30h", "--scenarios", "3")
        told = self.told(*show)
        self.assertEqual((told["model"], told["answered_by"], told["issued"], told["horizon_s"], told["step_s"]),
                         ("yesterday", "yesterday", "2023-03-01T00:00:00Z", 30 * 3600, 3600))
        self.assertEqual(told["fitted_until"], told["issued"])
        self.assertEqual((len(told["values"]), told["values"][0]["time"]), (30, "2023-03-01T00:00:00Z"))
        for row in told["values"]:
            edges = [row[key] for key in ("lower90", "lower80", "lower50", "upper50", "upper80", "upper90")]
            self.assertEqual(edges, sorted(edges))
        self.assertEqual([len(path) for path in told["scenarios"]], [30] * 3)
        values = [row["value"] for row in told["values"]]
        self.assertAlmostEqual(told["best_window"]["mean"], min(sum(values[i:i + 4]) / 4 for i in range(27)), 9)
        self.assertAlmostEqual(told["best_window"]["mean_of_horizon"], sum(values) / 30, 9)
        self.assertEqual(self.told(*show)["scenarios"], told["scenarios"])
        self.assertNotEqual(self.told(*show, "--seed", "2")["scenarios"], told["scenarios"])

    def test_values_in_the_wrong_day_are_told(self):
        lines = self.zone(end="2023-03-01").read_text().splitlines()
        moved = [line if "T00:00" not in line or i + 24 >= len(lines) else
                 f"{line.split(',')[0]},{lines[i + 24].split(',', 1)[1]}" for i, line in enumerate(lines)]
        path = self.write("moved.csv", "\n".join(moved) + "\n")
        result = run("forecast", "show", path, "--model", "yesterday")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("values at 00:00 UTC fit the next day", result.stderr)

    def test_the_text_fits_the_terminal(self):
        self.assert_fits("forecast", "show", self.zone(), "--model", "yesterday", columns=(60,))

    def test_show_forgets_what_comes_after_at(self):
        whole = self.zone(end="2023-03-01")
        lines = whole.read_text().splitlines(keepends=True)
        cut = self.write("cut.csv", "".join(lines[:1 + 24 * 40]))
        at = lines[1 + 24 * 40].split(",")[0]
        self.assertEqual(self.told("show", whole, "--model", "svr", "--at", at)["values"],
                         self.told("show", cut, "--model", "svr")["values"])

    def test_a_saved_model_answers_the_same(self):
        path, saved = self.zone(end="2023-03-01"), self.folder / "model.json"
        first = self.told("show", path, "--model", "svr", "--scenarios", "2", "--save", saved)
        again = self.told("show", path, "--load", saved, "--scenarios", "2")
        self.assertEqual(again, first)
        self.assert_refused(run("forecast", "show", path, "--load", saved, "--model", "yesterday"), "--model")
        self.assert_refused(run("forecast", "show", path, "--load", saved, "--at", "2023-02-01"), "svr")
        self.assert_refused(run("forecast", "show", path, "--load", saved, "--step", "2h"), "svr")
        cut = self.write("cut.json", saved.read_text()[:99])
        self.assert_refused(run("forecast", "show", path, "--load", cut), "cut.json")

    def test_show_writes_files_that_read_back(self):
        path = self.zone(end="2023-03-01")
        out, futures, page = (self.folder / name for name in ("out.csv", "futures.csv", "page.html"))
        result = run("forecast", "show", path, "--model", "yesterday", "--output", out, "--scenarios", "20",
                     "--scenarios-csv", futures, "--html", page)
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ("━", "▓", "90 % low", "fitted until"):
            self.assertIn(word, result.stdout)
        told = json.loads(run("signal", "inspect", out, "--json").stdout)
        self.assertEqual((told["count"], told["column"], told["unit"]), (48, "carbon_g_per_kwh", "gCO2e/kWh"))
        self.assertIn("lower90_carbon_g_per_kwh", told["columns"])
        self.assertEqual(len(json.loads(run("signal", "inspect", futures, "--json").stdout)["columns"]), 20)
        self.assertIn("12 of 20 possible futures", page.read_text())
        plain = run("forecast", "show", path, "--model", "yesterday", env={"LC_ALL": "C"})
        self.assertTrue(plain.stdout.isascii())

    def test_step_resamples_first(self):
        path = self.zone(end="2023-01-15", step="5m")
        told = self.told("backtest", path, "--models", "yesterday", "--step", "1h", "--no-leak-check")
        self.assertEqual((told["step_s"], len(told["models"][0]["by_lead"])), (3600, 24))

    def test_bad_input_is_one_line_and_writes_nothing(self):
        path, page = self.zone(end="2023-01-05"), self.folder / "page.html"
        empty = self.write("empty.csv", "")
        blank = self.write("blank.csv", "time,carbon_g_per_kwh\n2023-06-01T00:00:00Z,\n2023-06-01T01:00:00Z,\n")
        for arguments, where in (
                (["backtest", self.folder / "absent.csv"], "absent.csv"), (["backtest", empty], "empty.csv"),
                (["backtest", blank], "blank.csv"), (["backtest"], "FILE"),
                (["backtest", path, "--models", "oracle"], "oracle"),
                (["backtest", path, "--models", "auto,,svr"], "--models: 'auto,,svr' has an empty name"), (["backtest", path, "--column", "x"], "'x'"),
                (["backtest", path, "--horizon", "90m"], "--horizon"), (["backtest", path, "--horizon", "30d"], "--horizon"),
                (["backtest", path, "--origins", "0h"], "--origins"), (["backtest", path, "--refit", "x"], "--refit"),
                (["backtest", path, "--start", "2023-01-02T00:30"], "--start"),
                (["backtest", path, "--start", "2023-01-01"], "--start"), (["backtest", path, "--end", "noon"], "--end"),
                (["backtest", path, "--models", "last-week"], "no origin"),
                (["backtest", path, "--models", "last-week", "--start", "2023-01-02"], "last-week"),
                (["show", path, "--model", "oracle"], "oracle"), (["show", path, "--horizon", "30d"], "--horizon"),
                (["show", path, "--model", "yesterday", "--at", "2030-01-01"], "--at"),
                (["show", path, "--model", "last-week"], "last-week"),
                (["show", path, "--issued", self.zone(quantity="price")], "--issued"),
                (["show", path, "--load", empty], "empty.csv")):
            with self.subTest(arguments[1:]):
                self.assert_refused(run("forecast", *arguments, "--html", page), where)
        self.assertFalse(page.exists())

    def test_refuses_targets_before_working(self):
        path = self.zone(end="2023-01-05")
        before, out = path.read_text(), self.folder / "out.csv"
        show = ("forecast", "show", path, "--model", "yesterday")
        self.assert_refused(run(*show, "--output", path), "--output")
        self.assert_refused(run(*show, "--output", out, "--html", self.folder / "no" / "page.html"), "--html")
        self.assert_refused(run(*show, "--output", out, "--save", out), "--save")
        self.assert_refused(run(*show, "--output", out, "--html", self.folder), "--html")
        self.assert_refused(run(*show, "--scenarios-csv", out), "--scenarios-csv")
        self.assertEqual(path.read_text(), before)
        self.assertFalse(out.exists())

    def test_models_are_listed(self):
        models = {model["name"]: model for model in self.told("models")["models"]}
        self.assertLessEqual({"persistence", "yesterday", "last-week", "climatology", "svr"}, set(models))
        self.assertEqual((models["svr"]["train_s"], models["yesterday"]["train_s"]), (24 * 3600, None))
        self.assertIn("svr", run("forecast", "models").stdout)

    @unittest.skipUnless(CISO.exists(), "no public traces")
    def test_yesterday_on_california_is_what_others_measured(self):
        # The column itself, and of what was before as much as forecasts and bands look at.
        lines = CISO.read_text().splitlines()
        first = next(i for i, line in enumerate(lines) if ",05/01/2021 00:00" in line)
        path = self.write("ciso.csv", "".join(",".join(line.split(",")[:3]) + "\n" for line in lines[:1] + lines[first:]))
        told = self.told("backtest", path, "--models", "yesterday,last-week", "--horizon", "96h", "--start", "2021-07-01")
        yesterday, last_week = told["models"]
        self.assertEqual(told["origins"], 181)
        self.assertAlmostEqual(yesterday["by_day"][0]["mape_percent"], 9.52, delta=0.005)
        self.assertAlmostEqual(yesterday["mape_percent"], 13.24, delta=0.005)
        self.assertAlmostEqual(last_week["mape_percent"], 16.00, delta=0.005)
        self.assertTrue(80 < yesterday["coverage90_percent"] < 97, yesterday["coverage90_percent"])

    @unittest.skipUnless(PRICES.exists() and GB.exists(), "no public traces")
    def test_missing_values_and_half_hours_are_harmless(self):
        told = self.told("backtest", PRICES, "--column", "DE-LU", "--models", "yesterday", "--start", "2024-01-25",
                         "--end", "2024-02-10", "--no-leak-check")
        self.assertLess(told["models"][0]["values"], told["origins"] * 24)  # a day of January is missing
        told = self.told("show", self.rows(GB, "2023-11", "2023-12-05"), "--model", "yesterday", "--at", "2023-12-01")
        self.assertEqual((told["column"], len(told["values"])), ("actual", 96))

    @unittest.skipUnless(CISO.exists() and GB.exists(), "no public traces")
    def test_what_stands_beside_a_column_is_used_where_it_helps(self):
        def beside(path, *more):
            return self.told("show", path, "--model", "yesterday", *more)["beside"]
        self.assertIn("wind", beside(CISO)["sources"])
        self.assertEqual(beside(CISO, "--ignore-sources")["sources"], [])
        self.assertEqual(beside(CISO, "--column", "wind")["sources"], [])
        autumn = self.rows(GB, "2023-11", "2023-12")
        half_hours = {row["name"]: row["lead_s"] for row in beside(autumn)["forecasts"]}
        self.assertEqual((half_hours["fc_0.5h"], half_hours["fc_24h"]), (1800, 24 * 3600))
        # The second half of an hour was forecast half an hour later than the first, or not at all in time.
        hours = {row["name"]: row["lead_s"] for row in beside(autumn, "--step", "1h")["forecasts"]}
        self.assertEqual((hours.get("fc_1h"), hours["fc_24h"]), (None, 24 * 3600 - 1800))

    @unittest.skipUnless(GB.exists(), "no public traces")
    def test_others_forecasts_are_merged_with_ours(self):
        autumn = self.rows(GB, "2023-09-01", "2023-11-17")
        told = self.told("backtest", autumn, "--step", "1h", "--models", "auto,provider,merged", "--horizon", "24h",
                         "--start", "2023-11-01", "--end", "2023-11-14", "--refit", "never")
        mae = {model["name"]: model["mae"] for model in told["models"]}
        self.assertEqual([model["leak_check"] for model in told["models"]], ["passed"] * 3)
        # Two weeks tell no more than this; that it is better than both shows over months (tests/reality).
        self.assertLess(mae["merged"], mae["auto"])
        self.assertLess(mae["merged"], 1.1 * mae["provider"])
        told = self.told("show", self.rows(GB, "2023-10-10", "2023-11-02"), "--step", "1h", "--model", "merged", "--horizon",
                         "24h", "--at", "2023-11-01")
        self.assertEqual(told["answered_by"], "merged")
        self.assertRegex(told["reason"], r"values combined with providers, whose share is \d+ % at 1 h")

    def test_others_forecasts_are_asked_for_only_where_there_are_some(self):
        path = self.zone(end="2023-01-15")
        self.assert_refused(run("forecast", "show", path, "--model", "provider"), "no forecasts of a provider")
        merged = self.told("show", path, "--model", "merged", "--horizon", "24h")
        self.assertIn("no forecast of a provider", merged["reason"])
        self.assertEqual(merged["values"], self.told("show", path, "--model", "auto", "--horizon", "24h")["values"])
        backtest = ("backtest", path, "--no-leak-check", "--refit", "never")
        names = [model["name"] for model in self.told(*backtest)["models"]]
        self.assertEqual(names[-1], "auto")
        issued = self.told(*backtest, "--issued", path)  # taken as runs of a day, each a day ahead: all true
        self.assertEqual([model["name"] for model in issued["models"]], names + ["provider", "merged"])
        self.assertEqual(issued["models"][-2]["mae"], 0)

    @unittest.skipUnless((DATA / "renewable/rts_gmlc").exists(), "no public traces")
    def test_somebody_elses_forecast_is_taken_from_another_file(self):
        wind = DATA / "renewable/rts_gmlc"
        show = ("show", wind / "REAL_TIME_wind.csv", "--step", "1h", "--model", "yesterday", "--at", "2020-07-01")
        with_issued = self.told(*show, "--issued", wind / "DAY_AHEAD_wind.csv")
        self.assertEqual(with_issued["values"], self.told(*show)["values"])  # a reference does not look at it
        # One run per day, issued one day before: the first is for 1 January, the last known one for 2 July.
        self.assertEqual(with_issued["beside"]["forecasts"], [{"name": "309_WIND_1", "runs": 184}])
        self.assert_refused(run("forecast", *show, "--issued", wind / "DAY_AHEAD_wind.csv", "--issued-lead", "x"),
                            "--issued-lead")

    def test_when_says_when_to_start_and_what_that_saves(self):
        start = datetime.datetime(2024, 3, 1)
        # Clean from 10 to 15 o'clock, each day the same.
        rows = [(start + datetime.timedelta(hours=h), 100 if 10 <= h % 24 < 15 else 300) for h in range(24 * 14 + 6)]
        path = self.write("days.csv", "time,carbon_g_per_kwh\n" + "".join(f"{t:%Y-%m-%dT%H:%M:%SZ},{v}\n" for t, v in rows))
        ask = ("when", "--duration", "4h", "--carbon", path, "--forecast", "yesterday", "--power-w", "1000")
        result = run(*ask, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual((told["now"], told["known_until"]), ("2024-03-15T06:00:00Z",) * 2)
        self.assertFalse(told["start_now"])
        self.assertIn(told["start"], ("2024-03-15T10:00:00Z", "2024-03-15T11:00:00Z"))
        best = told["options"][0]
        self.assertEqual([round(best[key], 6) for key in ("mean", "saving", "chance")], [100, 200, 1])
        self.assertAlmostEqual(best["saving_percent"], 200 / 3)
        self.assertAlmostEqual(best["saved_carbon_kg"], 0.8)
        self.assertAlmostEqual(told["if_now"]["carbon_kg"], 1.2)
        text = run(*ask).stdout
        self.assertIn("in 4.0 h: saves 66.7 % (66.7 to 66.7 %) of carbon against starting now: 0.8 kg", text)
        self.assertIn("^^^^", text)
        text = run(*ask, "--within", "4h").stdout
        self.assertIn("start now: waiting saves less than 1 % of carbon", text)
        text = run(*ask, "--at", "2024-03-10T11:00").stdout
        self.assertIn("start now", text)
        tested = json.loads(run(*ask, "--backtest", "5d", "--json").stdout)
        self.assertAlmostEqual(tested["saving_percent"], tested["oracle_percent"], 6)
        for where, *arguments in (("--duration: is missing",), ("does not fit", "--duration", "2d"),
                                  ("--within", "--duration", "2d", "--within", "8d"),
                                  ("more than one signal", "--duration", "1h", "--zone", "hydro", "--carbon", path),
                                  ("holds carbon intensity", "--duration", "1h", "--price", path),
                                  ("--at", "--duration", "1h", "--carbon", path, "--at", "2023-01-01"),
                                  ("--power-w", "--duration", "1h", "--carbon", path, "--power-w", "-1")):
            with self.subTest(arguments):
                self.assert_refused(run("when", *arguments), where)


class WhenByProvider(Case):
    """`heliostat when` on a zone of a provider, which may be silent."""

    def setUp(self):
        super().setUp()
        self.env = {**fake_providers.serve(self), "HELIOSTAT_STORE": str(self.folder / "signals.db")}
        self.now = datetime.datetime.now(datetime.timezone.utc)
        self.clean = (self.now.hour + 8) % 24  # a clean hour of each day, eight hours from now
        fake_providers.FakeNeso.actual = lambda begin: 60 if begin.hour == self.clean else 150

    def when(self, *more):
        return run("when", "--duration", "1h", "--zone", "GB", "--provider", "neso", "--forecast", "yesterday", *more,
                   env=self.env)

    def fetch(self, begin, end):
        """Stores the time from `begin` to `end` hours ago."""
        times = [(self.now - datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:00:00Z") for hours in (begin, end)]
        result = run("signal", "fetch", "--provider", "neso", "--zone", "GB", "--start", times[0], "--end", times[1],
                     env=self.env)
        self.assertEqual(result.returncode, 0, result.stderr)

    def assert_waits_for_the_clean_hour(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        told = json.loads(result.stdout)
        start = datetime.datetime.fromisoformat(told["start"].replace("Z", "+00:00"))
        self.assertEqual((start.hour, start.minute), (self.clean, 0))
        self.assertAlmostEqual(told["options"][0]["saving_percent"], 60, 6)
        return told

    def test_the_provider_is_asked_once_for_the_history(self):
        told = self.assert_waits_for_the_clean_hour(self.when("--json"))
        self.assertEqual((told["signal"], told["unit"]), ("neso GB", "gCO2e/kWh"))
        asked = fake_providers.FakeNeso.asked
        self.assertGreater(asked, 0)
        text = self.when()
        self.assertEqual((text.stderr, fake_providers.FakeNeso.asked), ("", asked), "what is stored is fresh")
        self.assertIn("neso GB, forecast by yesterday from", text.stdout)

    def test_a_silent_provider_leaves_what_is_stored_and_one_warning(self):
        self.fetch(240, 4)
        fake_providers.FakeNeso.status = 404
        result = self.when("--json")
        self.assert_waits_for_the_clean_hour(result)
        self.assertRegex(result.stderr, r"^heliostat: warning: neso GB: stale: known up to [^\n]* neso failed: [^\n]*\n$")

    def test_after_a_long_silence_the_usual_values_answer(self):
        self.fetch(24 * 25, 24 * 10)
        fake_providers.FakeNeso.status = 404
        result = self.when("--json")
        self.assert_waits_for_the_clean_hour(result)
        self.assertRegex(result.stderr, r"^heliostat: warning: neso GB: climatology: not measured[^\n]*\n$")

    def test_a_silent_provider_of_which_nothing_is_stored_is_one_line(self):
        fake_providers.FakeNeso.status = 404
        self.assert_refused(self.when(), "carbon intensity of GB: nothing is stored; neso failed: ")
        self.assert_refused(self.when("--at", "2024-01-01"), "--at: a provider is asked about now")
        self.assert_refused(run("when", "--duration", "1h", "--zone", "GB", "--provider", "nseo", env=self.env),
                            "'nseo' is not known; did you mean neso?")


if __name__ == "__main__":
    unittest.main(verbosity=1)
