#!/usr/bin/env python3
"""Past runs on the command line: listed, shown, compared, exported, plotted and billed, from ledgers written here.

usage: runs_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import csv
import json
import os
import pathlib
import socket
import unittest
import zlib

from program import Case, run


def line(record):
    text = json.dumps(record, separators=(",", ":"))
    return f"{zlib.crc32(text.encode()):08x} {text}\n"


def begin(**more):
    return {"what": "begin", "format": 1, "start": "2026-11-15T18:45:00Z", "command": ["python3", "train.py"],
            "host": socket.gethostname(), "author": {"pid": 999999999, "start_ticks": 1, "boot": "none"},
            "gpus": [{"uuid": "GPU-0", "name": "NVIDIA H200"}], "knob": "power-limit", "level_unit": "W",
            "default_level": 700, "mode": "eta 0.5", "options": {"eta": "0.5"}, "signal_source": "file carbon.csv",
            "signal_unit": "g/kWh", "profile_key": "train", **more}


def period(number, **more):
    """Half an hour at 350 W; at the default its steps take 24 minutes and 0.28 kWh."""
    return {"what": "period", "start": f"2026-11-15T{19 + number}:00:00Z", "end": f"2026-11-15T{19 + number}:30:00Z",
            "elapsed_s": 1800, "decision": number, "level": 350, "why": "least cost", "forecast_g_per_kwh": 410,
            "carbon_g_per_kwh": 400, "freshness": "measured", "energy_j": [630000], "steps": 14400,
            "progress": "reported",
            "at_default": {"level": 700, "power_w": 700, "power_error_w": 7, "steps_per_s": 10, "steps_per_s_error": 0},
            "at_optimum": {"level": 400, "power_w": 390, "power_error_w": 5, "steps_per_s": 8.4, "steps_per_s_error": 0},
            **more}


END = {"what": "end", "time": "2026-11-15T21:00:00Z", "exit_status": 0, "reason": "exited"}
FIRST, SECOND = "20261115-184500-train-4f2a", "20261116-090000-eval-81c0"


class Runs(Case):
    def setUp(self):
        super().setUp()
        self.runs = self.folder / "runs"
        self.ledger(FIRST, begin(), period(0), period(1), END)
        self.ledger(SECOND, begin(start="2026-11-16T09:00:00Z", command=["./eval"]), period(0, steps=7200),
                    {**END, "exit_status": 3})

    def ledger(self, run_id, *records, tail=""):
        folder = self.runs / run_id
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "ledger.journal").write_text("".join(map(line, records)) + tail)

    def ask(self, *arguments, **environment):
        return run(*arguments, env={"HELIOSTAT_RUNS": str(self.runs), **environment})

    def told(self, *arguments):
        result = self.ask(*arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)


class Listing(Runs):
    def test_newest_first_with_state_and_saving(self):
        for arguments in (("runs",), ("runs", "list")):
            told = self.told(*arguments)
            self.assertEqual([row["id"] for row in told["runs"]], [SECOND, FIRST])
            self.assertEqual([row["state"] for row in told["runs"]], ["failed 3", "finished"])
            first = told["runs"][1]
            self.assertAlmostEqual(first["energy_kwh"], 0.35)
            self.assertAlmostEqual(first["carbon_g"], 140)
            self.assertAlmostEqual(first["carbon_saved_percent"], 37.5)
            self.assertAlmostEqual(first["slowdown_percent"], 25)
        text = self.ask("runs").stdout
        self.assertLess(text.index(SECOND), text.index(FIRST))
        self.assertIn("failed 3", text)

    def test_tables_fit_the_terminal(self):
        for command in (("runs", "--folder", self.runs), ("report", FIRST, "--folder", self.runs),
                        ("runs", "--folder", self.runs, "show", FIRST)):
            self.assert_fits(*command, columns=(60,))

    def test_folder_is_an_option_before_and_after_the_command(self):
        for arguments in (("runs", "--folder", self.runs), ("runs", "--folder", self.runs, "list"),
                          ("runs", "list", "--folder", self.runs)):
            result = self.ask(*arguments, HELIOSTAT_RUNS="/nowhere")
            self.assertIn(FIRST, result.stdout, arguments)

    def test_no_runs_is_no_error(self):
        result = self.ask("runs", HELIOSTAT_RUNS=str(self.folder / "none"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no runs in", result.stdout)
        self.assert_refused(self.ask("report", HELIOSTAT_RUNS=str(self.folder / "none")), "has no runs")

    def test_the_user_s_data_folder_is_the_default(self):
        data = self.folder / "data/heliostat"
        data.mkdir(parents=True)
        self.runs.rename(data / "runs")
        result = self.ask("runs", HELIOSTAT_RUNS="", XDG_DATA_HOME=str(self.folder / "data"))
        self.assertIn(FIRST, result.stdout)

    def test_junk_is_told_and_hides_nothing(self):
        self.ledger("20261117-000000-x-0000", tail="rubbish\n")
        (self.runs / "README").write_text("mine")
        told = self.told("runs")
        self.assertEqual(len(told["runs"]), 2)
        self.assertEqual(len(told["troubles"]), 1)
        self.assertIn("20261117-000000-x-0000", told["troubles"][0])

    def test_a_run_without_an_end_is_running_or_cut_off(self):
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        ticks = int(pathlib.Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
        self.ledger("20261117-000000-x-0001", begin(author={"pid": os.getpid(), "start_ticks": ticks, "boot": boot}))
        self.ledger("20261117-000000-x-0002", begin())
        self.ledger("20261117-000000-x-0003", begin(host="elsewhere"))
        states = {row["id"][-4:]: row["state"] for row in self.told("runs")["runs"]}
        self.assertEqual((states["0001"], states["0002"], states["0003"]), ("running", "cut off", "open on elsewhere"))


class Bills(Runs):
    def test_of_the_last_run_or_a_named_one(self):
        self.assertEqual(self.told("report")["id"], SECOND)
        for name in (FIRST, "4f2a", "20261115"):
            self.assertEqual(self.told("report", name)["id"], FIRST)
        bill = self.told("report", FIRST)["bill"]
        self.assertAlmostEqual(bill["default_same_moment"]["carbon_g"], 224)
        self.assertAlmostEqual(bill["default_same_moment"]["carbon_g_error"], 2.24)
        self.assertAlmostEqual(bill["default_same_moment"]["time_s"], 2880)
        text = self.ask("report", FIRST).stdout
        self.assertIn("saved 37.5 ± 1.2 % of carbon and took 25.00 % longer", text)

    def test_decisions_recompute_to_the_bill(self):
        told = self.told("report", FIRST)
        self.assertAlmostEqual(sum(one["carbon_g"] for one in told["decisions"]), told["bill"]["carbon_g"])

    def test_cut_anywhere_it_bills_what_came_before(self):
        path = self.runs / FIRST / "ledger.journal"
        whole = path.read_bytes()
        ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
        for cut, periods in ((ends[0], 0), (ends[1] - 1, 0), (ends[1], 1), (ends[2] - 30, 1), (ends[2], 2)):
            path.write_bytes(whole[:cut])
            told = self.told("report", FIRST)
            self.assertAlmostEqual(told["bill"]["carbon_g"], 70 * periods)
            self.assertEqual(told["state"], "cut off")
        path.write_bytes(whole[:ends[0] - 5])
        self.assert_refused(self.ask("report", FIRST), "has no beginning")

    def test_pages_stand_alone(self):
        pages = self.folder / "pages"
        told = json.loads(self.ask("report", FIRST, "--html", pages, "--json").stdout)
        self.assertEqual(pathlib.Path(told["page"]), pages / f"{FIRST}.html")
        page = (pages / f"{FIRST}.html").read_text()
        self.assertIn("Carbon so far", page)
        self.assertNotIn("<script", page)
        self.assertNotIn("src=", page)

    def test_a_page_that_cannot_be_written_is_refused_before_the_work(self):
        taken = self.folder / "taken"
        taken.write_text("a file")
        for folder in (taken, taken / "below"):
            self.assert_refused(self.ask("report", FIRST, "--html", folder), "--html: ")
        self.assert_refused(self.ask("report", FIRST, "--html", self.folder, f"--json={self.folder}/{FIRST}.html"),
                            "is written by another option")
        self.assertFalse((self.folder / f"{FIRST}.html").exists())

    def test_one_line_for_what_is_wrong(self):
        self.assert_refused(self.ask("report", "nonsense"), "'nonsense' is not a run")
        self.assert_refused(self.ask("report", "2026"), "matches 2 runs")
        self.assert_refused(self.ask("runs", "show", "../../etc"), "is not a run")
        self.ledger(FIRST, begin(), period(0, steps="many"))
        self.assert_refused(self.ask("report", FIRST), "record 2: steps")
        self.ledger(FIRST, begin(), period(0, energy_j=[]))
        self.assert_refused(self.ask("report", FIRST), "energy_j")


class Showing(Runs):
    def test_every_decision_and_why(self):
        self.ledger(FIRST, begin(), period(0, why="the grid is dirty"), period(1, freshness="stale", signal_age_s=900),
                    {"what": "note", "time": "2026-11-15T19:10:00Z", "text": "the provider did not answer"}, END)
        text = self.ask("runs", "show", FIRST).stdout
        for part in ("the grid is dirty", "stale by 15 min", "the provider did not answer", "350 W"):
            self.assertIn(part, text)

    def test_a_newer_ledger_is_read_as_far_as_possible(self):
        self.ledger(FIRST, begin(format=2, moon="full"), period(0), END)
        told = self.told("runs", "show", FIRST)
        self.assertIn("moon", told["troubles"][0])
        self.assertAlmostEqual(told["bill"]["carbon_g"], 70)

    def test_compare_puts_runs_side_by_side(self):
        told = self.told("runs", "compare", "4f2a", "81c0")
        self.assertEqual([row["id"] for row in told["runs"]], [FIRST, SECOND])
        self.assertIn("g / 1000 steps", self.ask("runs", "compare", "4f2a", "81c0").stdout)
        self.assert_refused(self.ask("runs", "compare", "4f2a"), "ID")

    def test_export_as_csv_and_page(self):
        table, page = self.folder / "run.csv", self.folder / "run.html"
        result = self.ask("runs", "export", "4f2a", "--csv", table, "--html", page)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(table, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertAlmostEqual(sum(float(row["carbon_g"]) for row in rows), 140)
        self.assertIn("Run " + FIRST, page.read_text())
        self.assert_refused(self.ask("runs", "export", "4f2a"), "nothing to write")
        ledger = self.runs / FIRST / "ledger.journal"
        before = ledger.read_bytes()
        self.assert_refused(self.ask("runs", "export", "4f2a", "--csv", ledger), "is the input")
        self.assertEqual(ledger.read_bytes(), before)

    def test_plot_draws_lines(self):
        result = self.ask("runs", "plot", "4f2a")
        self.assertEqual(result.returncode, 0, result.stderr)
        for part in ("level", "signal", "power", "speed", "carbon", "g/kWh"):
            self.assertIn(part, result.stdout)


if __name__ == "__main__":
    unittest.main()
