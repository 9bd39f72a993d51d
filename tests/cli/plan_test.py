#!/usr/bin/env python3
"""Plans as users of the command line meet them.

usage: plan_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import json
import math
import unittest

from plan_ledger import Ledger, instant
from program import DATA, run
from small_day import JOBS, SCENARIO, SERVICES, SLOTS, TRAINING, SmallDay, hourly

EXAMPLE = DATA.parent / "scenarios/example-week/scenario.toml"
TOTALS = ("carbon_kg", "cost", "energy_kwh", "grid_kwh", "renewable_used_kwh", "performance")


class PlanTest(SmallDay):
    """`heliostat plan` on a small day made here, and on the example week where it is present."""

    def plan(self, scenario, *arguments, status=0):
        result = run("plan", scenario, "--time-limit", "20", *arguments, "--json")
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout)

    usual_plans = {}  # of the day as it is, which several tests look at

    def usual_plan(self, objective):
        if objective not in self.usual_plans:
            self.usual_plans[objective] = self.plan(self.scenario(), "--objective", objective)
        return self.usual_plans[objective]

    def assert_adds_up(self, scenario, plan):
        """Totals agree with what jobs, services and nodes come to, and every promise is kept."""
        ledger = Ledger(scenario)
        least, most = (ledger.totals(plan, pick) for pick in (min, max))
        for key in TOTALS:
            self.assertGreaterEqual(plan[key], least[key] * (1 - 1e-3) - 1e-6, key)
            self.assertLessEqual(plan[key], most[key] * (1 + 1e-3) + 1e-6, key)
        if plan["carbon_kg"] > 0:
            self.assertAlmostEqual(plan["ppc"], plan["performance"] / plan["carbon_kg"], 6)
        self.assertEqual([job["id"] for job in plan["jobs"]], list(ledger.jobs))
        for key, of_slot in (("energy_kwh", "facility_kwh"), ("grid_kwh", "grid_kwh")):
            self.assertAlmostEqual(sum(slot[of_slot] for slot in plan["slots"]), plan[key], 6)
        for job in plan["jobs"]:
            given = ledger.jobs[job["id"]]
            if given["deadline"]:
                self.assertIs(job["deadline_met"], True, job["id"])
                finish = ledger.samples(job, max)[1]
                self.assertLessEqual(finish, instant(given["deadline"]), job["id"])
                self.assertGreaterEqual(instant(job["finish"]), finish - 1e-3)
                self.assertLessEqual(instant(job["finish"]), instant(given["deadline"]))
            for segment in job["segments"]:
                self.assertGreaterEqual(instant(segment["start"]), instant(given["submit"]))
                self.assertTrue(int(given["min_workers"]) <= segment["workers"] <= int(given["max_workers"]))
            self.assertLessEqual(len({segment["group"] for segment in job["segments"]}), 1)
        for service in plan["services"]:
            for slot in service["slots"]:
                self.assertLessEqual(slot["latency_ms"], float(ledger.services[service["id"]]["latency_slo_ms"]))

    def test_json_has_the_fields_of_the_contract_and_adds_up(self):
        scenario = self.scenario()
        for objective, better in (("min-carbon", "carbon_kg"), ("min-cost", "cost"), ("min-energy", "energy_kwh")):
            with self.subTest(objective):
                plan = self.usual_plan(objective)
                self.assertEqual((plan["scenario"], plan["objective"]), ("small <day>", objective))
                self.assertIn(plan["status"], ("optimal", "feasible"))
                self.assertLessEqual(plan["bound"], plan[better] + 1e-9)
                self.assertAlmostEqual(plan["gap"], (plan[better] - plan["bound"]) / plan[better], 6)
                self.assertGreaterEqual(plan["solve_s"], 0)
                self.assertEqual(len(plan["slots"]), SLOTS)
                self.assertLessEqual({"time", "it_kw", "facility_kwh", "grid_kwh", "renewable_used_kwh", "nodes_on"},
                                     set(plan["slots"][0]))
                self.assertLessEqual({"time", "group", "replicas", "core_mhz", "power_limit_w", "batch", "utilisation",
                                      "latency_ms"}, set(plan["services"][0]["slots"][0]))
                self.assert_adds_up(scenario, plan)

    def test_each_objective_is_best_at_what_it_is_for(self):
        plans = {objective: self.usual_plan(objective)
                 for objective in ("min-carbon", "min-cost", "min-energy", "max-performance", "max-ppc")}
        for objective, key, sign in (("min-carbon", "carbon_kg", 1), ("min-cost", "cost", 1),
                                     ("min-energy", "energy_kwh", 1), ("max-performance", "performance", -1),
                                     ("max-ppc", "ppc", -1)):
            best = plans[objective]
            self.assertLessEqual(best["gap"], 0.05, f"{objective} on four jobs")
            for other, plan in plans.items():
                self.assertGreaterEqual(sign * plan[key], sign * best["bound"] - 1e-6 * plan[key],
                                        f"{other} beats what {objective} has proven")

    def test_limits_are_kept(self):
        scenario = self.scenario()
        free = self.usual_plan("min-carbon")
        most = self.usual_plan("max-performance")
        self.assertGreater(most["performance"], free["performance"], "there is a job without a deadline to do")
        budget = (free["carbon_kg"] + most["carbon_kg"]) / 2
        plan = self.plan(scenario, "--objective", "max-performance", "--carbon-budget-kg", budget)
        self.assertLessEqual(plan["carbon_kg"], budget * (1 + 1e-9))
        self.assert_adds_up(scenario, plan)
        floor = (free["performance"] + most["performance"]) / 2
        plan = self.plan(scenario, "--objective", "min-carbon", "--performance-floor", floor)
        self.assertGreaterEqual(plan["performance"], floor * (1 - 1e-9))
        self.assert_adds_up(scenario, plan)
        cap = 0.9 * max(slot["facility_kwh"] for slot in most["slots"])
        plan = self.plan(scenario, "--objective", "min-carbon", "--facility-cap-kw", cap)
        self.assertLessEqual(max(slot["facility_kwh"] for slot in plan["slots"]), cap * (1 + 1e-9))
        plan = self.plan(scenario, "--objective", "min-cost", "--no-right-sizing")
        self.assertEqual({slot["nodes_on"]["a40"] for slot in plan["slots"]}, {2})
        self.assertGreater(plan["cost"], self.usual_plan("min-cost")["cost"])
        plan = self.plan(scenario, "--objective", "min-energy", "--finish-best-effort")
        self.assertIsNotNone(plan["jobs"][3]["finish"])
        self.assert_adds_up(scenario, plan)

    def test_solvers_agree(self):
        scenario = self.scenario(jobs_csv="\n".join(JOBS.splitlines()[:3]) + "\n")
        plans = [self.plan(scenario, "--objective", "min-carbon", "--solver", solver)
                 for solver in ("auto", "exact", "price")]
        for plan in plans:
            self.assert_adds_up(scenario, plan)
            for other in plans:
                self.assertLessEqual(plan["bound"], other["carbon_kg"] * (1 + 1e-9))

    def test_people_get_a_summary_and_a_page(self):
        page = self.folder / "page.html"
        result = run("plan", self.scenario(), "--objective", "min-carbon", "--html", page)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        for word in ("small <day>: 4 jobs, 1 service, 2 nodes, 24 slots of 1 h", "kg CO2e", "bound", "gap", "EUR",
                     "from the grid", "of the", "wake-up", "3 of 3 on time; 1 without a deadline", "to spare",
                     "0 done (--finish-best-effort requires all)",
                     "front & back: latency", "facility power ━", "renewable on site ░", "carbon ", f"html: {page}"):
            self.assertIn(word, result.stdout)
        self.assertRegex(result.stdout, r"The plan emits .* % less than running every job at once with idle nodes asleep "
                                        r"\(.*\), and meets all 3 deadlines\.")
        text = page.read_text()
        for word in ("small &lt;day&gt;", "front &amp; back", "Facility power", "Nodes on", "All jobs", "roomy",
                     "The plan emits", "from the proven bound", "<code>heliostat plan "):
            self.assertIn(word, text)
        self.assertNotIn("<script", text)
        plain = run("plan", self.scenario(), "--objective", "min-carbon", env={"LC_ALL": "C"})
        self.assertTrue(plain.stdout.isascii())

    def test_it_is_compared_with_policies_that_plan_nothing(self):
        plan = self.usual_plan("min-carbon")
        self.assertEqual([one["policy"] for one in plan["baselines"]], ["run-now+sleep", "run-now"])
        for one in plan["baselines"]:
            self.assertGreaterEqual(one["carbon_kg"], plan["bound"])
            self.assertLess(plan["carbon_kg"], one["carbon_kg"])

    def test_the_text_fits_the_terminal(self):
        self.assert_fits("plan", self.scenario(), "--objective", "min-carbon", columns=(60,))

    def test_a_deadline_that_cannot_be_kept_gives_a_plan_with_status_3(self):
        jobs = JOBS.replace("early,net,2023-06-05T00:00:00Z,2023-06-05T04:00:00Z", "early,net,2023-06-05T00:00:00Z,"
                            "2023-06-05T00:20:00Z")
        scenario, page = self.scenario(jobs_csv=jobs), self.folder / "page.html"
        result = run("plan", scenario, "--objective", "min-carbon", "--html", page)
        self.assertEqual(result.returncode, 3)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("early", result.stderr)
        self.assertIn("misses 1 of", result.stdout)
        self.assertIn("early: ", result.stdout)
        self.assertIn("Deadlines that are missed", page.read_text())
        told = self.plan(scenario, "--objective", "min-carbon", status=3)
        self.assertEqual((told["status"], told["objective"]), ("best_effort", "min-carbon"))
        self.assertEqual(([miss["id"] for miss in told["missed"]], told["least_misses"]), (["early"], 1))
        self.assertGreater(told["missed"][0]["late_s"], 0)
        self.assertIn("its window of 20 min", told["missed"][0]["reason"])
        self.assertEqual([job["id"] for job in told["jobs"] if job["deadline_met"] is False], ["early"])

    def test_rounds_give_the_same_plan_whatever_the_time_limit_is(self):
        scenario = self.scenario()
        plans = [json.loads(run("plan", scenario, "--objective", "min-carbon", "--rounds", "3", "--time-limit", limit,
                                "--json").stdout) for limit in ("0.001", "60")]
        for told in plans:
            self.assertFalse(told["time_decided"])
            del told["solve_s"]
        self.assertEqual(plans[0], plans[1])
        self.assert_refused(run("plan", scenario, "--objective", "min-carbon", "--rounds", "0"), "--rounds", 2)
        self.assert_refused(run("plan", scenario, "--objective", "min-carbon", "--rounds", "3", "--solver", "exact"),
                            "--rounds", 2)

    def test_a_weight_that_is_no_number_above_0_is_refused(self):
        for bad in ("0", "-1", "nan", "much"):
            header, *rows = JOBS.splitlines()
            jobs = "\n".join([header + ",weight"] + [row + "," + bad for row in rows]) + "\n"
            self.assert_refused(run("plan", self.scenario(jobs_csv=jobs), "--objective", "min-carbon"), "weight", 2)

    def test_impossible_limits_are_status_3(self):
        scenario = self.scenario()
        for limit, word in ((("--carbon-budget-kg", "0.01"), "carbon"), (("--facility-cap-kw", "0.2"), ""),
                            (("--performance-floor", "1e6"), "performance")):
            with self.subTest(limit):
                told = self.plan(scenario, "--objective", "min-carbon", *limit, status=3)
                self.assertEqual(told["status"], "infeasible")
                self.assertIn(word, told["reason"])

    def test_a_latency_that_nothing_keeps_names_the_service(self):
        scenario = self.scenario(services_csv=SERVICES.replace(",60,0.99", ",2,0.99"))
        self.assert_refused(run("plan", scenario, "--objective", "min-carbon"), "front & back", 3)

    def test_explains_a_job(self):
        scenario, page = self.scenario(), self.folder / "page.html"
        explain = ("plan", scenario, "--objective", "min-carbon", "--explain", "roomy")
        told = json.loads(run(*explain, "--json").stdout)["explain"]
        self.assertEqual((told["job"], told["unit"]), ("roomy", "kg CO2e"))
        self.assertTrue(told["summary"])
        for slot in told["slots"]:
            self.assertEqual(set(slot), {"time", "state", "carbon_g_per_kwh", "energy_price", "gpu_rent"})
        for other in told["alternatives"]:
            self.assertEqual(set(other), {"what", "feasible", "extra", "extra_carbon_kg", "note"})
            self.assertTrue(other["feasible"] or other["note"], other)
        result = run(*explain, "--html", page)
        self.assertIn("Why roomy runs when it does", result.stdout)
        self.assertIn("Why roomy runs when it does", page.read_text())

    def test_pareto_points_beat_each_other_in_nothing_twice(self):
        scenario, page = self.scenario(), self.folder / "page.html"
        for axes, signs in (("carbon,performance", (1, -1)), ("cost,performance", (1, -1)), ("carbon,cost", (1, 1))):
            with self.subTest(axes):
                told = self.plan(scenario, "--pareto", axes, "--points", "3")["pareto"]
                self.assertEqual(f"{told['x']},{told['y']}", axes)
                self.assertTrue(1 <= len(told["points"]) <= 3)
                names = {"carbon": "carbon_kg", "cost": "cost", "performance": "performance"}
                points = [tuple(sign * point[names[axis]] for axis, sign in zip(axes.split(","), signs))
                          for point in told["points"]]
                for a in points:
                    self.assertFalse(any(b[0] < a[0] and b[1] < a[1] for b in points), points)
                for point in told["points"]:
                    self.assertLessEqual(set(TOTALS) | {"ppc", "status", "gap", "bound"}, set(point))
        result = run("plan", scenario, "--pareto", "carbon,performance", "--points", "2", "--html", page)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Trade-off of carbon (kg CO2e) and performance", result.stdout)
        self.assertIn("<circle", page.read_text())
        both = self.plan(scenario, "--objective", "min-cost", "--pareto", "carbon,cost", "--points", "2")
        self.assertLessEqual({"pareto", "jobs", "slots"}, set(both))

    def risky(self, paths=6, **files):
        """The day with possible futures of rate and carbon: future k has k tenths more requests than the first."""
        def futures(ending, values):
            names = ",".join(f"scenario_{k + 1}{ending}" for k in range(paths))
            return hourly(names, lambda hour: 0).splitlines()[0] + "\n" + "".join(
                f"2023-06-05T{hour:02}:00:00Z," + ",".join(f"{values(hour, k):.4f}" for k in range(paths)) + "\n"
                for hour in range(SLOTS))
        toml = SCENARIO.replace('"carbon_g_per_kwh" }', '"carbon_g_per_kwh", scenarios = "carbon_paths.csv" }')
        services = SERVICES.replace("max_replicas\n", "max_replicas,rate_scenarios_file\n").replace(
            ",1,3\n", ",1,3,rate_paths.csv\n")
        self.write("carbon_paths.csv", futures("_carbon_g_per_kwh", lambda hour, k: (300 + 10 * hour) * (0.8 + 0.1 * k)))
        self.write("rate_paths.csv", futures("", lambda hour, k: (60 + 40 * math.sin(hour / 12 * math.pi)) *
                                             (1 + 0.1 * k)))
        return self.scenario(**{"scenario_toml": toml, "services_csv": services, **files})

    def test_a_plan_at_risk_does_in_the_share_of_the_futures(self):
        scenario, page = self.risky(), self.folder / "page.html"
        aim = ("--objective", "min-carbon", "--gap", "1")
        replicas = 0
        for share in (0.1, 0.5, 1):
            plan = self.plan(scenario, *aim, "--risk", share)
            risk = plan["risk"]
            self.assertEqual(set(risk), {"share_asked", "share_kept", "paths", "expected_carbon_kg",
                                         "carbon_kg_at_share"})
            self.assertEqual((risk["share_asked"], risk["paths"]), (share, 6))
            self.assertGreaterEqual(risk["share_kept"], share)
            used = sum(slot["replicas"] * (1 + slot["utilisation"]) for slot in plan["services"][0]["slots"])
            self.assertGreater(used, replicas)
            replicas = used
        self.assertNotIn("risk", self.plan(scenario, *aim))
        result = run("plan", scenario, *aim, "--risk", "0.5", "--html", page)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("of 6 paths (asked: 50 %)", result.stdout)
        self.assertIn("of 6 paths (asked: 50 %)", page.read_text())

    def test_a_budget_at_risk_is_kept_or_refused(self):
        scenario = self.risky()
        aim = ("--objective", "min-carbon", "--gap", "1", "--risk", "0.8")
        free = self.plan(scenario, *aim)["risk"]
        plan = self.plan(scenario, *aim, "--carbon-budget-kg", 1.05 * free["carbon_kg_at_share"])
        self.assertGreaterEqual(plan["risk"]["share_kept"], 0.8)
        told = self.plan(scenario, *aim, "--carbon-budget-kg", 0.9 * free["carbon_kg_at_share"], status=1)
        self.assertEqual(told["status"], "no_plan")
        self.assertIn("80 % of the paths", told["reason"])

    def test_bad_risks_are_one_line(self):
        aim = ("--objective", "min-carbon")
        for share in ("0", "1.5", "-1", "nan", "most"):
            self.assert_refused(run("plan", self.risky(), *aim, "--risk", share), "--risk")
        self.assert_refused(run("plan", self.risky(), "--pareto", "carbon,cost", "--risk", "0.9"), "--pareto")
        self.assert_refused(run("plan", self.scenario(), *aim, "--risk", "0.9"), "--scenarios-csv")
        scenario = self.risky()
        self.write("carbon_paths.csv", hourly("one_carbon_g_per_kwh", lambda hour: 100))
        self.assert_refused(run("plan", scenario, *aim), "rate_paths.csv")
        scenario = self.risky()
        text = (self.folder / "rate_paths.csv").read_text()
        self.write("rate_paths.csv", text[:text.rindex("2023-06-05T23")])
        self.assert_refused(run("plan", scenario, *aim), "rate_paths.csv")

    def test_no_jobs_and_no_services_is_a_plan_too(self):
        scenario = self.scenario(scenario_toml=SCENARIO.replace('services = "services.csv"\n', ""),
                                 jobs_csv=JOBS.splitlines()[0] + "\n")
        plan = self.plan(scenario, "--objective", "min-carbon")
        self.assertEqual((plan["jobs"], plan["services"], plan["performance"]), ([], [], 0))
        self.assertEqual({slot["nodes_on"]["a40"] for slot in plan["slots"]}, {0})
        self.assert_adds_up(scenario, plan)
        page = self.folder / "page.html"
        self.assertEqual(run("plan", scenario, "--objective", "min-carbon", "--html", page).returncode, 0)
        self.assertIn("Facility power", page.read_text())

    def test_bad_input_is_one_line_and_writes_nothing(self):
        scenario, page = self.scenario(), self.folder / "page.html"
        aim = ["--objective", "min-carbon"]
        for arguments, where in (
                ([self.folder / "absent.toml", *aim], "absent.toml"), ([scenario], "--objective"), (aim, "SCENARIO"),
                ([scenario, "--objective", "max-fun"], "--objective: 'max-fun'"), ([scenario, *aim, "--solver", "magic"], "--solver: magic"),
                ([scenario, *aim, "--carbon-budget-kg", "-1"], "--carbon-budget-kg: -1 is out of range; a number above 0"),
                ([scenario, *aim, "--carbon-budget-kg", "0"], "--carbon-budget-kg: 0 is out of range; a number above 0"),
                ([scenario, *aim, "--carbon-budget-kg", "nan"], "--carbon-budget-kg"),
                ([scenario, *aim, "--performance-floor", "lots"], "--performance-floor"),
                ([scenario, *aim, "--facility-cap-kw", "0"], "--facility-cap-kw"),
                ([scenario, *aim, "--time-limit", "0"], "--time-limit"), ([scenario, *aim, "--gap", "inf"], "--gap"),
                ([scenario, *aim, "--gap", "-1"], "--gap: -1 is out of range; a number, 0 or more"),
                ([scenario, "--pareto", "carbon"], "--pareto"), ([scenario, "--pareto", "carbon,fun"], "fun"),
                ([scenario, "--pareto", "cost,cost"], "twice"),
                ([scenario, "--pareto", "carbon,cost", "--points", "1"], "--points"),
                ([scenario, "--pareto", "carbon,cost", "--explain", "roomy"], "--objective"),
                ([scenario, *aim, "--explain", "nobody"], "nobody"), ([scenario, *aim, "--horizon", "2h"], "--horizon")):
            with self.subTest(arguments):
                self.assert_refused(run("plan", *arguments, "--html", page), where)
        self.assertFalse(page.exists())

    def test_bad_scenarios_name_the_file_and_the_row(self):
        for name, text, where in (
                ("jobs_csv", JOBS.replace("2023-06-05T04:00:00Z", "2023-06-04T00:00:00Z"), "jobs.csv:2"),
                ("jobs_csv", JOBS.replace("whole,net", "whole,unknown"), "unknown"),
                ("training_csv", TRAINING.replace("60,150", "60,much"), "training.csv"),
                ("scenario_toml", SCENARIO.replace("slots = 24", "slots = -1"), "slots"),
                ("scenario_toml", SCENARIO + "[broken", "scenario.toml"),
                ("carbon_csv", "time,carbon_g_per_kwh\n2023-06-05T00:00:00Z,1\n2023-06-05T01:00:00Z,2\n", "carbon")):
            with self.subTest(where):
                self.assert_refused(run("plan", self.scenario(**{name: text}), "--objective", "min-carbon"), where)

    def test_cost_needs_prices(self):
        scenario = self.scenario(scenario_toml="\n".join(line for line in SCENARIO.splitlines()
                                                         if not line.startswith("price")))
        self.assert_refused(run("plan", scenario, "--objective", "min-cost"), "price")
        self.assert_refused(run("plan", scenario, "--pareto", "carbon,cost"), "price")
        self.assertEqual(self.plan(scenario, "--objective", "min-carbon")["cost"], 0)

    def test_results_never_replace_inputs(self):
        scenario = self.scenario()
        for target in ("scenario.toml", "jobs.csv"):
            before = (self.folder / target).read_text()
            self.assert_refused(run("plan", scenario, "--objective", "min-carbon", "--html", self.folder / target),
                                "--html")
            self.assertEqual((self.folder / target).read_text(), before)
        out = self.folder / "out.json"
        self.assert_refused(run("plan", scenario, "--objective", "min-carbon", "--html", out, "--json", out), "--json")
        self.assertFalse(out.exists())

    def test_help_teaches(self):
        told = run("plan", "--help").stdout
        for word in ("CA-RM", "CE-DLA", "min-carbon", "max-ppc", "--pareto", "Examples:", "certificate"):
            self.assertIn(word, told)

    @unittest.skipUnless(EXAMPLE.exists(), "no example scenario")
    def test_the_example_week_keeps_every_deadline_and_the_known_bound(self):
        plan = self.plan(EXAMPLE, "--objective", "min-carbon")
        self.assertGreaterEqual(plan["carbon_kg"], 62.93)
        self.assertLessEqual(plan["bound"], plan["carbon_kg"])
        self.assert_adds_up(EXAMPLE, plan)


if __name__ == "__main__":
    unittest.main(verbosity=1)
