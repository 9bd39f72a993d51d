#!/usr/bin/env python3
"""Checks that check_layers.py reports each kind of mistake."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parent / "check_layers.py"


def run_check(files, layers, document=None):
    """The check's exit status and output on an invented source tree."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "heliostat"
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        layers_file = pathlib.Path(folder) / "layers.txt"
        layers_file.write_text(layers)
        command = [sys.executable, str(CHECK), str(root), str(layers_file)]
        if document is not None:
            (pathlib.Path(folder) / "architecture.md").write_text(document)
            command.append(str(pathlib.Path(folder) / "architecture.md"))
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class CheckLayersTest(unittest.TestCase):
    GOOD = {
        "base/core/time.h": "#pragma once\n#include <chrono>\n#include <fmt/format.h>\n",
        "base/io/csv.cc": '#include "heliostat/base/core/time.h"\n#include <curl/curl.h>\n',
    }
    LAYERS = "base/core: \nbase/io: core\n"

    def test_accepts_a_tree_that_keeps_the_rules(self):
        status, output = run_check(self.GOOD, self.LAYERS)
        self.assertEqual(status, 0, output)
        self.assertIn("core < io", output)

    def test_catches_a_table_that_says_otherwise(self):
        good = "| layer | what | may include |\n|---|---|---|\n| `core` | bottom | – |\n| `io` | files | core |\n"
        status, output = run_check(self.GOOD, self.LAYERS, good)
        self.assertEqual(status, 0, output)
        status, output = run_check(self.GOOD, self.LAYERS, good.replace("files | core", "files | –"))
        self.assertNotEqual(status, 0)
        self.assertIn("io includes core", output)
        status, output = run_check(self.GOOD, self.LAYERS, good + "| `io` | again | core |\n")
        self.assertNotEqual(status, 0)
        self.assertIn("2 rows for the layer io", output)

    def test_catches_an_include_that_is_not_declared(self):
        files = dict(self.GOOD)
        files["base/core/time.h"] += '#include "heliostat/base/io/csv.h"\n'
        status, output = run_check(files, self.LAYERS)
        self.assertNotEqual(status, 0)
        self.assertIn("base/core/time.h:4: core may not include io", output)

    def test_catches_an_include_in_angle_brackets(self):
        files = dict(self.GOOD)
        files["base/core/clock.cc"] = "#include <heliostat/base/io/csv.h>\n"
        status, output = run_check(files, self.LAYERS)
        self.assertNotEqual(status, 0)
        self.assertIn("core may not include io", output)

    def test_catches_a_cycle(self):
        status, output = run_check(self.GOOD, "base/core: io\nbase/io: core\n")
        self.assertNotEqual(status, 0)
        self.assertIn("layers form a cycle", output)

    def test_catches_a_dependency_that_nobody_declares(self):
        status, output = run_check(self.GOOD, "base/core: \nbase/io: core nowhere\n")
        self.assertNotEqual(status, 0)
        self.assertIn("io depends on nowhere", output)

    def test_catches_a_dependency_that_no_file_uses(self):
        files = {**self.GOOD, "signals/signal/series.cc": '#include "heliostat/base/io/csv.h"\n'}
        status, output = run_check(files, self.LAYERS + "signals/signal: io\n")
        self.assertEqual(status, 0, output)
        status, output = run_check(files, self.LAYERS + "signals/signal: core io\n")
        self.assertNotEqual(status, 0)
        self.assertIn("layer signal declares core, which none of its files includes", output)

    def test_catches_groups_that_include_each_other(self):
        files = {**self.GOOD, "top/page/page.cc": '#include "heliostat/base/io/csv.h"\n',
                 "base/log/log.cc": '#include "heliostat/top/text/text.h"\n', "top/text/text.h": "#pragma once\n"}
        layers = self.LAYERS + "top/page: io\ntop/text: \n"
        status, output = run_check(files, layers)
        self.assertEqual(status, 0, output)
        self.assertIn("base < top", output)
        status, output = run_check(files, layers + "base/log: text\n")
        self.assertNotEqual(status, 0)
        self.assertIn("groups form a cycle", output)

    def test_catches_a_layer_that_is_in_another_group(self):
        files = {**self.GOOD, "top/page/page.cc": '#include "heliostat/top/io/csv.h"\n'}
        status, output = run_check(files, self.LAYERS + "top/page: io\n")
        self.assertNotEqual(status, 0)
        self.assertIn("io is in the group base", output)

    def test_lets_tests_alone_include_what_is_declared_for_them(self):
        files = dict(self.GOOD)
        files["base/core/time_test.cc"] = '#include "heliostat/base/io/csv.h"\n'
        files["base/core/testing/fixture.h"] = '#include "heliostat/base/io/csv.h"\n'
        layers = "base/core: | io\nbase/io: core |\n"
        status, output = run_check(files, layers)
        self.assertEqual(status, 0, output)
        files["base/core/time.cc"] = '#include "heliostat/base/io/csv.h"\n'
        status, output = run_check(files, layers)
        self.assertNotEqual(status, 0)
        self.assertIn("base/core/time.cc:1: core may not include io", output)

    def test_catches_a_dependency_of_tests_that_nobody_declares(self):
        status, output = run_check(self.GOOD, "base/core: | nowhere\nbase/io: core |\n")
        self.assertNotEqual(status, 0)
        self.assertIn("core depends on nowhere", output)

    def test_catches_a_third_party_header_in_a_header(self):
        files = dict(self.GOOD)
        files["base/io/json.h"] = "#pragma once\n#include <nlohmann/json.hpp>\n"
        status, output = run_check(files, self.LAYERS)
        self.assertNotEqual(status, 0)
        self.assertIn("base/io/json.h:2: header includes nlohmann", output)

    def test_refuses_an_empty_list_of_layers(self):
        status, output = run_check(self.GOOD, "")
        self.assertNotEqual(status, 0)
        self.assertIn("declares no layer", output)


if __name__ == "__main__":
    unittest.main()
