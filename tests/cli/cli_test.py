#!/usr/bin/env python3
"""The command line as its users meet it: results, exit statuses, and files left alone when input is refused.

usage: cli_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import datetime
import json
import os
import pathlib
import re
import subprocess
import unittest

import fake_providers
from program import DATA, HELIOSTAT, Case, run

CANONICAL = "time,carbon_g_per_kwh\n2023-06-01T00:00:00Z,300\n2023-06-01T01:00:00Z,\n2023-06-01T02:00:00Z,200\n"


class CommandLine(Case):
    def test_lines_on_stderr_are_json_on_request_errors_too(self):
        local = self.write("local.csv", CANONICAL.replace("time", "when").replace("Z", ""))
        for arguments, level in ((["--log-format", "json", "frobnicate"], "error"),
                                 (["signal", "inspect", local], "warning")):
            lines = [json.loads(line) for line in run(*arguments, env={"HELIOSTAT_LOG_FORMAT": "json"}).stderr.splitlines()]
            self.assertIn(level, [line["level"] for line in lines])
            for line in lines:
                self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
                self.assertTrue(line["message"])
        self.assertEqual(json.loads(run("--log-format=json", "frobnicate").stderr)["where"], "command line")
        told = run("signal", "zones", env={"HELIOSTAT_LOG_FORMAT": "jsn"})
        self.assertEqual(told.returncode, 0)
        self.assertIn("HELIOSTAT_LOG_FORMAT: 'jsn' is not a format of log lines; did you mean json?", told.stderr)


class Config(Case):
    def config(self, *arguments, **more):
        return run("config", *arguments, env={"HELIOSTAT_CONFIG": str(self.folder / "c/config.toml"), **more})

    def test_a_value_is_set_shown_with_its_origin_and_unset(self):
        self.assertEqual(self.config("set", "zone", "DE").returncode, 0)
        file = self.folder / "c/config.toml"
        file.write_text("# my site\n" + file.read_text())
        self.assertEqual(self.config("set", "max-slowdown", "2.5%").returncode, 0)
        self.assertEqual(file.read_text(), '# my site\nzone = "DE"\nmax_slowdown = "2.5%"\n')
        values = json.loads(self.config("--json", HELIOSTAT_KNOB="pace", HELIOSTAT_ETA="").stdout)["values"]
        self.assertEqual((values["zone"]["value"], values["zone"]["from"]), ("DE", f"{file}:2"))
        self.assertEqual((values["knob"]["value"], values["knob"]["from"]), ("pace", "HELIOSTAT_KNOB"))
        self.assertEqual((values["eta"]["value"], values["eta"]["from"]), ("0.5", "default"))
        self.assertEqual(self.config("unset", "zone").returncode, 0)
        self.assertEqual(file.read_text(), '# my site\nmax_slowdown = "2.5%"\n')
        self.assertEqual(self.config("path").stdout, f"{file}\n")

    def test_what_is_wrong_is_refused_and_changes_nothing(self):
        file = self.folder / "c/config.toml"
        file.parent.mkdir()
        for arguments, where in ((["set", "zome", "DE"], "key: 'zome' is not known; did you mean zone?"),
                                 (["set", "pue", "0.5"], "pue: '0.5' is not in the range; a number from 1 to 5")):
            self.assert_refused(self.config(*arguments), where)
            self.assertFalse(file.exists())
        file.write_text("pue = 1.2\nzome = 'DE'\n")
        self.assert_refused(self.config(), f"{file}:2: zome is not known; did you mean zone?")


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

    def test_an_unknown_table_is_described_and_the_missing_options_are_named(self):
        path = self.write("spot.csv", "Zeit;Preis\n" + "".join(f"2023-06-01 {h:02}:00;{80 + h},5\n" for h in range(24)))
        result = run("signal", "inspect", path)
        self.assertEqual(result.returncode, 2)
        self.assertIn("does not state its unit; set --unit, such as EUR/MWh", result.stderr)
        self.assertEqual(result.stderr.count("error"), 1)
        for seen in ("semicolon between cells", "Preis", "price, unit not known", "2023-06-01T23:00:00Z", "say          --unit"):
            self.assertIn(seen, result.stdout)
        told = json.loads(run("signal", "inspect", path, "--json").stdout)
        self.assertEqual((told["format"], told["needs"]), ("unknown", ["--unit"]))
        result = run("signal", "inspect", path, "--json", "--unit", "EUR/MWh", "--time-zone", "Europe/Berlin")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("info: " + str(path) + ": read as a table: semicolon between cells, decimal comma", result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual((told["unit"], told["start"], told["skipped_rows"]), ("EUR/MWh", "2023-05-31T22:00:00Z", 0))

    def test_a_column_without_a_unit_is_not_silently_one(self):
        head = "2023-06-01T0{}:00:00Z,{}\n"
        rows = "".join(head.format(h, 80 + h) for h in range(8))
        unknown = self.write("u.csv", "time,price\n" + rows)
        result = run("signal", "inspect", unknown, "--quantity", "price")
        self.assertEqual(result.returncode, 2)
        self.assertIn("set --unit", result.stderr)
        told = json.loads(run("signal", "inspect", unknown, "--json", "--unit", "EUR/MWh").stdout)
        self.assertEqual((told["unit"], told["kind"]), ("EUR/MWh", "price"))
        pounds = self.write("lb.csv", "time,carbon_lb_per_mwh\n" + rows)
        told = json.loads(run("signal", "inspect", pounds, "--json").stdout)
        self.assertAlmostEqual(told["mean"], 83.5 * 0.45359237)
        wrong = self.write("kwh.csv", "time,price_per_kwh\n" + rows)
        result = run("signal", "inspect", wrong, "--currency", "EUR")
        self.assertEqual(result.returncode, 2)
        self.assertIn("looks like EUR/MWh", result.stderr)

    def test_another_half_hourly_layout_is_not_taken_for_a_known_one(self):
        path = self.write("gb.csv", "utc,actual,forecast\n2023-06-01 00:00,116,120\n2023-06-01 00:30,118,121\n")
        result = run("signal", "inspect", path, "--column", "actual", "--unit", "g/kWh", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["mean"], 117)

    def test_stdin_is_a_file(self):
        result = run("signal", "inspect", "-", "--json", input=CANONICAL)
        self.assertEqual(result.returncode, 0, result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual((told["file"], told["count"]), ("stdin", 3))

    def test_an_endless_device_is_refused_at_once(self):
        self.assert_refused(run("signal", "inspect", "/dev/zero", timeout=10), "/dev/zero: holds a NUL byte")

    def test_letters_of_a_column_may_differ_in_case(self):
        path = self.write("a.csv", CANONICAL)
        self.assertEqual(run("signal", "inspect", path, "--column", "Carbon_G_per_kWh").returncode, 0)
        self.assert_refused(run("signal", "inspect", path, "--column", "carbon_g_per_kw"), "did you mean carbon_g_per_kwh?")

    def test_bad_rows_are_skipped_on_request_and_counted(self):
        rows = "".join(f"2023-06-01T{h:02}:00:00Z,{'x' if h in (3, 7) else 300}\n" for h in range(24))
        path = self.write("bad.csv", "time,carbon_g_per_kwh\n" + rows)
        self.assert_refused(run("signal", "inspect", path), "(2 bad rows: lines 5, 9)")
        told = json.loads(run("signal", "inspect", path, "--json", "--skip-bad-rows").stdout)
        self.assertEqual((told["skipped_rows"], told["missing"]), (2, 2))

    def test_a_time_zone_that_is_not_used_is_told(self):
        path = self.write("a.csv", CANONICAL)
        self.assertIn("--time-zone is not used", run("signal", "inspect", path, "--time-zone", "Europe/Berlin").stderr)
        self.assert_refused(run("signal", "inspect", self.write("XX_2023.csv", "Datetime,Price (EUR/MWh)\n2023-01-01 00:00,1\n"),
                                "--time-zone", "Mars"), "--time-zone: 'Mars' is not known")

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
        for option, value in (("--fill", "magic"), ("--step", "0h"), ("--longest-gap", "3h"), ("--unit", "furlong"), ("--overlap", "x"), ("--start", "noon"),
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


class Fetch(Case):
    def setUp(self):
        super().setUp()
        self.env = {**fake_providers.serve(self), "HELIOSTAT_STORE": str(self.folder / "signals.db")}

    def fetch(self, *more):
        return run("signal", "fetch", "--provider", "neso", "--zone", "GB", "--json", *more, env=self.env)

    def test_first_from_the_provider_then_from_the_store(self):
        told = json.loads(self.fetch().stdout)
        self.assertEqual((told["freshness"], told["mean"], told["step_s"]), ("fresh", 150, 1800))
        asked = fake_providers.FakeNeso.asked
        self.assertGreater(asked, 0)
        offline = json.loads(self.fetch("--offline", "--max-age", "2h").stdout)
        self.assertEqual((offline["mean"], fake_providers.FakeNeso.asked), (150, asked))
        self.assertIn("GB", run("signal", "fetch", "--stored", env=self.env).stdout)

    def test_a_silent_provider_gives_a_stale_answer_and_says_so(self):
        self.assertEqual(self.fetch().returncode, 0)
        fake_providers.FakeNeso.status = 404
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


class Program(Case):
    def test_help_and_version_are_printed(self):
        told = run("help", "all", "--json", env={**os.environ, "COLUMNS": "80"})
        self.assertIn("heliostat signal inspect", [page["command"] for page in json.loads(told.stdout)])
        for line in run("run", "--help", env={**os.environ, "COLUMNS": "80"}).stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)
        self.assertRegex(run("--version").stdout, r"heliostat \d+\.\d+")

    def test_quiet_silences_warnings(self):
        path = self.write("XX_2023.csv", "Datetime,Price (EUR/MWh)\n2023-01-01 00:00:00,1\n2023-01-01 01:00:00,2\n")
        self.assertIn("read as UTC", run("signal", "inspect", path).stderr)
        self.assertEqual(run("signal", "inspect", path, "--quiet").stderr, "")

    @unittest.skipUnless(pathlib.Path("/proc/self").exists(), "no /proc")
    def test_where_no_file_can_be_made_nothing_is_computed(self):
        for option, *arguments in (("--output", "signal", "generate", "--zone", "duck-curve", "-o", "/proc/x.csv"),
                                   ("--output", "scenario", "make", "-o", "/proc/x"),
                                   ("--report", "signal", "zones", "--report", "/proc/x"),
                                   ("--report", "reproduce", "limit", "--report", "/proc/x"),
                                   ("--report", "demo", "--report", "/proc/x")):
            with self.subTest(arguments):
                self.assert_refused(run(*arguments, timeout=60), f"{option}: no file can be made in /proc: ")

    def test_demo_ends_with_the_path_of_a_report(self):
        result = run("demo", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        for policy in ("run-now", "run-now+sleep", "wait-awhile", "carbon-scaler", "ca-rm-ppc"):
            self.assertRegex(result.stdout, rf"(?m)^{re.escape(policy)} +\d")
        report = pathlib.Path(result.stdout.splitlines()[-1].removeprefix("report: "))
        self.assertEqual(report, self.folder.resolve() / "out/demo/index.html")
        self.assertTrue(report.read_text().startswith("<!DOCTYPE html>"))

    def test_a_stdout_that_cannot_be_written_is_named(self):
        for redirection, why in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
            for command in ("forecast models", "--help"):
                with self.subTest(redirection + command):
                    result = subprocess.run(["bash", "-c", f"'{HELIOSTAT}' {command} {redirection}"], capture_output=True, text=True,
                                            check=False)
                    self.assertEqual((result.returncode, result.stderr),
                                     (1, f"heliostat: error: stdout: cannot be written: {why}\n"))

    def test_a_closed_pipe_is_not_a_crash(self):
        command = f"'{HELIOSTAT}' signal generate --zone coal --start 2023-01-01 --end 2024-01-01 -o - | head -1"
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
        # Of the longest a month: all of it is read, and little written.
        for name, *part in (("carbon/carboncast/CISO_lifecycle_emissions.csv", "--start", "2021-06-01", "--end", "2021-07-01"),
                            ("carbon/neso_gb/gb_30min_actual_forecast_mix_2023_2024.csv", "--start", "2023-06-01", "--end",
                             "2023-07-01"),
                            ("renewable/rts_gmlc/DAY_AHEAD_pv.csv", "--start", "2020-06-01", "--end", "2020-07-01"),
                            ("price/wholesale/raw/DE-LU_2023.csv",), ("price/tou/acnportal_sce_tou_ev_4_march_2019.json",)):
            with self.subTest(name):
                out = self.folder / "out.csv"
                result = run("signal", "convert", DATA / name, "-o", out, *part)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(run("signal", "inspect", out).returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
