#!/usr/bin/env python3
"""Simulations as users of the command line meet them.

usage: simulate_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import csv
import json
import pathlib
import resource
import unittest

from program import DATA, run
from small_day import SCENARIO, SmallDay

EXAMPLE = DATA.parent / "scenarios/example-week/scenario.toml"
POLICY_KEYS = {"name", "carbon_kg", "cost", "energy_kwh", "grid_kwh", "performance", "ppc", "jobs_total",
               "jobs_completed", "deadline_misses", "requests_total", "slo_violation_fraction", "mean_completion_s",
               "p95_completion_s", "wake_ups", "idle_node_hours", "wall_s", "eligible", "why_not", "jobs_late_or_undone",
               "services_broken", "slots", "jobs", "services"}
STANDARD = ["run-now", "run-now+sleep", "wait-awhile", "carbon-scaler", "ca-rm-ppc"]
CONTRACT = ["run-now", "run-now+sleep", "edf", "zeus", "chase", "wait-awhile", "lowest-window", "carbon-scaler", "price-greedy", "ce-dla",
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
        told = self.simulate(self.scenario(), "--foresight", "perfect", "--policies", "all")
        self.assertEqual(told["scenario"], "small <day>")
        self.assertEqual((told["baseline"], told["sleeping_baseline"]), ("run-now", "run-now+sleep"))
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
                self.assert_conserved(policy)
        self.assert_answered(told)
        run_now = told["policies"][0]
        self.assertEqual((run_now["jobs_total"], run_now["wake_ups"]), (4, 0), "nothing ever sleeps")

    def assert_conserved(self, policy):
        """Slots add up to totals, uses to slots, and jobs to the training energy."""
        slots = policy["slots"]
        self.assertEqual(len(slots), 24)
        for total, part in (("energy_kwh", "facility_kwh"), ("grid_kwh", "grid_kwh"), ("carbon_kg", "carbon_kg"),
                            ("cost", "cost"), ("renewable_used_kwh", "renewable_used_kwh")):
            self.assertAlmostEqual(policy[total], sum(slot[part] for slot in slots), 6, total)
        for slot in slots:
            uses = sum(slot[key] for key in slot if key.startswith("it_") and key != "it_kwh")
            self.assertAlmostEqual(uses, slot["it_kwh"], 6)
            self.assertAlmostEqual(1.2 * slot["it_kwh"], slot["facility_kwh"], 6)
            self.assertAlmostEqual(slot["grid_kwh"] + slot["renewable_used_kwh"], slot["facility_kwh"], 6)
        self.assertAlmostEqual(sum(job["it_energy_kwh"] for job in policy["jobs"]),
                               sum(slot["it_training_kwh"] for slot in slots), 6)
        self.assertEqual(len(policy["jobs"]), policy["jobs_total"])
        self.assertEqual(sum(job["finish"] is not None for job in policy["jobs"]), policy["jobs_completed"])
        self.assertAlmostEqual(sum(service["requests"] for service in policy["services"]), policy["requests_total"], 3)

    def assert_answered(self, told):
        """The winner is eligible, none of the eligible emits less, and the parts add up to its saving."""
        by_name = {policy["name"]: policy for policy in told["policies"]}
        winner = by_name[told["winner"]["policy"]]
        self.assertIn("0.5 %", told["winner"]["why"])
        self.assertEqual(winner["carbon_kg"], min(one["carbon_kg"] for one in by_name.values() if one["eligible"]))
        for policy in by_name.values():
            self.assertEqual(policy["eligible"], policy["why_not"] is None)
        split = told["saving_split"]
        self.assertEqual([part["part"] for part in split["parts"]], ["sleep", "timing", "speed"])
        for what in ("saved_carbon_kg", "saved_cost"):
            self.assertAlmostEqual(split[what], sum(part[what] for part in split["parts"]), 9)
        self.assertAlmostEqual(split["saved_carbon_kg"], by_name["run-now"]["carbon_kg"] - winner["carbon_kg"], 9)
        self.assertIsNone(told["year"], "one day says nothing about a year")

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
            told = self.simulate(scenario, "--policies", "run-now", "--foresight", foresight, "--json-totals")
            self.assertEqual(len(told["policies"]), 1)
            self.assertNotIn("slots", told["policies"][0])

    def test_a_policy_that_plans_is_compared_with_its_own_plan_when_all_is_known(self):
        for foresight in ("perfect", "signals"):
            told = self.simulate(self.scenario(), "--policies", "run-now,ca-rm-performance", "--foresight", foresight,
                                 "--json-totals")
            run_now, planned = told["policies"]
            self.assertNotIn("plans", run_now)
            self.assertGreaterEqual(planned["plans"], 1)
            self.assertEqual("own_plan" in planned, foresight == "perfect")
        self.assertNotIn("own_plan", planned)
        told = self.simulate(self.scenario(), "--policies", "ca-rm-performance", "--foresight", "perfect")["policies"][0]
        self.assertLessEqual(told["carbon_kg"], told["own_plan"]["carbon_kg"] * 1.01)

    def test_people_get_a_table_and_a_page(self):
        folder = self.folder / "new" / "report"
        result = run("simulate", self.scenario(), "--policies", "run-now,run-now+sleep", "--foresight", "perfect",
                     "--report", folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        page = folder / "index.html"
        self.assertEqual(result.stdout.splitlines()[-1], f"report: {page}")
        for word in ("small <day>: 4 jobs, 1 service, ", "kg CO2e", "saved", "vs sleep", "EUR", "eligible",
                     "* best of its column", "no policy can emit less than", "winner: run-now+sleep emits ", "kg CO2e saved: sleep "):
            self.assertIn(word, result.stdout)
        text = page.read_text()
        self.assertTrue(text.startswith("<!DOCTYPE html>"))
        for word in ("small &lt;day&gt;", "front &amp; back", "<code>heliostat simulate ", "Where the saving comes from", "run-now+sleep", "Policies saw the true future of signals and jobs."):
            self.assertIn(word, text)
        self.assertEqual([path.name for path in folder.iterdir()], ["index.html"], "nothing half-written is left")
        told = self.simulate(self.folder / "scenario.toml", "--policies", "run-now", "--foresight", "perfect", "--report",
                             folder)
        self.assertEqual(told["report"], str(page))
        self.assertNotEqual(page.read_text(), text, "the old page is replaced")

    def test_the_table_fits_the_terminal(self):
        self.assert_fits("simulate", self.scenario(), "--policies", "run-now,run-now+sleep", "--foresight", "perfect")

    def test_tables_and_documents_hold_the_same_numbers_and_their_paths_are_printed(self):
        tables = self.folder / "new" / "tables"
        document = self.folder / "result.json"
        result = run("simulate", self.scenario(), "--foresight", "perfect", "--csv", tables, f"--json={document}")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        names = ("policies.csv", "slots.csv", "jobs.csv")
        self.assertEqual(result.stdout.splitlines(), [f"json: {document}"] + [f"csv: {tables / name}" for name in names])
        told = json.loads(document.read_text())
        self.assertEqual([policy["name"] for policy in told["policies"]], STANDARD)
        rows = {name: list(csv.DictReader((tables / name).read_text().splitlines())) for name in names}
        self.assertEqual([row["policy"] for row in rows["policies.csv"]], STANDARD)
        self.assertEqual(len(rows["slots.csv"]), 24 * len(STANDARD))
        self.assertEqual(len(rows["jobs.csv"]), 4 * len(STANDARD))
        for policy, row in zip(told["policies"], rows["policies.csv"]):
            self.assertEqual(float(row["carbon_kg"]), policy["carbon_kg"])
            self.assertEqual(row["eligible"] == "1", policy["eligible"])
            mine = [slot for slot in rows["slots.csv"] if slot["policy"] == policy["name"]]
            self.assertEqual([float(slot["cost_eur"]) for slot in mine], [slot["cost"] for slot in policy["slots"]])
            jobs = [job for job in rows["jobs.csv"] if job["policy"] == policy["name"]]
            self.assertEqual([job["finish"] or None for job in jobs], [job["finish"] for job in policy["jobs"]])

    def test_bad_options_are_refused(self):
        for where, arguments in (
                ("wait-awhile", ("--policies", "run-now,wait-a-while")), ("--policies", ("--policies", ",")),
                ("--policies", ("--policies", "run-now,run-now")), ("--policies", ("--policies", "")),
                ("--weeks", ("--weeks", "3")), ("--threads", ("--threads", "100000")),
                ("--eta", ("--eta", "nan")), ("--eta", ("--eta", "2")), ("--estimate-error", ("--estimate-error", "-1")),
                ("--forecast-error", ("--forecast-error", "inf")), ("--foresight", ("--foresight", "none")),
                ("--patience", ("--patience", "soon")), ("--wake-failure", ("--wake-failure", "1.5")),
                ("--seed", ("--seed", "x")), ("--seed", ("--seed", "-1"))):
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
        self.refuse("--decision-log", "--policies", "edf", "--decision-log", "/nowhere/x.jsonl")
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
    def test_a_folder_that_cannot_be_made_is_an_error_before_the_work(self):
        for option in ("--report", "--csv"):
            self.refuse(option, option, "/proc/no/such")
        self.refuse("--json", "--json=/proc/no.json")

    def test_a_disk_that_fills_leaves_nothing(self):
        scenario = self.scenario()
        out = self.folder / "out"
        out.mkdir()
        few_bytes = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        result = run("simulate", scenario, "--policies", "run-now,run-now+sleep", "--foresight", "perfect", "--report",
                     out, "--csv", out, preexec_fn=few_bytes, restore_signals=False)
        self.assert_refused(result, "cannot write: File too large", status=1)
        self.assertEqual(list(out.iterdir()), [], "not even the table that would have fitted")

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
