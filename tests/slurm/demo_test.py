#!/usr/bin/env python3
"""The demonstration on the Slurm lab: its parts and, with --whole, short runs of all of it.

usage: demo_test.py BUILD [--whole] [unittest options]
"""
import contextlib
import io
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import demo

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
IS_WHOLE = "--whole" in sys.argv
if IS_WHOLE:
    sys.argv.remove("--whole")
DEMO = pathlib.Path(demo.__file__).resolve()


def run_main(*arguments):
    """The exit status of the script and what it says about trouble."""
    errors = io.StringIO()
    with unittest.mock.patch("sys.argv", ["demo.py", *map(str, arguments)]), contextlib.redirect_stderr(errors), \
            contextlib.redirect_stdout(io.StringIO()):
        return demo.main(), errors.getvalue()


class PartsTest(unittest.TestCase):
    def setUp(self):
        root = tempfile.TemporaryDirectory(prefix="demo-test-")
        self.addCleanup(root.cleanup)
        self.root = pathlib.Path(root.name)
        previous = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
        self.addCleanup(lambda: (signal.signal(signal.SIGTERM, previous[0]), signal.signal(signal.SIGINT, previous[1])))

    def test_jobs_come_in_order_and_end_before_the_morning_does(self):
        jobs = demo.jobs_of(8.0, random.Random(1))
        self.assertEqual(jobs, sorted(jobs, key=lambda job: job[0]))
        self.assertEqual({kind[0] for _, kind, _ in jobs}, {kind[0] for kind in demo.KINDS})
        self.assertLess(jobs[-1][0], 8 * 60 * 0.6)

    def test_heliostatctld_accepts_config_and_signals(self):
        made = demo.Demo(demo.parse([str(BUILD)]))
        made.folder = self.root
        made.make_signals()
        config = self.root / "controller.toml"
        config.write_text(demo.config_of(self.root))
        said = made.command(made.daemon, "--config", config, "--check-config")
        self.assertIn("shadow: decides with ca-rm-performance", said)
        self.assertIn(f"replayed from {demo.MORNING}", said)

    def test_says_that_it_needs_root(self):
        with unittest.mock.patch("os.geteuid", return_value=1000):
            for arguments in (["--check"], [BUILD]):
                status, said = run_main(*arguments)
                self.assertEqual(status, 77)
                self.assertRegex(said, r"^slurm-demo: cannot run here: it is not run as root[^\n]*\n$")

    def test_removes_its_folder_whatever_happens(self):
        for trouble, status in ((KeyboardInterrupt(), 130), (OSError("slurmctld is not up"), 1)):
            with unittest.mock.patch("tempfile.mkdtemp", return_value=str(self.root / "lab-of-demo")), \
                    unittest.mock.patch.object(demo.Demo, "boot", side_effect=trouble), \
                    unittest.mock.patch.object(demo.Demo, "make_signals"), \
                    unittest.mock.patch.object(demo, "load_lab", return_value=unittest.mock.Mock(why_not=lambda _: None)):
                (self.root / "lab-of-demo").mkdir()
                found, said = run_main(BUILD)
                self.assertEqual(found, status, said)
                self.assertFalse((self.root / "lab-of-demo").exists())


def traces(folder):
    """Processes whose environment or command line names the folder."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(folder).encode() in (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes():
                found.append(entry.name)
    return found


@unittest.skipUnless(IS_WHOLE, "takes a minute; make chaos runs it")
class WholeTest(unittest.TestCase):
    def setUp(self):
        root = tempfile.TemporaryDirectory(prefix="demo-whole-")
        self.addCleanup(root.cleanup)
        self.root = pathlib.Path(root.name)
        self.root.chmod(0o755)

    def begin(self, *options):
        page = self.root / "page.html"
        return subprocess.Popen([DEMO, BUILD, "-o", page, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "TMPDIR": str(self.root)}), page

    def expect_nothing_left(self, page=None):
        until = time.monotonic() + 10
        while traces(self.root) and time.monotonic() < until:
            time.sleep(0.1)
        self.assertEqual(traces(self.root), [])
        self.assertEqual([path for path in self.root.iterdir() if path != page], [])

    def test_shows_a_short_morning_and_leaves_only_its_page(self):
        process, page = self.begin("--hours", "1")
        said, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(said.splitlines()[-1], f"What it would have saved: {page}")
        self.assertIn("$ heliostat cluster why ", said)
        self.assertRegex(page.read_text(), r"on cluster lab, ca-rm-performance would have ")
        self.expect_nothing_left(page)

    def test_cleans_up_after_ctrl_c(self):
        process, page = self.begin()
        for line in process.stdout:
            if "jobs run" in line:
                break
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertFalse(page.exists())
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main()
