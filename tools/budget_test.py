#!/usr/bin/env python3
"""Checks that the budget check passes below its limit and fails above it."""
import os
import subprocess
import sys
import tempfile
import unittest

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "budget.py")
BUSY = "import time\nwhile time.process_time() < 0.3: pass"


def budget(*arguments, factor="1"):
    return subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True, check=False,
                          env=os.environ | {"HELIOSTAT_BUDGET_FACTOR": factor})


class Budget(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        budget("begin", self.folder.name)

    def test_counts_processor_time_and_not_sleep(self):
        budget("run", self.folder.name, "sleep", "--", "sleep", "0.4")
        self.assertEqual(budget("check", self.folder.name, "0.004").returncode, 0)

    def test_fails_above_the_limit(self):
        budget("run", self.folder.name, "busy", "--", sys.executable, "-c", BUSY)
        self.assertEqual(budget("check", self.folder.name, "1").returncode, 0)
        above = budget("check", self.folder.name, "0.004")
        self.assertEqual(above.returncode, 1)
        self.assertIn("above the budget", above.stderr)

    def test_a_slower_machine_has_more_time(self):
        budget("run", self.folder.name, "busy", "--", sys.executable, "-c", BUSY)
        self.assertEqual(budget("check", self.folder.name, "0.004", factor="5").returncode, 0)

    def test_measures_how_slow_the_machine_is(self):
        here = {name: value for name, value in os.environ.items() if name != "HELIOSTAT_BUDGET_FACTOR"}
        shown = subprocess.run([sys.executable, TOOL, "check", self.folder.name, "30"], capture_output=True, text=True,
                               check=False, env=here)
        self.assertEqual(shown.returncode, 0)
        self.assertRegex(shown.stdout, r"30 times [1-9][0-9]*\.[0-9]+ for this machine")

    def test_adds_parts_up(self):
        for part in ("one", "two"):
            budget("run", self.folder.name, part, "--", sys.executable, "-c", BUSY)
        self.assertEqual(budget("check", self.folder.name, "0.0085").returncode, 1)

    def test_passes_the_status_on(self):
        self.assertEqual(budget("run", self.folder.name, "x", "--", "sh", "-c", "exit 7").returncode, 7)

    def test_lists_the_dearest_tests(self):
        with open(os.path.join(self.folder.name, "tests.xml"), "w", encoding="utf-8") as file:
            file.write('<testsuite><testcase name="a" time="1.5"/><testcase name="b" time="20"/></testsuite>')
        shown = budget("check", self.folder.name, "1").stdout
        self.assertLess(shown.index("20.0  b"), shown.index("1.5  a"))


if __name__ == "__main__":
    unittest.main()
