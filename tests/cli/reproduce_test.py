#!/usr/bin/env python3
"""Published results beside ours, from the command line.

usage: reproduce_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import json
import os
import signal
import subprocess
import time
import unittest
import xml.dom.minidom

from program import DATA, HELIOSTAT, Case, run

# Built-in zones, whatever the machine has.
BARE = {"HELIOSTAT_DATA": ""}


class ReproduceTest(Case):
    """`heliostat reproduce`."""

    def reproduce(self, *arguments):
        result = run("reproduce", *arguments, "--quick", "--json", env=BARE)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_a_study_has_a_verdict_and_what_was_kept(self):
        answer = self.reproduce("ca-rm")
        self.assertEqual(answer["grids"], "built-in")
        study = answer["studies"]["ca-rm"]
        self.assertEqual(study["published_saving"], 0.35)
        self.assertIn("Published: about 35 %", study["verdict"])
        for block in ("as_published", "with_sleep"):
            rows = study[block]["savings"]
            self.assertEqual({row["policy"] for row in rows}, {"ca-rm-carbon", "ca-rm-performance", "ca-rm-ppc"})
            for row in rows:
                self.assertLessEqual(row["worst_saving"], row["mean_saving"])
                self.assertLess(row["mean_saving"], 1)
                self.assertIn("deadline_miss_share", row["against_keeps"])

    def test_a_run_that_is_killed_goes_on_ends_with_the_same_bytes_and_tells_people(self):
        whole = run("reproduce", "ce-dla", "--quick", "--json", "--threads", "2", env=BARE).stdout
        journal = self.folder / "journal.jsonl"
        command = [HELIOSTAT, "reproduce", "ce-dla", "--quick", "--json", "--threads", "1", "--journal", str(journal)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **BARE}) as process:
            while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") >= 1):
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
        kept = journal.read_bytes().splitlines(keepends=True)
        self.assertGreaterEqual(len(kept), 1)
        journal.write_bytes(kept[0] + kept[0][:100])  # as a machine that lost power leaves it
        again = run("reproduce", "ce-dla", "--quick", "--json", "--journal", journal, env=BARE)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stdout, whole)
        self.assertEqual(journal.read_bytes().splitlines(keepends=True)[:1], kept[:1])
        # Every case is in the journal by now: text comes at once, with the tables, and says that it is tiny.
        result = run("reproduce", "ce-dla", "--quick", "--journal", journal, env=BARE)
        self.assertEqual(result.returncode, 0, result.stderr)
        for part in ("built-in zones", "mean nothing", "Published", "ce-dla-drs", "in peak slots"):
            self.assertIn(part, result.stdout)

    def test_pages_and_pictures_are_written(self):
        report = self.folder / "results"
        page = self.folder / "page.html"
        result = run("reproduce", "limit", "--quick", "--report", report, "--html", page, env=BARE)
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (report / "policies.md").read_text(encoding="utf-8")
        self.assertIn("![", text)
        for picture in report.glob("*.svg"):
            self.assertIn(f"({picture.name})", text)
            xml.dom.minidom.parse(str(picture))
        self.assertEqual(len(list(report.glob("*.svg"))), text.count(".svg)"))
        self.assertIn("<!DOCTYPE html>", page.read_text(encoding="utf-8"))

    def test_bad_input_is_refused_before_any_work(self):
        report = self.folder / "results"
        for where, arguments in {
                "'ca-mr' is unknown": ("ca-mr",),
                "--full": ("ca-rm", "--quick", "--full"),
                "--data": ("ca-rm", "--data", self.folder / "nowhere"),
                "em_2023_2024_lca.csv": ("ca-rm", "--data", self.folder),
                "--html": ("ca-rm", "--html", self.folder / "no" / "page.html"),
                "is not a line of a journal": ("ca-rm", "--quick", "--journal", self.write("signals.csv", "time,x\n1,2\n")),
        }.items():
            with self.subTest(where=where):
                self.assert_refused(run("reproduce", *arguments, "--report", report, env=BARE), where)
                self.assertFalse(report.exists())
        self.assertEqual((self.folder / "signals.csv").read_text(encoding="utf-8"), "time,x\n1,2\n")

    @unittest.skipUnless(DATA.exists(), f"the public traces are not here (set HELIOSTAT_DATA): {DATA}")
    def test_real_grids_are_used_where_they_are(self):
        result = run("reproduce", "ce-dla", "--quick", "--json", "--data", DATA, env=BARE)
        self.assertEqual(result.returncode, 0, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["grids"], "real")
        self.assertIn("KR", answer["studies"]["ce-dla"]["policies"][0]["by_market"])


if __name__ == "__main__":
    unittest.main()
