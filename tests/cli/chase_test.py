#!/usr/bin/env python3
"""`heliostat reproduce chase`: the published result through the live controller.

usage: chase_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import datetime
import json
import math
import unittest
import xml.dom.minidom

from program import DATA, Case, run

# Built-in data, whatever the machine has.
BARE = {"HELIOSTAT_DATA": ""}
# Where a data folder has what.
PROFILES = "gpu/zeus/summary_power_a40.csv"
TRACE = "carbon/chase/carbon_hist.csv"
ZONES = "carbon/electricitymaps/em_2023_2024_lca.csv"
MORE_ZONES = [f"carbon/carboncast/{zone}_lifecycle_emissions.csv" for zone in ("PL", "SE")]
POINT = {"workload", "batch", "mode", "eta", "carbon_change_percent", "time_change_percent", "energy_change_percent"}
ZONE = {"zone", "carbon_change_percent", "time_change_percent", "constant_level_carbon_change_percent", "timing_points"}


class ChaseTest(Case):
    """`heliostat reproduce chase`."""

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
            # Less knowledge gives no better result; a period's whole seconds may.
            self.assertLessEqual(zone["perfect_forecast_carbon_change_percent"], zone["carbon_change_percent"] + 0.01)
        self.assertIn("Published", answer["studies"]["chase"]["verdict"])

    @staticmethod
    def lines(name):
        return (DATA / name).read_text(encoding="utf-8").splitlines()

    def put(self, name, lines):
        """A file of a data folder."""
        path = self.folder / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def test_built_in_data_keep_the_contract_and_fill_pages_and_pictures(self):
        # All of it from one run: the nine zones are dear.
        report, page, told = (self.folder / name for name in ("results", "page.html", "told.json"))
        result = run("reproduce", "chase", "--quick", "--json", told, "--report", report, "--html", page, env=BARE)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        answer = json.loads(told.read_text(encoding="utf-8"))
        self.assertEqual(answer["grids"], "built-in")
        self.assertEqual(answer["profiles"], "built-in")
        self.assert_contract(answer)
        text = (report / "chase.md").read_text(encoding="utf-8")
        for part in ("built-in", "data folder", "eta 0.25", "max slowdown 2.5 %", "timing adds"):
            self.assertIn(part, text)
        pictures = list(report.glob("*.svg"))
        self.assertEqual(len(pictures), 2)
        for picture in pictures:
            self.assertIn(f"({picture.name})", text)
            xml.dom.minidom.parse(str(picture))
        self.assertIn("Chase, replayed", page.read_text(encoding="utf-8"))

    def test_people_get_text_from_files_of_their_own(self):
        begin = datetime.datetime(2023, 1, 1)

        def times(count, minutes):
            return [(begin + datetime.timedelta(minutes=minutes * i)).isoformat() for i in range(count)]

        def value(hour):
            return f"{400 + 150 * math.sin(hour / 12 * math.pi):.2f}"

        self.put(PROFILES, ["dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power",
                            *(f"imagenet,resnet50,128,adadelta,{limit},{seconds},{power}" for limit, seconds, power in
                              ((150, 1645, 144), (200, 1067, 179), (250, 1017, 216), (300, 1000, 244)))])
        # One run fits into the trace, and one start with its six weeks before into the zone.
        self.put(TRACE, ["location,timestamp,duration,value,hist",
                         *(f"MADE,{time}+00:00,30,{value(i / 2)},{value(i / 2)}"
                           for i, time in enumerate(times(48 + 65, 30)))])
        self.put(ZONES, ["utc,MADE", *(f"{time},{value(i)}" for i, time in enumerate(times(24 * 376, 60)))])
        for zone in MORE_ZONES:  # too short for any
            self.put(zone, [",UTC time,carbon_intensity",
                            *(f"{i},{time},{value(i)}" for i, time in enumerate(times(48, 60)))])
        result = run("reproduce", "chase", "--quick", "--data", self.folder / "data", env=BARE)
        self.assertEqual(result.returncode, 0, result.stderr)
        for part in ("--data DIR --quick", "resnet50-imagenet 128", "eta 0.25", "max slowdown 2.5 %", "timing adds", "\nMADE "):
            self.assertIn(part, result.stdout)

    def test_a_folder_without_the_files_is_refused(self):
        self.assert_refused(run("reproduce", "chase", "--data", self.folder, env=BARE), "summary_power_a40.csv")

    @unittest.skipUnless(DATA.exists(), f"the public traces are not here (set HELIOSTAT_DATA): {DATA}")
    def test_the_published_figures_come_out(self):
        # A part of the files: three of the profiles, one zone of eight. What is published is among them.
        for name in (TRACE, *MORE_ZONES):
            self.put(name, self.lines(name))
        self.put(PROFILES, [line for line in self.lines(PROFILES) if line.startswith(
            ("dataset,", "imagenet,resnet50,128,", "imagenet,resnet50,256,", "cifar100,shufflenetv2,1024,"))])
        self.put(ZONES, [",".join(line.split(",")[:2]) for line in self.lines(ZONES)])
        result = run("reproduce", "chase", "--quick", "--json", "--data", self.folder / "data", env=BARE)
        self.assertEqual(result.returncode, 0, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["grids"], "real")
        self.assert_contract(answer)
        self.assertEqual([zone["zone"] for zone in answer["zones"]], ["KR", "PL", "SE"])
        self.assertEqual(len({(point["workload"], point["batch"]) for point in answer["frontier"]}), 3)
        main = {point["eta"]: point for point in answer["frontier"]
                if point["workload"].startswith("resnet50") and point["batch"] == 128}
        for eta, carbon, time in ((0.25, -9.9, 1.7), (0.3, -16.1, 3.3), (0.5, -21.6, 6.8)):
            self.assertAlmostEqual(main[eta]["carbon_change_percent"], carbon, delta=0.3)
            self.assertAlmostEqual(main[eta]["time_change_percent"], time, delta=0.15)
        self.assertTrue(any(name.startswith("resnet50") for name in answer["matches_paper"]), answer["matches_paper"])


if __name__ == "__main__":
    unittest.main()
