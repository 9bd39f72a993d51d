#!/usr/bin/env python3
"""Wrong configs, foreign Slurms and broken folders: one clear line where its reader sees it, and nothing else changes.

Skipped where no lab can run.

usage: trouble_test.py BUILD-FOLDER [unittest options]
"""
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

from controlled_lab import ControlledLab, Controller, skip_where_no_lab_runs, wait_until

BUILD = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else sys.exit(f"usage: {sys.argv[0]} BUILD-FOLDER")
ROOT = pathlib.Path(__file__).resolve().parents[2]


class TroubleCase(unittest.TestCase):
    OPTIONS = ("--class", "1:a40:2")

    @classmethod
    def setUpClass(cls):
        cls.lab = ControlledLab(BUILD, *cls.OPTIONS)
        cls.addClassCleanup(cls.lab.remove)

    def controller(self, config=None, env=None):
        # A state of its own: another test's accounts would go on.
        state = str(self.lab.path / self.id().rpartition(".")[2])
        controller = Controller(self.lab, config or self.lab.config(state=state), env)
        self.addCleanup(controller.stop)
        return controller

    def status(self, env=None):
        done = self.lab.run("heliostat", "cluster", "status", "--json", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def wait_for_problem(self, words):
        def found():
            problems = self.status()["problems"]
            return [one for one in problems if words in one]

        return wait_until(found)[0]

    def wait_for_health(self):
        wait_until(lambda: self.status()["healthy"])

    def assert_does_not_start(self, config, words, status=2, user=None):
        before = sorted(str(path) for path in self.lab.path.rglob("*") if self.lab.lab not in path.parents)
        done = self.lab.run("heliostatctld", "--config", config, user=user)
        self.assertEqual(done.returncode, status, done.stderr)
        errors = [line for line in done.stderr.splitlines() if "warning" not in line]
        self.assertEqual(len(errors), 1, done.stderr)
        self.assertTrue(errors[0].startswith("heliostatctld: error: "), errors[0])
        self.assertIn(words, errors[0])
        after = sorted(str(path) for path in self.lab.path.rglob("*") if self.lab.lab not in path.parents)
        return [path for path in after if path not in before]

    def stand_in(self, name, script):
        """A folder to go before PATH, with a program that stands for one of Slurm's."""
        folder = self.lab.path / f"stand-in-{name}"
        folder.mkdir(mode=0o755, exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\nPATH={os.environ['PATH']}\n{script}\n")
        (folder / name).chmod(0o755)
        return {"PATH": f"{folder}:{os.environ['PATH']}"}


class ConfigTest(TroubleCase):
    def test_a_mistake_is_one_line_with_its_place_and_nothing_is_started(self):
        config = self.lab.path / "controller.toml"
        for text, words in (("mode = \"shadow\"\npol_seconds = 10\n", "controller.toml:2: pol_seconds is not known; did you mean poll_seconds?"),
                            ("[cluster]\nslack = \"5%\"\n", "controller.toml:2: cluster.slack is not known"),
                            ("\nmode = \"live\"\n", "controller.toml:2: mode: is live, which this version cannot do yet"),
                            ("[cluster\n", "controller.toml:1"),
                            ("[signals]\ncarbon = { file = \"absent.csv\" }\n", "absent.csv"),
                            ("[signals]\nprice = { file = \"carbon.csv\", replay_from = 2026-01-04T00:00:00Z }\n", "does not hold prices"),
                            ("[signals]\ncarbon = { file = \"carbon.csv\" }\n", "carbon.csv")):
            config.write_text(text)
            self.assertEqual(self.assert_does_not_start(config, words), [], text)
        self.assert_does_not_start(self.lab.path / "absent.toml", "absent.toml")

    def test_options_that_are_not_known_are_refused(self):
        for words in (["--confg", "x"], ["--config"], ["--check-config=yes"], ["x"]):
            done = self.lab.run("heliostatctld", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        for words, told in ((["--version"], "heliostatctld 0."), (["--help"], "--check-config")):
            done = self.lab.run("heliostatctld", *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(told, done.stdout)

    def test_a_config_is_explained(self):
        done = self.lab.run("heliostatctld", "--check-config", "--config", self.lab.config(cluster={"default_slack": '"20%"'}))
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("shadow: decides with ca-rm-performance, and changes nothing", "20 % of the time limit", "replayed from"):
            self.assertIn(words, done.stdout)
        self.assertFalse((self.lab.path / "state").exists())

    def test_the_packaged_config_is_accepted(self):
        done = self.lab.run("heliostatctld", "--check-config", "--config", ROOT / "packaging/heliostat/controller.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("observe: accounts only", done.stdout)
        # What is commented out is right, too.
        text = (ROOT / "packaging/heliostat/controller.toml").read_text()
        lines = [line.removeprefix("# ") for line in text.splitlines() if "=" in line or line.startswith(("[", "# ["))]
        chosen = [line for line in lines if not line.startswith("renewable") and "replay_from" not in line]
        (self.lab.path / "whole.toml").write_text("\n".join(chosen))
        done = self.lab.run("heliostatctld", "--check-config", "--config", self.lab.path / "whole.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("50 % in partition batch", "group a40", "ann", "energy-charts, zone DE-LU"):
            self.assertIn(words, done.stdout)

    def test_a_partition_that_does_not_exist_is_told_and_the_rest_works(self):
        controller = self.controller(self.lab.config(cluster={"partitions": '["mian"]'}))
        problem = self.wait_for_problem("no node is in partition 'mian'")
        self.assertIn("the cluster has main, other", problem)
        self.assertEqual(controller.log().count("'mian'"), 1)
        self.assertIn("'mian'", self.lab.run("heliostat", "cluster", "check").stdout)


    def test_a_signal_file_that_ends_is_told(self):
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=8)
        times = [end - datetime.timedelta(minutes=m) for m in range(300, 0, -1)]
        rows = [f"{time.strftime('%Y-%m-%dT%H:%M:%SZ')},300" for time in times]
        (self.lab.path / "ending.csv").write_text("\n".join(["time,carbon_g_per_kwh", *rows]) + "\n")
        self.controller(self.lab.config(signals={"carbon": '{ file = "ending.csv" }'}))
        self.assertIn("old", self.wait_for_problem("signal carbon: "))
        self.assertEqual(self.status()["nodes"]["up"], 1)


class SlurmTest(TroubleCase):
    def test_a_slurm_that_does_not_answer_is_told_once_and_followed_when_it_does(self):
        controller = self.controller()
        self.wait_for_health()
        self.lab.do("freeze", "slurmctld")
        problem = self.wait_for_problem("slurm: does not answer since")
        self.assertIn("is asked again in", problem)
        self.assertFalse(self.status()["healthy"])
        self.assertEqual(self.status()["nodes"]["up"], 1)  # as last seen
        check = self.lab.run("heliostat", "cluster", "check")
        self.assertEqual(check.returncode, 1, check.stdout)
        self.assertIn("does not end within", check.stdout)
        self.lab.do("thaw", "slurmctld")
        self.wait_for_health()
        self.assertEqual(controller.log().count("warning"), 1, controller.log())
        self.assertIn("the cluster answers again", controller.log())

    def test_a_release_that_was_never_seen_is_told_and_followed(self):
        env = self.stand_in("scontrol", "scontrol \"$@\" | sed 's/^SLURM_VERSION .*/SLURM_VERSION = 99.11.0/'")
        check = self.lab.run("heliostat", "cluster", "check", env=env)
        self.assertEqual(check.returncode, 0, check.stdout)
        self.assertIn("a release that was not tested", " ".join(check.stdout.split()))
        self.controller(env=env)
        self.assertEqual((self.status()["version"], self.status()["healthy"]), ("slurm 99.11.0", True))

    def test_a_release_whose_words_are_unknown_is_told_and_accounted_no_further(self):
        env = self.stand_in("squeue", "echo 'squeue: error: Invalid job format specification: PriorityLong' >&2; exit 1")
        self.assertIn("Invalid job format", self.lab.run("heliostat", "cluster", "check", env=env).stdout)
        self.controller(env=env)
        self.assertIn("Invalid job format", self.wait_for_problem("squeue"))
        self.assertIsNone(self.status()["looked"])
        self.assertIn("none yet", self.lab.run("heliostat", "cluster", "status").stdout)

    def test_without_slurm_it_says_so(self):
        env = {"PATH": "/nowhere"}
        check = self.lab.run("heliostat", "cluster", "check", env=env)
        self.assertEqual(check.returncode, 1)
        self.assertIn("scontrol", check.stdout)

    def test_without_a_controller_commands_say_so_in_one_line(self):
        for words in (["status"], ["jobs"], ["nodes"], ["plan"], ["why", "1"], ["mode", "observe"], ["release"]):
            done = self.lab.run("heliostat", "cluster", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
            self.assertIn("no heliostatctld listens there", done.stderr)
        self.assertEqual(self.lab.run("heliostat", "cluster", "check").returncode, 0)


class NoGpusTest(TroubleCase):
    OPTIONS = ("--class", "1:none:0")

    def test_a_cluster_without_gpus_is_a_problem_of_check_and_is_followed(self):
        check = self.lab.run("heliostat", "cluster", "check")
        self.assertEqual(check.returncode, 1, check.stdout)
        self.assertIn("none with GPUs", check.stdout)
        self.controller()
        self.lab.sbatch("-t", "10")
        wait_until(lambda: json.loads(self.lab.run("heliostat", "cluster", "jobs", "--json").stdout))
        self.assertEqual(self.status()["power_kw"], 0)


class StateTest(TroubleCase):
    def test_a_second_controller_is_refused_and_the_first_goes_on(self):
        first = self.controller(self.lab.config())
        made = self.assert_does_not_start(self.lab.config("second.toml", socket=str(self.lab.path / "second.sock")),
                                          "another heliostatctld uses this state folder", status=1)
        self.assertNotIn(str(self.lab.path / "second.sock"), made)
        self.assertIsNone(first.process.poll())
        self.assertEqual(self.status()["cluster"], "lab")

    def test_a_state_that_is_something_else_is_left_as_it_is(self):
        garbage = self.lab.path / "garbage"
        garbage.mkdir(exist_ok=True)
        (garbage / "state.db").write_bytes(b"not a database\n" * 1000)
        self.assert_does_not_start(self.lab.config(state=str(garbage)), "state.db")
        self.assertEqual((garbage / "state.db").read_bytes(), b"not a database\n" * 1000)
        self.assert_does_not_start(self.lab.config(state=str(self.lab.path / "carbon.csv")), "carbon.csv", status=1)

    def test_a_state_that_may_not_be_written_is_refused(self):
        closed = self.lab.path / "closed"
        closed.mkdir(mode=0o755, exist_ok=True)
        config = self.lab.config(state=str(closed), socket=str(closed / "socket"))
        self.assertEqual(self.assert_does_not_start(config, str(closed), user="nobody"), [])

    def test_on_a_full_disk_it_goes_on_and_saves_when_there_is_room(self):
        small = self.lab.path / "small"
        small.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", small], capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            self.skipTest(f"no small disk can be made: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", small], check=True)
        controller = self.controller(self.lab.config(state=str(small / "state")))
        self.wait_for_health()
        filler = small / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)):
                    pass
            except OSError:
                pass  # full
        controller.process.send_signal(signal.SIGHUP)  # saves now
        self.assertIn("full", self.wait_for_problem("state: "))
        self.assertEqual(self.status()["nodes"]["up"], 1)
        filler.unlink()
        self.wait_for_health()
        self.assertEqual(controller.stop(), 0)
        self.assertIn("full", controller.log())


if __name__ == "__main__":
    skip_where_no_lab_runs()
    unittest.main()
