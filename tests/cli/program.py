"""Runs the program for the tests of the command line, and what their cases share."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 2:
    sys.exit(f"usage: {sys.argv[0]} PATH-OF-HELIOSTAT [unittest options]")
HELIOSTAT = os.path.abspath(sys.argv.pop(1))
DATA = pathlib.Path(os.environ.get("HELIOSTAT_DATA", pathlib.Path(__file__).resolve().parents[2] / "../shared/data"))
# Neither the configuration nor the place of the machine that runs the tests counts.
os.environ |= {"HELIOSTAT_CONFIG": "/nowhere/config.toml", "TZ": "UTC"}


def run(*arguments, **more):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **more.pop("env", {})}
    return subprocess.run([HELIOSTAT, *map(str, arguments)], capture_output=True, text=True, env=environment, check=False,
                          **more)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def assert_fits(self, *arguments, columns=(60, 80)):
        """The text of a command fits the terminal, except for words, such as paths, that are longer by themselves."""
        for width in columns:
            result = run(*arguments, env={"COLUMNS": str(width)})
            self.assertEqual(result.returncode, 0, result.stderr)
            for line in result.stdout.splitlines():
                words = line.split()
                is_one_long_word = 0 < len(words) <= 2 and len(words[-1]) > width - 26
                self.assertTrue(len(line) <= width or is_one_long_word, f"{len(line)} columns: {line}")

    def assert_refused(self, result, where, status=2):
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stdout, "")
        errors = [line for line in result.stderr.splitlines() if "error" in line]
        self.assertEqual(len(errors), 1, result.stderr)
        self.assertTrue(errors[0].startswith("heliostat: error: "), errors[0])
        self.assertIn(where, errors[0])
