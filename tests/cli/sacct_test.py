#!/usr/bin/env python3
"""A site's own record, made a scenario and compared with policies.

usage: sacct_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import csv
import datetime
import json
import pathlib
import sys
import unittest

from program import Case, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "sacct"))
from make_dump import make_dump  # pylint: disable=wrong-import-position,import-error

HEADER = "JobID|User|JobName|Submit|Start|End|Timelimit|State|AllocTRES|NodeList|Comment\n"
ROW = "{}|ann|train|2024-03-04T12:00:00|{}|{}|02:00:00|COMPLETED|cpu=8,gres/gpu:a100=4,gres/gpu=4|n[1-2]|{}\n"
SMALL = HEADER + ROW.format(7, "2024-03-04T13:00:00", "2024-03-04T14:30:00", "") + ROW.format(
    8, "2024-03-04T15:00:00", "2024-03-04T16:30:00", "heliostat:slack=50%")


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def seconds(text):
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())


class SacctTest(Case):
    """`heliostat scenario make --sacct`, and `heliostat simulate` on the result."""

    def make(self, text, *arguments):
        out = self.folder / "month"
        result = run("scenario", "make", "--sacct", self.write("dump.txt", text), "-o", out, *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return out, json.loads(result.stdout)

    def refuse(self, text, where, *arguments):
        out = self.folder / "refused"
        result = run("scenario", "make", "--sacct", self.write("dump.txt", text), "-o", out, *arguments)
        self.assert_refused(result, where)
        self.assertFalse(out.exists())
        return result.stderr

    def test_a_dump_with_every_quirk_is_replayed_to_the_second(self):
        # The clocks of Berlin change on 2024-10-27.
        text, runs, begin, end = make_dump(jobs=250, nodes=8, days=3, start="2024-10-25", seed=4)
        out, made = self.make(text, "--time-zone", "Europe/Berlin", "--start", "2024-10-25", "--end", "2024-10-28")
        self.assertEqual(made["slots"], 73)
        self.assertEqual(seconds(made["start"]), begin)
        hours = sum(run.gpus * (min(run.end, end) - max(run.start, begin)) for run in runs) / 3600
        self.assertAlmostEqual(made["gpu_hours"], hours, places=6)
        self.assertGreater(made["jobs_requeued"], 0)
        self.assertGreater(made["jobs_allow"]["by_comment"], 0)
        told = "\n".join(made["trace_notes"])
        for words in ("steps of jobs", "jobs without GPUs", "never ran", "still wait", "still running", "cannot be read",
                      "clocks show twice", "heterogeneous", "began before"):
            self.assertIn(words, told)

        result = run("simulate", out / "scenario.toml", "--policies", "as-recorded", "--json", "--foresight", "signals")
        self.assertEqual(result.returncode, 0, result.stderr)
        replayed = {job["id"]: job for job in json.loads(result.stdout)["policies"][0]["jobs"]}
        wanted = {}
        for one in runs:
            wanted.setdefault(one.id, []).append((max(one.start, begin), min(one.end, end)))
        self.assertEqual(set(replayed), set(wanted))
        for name, spans in wanted.items():
            segments = [(seconds(part["start"]), seconds(part["end"])) for part in replayed[name]["segments"]]
            self.assertEqual(segments, sorted(spans), name)

    def test_the_site_as_it_was_is_the_baseline(self):
        out, made = self.make(SMALL, "--start", "2024-03-04", "--end", "2024-03-05")
        self.assertEqual(made["baseline"], "as-recorded")
        result = run("simulate", out / "scenario.toml", "--json", "--json-totals", "--no-split")
        self.assertEqual(result.returncode, 0, result.stderr)
        names = [policy["name"] for policy in json.loads(result.stdout)["policies"]]
        self.assertEqual(names, ["as-recorded", "as-recorded+sleep", "wait-awhile", "carbon-scaler", "ca-rm-ppc"])
        out, made = self.make(SMALL, "--power-saving", "--start", "2024-03-04", "--end", "2024-03-05")
        self.assertIn('baseline = "as-recorded+sleep"', (out / "scenario.toml").read_text())

    def test_jobs_have_their_starts_nodes_and_what_they_allow(self):
        out, made = self.make(SMALL, "--start", "2024-03-04T12:00:00", "--end", "2024-03-05T00:00:00")
        first, second = rows(out / "jobs.csv")
        self.assertEqual(first["recorded_start"], "2024-03-04T13:00:00Z")
        self.assertEqual(first["recorded_nodes"], "0:2 1:2")
        self.assertEqual(first["submit"], first["recorded_start"])
        self.assertEqual(second["deadline"], "2024-03-04T17:30:00Z")
        self.assertEqual(made["jobs_allow"], {"by_comment": 1, "by_default": 0, "nothing": 1, "may_pause": 0})

    def test_a_dump_that_was_cut_is_read_up_to_there(self):
        _, made = self.make(SMALL[:-40])
        self.assertEqual(made["jobs"], 1)
        self.assertIn("the last row, line 3, is cut and left out", made["trace_notes"])

    def test_bad_input_is_one_line_and_nothing_is_written(self):
        self.refuse("", "dump.txt: is empty")
        self.refuse(HEADER, "dump.txt: has no job that ran on GPUs")
        self.refuse("JobID|State\n7|COMPLETED\n", "dump.txt: has no column")
        self.refuse(SMALL.replace("n[1-2]|h", "n[1-2]|a|h"), "dump.txt:3: the row has 12 cells")
        told = self.refuse(SMALL.replace("a100", "t4"), "dump.txt: there is no profile of its GPU type 't4'")
        self.assertIn("--gpu-types", told)
        self.refuse(SMALL, "--default-slack: is '50'", "--default-slack", "50")
        self.refuse(SMALL, "--gpu-types: 'a100' is not TYPE=GPU", "--gpu-types", "a100")
        self.refuse(SMALL, "--gpu-types: names t4 twice", "--gpu-types", "t4=A100,t4=V100")
        self.refuse(SMALL, "--gpus: has 2 GPUs of A100, but 4 were in use", "--gpus", "A100:1x2")
        self.refuse(SMALL, "--gpus: there is no profile of GPU 'T4'", "--gpu-types", "a100=T4")
        self.refuse(SMALL, "--jobs: does not go with --sacct", "--jobs", "x.csv")
        self.refuse(SMALL, "--slots: does not go with --sacct", "--slots", "24")
        self.refuse(SMALL, "dump.txt: has jobs from", "--start", "2024-03-06", "--end", "2024-03-05")
        self.refuse(SMALL, "dump.txt: has no job that ran on GPUs from", "--start", "2024-03-06", "--end", "2024-03-07")
        self.assert_refused(run("scenario", "make", "-o", self.folder / "x", "--end", "2024-03-05"), "--end: is for --sacct")

    def test_bad_rows_can_be_skipped(self):
        _, made = self.make(SMALL + ROW.format(9, "soon", "later", ""), "--skip-bad-rows")
        self.assertEqual(made["bad_rows"], [4])

    def test_a_baseline_that_does_not_exist_is_refused(self):
        out, _ = self.make(SMALL)
        toml = out / "scenario.toml"
        toml.write_text(toml.read_text().replace('"as-recorded"', '"as-recordd"'))
        self.assert_refused(run("simulate", toml), f"{toml}: baseline: there is no policy as-recordd")


if __name__ == "__main__":
    unittest.main()
