#!/usr/bin/env python3
"""Reads files in the layouts of public data sets without editing them, with the options that a user would know.

usage: public_files_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import concurrent.futures
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import make_public_files

HELIOSTAT = sys.argv.pop(1)
FLAGS = {"value_column": "--column", "row_filter": "--where", "stamps_end": "--stamps"}


def flags_of(options):
    flags = []
    for name, value in options.items():
        flag = FLAGS.get(name, "--" + name.replace("_", "-"))
        if name == "skip_bad_rows":
            flags.append(flag)
        elif name == "stamps_end":
            flags += [flag, "end"]
        elif isinstance(value, dict):
            for column, cell in value.items():
                flags += [flag, f"{column}={cell}"]
        else:
            flags += [flag, "+".join(map(str, value)) if isinstance(value, list) else str(value)]
    return flags


def inspect(path, options):
    return subprocess.run([HELIOSTAT, "signal", "inspect", path, "--json", *flags_of(options)], capture_output=True, text=True,
                          check=False)


class PublicFiles(unittest.TestCase):
    def test_every_layout_is_read_as_its_publisher_means_it(self):
        with tempfile.TemporaryDirectory() as folder:
            make_public_files.main([folder])
            entries = json.loads(pathlib.Path(folder, "expected.json").read_text(encoding="utf-8"))["files"]
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                results = list(pool.map(lambda one: inspect(f"{folder}/{one['file']}", one.get("user_options", {})), entries))
        for entry, result in zip(entries, results):
            with self.subTest(entry["file"]):
                if entry["expect"] == "refuse":
                    self.assertEqual(result.returncode, 2, result.stderr)
                    continue
                self.assertEqual(result.returncode, 0, result.stderr)
                self.compare(json.loads(result.stdout), entry)

    def compare(self, told, entry):
        other = entry.get("also_right", {})
        if other.get("count") == told["slots"]:
            entry = {**entry, **other}
        self.assertEqual(told["start"], entry["first_time_utc"])
        self.assertEqual((told["step_s"], told["slots"]), (entry["step_s"], entry["count"]))
        kinds = {"carbon": "carbon intensity", "price": "price", "power": "power"}
        self.assertEqual(told["kind"], kinds[entry["quantity"]])
        # In canonical units, whatever unit the program prints.
        unit = told["unit"]
        factor = 1e-3 if unit.endswith("/MWh") or unit == "W" else 1e3 if unit == "MW" else 1.0
        self.assertTrue(math.isclose(told["mean"] * factor, entry["mean"], rel_tol=1e-6, abs_tol=1e-9),
                        f"{told['mean']} {unit}, expected {entry['mean']}")
        if entry["currency"]:
            self.assertTrue(unit.startswith(entry["currency"]), unit)


if __name__ == "__main__":
    unittest.main(verbosity=1)
