#!/usr/bin/env python3
"""Profiles as users of the command line meet them.

usage: profile_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import csv
import json
import unittest

from program import DATA, Case, run

GPUS = ["A40", "V100", "A100", "H100", "H200", "RTX4090"]
HEADER = "dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power\n"
MODELS = {"resnet50": ("imagenet", 4000, 240), "bert": ("squad", 900, 260), "ncf": ("movielens-1m", 20, 80),
          "tiny": ("cifar100", 8, 150)}


def zeus(slower=1.0, leave_out=()):
    """A sweep of four limits for each model, `slower` times as long as on the first GPU."""
    rows = HEADER
    for name, (data, seconds, watts) in MODELS.items():
        if name in leave_out:
            continue
        for limit in (150, 200, 250, 300):
            draw = min(watts, 0.9 * limit)
            rows += f"{data},{name},64,adam,{limit},{seconds * slower * (0.6 + 0.4 * watts / draw)},{draw}\n"
    return rows


class LibraryTest(Case):
    def test_every_gpu_is_listed_with_errors(self):
        result = run("profile", "library", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        profiles = json.loads(result.stdout)["profiles"]
        self.assertEqual(list(dict.fromkeys(row["gpu"] for row in profiles)), GPUS)
        for row in profiles:
            self.assertGreater(row["speed_per_s"], 0)
            self.assertGreater(row["speed_error_percent"], 0)
            self.assertIn(row["origin"], ("measured", "top-only", "predicted"))

    def test_one_gpu_as_a_table(self):
        result = run("profile", "library", "--gpu", "H200", env={"COLUMNS": "250"})
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertTrue(all(line.startswith("H200 ") for line in lines[1:]))
        self.assertIn("measured by us", result.stdout)

    def test_the_table_fits_the_terminal(self):
        self.assert_fits("profile", "library", "--gpu", "H200")

    def test_an_unknown_gpu_is_refused(self):
        self.assert_refused(run("profile", "library", "--gpu", "TPU"), "--gpu: 'TPU' is not in the library; one of A40")


class ImportTest(Case):
    def setUp(self):
        super().setUp()
        self.first = self.write("summary_power_a40.csv", zeus())
        self.second = self.write("summary_power_v100.csv", zeus(1.5))

    def test_fits_are_shown_and_a_table_is_written(self):
        out = self.folder / "training_profiles.csv"
        result = run("profile", "import", self.first, self.second, "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("x^", result.stdout)
        with out.open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 2 * 4 * len(MODELS))
        top = [row for row in rows if row["model"] == "resnet50-imagenet" and row["power_limit_w"] == "300"]
        speeds = {row["gpu"]: float(row["samples_per_s"]) for row in top}
        self.assertAlmostEqual(speeds["A40"], 1281167 / 4000, delta=0.01)
        self.assertAlmostEqual(speeds["A40"] / speeds["V100"], 1.5, places=4)

    def test_json_states_curves_and_errors(self):
        result = run("profile", "import", self.first, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        sweeps = json.loads(result.stdout)["sweeps"]
        self.assertEqual(len(sweeps), len(MODELS))
        for sweep in sweeps:
            self.assertEqual(sweep["knob"], "power_limit")
            self.assertLess(sweep["curve"]["power_mape_percent"], 1)
            self.assertLess(sweep["curve"]["time_mape_percent"], 2)

    def test_refused_input_leaves_no_file(self):
        out = self.folder / "out.csv"
        bad = self.write("summary_power_p100.csv", HEADER + "imagenet,net,64,adam,300,ten,200\n")
        self.assert_refused(run("profile", "import", self.first, bad, "-o", out),
                            "summary_power_p100.csv:2: time_per_epoch is 'ten'; must be a number")
        self.assertFalse(out.exists())
        unknown = self.write("unknown.csv", "a,b\n1,2\n")
        self.assert_refused(run("profile", "import", unknown), "is not a known table of measurements")
        self.assert_refused(run("profile", "import", self.first, "--format", "excel"), "--format")
        self.assert_refused(run("profile", "import", self.first, "-o", self.first), "is the input")
        self.assert_refused(run("profile", "import", self.first, "-o", out, "--batch", "7"), "--batch")
        self.assert_refused(run("profile", "import", self.folder / "absent.csv"), "absent.csv")

    def test_speeds_alone_are_shown_but_not_written(self):
        gavel = self.write("gavel.csv", "gpu,job_type,scale_factor,steps_per_s\n"
                                        "k80,LM (batch size 5),1,10\nk80,LM (batch size 5),2,16\n")
        result = run("profile", "import", gavel, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertAlmostEqual(json.loads(result.stdout)["scaling"][0]["kappa"], 0.678, places=3)
        out = self.folder / "out.csv"
        self.assert_refused(run("profile", "import", gavel, "-o", out), "speeds without power")
        self.assertFalse(out.exists())


class TransferTest(Case):
    def test_models_that_move_alike_are_predicted(self):
        files = [self.write("summary_power_a40.csv", zeus()), self.write("summary_power_v100.csv", zeus(2.0))]
        result = run("profile", "transfer", *files, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        everything = [row for row in json.loads(result.stdout)["left_out"] if row["model"] is None]
        self.assertEqual([row["gpu"] for row in everything], ["A40", "V100"])
        for row in everything:
            self.assertLess(row["speed_median_percent"], 12)
            self.assertGreater(row["speed_kept_percent"], 60)

    def test_a_model_that_never_ran_there_is_predicted_for_plans(self):
        files = [self.write("summary_power_a40.csv", zeus()),
                 self.write("summary_power_v100.csv", zeus(2.0, leave_out=["resnet50"]))]
        out = self.folder / "predicted.csv"
        more = ("--model", "resnet50-imagenet", "--gpu", "V100")
        result = run("profile", "transfer", *files, *more, "-o", out, "--json", self.folder / "predicted.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        points = json.loads((self.folder / "predicted.json").read_text())["points"]
        self.assertEqual([point["power_limit_w"] for point in points], [150, 200, 250, 300])
        self.assertAlmostEqual(points[-1]["per_s"], 1281167 / 8000, delta=0.1)
        for point in points:
            self.assertLess(point["cautious_per_s"], point["per_s"])
            self.assertGreater(point["cautious_power_w"], point["power_w"])
        with out.open() as file:
            written = list(csv.DictReader(file))
        self.assertAlmostEqual(float(written[-1]["samples_per_s"]), points[-1]["cautious_per_s"], delta=0.01)

    def test_what_nothing_shows_the_way_to_is_refused(self):
        file = self.write("summary_power_a40.csv", zeus())
        self.assert_refused(run("profile", "transfer", file), "nothing can be left out", status=3)
        self.assert_refused(run("profile", "transfer", file, "--model", "ncf-movielens-1m"), "--gpu: is missing")
        self.assert_refused(run("profile", "transfer", file, "--model", "x", "--gpu", "A40"), "'x' was not measured")
        self.assert_refused(run("profile", "transfer", file, "--model", "ncf-movielens-1m", "--gpu", "V100"),
                            "no model ran on 'V100'; one of A40")
        self.assert_refused(run("profile", "transfer", file, "-o", self.folder / "o.csv"), "no prediction to write")


OWN = """net,cap,img_s,watts,bs
ResNet-50,50,90,49,64
ResNet-50,60,110,59,64
ResNet-50,70,120,68,64
ncf-movielens-1m,50,200000,30,8192
ncf-movielens-1m,70,202000,31,8192
"""
NAMES = ("--model-column", "net", "--limit-column", "cap", "--throughput-column", "img_s", "--power-column", "watts",
         "--batch-column", "bs")


class OwnGpuTest(Case):
    """A GPU that the library does not have, measured with one worker: from a table to a plan."""

    def import_own(self, text=OWN, *more):
        table = self.folder / "t4.csv"
        return table, run("profile", "import", self.write("mine.csv", text), "--gpu", "T4", *NAMES, "-o", table, *more)

    def test_from_a_table_to_plan_and_simulation(self):
        table, result = self.import_own(OWN, "--workers", "1", "--scale-to", "1,2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("scaled, not measured", result.stdout)
        with table.open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["source"] for row in rows], ["measured"] * 5 + ["scaled"] * 5)
        self.assertTrue(all(float(row["speed_error_percent"]) > 10 for row in rows[5:]))
        jobs = self.write("jobs.csv", "id,submit,length_s,gpus,model\n"
                                      "a,2024-06-03T00:00:00Z,7200,2,resnet50\nb,2024-06-03T01:00:00Z,3600,1,ncf\n"
                                      "c,2024-06-03T02:00:00Z,3600,4,ResNet-50\n")
        made = run("scenario", "make", "-o", self.folder / "day", "--profiles", table, "--gpus", "T4:2x4", "--slots", "12",
                   "--jobs", jobs, "--offset", "0", "--node-base-w", "280")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("T4: own profiles of ResNet-50, ncf-movielens-1m; up to", made.stdout)
        self.assertIn("280 W without GPUs", made.stdout)
        with (self.folder / "day/jobs.csv").open() as file:
            self.assertEqual([job["model"] for job in csv.DictReader(file)], ["ResNet-50", "ncf-movielens-1m", "ResNet-50"])
        scenario = self.folder / "day/scenario.toml"
        plan = run("plan", scenario, "--objective", "min-carbon", "--json")
        self.assertEqual(plan.returncode, 0, plan.stderr)
        simulated = run("simulate", scenario, "--policies", "run-now", "--json")
        self.assertEqual(simulated.returncode, 0, simulated.stderr)

    def test_workers_and_gpu_are_never_guessed(self):
        table, result = self.import_own(OWN)
        self.assert_refused(result, "mine.csv:1: there is no column 'workers'; name it with --workers-column, or "
                                    "say it with --workers; the columns are net,cap,img_s,watts,bs")
        limits = self.write("limits.csv", "model_name,batch_size,power_limit_0,power_limit_1,time,energy\n"
                                          "bert,64,70,70,2,240\nbert,64,60,60,2.2,220\n")
        self.assert_refused(run("profile", "import", limits), "limits.csv: does not say which GPU was measured; --gpu")
        result = run("profile", "import", limits, "--gpu", "T4", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        sweep, = json.loads(result.stdout)["sweeps"]
        self.assertEqual((sweep["gpu"], sweep["workers"]), ("T4", 2))
        self.assertFalse(table.exists())

    def test_a_bad_row_is_named_or_skipped_and_counted(self):
        bad = OWN + "ResNet-50,65,115,,64\n"
        table, result = self.import_own(bad, "--workers", "1")
        self.assert_refused(result, "mine.csv:7: watts is empty; must be a number")
        self.assertFalse(table.exists())
        table, result = self.import_own(bad, "--workers", "1", "--skip-bad-rows", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("mine.csv: 1 of 6 rows skipped; the first: ", result.stderr)
        self.assertEqual(json.loads(result.stdout)["skipped"], 1)
        table, result = self.import_own(OWN + "ResNet-50,65,115,90,64\n", "--workers", "1")
        self.assert_refused(result, "mine.csv:7: power is 90 W; at most 70 W, the highest limit of T4")

    def test_scenarios_say_how_to_go_on(self):
        table, result = self.import_own(OWN, "--workers", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        make = ("scenario", "make", "-o", self.folder / "out", "--profiles", table)
        jobs = self.write("jobs.csv", "id,submit,length_s,gpus,model\na,2024-06-03T00:00:00Z,7200,2,gpt2\n")
        self.assert_refused(run(*make, "--jobs", jobs), "asks for models gpt2, but the given profiles have ResNet-50, ncf")
        self.assert_refused(run(*make, "--gpus", "A40:2x4"), "--gpus: has none of the GPUs of the given profiles: T4")
        self.assert_refused(run(*make, "--services", "1"), "--services: the given profiles have no table of serving")
        self.assert_refused(run("profile", "import", table, table), "t4.csv:2: ResNet-50 on T4 with 1 workers at 50 W is in an "
                                                                    "earlier file too")
        self.assertFalse((self.folder / "out").exists())


@unittest.skipUnless((DATA / "gpu/zeus").is_dir(), f"the public traces are not here (set HELIOSTAT_DATA): {DATA}")
class RealFilesTest(Case):
    def test_every_kind_of_file_is_told_by_its_header(self):
        for file in ("zeus/summary_power_a40.csv", "perseus/stage_profile_bloom_a100_sxm_bf16.csv",
                     "perseus/frontier_measured_A100.csv", "perseus/zeus_global_powerlimit_A100.csv",
                     "consumer_rtx/rtx3090_rtx4090_llm_powercap_sweep.csv", "mlenergy/mlenergy_v3_inference_H100.csv",
                     "mlenergy/mlenergy_v2_inference_A100_H100.csv", "gavel/isolated_throughputs_k80_p100_v100.csv"):
            with self.subTest(file):
                result = run("profile", "import", DATA / "gpu" / file, "--json")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertTrue(json.loads(result.stdout)["sweeps"])


if __name__ == "__main__":
    unittest.main()
