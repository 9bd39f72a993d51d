#!/usr/bin/env python3
"""Scenarios made by the command line, and read back by it.

usage: scenario_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import csv
import datetime
import json
import unittest

from program import DATA, Case, run

FILES = {"carbon.csv", "solar.csv", "price.csv", "training_profiles.csv", "inference_profiles.csv", "jobs.csv",
         "rate_0.csv", "services.csv", "scenario.toml"}
SMALL = ("--gpus", "A40:2x4", "--slots", "24", "--load", "0.3")
TRACE = """id,submit,length_s,gpus,model,deadline
first,2024-03-04T01:00:00Z,3600,2,resnet50,2024-03-04T09:00:00Z
second,2024-03-04T02:30:00Z,1800,1,,
third,2024-03-05T02:30:00Z,1800,1,,
"""


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class ScenarioMakeTest(Case):
    """`heliostat scenario make`."""

    def make(self, *arguments, folder="made"):
        out = self.folder / folder
        result = run("scenario", "make", "-o", out, *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return out, json.loads(result.stdout)

    def assert_refused_and_nothing_written(self, where, *arguments):
        out = self.folder / "refused"
        self.assert_refused(run("scenario", "make", "-o", out, *arguments), where)
        self.assertFalse(out.exists(), arguments)

    def test_a_made_scenario_is_complete_and_can_be_planned(self):
        out, made = self.make(*SMALL, "--seed", "3")
        self.assertEqual({path.name for path in out.iterdir()}, FILES)
        self.assertEqual(made["jobs"], len(rows(out / "jobs.csv")))
        self.assertEqual(made["gpus"], 8)
        self.assertEqual(made["file"], str(out / "scenario.toml"))
        self.assertEqual(len(rows(out / "carbon.csv")), 24)
        plan = run("plan", made["file"], "--objective", "min-carbon", "--time-limit", "20", "--gap", "5", "--json")
        self.assertEqual(plan.returncode, 0, plan.stderr)
        self.assertIn(json.loads(plan.stdout)["status"], ("optimal", "feasible"))

    def test_the_same_options_give_the_same_files_and_another_seed_others(self):
        one, _ = self.make(*SMALL, "--name", "x", folder="one")
        two, _ = self.make(*SMALL, "--name", "x", folder="two")
        other, _ = self.make(*SMALL, "--name", "x", "--seed", "2", folder="other")
        for name in FILES:
            self.assertEqual((one / name).read_bytes(), (two / name).read_bytes(), name)
        self.assertNotEqual((one / "jobs.csv").read_bytes(), (other / "jobs.csv").read_bytes())

    def test_load_and_elasticity_are_as_asked(self):
        _, made = self.make("--load", "0.4", "--elasticity", "1", "--slots", "72")
        self.assertAlmostEqual(made["load"], 0.4, delta=0.01)
        out, _ = self.make("--load", "0.4", "--elasticity", "1", "--slots", "72", folder="rigid")
        for job in rows(out / "jobs.csv"):
            self.assertEqual(job["min_workers"], job["max_workers"])

    def test_jobs_of_a_trace_keep_their_times_models_and_deadlines(self):
        trace = self.write("trace.csv", TRACE)
        out, made = self.make(*SMALL[:4], "--jobs", trace, "--offset", "0", "--start", "2024-07-01", "--services", "0",
                              "--best-effort", "0", "--slack", "4")
        jobs = {job["id"]: job for job in rows(out / "jobs.csv")}
        self.assertEqual(set(jobs), {"first", "second"})
        self.assertEqual(made["services"], 0)
        self.assertEqual(jobs["first"]["submit"], "2024-07-01T01:00:00Z")
        self.assertEqual(jobs["first"]["deadline"], "2024-07-01T09:00:00Z")
        self.assertEqual(jobs["first"]["model"], "resnet50")
        self.assertTrue(jobs["second"]["deadline"])

    def test_what_became_of_the_jobs_of_a_trace_is_told(self):
        trace = self.write("trace.csv", TRACE)
        options = (*SMALL[:4], "--jobs", trace, "--offset", "0", "--services", "0")
        _, made = self.make(*options)
        self.assertEqual(made["jobs_in_trace"], 3)
        self.assertEqual(made["jobs_left_out"]["submitted_after_end"], 1)
        self.assertEqual(made["jobs"] + sum(made["jobs_left_out"].values()), 3)
        self.assertEqual(made["jobs_drawn"]["model"], 1)
        text = run("scenario", "make", "-o", self.folder / "told", *options).stdout
        self.assertIn("3 jobs in the trace, 1 left out: submitted after the end of the scenario\n", text)
        self.assertIn("model drawn for 1 of 2 jobs: the trace names none", text)
        out, made = self.make(*options, "--deadlines", "column", "--model", "vgg16-bf16", "--in-one-piece", "0",
                              folder="undrawn")
        self.assertEqual(sum(made["jobs_drawn"].values()), 0, made["jobs_drawn"])
        second = rows(out / "jobs.csv")[1]
        self.assertEqual((second["model"], second["deadline"]), ("vgg16-bf16", ""))
        out, made = self.make(*options, "--deadlines", "none", folder="none")
        self.assertEqual(made["jobs_with_deadline"], 0)

    def test_any_table_of_jobs_is_read(self):
        table = ("JobID,Start,End,Cards,State\n"
                 "1,2024-03-04T10:00:00,2024-03-04T11:30:00,2,COMPLETED\n"
                 "2,2024-03-04T10:05:00,Unknown,1,RUNNING\n"
                 "3,when,2024-03-04T11:30:00,1,FAILED\n")
        options = (*SMALL[:4], "--offset", "0", "--services", "0", "--deadlines", "none", "--elasticity", "1",
                   "--job-columns", "gpus=Cards", "--time-zone", "Europe/Berlin")
        self.assert_refused_and_nothing_written("table.csv:4: Start is 'when'", *options, "--jobs",
                                                self.write("table.csv", table))
        self.assert_refused_and_nothing_written("none is known as gpus", *options[:-4], "--jobs", self.folder / "table.csv")
        self.assert_refused_and_nothing_written("--job-columns: the format philly", *options, "--format", "philly")
        self.assert_refused_and_nothing_written("no column 'x'", "--jobs", self.folder / "table.csv", "--job-columns", "id=x")
        self.assert_refused_and_nothing_written("--length-unit", "--length-unit", "days")
        out = self.folder / "read"
        result = run("scenario", "make", "-o", out, *options, "--jobs", "-", "--skip-bad-rows", "--json", input=table.replace(",", "|"))
        self.assertEqual(result.returncode, 0, result.stderr)
        made = json.loads(result.stdout)
        self.assertEqual((made["jobs"], made["bad_rows"], made["rows_without_work"]), (1, [4], 1))
        self.assertEqual(rows(out / "jobs.csv")[0]["submit"], "2024-06-03T09:00:00Z")
        self.assertTrue(any("id=JobID,start=Start,end=End" in note for note in made["trace_notes"]), made["trace_notes"])

    def test_signals_come_from_files(self):
        start = datetime.datetime(2024, 7, 1)
        times = [(start + datetime.timedelta(hours=h)).strftime("%Y-%m-%dT%H:%M:%SZ") for h in range(30)]
        text = "time,a_carbon_g_per_kwh,b_carbon_g_per_kwh\n" + "".join(f"{t},{100 + i},{500 + i}\n"
                                                                         for i, t in enumerate(times))
        carbon = self.write("grid.csv", text)
        price = self.write("price.csv", "time,price_per_kwh\n" + "".join(f"{t},0.{10 + i}\n"
                                                                         for i, t in enumerate(times)))
        options = (*SMALL, "--start", "2024-07-01", "--carbon", f"{carbon}:b_carbon_g_per_kwh")
        out, _ = self.make(*options, "--price", price, "--currency", "EUR")
        self.assertEqual([float(row["carbon_g_per_kwh"]) for row in rows(out / "carbon.csv")],
                         [500 + i for i in range(24)])
        self.assertEqual(float(rows(out / "price.csv")[7]["price_per_kwh"]), 0.17)
        self.assertIn('currency = "EUR"', (out / "scenario.toml").read_text())
        self.assertEqual({float(row["renewable_kw"]) for row in rows(out / "solar.csv")}, {0.0})
        # The same prices per MWh, the unit in the header or on the command line; the zone does not replace the currency.
        for header, *said in (("price_eur_per_mwh", "--currency", "EUR"), ("price", "--unit", "EUR/MWh")):
            mwh = self.write("mwh.csv", f"time,{header}\n" + "".join(f"{t},{100 + 10 * i}\n" for i, t in enumerate(times)))
            out, _ = self.make(*options, "--price", mwh, *said, folder=header)
            self.assertEqual(float(rows(out / "price.csv")[7]["price_per_kwh"]), 0.17)
            self.assertIn('currency = "EUR"', (out / "scenario.toml").read_text())
        self.assert_refused_and_nothing_written("column 'price' does not state its unit; set --unit", *options, "--price", mwh)
        self.assert_refused_and_nothing_written("--unit: 'kW' is a unit of power", *options, "--unit", "kW")
        # Another place's prices are not put beside a file's carbon.
        out, _ = self.make(*options, folder="without")
        self.assertFalse((out / "price.csv").exists())
        self.assert_refused_and_nothing_written("needed are all of", "--start", "2024-07-01", "--slots", "31", "--carbon",
                                                f"{carbon}:b_carbon_g_per_kwh")

    def test_bad_input_is_one_line_and_nothing_is_written(self):
        trace = self.write("trace.csv", TRACE.replace(",1800,1,,", ",-5,1,,", 1))
        good = self.write("good.csv", TRACE)
        for where, *arguments in (
                ("--gpus", "--gpus", "A40"),
                ("--gpus: there is no profile of GPU 'A41'; did you mean A40?", "--gpus", "A41:2x2"),
                ("give it with --profiles", "--gpus", "T4:4x4"),
                ("--gpus: 'A40:8x8,,V100:4x4' has an empty entry", "--gpus", "A40:8x8,,V100:4x4"),
                ("--elasticity: 'nan' is not a number", "--elasticity", "nan"),
                ("--elasticity: is 0.5; must be from 1 to 64", "--elasticity", "0.5"),
                ("--pue: 'nan' is not a number", "--pue", "nan"),
                ("--renewable-share: 'nan' is not a number", "--renewable-share", "nan"),
                ("--node-base-w: is -1", "--node-base-w", "-1"),
                ("--wake-minutes: 'nan' is not a number", "--wake-minutes", "nan"),
                ("'mars' is not built in", "--zone", "mars"),
                ("trace.csv:3: length_s is '-5'", "--jobs", trace),
                ("did you mean own", "--jobs", good, "--format", "owm"),
                ("no column 'arrival_time'", "--jobs", good, "--format", "pai"),
                ("no job that fits", "--jobs", good, "--offset", "40d"),
                ("missing.csv", "--jobs", self.folder / "missing.csv"),
                ("missing.csv", "--carbon", self.folder / "missing.csv"),
                ("--load: is 1.5", "--load", "1.5"),
                ("did you mean none", "--deadlines", "nono"),
                ("--model: no profile fits 'resnet5'", "--model", "resnet5"),
                ("--slack", "--slack", "0.5"),
                ("on-site power", "--on-site", "moon"),
                ("--start", "--start", "yesterday"),
                ("--step", "--step", "soon"),
                ("divide a day", "--step", "7m"),
                ("--slots: 0 is out of range", "--slots", "0"),
                ("command line", "--frobnicate")):
            with self.subTest(arguments):
                self.assert_refused_and_nothing_written(where, *arguments)
        self.assert_refused(run("scenario", "make"), "--output")
        self.assert_refused(run("scenario", "make", "-o", good), "is a file")
        self.assert_refused(run("scenario", "make", "-o", self.folder, "--jobs", good), "holds the input")
        self.assertFalse((self.folder / "scenario.toml").exists())

    def test_help_teaches(self):
        text = run("scenario", "make", "--help").stdout
        for word in ("philly", "--load", "Examples:", "heliostat plan"):
            self.assertIn(word, text)

    @unittest.skipUnless((DATA / "jobs").is_dir(), f"the public traces are not in {DATA}")
    def test_public_traces_make_scenarios(self):
        for name in ("philly/philly.csv", "chronus/trace_job_Philly_SLO.csv", "pollux/workload-1.csv",
                     "alibaba_pai/pai_rows_00000_29999.csv"):
            with self.subTest(name):
                _, made = self.make("--jobs", DATA / "jobs" / name, "--load", "0.3", "--slots", "48",
                                    folder=name.split("/", maxsplit=1)[0])
                self.assertGreater(made["jobs"], 10)
                self.assertLessEqual(made["load"], 0.301)
        rates = DATA / "inference/servegen/servegen_rate_10min.csv"
        out, _ = self.make(*SMALL, "--rates", f"{rates}:m-mid", folder="rates")
        self.assertEqual(len(rows(out / "rate_0.csv")), 24)


if __name__ == "__main__":
    unittest.main()
