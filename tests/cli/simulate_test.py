#!/usr/bin/env python3
"""Simulations as users of the command line meet them.

usage: simulate_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import json
import pathlib
import unittest

from program import DATA, run
from small_day import SCENARIO, SmallDay

EXAMPLE = DATA.parent / "scenarios/example-week/scenario.toml"
POLICY_KEYS = {"name", "carbon_kg", "cost", "energy_kwh", "grid_kwh", "performance", "ppc", "jobs_total",
               "jobs_completed", "deadline_misses", "requests_total", "slo_violation_fraction", "mean_completion_s",
               "p95_completion_s", "wake_ups", "idle_node_hours", "wall_s"}
CONTRACT = ["run-now", "edf", "zeus", "chase", "wait-awhile", "lowest-window", "carbon-scaler", "price-greedy", "ce-dla",
            "ce-dla-drs", "ca-rm-carbon", "ca-rm-performance", "ca-rm-ppc"]


class SimulateTest(SmallDay):
    """`heliostat simulate` on a small day made here, and on the example week where it is present."""

    def simulate(self, scenario, *arguments):
        result = run("simulate", scenario, *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def refuse(self, where, *arguments, scenario=None):
        """Refused with one line, and nothing is there that was not there before."""
        scenario = scenario or self.scenario()
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        self.assert_refused(run("simulate", scenario, *arguments), where)
        after = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        self.assertEqual(before, after)

    def test_json_has_the_fields_of_the_contract_and_the_bound_holds(self):
        told = self.simulate(self.scenario(), "--foresight", "perfect")
        self.assertEqual(told["scenario"], "small <day>")
        self.assertEqual([policy["name"] for policy in told["policies"]], CONTRACT)
        for policy in told["policies"]:
            with self.subTest(policy["name"]):
                self.assertLessEqual(POLICY_KEYS, set(policy))
                self.assertLessEqual(told["bound"]["carbon_kg"], policy["carbon_kg"] * (1 + 1e-9))
                self.assertLessEqual(told["bound"]["cost"], policy["cost"] + 1e-9 * abs(policy["cost"]))
                self.assertLessEqual(policy["grid_kwh"], policy["energy_kwh"])
                self.assertLessEqual(policy["jobs_completed"], policy["jobs_total"])
                self.assertTrue(0 <= policy["slo_violation_fraction"] <= 1)
                self.assertAlmostEqual(policy["ppc"], policy["performance"] / policy["carbon_kg"], 6)
        run_now = told["policies"][0]
        self.assertEqual((run_now["jobs_total"], run_now["wake_ups"]), (4, 0), "nothing ever sleeps")

    def test_two_runs_are_alike(self):
        scenario = self.scenario()
        noisy = ("--policies", "edf,ca-rm-performance", "--estimate-error", "0.3", "--node-mtbf-hours", "20", "--seed", "7",
                 "--forecast-error", "0.2")
        runs = []
        for threads in ("1", "2"):
            told = self.simulate(scenario, *noisy, "--threads", threads)
            for policy in told["policies"]:
                del policy["wall_s"]
            runs.append(told)
        self.assertEqual(runs[0], runs[1])

    def test_foresight_is_told_apart(self):
        scenario = self.scenario()
        for foresight in ("forecast", "perfect"):
            told = self.simulate(scenario, "--policies", "run-now", "--foresight", foresight)
            self.assertEqual(len(told["policies"]), 1)

    def test_people_get_a_table_and_a_page(self):
        folder = self.folder / "new" / "report"
        result = run("simulate", self.scenario(), "--policies", "run-now,run-now+sleep", "--foresight", "perfect",
                     "--report", folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        page = folder / "index.html"
        self.assertEqual(result.stdout.splitlines()[-1], f"report: {page}")
        for word in ("small <day>: 4 jobs, 1 service, ", "kg CO2e", "saved", "EUR", "* best of its column",
                     "no policy can emit less than"):
            self.assertIn(word, result.stdout)
        text = page.read_text()
        self.assertTrue(text.startswith("<!DOCTYPE html>"))
        for word in ("small &lt;day&gt;", "front &amp; back", "run-now+sleep", "Policies saw the true future of signals and jobs."):
            self.assertIn(word, text)
        self.assertEqual([path.name for path in folder.iterdir()], ["index.html"], "nothing half-written is left")
        told = self.simulate(self.folder / "scenario.toml", "--policies", "run-now", "--foresight", "perfect", "--report",
                             folder)
        self.assertEqual(told["report"], str(page))
        self.assertNotEqual(page.read_text(), text, "the old page is replaced")

    def test_bad_options_are_refused(self):
        for where, arguments in (
                ("wait-awhile", ("--policies", "run-now,wait-a-while")), ("--policies", ("--policies", ",")),
                ("--eta", ("--eta", "nan")), ("--eta", ("--eta", "2")), ("--estimate-error", ("--estimate-error", "-1")),
                ("--forecast-error", ("--forecast-error", "inf")), ("--foresight", ("--foresight", "none")),
                ("--patience", ("--patience", "soon")), ("--wake-failure", ("--wake-failure", "1.5")),
                ("command line", ("--seed", "x"))):
            with self.subTest(arguments):
                self.refuse(where, *arguments)

    def test_bad_files_are_refused(self):
        self.refuse("nowhere.toml", scenario=self.folder / "nowhere.toml")
        self.refuse("jobs.csv", scenario=self.scenario(jobs_csv=None))
        self.refuse("slots", scenario=self.scenario(scenario_toml=SCENARIO.replace("slots = 24", "slots = -1")))

    def test_decisions_on_record_replay_to_the_letter(self):
        log = self.folder / "day.jsonl"
        for policy in ("ca-rm-performance", "edf+sleep"):
            with self.subTest(policy):
                self.simulate(self.scenario(), "--policies", policy, "--decision-log", str(log))
                replayed = run("replay", str(log), "--json")
                self.assertEqual(replayed.returncode, 0, replayed.stderr)
                told = json.loads(replayed.stdout)
                self.assertEqual((told["policy"], told["same"]), (policy, True))
                self.assertEqual(told["steps"] + 1, len(log.read_text().splitlines()))  # and the header
        # Another policy is found out, and named.
        log.write_text(log.read_text().replace('"policy":"edf+sleep"', '"policy":"wait-awhile"', 1))
        replayed = run("replay", str(log))
        self.assertEqual(replayed.returncode, 1)
        self.assertIn("on record: {", replayed.stdout)
        self.assertIn("wait-awhile decides differently in step", replayed.stderr)

    def test_decisions_are_of_one_policy_and_go_where_they_can(self):
        self.refuse("--decision-log", "--policies", "edf,zeus", "--decision-log", str(self.folder / "x.jsonl"))
        self.refuse("/nowhere/x.jsonl", "--policies", "edf", "--decision-log", "/nowhere/x.jsonl")
        scenario = self.scenario()
        self.refuse("--decision-log", "--policies", "edf", "--decision-log", scenario, scenario=scenario)
        for broken in ("", "{}\n", "no log\n"):
            (self.folder / "broken.jsonl").write_text(broken)
            self.assert_refused(run("replay", str(self.folder / "broken.jsonl")), "broken.jsonl")

    def test_reports_go_only_where_they_can(self):
        scenario = self.scenario()
        for target in ("scenario.toml", "jobs.csv", "jobs.csv/deeper"):
            self.refuse("--report", "--policies", "run-now", "--report", self.folder / target)
        (self.folder / "taken" / "index.html").mkdir(parents=True)
        self.refuse("--report", "--report", self.folder / "taken")
        self.refuse("--json", "--report", self.folder / "out", "--json=" + str(self.folder / "out" / "index.html"))
        page = self.folder / "index.html"
        page.write_text(scenario.read_text())
        self.refuse("--report", "--report", self.folder, scenario=page)

    @unittest.skipUnless(pathlib.Path("/proc/self").exists(), "no /proc")
    def test_a_folder_that_cannot_be_made_is_an_error(self):
        result = run("simulate", self.scenario(), "--policies", "run-now", "--foresight", "perfect", "--report",
                     "/proc/no/such")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, r"^heliostat: error: .*/proc")

    def test_help_teaches(self):
        told = run("simulate", "--help").stdout
        for word in ("ca-rm-performance", "+sleep", "--foresight", "--report", "Examples:"):
            self.assertIn(word, told)

    @unittest.skipUnless(EXAMPLE.exists(), "no example scenario")
    def test_the_example_week_keeps_the_known_bound(self):
        told = self.simulate(EXAMPLE, "--policies", "run-now,run-now+sleep", "--foresight", "perfect")
        self.assertGreaterEqual(told["policies"][0]["carbon_kg"], told["policies"][1]["carbon_kg"])
        self.assertGreaterEqual(told["policies"][1]["carbon_kg"], 62.93)


class ZonesTest(SmallDay):
    def test_zones_are_told_and_drawn(self):
        result = run("signal", "zones", "--report", self.folder / "zones")
        self.assertEqual(result.returncode, 0, result.stderr)
        page = pathlib.Path(result.stdout.splitlines()[-1].split(": ", 1)[1])
        self.assertIn("duck-curve", page.read_text())
        told = json.loads(run("signal", "zones", "--json").stdout)
        self.assertIn("duck-curve", told["zones"])
        self.assertNotIn("report", told)


if __name__ == "__main__":
    unittest.main(verbosity=1)
