#!/usr/bin/env python3
"""Lengths of jobs, predicted on past jobs by the command line.

usage: lengths_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import json
import unittest

from program import DATA, Case, run

HEADER = "JobID|User|Account|JobName|Submit|Start|Elapsed|Timelimit|AllocTRES|State\n"


def sacct(count):
    """One job an hour: ada's trainings take 30 minutes, her tests 2."""
    rows = []
    for i in range(count):
        day, hour = divmod(i, 24)
        start = f"2026-03-{day + 1:02}T{hour:02}:00:00"
        name, length = (f"train-{i}", "00:30:00") if i % 2 else ("test", "00:02:00")
        rows.append(f"{i}|ada|vision|{name}|{start}|{start}|{length}|04:00:00|gres/gpu=2|COMPLETED\n")
    return HEADER + "".join(rows)


class LengthsTest(Case):
    def document(self, path, *arguments):
        result = run("forecast", "lengths", path, "--json", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def scores(self, document, by="all", name="all"):
        group = next(group for group in document["groups"] if (group["by"], group["name"]) == (by, name))
        return {score["rule"]: score for score in group["scores"]}

    def test_recurrent_jobs_are_predicted_better_than_by_limit_and_medians(self):
        path = self.write("jobs.txt", sacct(480))
        document = self.document(path)
        self.assertEqual((document["jobs"], document["predicted"], document["unended"]), (480, 479, 0))
        scores = self.scores(document)
        self.assertEqual(scores["from history"]["median_error_percent"], 0.0)
        self.assertEqual(scores["time limit"]["coverage95_percent"], 100.0)
        for rule in ("time limit", "median of the user", "median of all"):
            self.assertLess(scores["from history"]["pinball75_s"], scores[rule]["pinball75_s"], rule)
        self.assertGreater(self.scores(document, "source", "user-name-gpus")["from history"]["jobs"], 450)

    def test_the_table_has_the_rules_and_the_parts(self):
        path = self.write("jobs.txt", sacct(48))
        text = run("forecast", "lengths", path).stdout
        for words in ("48 ended jobs, 47 predicted", "from history", "time limit", "median of the user",
                      "source: user-name-gpus", "gpus: 2-4", "length: up to 10 min"):
            self.assertIn(words, text)
        self.assert_fits("forecast", "lengths", path)

    def test_jobs_that_have_not_ended_are_left_out(self):
        rows = sacct(48) + "90|ada|vision|x|2026-03-03T00:00:00|2026-03-03T00:00:00|09:00:00|04:00:00|gres/gpu=2|RUNNING\n"
        self.assertEqual(self.document(self.write("jobs.txt", rows))["unended"], 1)

    def test_bad_input_is_refused_in_one_line(self):
        self.assert_refused(run("forecast", "lengths", self.folder / "none.csv"), "none.csv")
        self.assert_refused(run("forecast", "lengths", self.write("one.txt", sacct(1))), "a longer history is needed")
        bad = self.write("bad.txt", sacct(3).replace("04:00:00", "long"))
        self.assert_refused(run("forecast", "lengths", bad), "bad.txt:2: Timelimit is 'long'")

    @unittest.skipUnless((DATA / "jobs").exists(), f"no public traces in {DATA}; HELIOSTAT_DATA names their folder")
    def test_philly_is_predicted_better_than_by_its_median_and_the_highest_quantile_holds(self):
        scores = self.scores(self.document(DATA / "jobs/philly/philly.csv"))
        ours, median = scores["from history"], scores["median of all"]
        self.assertGreater(ours["jobs"], 82000)
        self.assertLess(ours["median_error_percent"], 0.5 * median["median_error_percent"])
        for loss in ("pinball50_s", "pinball75_s", "pinball95_s"):
            self.assertLess(ours[loss], median[loss])
        self.assertTrue(93.0 <= ours["coverage95_percent"] <= 97.0, ours)


if __name__ == "__main__":
    unittest.main()
