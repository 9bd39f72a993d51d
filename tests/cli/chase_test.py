#!/usr/bin/env python3
"""`heliostat reproduce chase`: the published result through the live controller.

usage: chase_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import json
import unittest
import xml.dom.minidom

from program import DATA, Case, run

# Built-in data, whatever the machine has.
BARE = {"HELIOSTAT_DATA": ""}
POINT = {"workload", "batch", "mode", "eta", "carbon_change_percent", "time_change_percent", "energy_change_percent"}
ZONE = {"zone", "carbon_change_percent", "time_change_percent", "constant_level_carbon_change_percent", "timing_points"}


class ChaseTest(Case):
    """`heliostat reproduce chase`."""

    def reproduce(self, *arguments):
        result = run("reproduce", "chase", "--quick", "--json", *arguments, env=BARE)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def assert_contract(self, answer):
        self.assertEqual(answer["gpu"], "A40")
        self.assertAlmostEqual(answer["published"]["carbon_change_percent"], -13.6)
        self.assertAlmostEqual(answer["published"]["time_change_percent"], 2.5)
        for point in answer["frontier"]:
            self.assertLessEqual(POINT, set(point))
            self.assertIn(point["mode"], ("eta", "max-slowdown"))
            self.assertEqual(point["eta"] is None, point["mode"] == "max-slowdown")
            if point["mode"] == "max-slowdown":
                self.assertLessEqual(point["time_change_percent"], 2.5001)
                self.assertLessEqual(point["carbon_change_percent"], 0.0001)
        etas = {point["eta"] for point in answer["frontier"]} - {None}
        self.assertLessEqual({tenth / 10 for tenth in range(11)} | {0.24, 0.25, 0.35}, etas)
        for zone in answer["zones"]:
            self.assertLessEqual(ZONE, set(zone))
            self.assertAlmostEqual(
                zone["timing_points"],
                zone["carbon_change_percent"] - zone["constant_level_carbon_change_percent"], places=6)
            # Nobody who knows less does better; a period's whole seconds may.
            self.assertLessEqual(zone["perfect_forecast_carbon_change_percent"], zone["carbon_change_percent"] + 0.01)
        self.assertIn("Published", answer["studies"]["chase"]["verdict"])

    def test_built_in_data_keep_the_contract_and_say_so(self):
        answer = self.reproduce()
        self.assertEqual(answer["grids"], "built-in")
        self.assertEqual(answer["profiles"], "built-in")
        self.assert_contract(answer)
        text = run("reproduce", "chase", "--quick", env=BARE).stdout
        for part in ("built-in", "--data", "eta 0.25", "max slowdown 2.5 %", "timing adds"):
            self.assertIn(part, text)

    def test_pages_and_pictures_are_written(self):
        report = self.folder / "results"
        page = self.folder / "page.html"
        result = run("reproduce", "chase", "--quick", "--report", report, "--html", page, env=BARE)
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (report / "chase.md").read_text(encoding="utf-8")
        pictures = list(report.glob("*.svg"))
        self.assertEqual(len(pictures), 2)
        for picture in pictures:
            self.assertIn(f"({picture.name})", text)
            xml.dom.minidom.parse(str(picture))
        self.assertIn("Chase, replayed", page.read_text(encoding="utf-8"))

    def test_a_folder_without_the_files_is_refused(self):
        self.assert_refused(run("reproduce", "chase", "--data", self.folder, env=BARE), "summary_power_a40.csv")

    @unittest.skipUnless(DATA.exists(), f"the public traces are not here (set HELIOSTAT_DATA): {DATA}")
    def test_the_published_figures_come_out(self):
        answer = self.reproduce("--data", DATA)
        self.assertEqual(answer["grids"], "real")
        self.assert_contract(answer)
        self.assertEqual(len(answer["zones"]), 10)
        main = {point["eta"]: point for point in answer["frontier"]
                if point["workload"].startswith("resnet50") and point["batch"] == 128}
        for eta, carbon, time in ((0.25, -9.9, 1.7), (0.3, -16.1, 3.3), (0.5, -21.6, 6.8)):
            self.assertAlmostEqual(main[eta]["carbon_change_percent"], carbon, delta=0.3)
            self.assertAlmostEqual(main[eta]["time_change_percent"], time, delta=0.15)
        self.assertTrue(any(name.startswith("resnet50") for name in answer["matches_paper"]), answer["matches_paper"])


if __name__ == "__main__":
    unittest.main()
