#!/usr/bin/env python3
"""The command line as its users meet it: results, exit statuses, and files left alone when input is refused.

usage: cli_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import datetime
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

HELIOSTAT = None
DATA = pathlib.Path(os.environ.get("HELIOSTAT_DATA", pathlib.Path(__file__).resolve().parents[2] / "../shared/data"))


def run(*arguments, **more):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **more.pop("env", {})}
    return subprocess.run([HELIOSTAT, *map(str, arguments)], capture_output=True, text=True, env=environment, check=False,
                          **more)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def assert_refused(self, result, where, status=2):
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stdout, "")
        errors = [line for line in result.stderr.splitlines() if "error" in line]
        self.assertEqual(len(errors), 1, result.stderr)
        self.assertTrue(errors[0].startswith("heliostat: error: "), errors[0])
        self.assertIn(where, errors[0])


CANONICAL = "time,carbon_g_per_kwh\n2023-06-01T00:00:00Z,300\n2023-06-01T01:00:00Z,\n2023-06-01T02:00:00Z,200\n"


class Inspect(Case):
    def test_json_has_the_fields_of_the_contract(self):
        path = self.write("a.csv", CANONICAL)
        result = run("signal", "inspect", path, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        told = json.loads(result.stdout)
        expected = {"file": str(path), "format": "canonical", "column": "carbon_g_per_kwh", "unit": "gCO2e/kWh",
                    "zone": "", "start": "2023-06-01T00:00:00Z", "end": "2023-06-01T03:00:00Z", "step_s": 3600,
                    "count": 3, "missing": 1, "min": 200, "mean": 250, "max": 300}
        self.assertEqual({key: told[key] for key in expected}, expected)

    def test_table_is_for_people_and_draws(self):
        result = run("signal", "inspect", self.write("a.csv", CANONICAL))
        self.assertIn("gCO2e/kWh", result.stdout)
        self.assertIn("typical day", result.stdout)

    def test_json_goes_to_a_file_when_one_is_named(self):
        out = self.folder / "out.json"
        result = run("signal", "inspect", self.write("a.csv", CANONICAL), "--json", out)
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertEqual(json.loads(out.read_text())["count"], 3)

    def test_json_before_a_json_input_does_not_eat_it(self):
        tariff = {"name": "Flat", "effective": "2023-1-1", "schedule": [
            {"id": "All", "effective_start": "01-01", "effective_end": "12-31", "dow_mask": "ALL", "times": [0],
             "tariffs": [0.2], "demand_charge": 5}]}
        text = json.dumps(tariff)
        path = self.write("tariff.json", text)
        result = run("signal", "inspect", "--json", path, "--start", "2023-01-01", "--end", "2023-01-08")
        self.assertEqual(result.returncode, 0, result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual((told["format"], told["count"], told["mean"]), ("acn-tariff", 168, 0.2))
        self.assertEqual(told["demand_charges"][0]["per_kw"], 5)
        self.assertEqual(path.read_text(), text)

    def test_refuses_to_overwrite_its_input(self):
        path = self.write("a.json", "{}")
        self.assert_refused(run("signal", "inspect", path, "--json", path), "--json")
        self.assertEqual(path.read_text(), "{}")

    def test_bad_files_are_one_line_and_exit_2(self):
        hour = "2023-06-01T0%d:00:00Z,%s\n"
        head = "time,carbon_g_per_kwh\n"
        bad = {
            "empty": ("", ""),
            "cut": (head + hour % (0, 1) + "2023-06-01T01", ":3"),
            "unsorted": (head + hour % (1, 1) + hour % (0, 1), ":3"),
            "twice": (head + hour % (0, 1) + hour % (0, 1), ":3"),
            "nan": (head + hour % (0, "nan") + hour % (1, 1), ":2"),
            "negative": (head + hour % (0, -1) + hour % (1, 1), ":2"),
            "unit": (head + hour % (0, 99999) + hour % (1, 1), ":2"),
            "mixed": (head + hour % (0, 1) + hour % (1, 1) + hour % (2, 1) + "2023-06-01T02:10:00Z,1\n", ":5"),
            "long": (head + "x" * (1 << 20) + "\n", ":2"),
            "binary": (bytes(range(256)) * 10, "binary"),
            "no time": (head + "noon,1\n", ":2"),
        }
        for name, (text, where) in bad.items():
            with self.subTest(name):
                path = self.write(f"{name}.csv", text)
                self.assert_refused(run("signal", "inspect", path), f"{name}.csv{where if where != 'binary' else ''}")
        self.assert_refused(run("signal", "inspect", self.folder / "absent.csv"), "absent.csv")
        self.assert_refused(run("signal", "inspect", self.folder), str(self.folder))

    def test_unknown_column_names_those_that_are_there(self):
        self.assert_refused(run("signal", "inspect", self.write("a.csv", CANONICAL), "--column", "x"), "carbon_g_per_kwh")

    def test_missing_file_name(self):
        self.assert_refused(run("signal", "inspect"), "FILE")


class Convert(Case):
    def test_fills_only_by_a_named_rule(self):
        path = self.write("a.csv", CANONICAL)
        out = self.folder / "out.csv"
        self.assertEqual(run("signal", "convert", path, "-o", out).returncode, 0)
        self.assertEqual(out.read_text(), CANONICAL)
        self.assertEqual(run("signal", "convert", path, "-o", out, "--fill", "linear").returncode, 0)
        self.assertIn("T01:00:00Z,250", out.read_text())

    def test_resamples(self):
        path = self.write("a.csv", CANONICAL)
        result = run("signal", "convert", path, "-o", "-", "--fill", "linear", "--step", "30m")
        self.assertEqual(len(result.stdout.splitlines()), 7)

    def test_joins_years_and_takes_no_side_when_they_disagree(self):
        a = self.write("KR_2023.csv", "Datetime,Price (KRW/MWh)\n2023-12-31 22:00:00,1000\n2023-12-31 23:00:00,2000\n")
        b = self.write("KR_2024.csv", "Datetime,Price (KRW/MWh)\n2023-12-31 23:00:00,2500\n2024-01-01 00:00:00,3000\n")
        out = self.folder / "out.csv"
        out.write_text("keep me")
        self.assert_refused(run("signal", "convert", a, b, "-o", out), "disagree at 2023-12-31T14:00:00Z")
        self.assertEqual(out.read_text(), "keep me")
        self.assertEqual(run("signal", "convert", a, b, "-o", out, "--overlap", "last").returncode, 0)
        self.assertEqual(out.read_text().splitlines()[1:],
                         ["2023-12-31T13:00:00Z,1", "2023-12-31T14:00:00Z,2.5", "2023-12-31T15:00:00Z,3"])

    def test_bad_options(self):
        path = self.write("a.csv", CANONICAL)
        out = self.folder / "out.csv"
        for option, value in (("--fill", "magic"), ("--step", "0h"), ("--overlap", "x"), ("--start", "noon"),
                              ("--currency", "euro"), ("--end", "2023-06-01T01:00Z")):
            with self.subTest(option):
                self.assert_refused(run("signal", "convert", path, "-o", out, option, value), option)
        self.assertFalse(out.exists())

    def test_output_folder_that_is_not_there(self):
        path = self.write("a.csv", CANONICAL)
        result = run("signal", "convert", path, "-o", self.folder / "no" / "out.csv")
        self.assertEqual(result.returncode, 2)


class Generate(Case):
    def test_is_reproducible_and_reads_back(self):
        texts = []
        for _ in range(2):
            result = run("signal", "generate", "--zone", "duck-curve", "--start", "2024-02-28", "--end", "2024-03-02", "-o", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            texts.append(result.stdout)
        self.assertEqual(texts[0], texts[1])
        path = self.write("z.csv", texts[0])
        told = json.loads(run("signal", "inspect", path, "--json").stdout)
        self.assertEqual((told["count"], told["missing"], told["step_s"]), (72, 0, 3600))  # leap day and all

    def test_refuses_an_unknown_zone(self):
        self.assert_refused(run("signal", "generate", "--zone", "moon", "-o", "-"), "moon")


class FakeNeso(http.server.BaseHTTPRequestHandler):
    """The GB Carbon Intensity API as documented, on this machine: 150 g/kWh in every half-hour asked for."""

    status = 200
    asked = 0

    def do_GET(self):
        type(self).asked += 1
        begin, end = (datetime.datetime.strptime(part, "%Y-%m-%dT%H:%MZ").replace(tzinfo=datetime.timezone.utc)
                      for part in self.path.split("/")[-2:])
        rows = []
        while begin < end:
            after = begin + datetime.timedelta(minutes=30)
            past = after <= datetime.datetime.now(datetime.timezone.utc)
            rows.append({"from": begin.strftime("%Y-%m-%dT%H:%MZ"), "to": after.strftime("%Y-%m-%dT%H:%MZ"),
                         "intensity": {"forecast": 160, "actual": 150 if past else None, "index": "moderate"}})
            begin = after
        body = json.dumps({"data": rows}).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Fetch(Case):
    def setUp(self):
        super().setUp()
        FakeNeso.status, FakeNeso.asked = 200, 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FakeNeso)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.env = {"HELIOSTAT_NESO_URL": f"http://127.0.0.1:{self.server.server_address[1]}", "no_proxy": "127.0.0.1",
                    "HELIOSTAT_STORE": str(self.folder / "signals.db")}

    def fetch(self, *more):
        return run("signal", "fetch", "--provider", "neso", "--zone", "GB", "--json", *more, env=self.env)

    def test_first_from_the_provider_then_from_the_store(self):
        told = json.loads(self.fetch().stdout)
        self.assertEqual((told["freshness"], told["mean"], told["step_s"]), ("fresh", 150, 1800))
        asked = FakeNeso.asked
        self.assertGreater(asked, 0)
        offline = json.loads(self.fetch("--offline", "--max-age", "2h").stdout)
        self.assertEqual((offline["mean"], FakeNeso.asked), (150, asked))
        self.assertIn("GB", run("signal", "fetch", "--stored", env=self.env).stdout)

    def test_a_silent_provider_gives_a_stale_answer_and_says_so(self):
        self.assertEqual(self.fetch().returncode, 0)
        FakeNeso.status = 404
        result = self.fetch("--max-age", "1s")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["freshness"], "stale")
        self.assertIn("warning", result.stderr)

    def test_long_silence_gives_climatology(self):
        old = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=20)
        start, end = (t.strftime("%Y-%m-%dT00:00:00Z") for t in (old - datetime.timedelta(days=8), old))
        self.assertEqual(self.fetch("--start", start, "--end", end).returncode, 0)
        told = json.loads(self.fetch("--offline").stdout)
        self.assertEqual((told["freshness"], told["mean"]), ("climatology", 150))

    def test_nothing_known_is_an_error(self):
        result = self.fetch("--offline")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "")

    def test_forecast_is_kept_apart(self):
        told = json.loads(self.fetch("--forecast").stdout)
        self.assertEqual((told["nature"], told["mean"]), ("forecast", 160))
        self.assertNotIn("freshness", told)
        self.assertNotEqual(self.fetch("--offline").returncode, 0)

    def test_writes_a_canonical_file(self):
        out = self.folder / "gb.csv"
        self.assertEqual(self.fetch("-o", out).returncode, 0)
        self.assertEqual(json.loads(run("signal", "inspect", out, "--json").stdout)["unit"], "gCO2e/kWh")

    def test_a_missing_key_is_named_and_never_shown(self):
        result = run("signal", "fetch", "--provider", "entsoe", "--zone", "FR", env=self.env)
        self.assert_refused(result, "HELIOSTAT_ENTSOE_TOKEN")
        key = self.write("key", "sesame")
        key.chmod(0o644)
        result = run("signal", "fetch", "--provider", "entsoe", "--zone", "FR",
                     env={**self.env, "HELIOSTAT_ENTSOE_TOKEN_FILE": str(key)})
        self.assertEqual(result.returncode, 2)
        self.assertNotIn("sesame", result.stdout + result.stderr)

    def test_bad_usage(self):
        for more, where in ((["--provider", "oracle", "--zone", "GB"], "oracle"), (["--provider", "neso"], "--zone"),
                            (["--provider", "neso", "--zone", "GB", "--start", "2030-01-01", "--end", "2029-01-01"], "--start")):
            with self.subTest(where):
                self.assert_refused(run("signal", "fetch", *more, env=self.env), where)

    def test_a_store_that_is_none_is_left_alone(self):
        path = self.write("signals.db", "not a database")
        self.assertEqual(self.fetch().returncode, 2)
        self.assertEqual(path.read_text(), "not a database")


CISO = DATA / "carbon/carboncast/CISO_lifecycle_emissions.csv"
PRICES = DATA / "price/wholesale/price_utc_2023_2024.csv"
GB = DATA / "carbon/neso_gb/gb_30min_actual_forecast_mix_2023_2024.csv"


class ForecastTest(Case):
    """The forecast commands on made data, and on public traces where they are present."""

    def zone(self, start="2023-01-01", end="2023-02-01", step="1h", quantity="carbon"):
        path = self.folder / f"zone_{quantity}_{start}_{step}.csv"
        made = run("signal", "generate", "--zone", "duck-curve", "--quantity", quantity, "--start", start, "--end", end,
                   "--step", step, "-o", path)
        self.assertEqual(made.returncode, 0, made.stderr)
        return path

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
        self.assertEqual(page.read_text().count("<svg"), 4)

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
        self.assertEqual(self.told(*show)["scenarios"], told["scenarios"])
        self.assertNotEqual(self.told(*show, "--seed", "2")["scenarios"], told["scenarios"])

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
                (["backtest", path, "--models", "oracle"], "oracle"), (["backtest", path, "--column", "x"], "'x'"),
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
        told = self.told("backtest", CISO, "--models", "yesterday,last-week", "--horizon", "96h", "--start", "2021-07-01")
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
        told = self.told("show", GB, "--model", "yesterday", "--at", "2023-12-01")
        self.assertEqual((told["column"], len(told["values"])), ("actual", 96))

    @unittest.skipUnless(CISO.exists() and GB.exists(), "no public traces")
    def test_what_stands_beside_a_column_is_used_where_it_helps(self):
        def beside(path, *more):
            return self.told("show", path, "--model", "yesterday", *more)["beside"]
        self.assertIn("wind", beside(CISO)["sources"])
        self.assertEqual(beside(CISO, "--ignore-sources")["sources"], [])
        self.assertEqual(beside(CISO, "--column", "wind")["sources"], [])
        half_hours = {row["name"]: row["lead_s"] for row in beside(GB)["forecasts"]}
        self.assertEqual((half_hours["fc_0.5h"], half_hours["fc_24h"]), (1800, 24 * 3600))
        # The second half of an hour was forecast half an hour later than the first, or not at all in time.
        hours = {row["name"]: row["lead_s"] for row in beside(GB, "--step", "1h")["forecasts"]}
        self.assertEqual((hours.get("fc_1h"), hours["fc_24h"]), (None, 24 * 3600 - 1800))

    @unittest.skipUnless(GB.exists(), "no public traces")
    def test_others_forecasts_are_merged_with_ours(self):
        lines = GB.read_text().splitlines(keepends=True)
        autumn = self.write("gb.csv", lines[0] + "".join(line for line in lines if "2023-09-01" <= line < "2023-11-17"))
        told = self.told("backtest", autumn, "--step", "1h", "--models", "auto,provider,merged", "--horizon", "24h",
                         "--start", "2023-11-01", "--end", "2023-11-14", "--refit", "never")
        mae = {model["name"]: model["mae"] for model in told["models"]}
        self.assertEqual([model["leak_check"] for model in told["models"]], ["passed"] * 3)
        # Two weeks tell no more than this; that it is better than both shows over months (tests/reality).
        self.assertLess(mae["merged"], mae["auto"])
        self.assertLess(mae["merged"], 1.1 * mae["provider"])
        told = self.told("show", autumn, "--step", "1h", "--model", "merged", "--horizon", "24h", "--at", "2023-11-01")
        self.assertEqual(told["answered_by"], "merged")
        self.assertRegex(told["reason"], r"values with the providers', whose share is \d+ % at 1 h")

    def test_others_forecasts_are_asked_for_only_where_there_are_some(self):
        path = self.zone(end="2023-01-15")
        self.assert_refused(run("forecast", "show", path, "--model", "provider"), "no forecast of others")
        merged = self.told("show", path, "--model", "merged", "--horizon", "24h")
        self.assertIn("no forecast of others", merged["reason"])
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
        # A run a day, issued a day before its own: the first speaks of 1 January, the last known of 2 July.
        self.assertEqual(with_issued["beside"]["forecasts"], [{"name": "309_WIND_1", "runs": 184}])
        self.assert_refused(run("forecast", *show, "--issued", wind / "DAY_AHEAD_wind.csv", "--issued-lead", "x"),
                            "--issued-lead")


class Program(Case):
    def test_help_and_version_everywhere(self):
        for command in ([], ["demo"], ["signal"], ["signal", "inspect"], ["signal", "convert"], ["signal", "generate"],
                        ["signal", "fetch"], ["forecast"], ["forecast", "backtest"], ["forecast", "show"],
                        ["forecast", "models"]):
            with self.subTest(command):
                result = run(*command, "--help")
                self.assertEqual(result.returncode, 0)
                self.assertIn("--json", run("--help").stdout)
        self.assertRegex(run("--version").stdout, r"heliostat \d+\.\d+")

    def test_bad_usage_is_exit_2(self):
        for command in (["fly"], ["signal"], ["signal", "inspect", "--fly", "x"], []):
            with self.subTest(command):
                self.assert_refused(run(*command), "command line")

    def test_quiet_silences_warnings(self):
        path = self.write("XX_2023.csv", "Datetime,Price (EUR/MWh)\n2023-01-01 00:00:00,1\n2023-01-01 01:00:00,2\n")
        self.assertIn("read as UTC", run("signal", "inspect", path).stderr)
        self.assertEqual(run("signal", "inspect", path, "--quiet").stderr, "")

    def test_demo_ends_with_the_path_of_a_report(self):
        result = run("demo", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        report = pathlib.Path(result.stdout.strip().splitlines()[-1].split(": ", 1)[1])
        self.assertTrue(report.read_text().startswith("<!DOCTYPE html>"))

    def test_a_closed_pipe_is_not_a_crash(self):
        command = f"'{HELIOSTAT}' signal generate --zone coal -o - | head -1"
        result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        self.assertEqual(result.stdout.count("\n"), 1)
        self.assertNotIn("Sanitizer", result.stderr)


@unittest.skipUnless(DATA.exists(), f"the public traces are not here (set HELIOSTAT_DATA): {DATA}")
class RealFiles(Case):
    def test_every_file_of_the_data_folder_is_read(self):
        for folder in ("carbon", "renewable", "price"):
            for path in sorted((DATA / folder).rglob("*")):
                if path.suffix not in (".csv", ".json"):
                    continue
                with self.subTest(path.name):
                    result = run("signal", "inspect", path, "--json")
                    self.assertEqual(result.returncode, 0, result.stderr)
                    told = json.loads(result.stdout)
                    self.assertLessEqual(told["min"], told["mean"])
                    self.assertLessEqual(told["mean"], told["max"])

    def test_every_file_converts_and_reads_back(self):
        for name in ("carbon/carboncast/CISO_lifecycle_emissions.csv", "carbon/neso_gb/gb_30min_actual_forecast_mix_2023_2024.csv",
                     "renewable/rts_gmlc/DAY_AHEAD_pv.csv", "price/wholesale/raw/DE-LU_2023.csv",
                     "price/tou/acnportal_sce_tou_ev_4_march_2019.json"):
            with self.subTest(name):
                out = self.folder / "out.csv"
                self.assertEqual(run("signal", "convert", DATA / name, "-o", out).returncode, 0)
                self.assertEqual(run("signal", "inspect", out).returncode, 0)


if __name__ == "__main__":
    HELIOSTAT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
