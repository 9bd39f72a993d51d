#!/usr/bin/env python3
"""Checks that the current program reads the files of version 0.1.0: runs, signals, profiles and leases.

usage: upgrade_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

from program import HELIOSTAT, Case, run  # noqa: E402: found by the line before

BUILD = pathlib.Path(HELIOSTAT).parent.parent
SAID = HERE / "said-0.1.0"
FINISHED, KILLED, SHADOW = ("20261116-051539-stand-in-train-058c", "20261116-051607-stand-in-train-efc2",
                            "20261116-051629-stand-in-train-8ed4")


class Upgrade(Case):
    def setUp(self):
        super().setUp()
        self.state = self.folder / "state"
        shutil.copytree(HERE / "state-0.1.0", self.state)
        # The modes that the program sets; a repository does not keep them.
        for path in self.state.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
        self.gpus = self.folder / "gpus.state"
        self.environment = {"HELIOSTAT_STORE": str(self.state / "signals.db"), "HELIOSTAT_RUNS": str(self.state / "runs"),
                            "HELIOSTAT_PROFILES": str(self.state / "profiles"),
                            "HELIOSTAT_STATE": str(self.state / "leases"),
                            "HELIOSTAT_AGENT": str(self.folder / "agent.sock"),
                            "HELIOSTAT_NVML": str(BUILD / "lib/libnvidia-ml-double.so"),
                            "HELIOSTAT_DOUBLE": str(self.gpus), "PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}",
                            # An address without a server.
                            "HELIOSTAT_NESO_URL": "http://127.0.0.1:9", "no_proxy": "127.0.0.1"}

    def ask(self, *arguments, **more):
        result = run(*arguments, env=self.environment, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def told(self, *arguments):
        return json.loads(self.ask(*arguments, "--json").stdout)

    def double(self, *arguments):
        done = subprocess.run([BUILD / "bin/nvml-double", *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def make_gpus(self):
        """The two GPUs as they were when the holders of leases were killed. Clocks are not locked: a boot unlocks them, and
        the journals are of another boot."""
        self.double("create", self.gpus, "--gpu", "H200", "--gpu", "A40")
        self.double("set", self.gpus, 0, "power-limit", 300)
        self.double("set", self.gpus, 1, "power-limit", 140)

    def cards(self):
        return json.loads(self.double("show", self.gpus))["gpus"]

    def assert_says(self, today, said, where=""):
        """The current answer has every member of the old one, with the same value; numbers to nine digits."""
        if isinstance(said, dict):
            for key, value in said.items():
                self.assertIn(key, today, where)
                self.assert_says(today[key], value, f"{where}.{key}")
        elif isinstance(said, list):
            self.assertEqual(len(today), len(said), where)
            for i, value in enumerate(said):
                self.assert_says(today[i], value, f"{where}[{i}]")
        elif isinstance(said, float):
            self.assertAlmostEqual(today, said, delta=1e-9 * max(1.0, abs(said)), msg=where)
        else:
            self.assertEqual(today, said, where)

    def assert_as_then(self, file, *arguments):
        today = self.told(*arguments)
        self.assert_says(today, json.loads((SAID / file).read_text()))
        return today


class Runs(Upgrade):
    def test_the_list_has_all_three_with_their_figures(self):
        told = self.assert_as_then("runs.json", "runs")
        self.assertEqual([one["id"] for one in told["runs"]], [SHADOW, KILLED, FINISHED])
        self.assertEqual([one["state"] for one in told["runs"]], ["finished", "open on node-1", "finished"])
        self.assertIn(SHADOW, self.ask("runs", "list").stdout)

    def test_every_bill_comes_to_the_same(self):
        for one in (FINISHED, KILLED, SHADOW):
            with self.subTest(one):
                told = self.assert_as_then(f"report-{one}.json", "report", one)
                self.assertEqual(told["troubles"], [])
                self.assert_as_then(f"report-{one}.json", "runs", "show", one)

    def test_the_figures_of_the_run_that_ended_well(self):
        bill = self.told("report", FINISHED)["bill"]
        self.assertAlmostEqual(bill["energy_kwh"], 0.0043236333333, places=12)
        self.assertAlmostEqual(bill["carbon_g"], 1.2211452145829, places=9)
        self.assertAlmostEqual(bill["cost"], 0.00042631023879, places=12)
        self.assertEqual((bill["steps"], bill["currency"], bill["pue"]), (60000, "EUR", 1.2))
        self.assertAlmostEqual(bill["default_same_start"]["slowdown_percent"], 5.3067105357, places=8)

    def test_they_stand_side_by_side_and_as_tables(self):
        self.assertIn("4.324 Wh  ", self.ask("runs", "compare", FINISHED, SHADOW).stdout)
        table = self.folder / "run.csv"
        self.ask("runs", "export", FINISHED, "--csv", table)
        self.assertGreater(len(table.read_text().splitlines()), 5)


class Signals(Upgrade):
    def test_what_was_fetched_is_answered_without_a_network(self):
        told = self.assert_as_then("fetch.json", "signal", "fetch", "--provider", "neso", "--zone", "GB", "--start",
                                   "2026-11-10", "--end", "2026-11-12")
        self.assertEqual((told["freshness"], told["count"], told["min"], told["mean"], told["max"]),
                         ("fresh", 96, 90, 150, 210))
        part = self.told("signal", "fetch", "--provider", "neso", "--zone", "GB", "--start", "2026-11-10T06:00Z", "--end",
                         "2026-11-10T08:00Z", "--offline")
        self.assertEqual((part["freshness"], part["count"], part["min"]), ("fresh", 4, 108))

    def test_what_is_stored_is_listed(self):
        stored = self.assert_as_then("stored.json", "signal", "fetch", "--stored")["stored"]
        self.assertEqual([one["known"] for one in stored], [96, 96])


class Profiles(Upgrade):
    def test_a_profile_is_taken_up_by_the_next_run(self):
        self.double("create", self.gpus, "--gpu", "H200", "--gpu", "A40")
        self.double("set", self.gpus, 0, "power-limit", 650)
        carbon = self.write("carbon.csv", "time,carbon_g_per_kwh\n" + "".join(
            f"2023-06-{1 + hour // 24:02d}T{hour % 24:02d}:00:00Z,{(100, 700)[hour % 2]}\n" for hour in range(72)))
        profile = next((self.state / "profiles").iterdir())
        before = json.loads(profile.read_text())
        result = self.ask("run", "--gpu", "0", "--carbon", carbon, "--speed-up", "720", "--forecast", "yesterday", "--period",
                          "5s", "--profile", "resnet50", "--", "stand-in-train", "--gpu", "0", "--model", "resnet50",
                          "--steps", "6000", "--batch", "1", "--every", "200", timeout=120)
        self.assertIn(f"using the profile of an earlier run: {profile}", result.stderr)
        after = {one["level"]: one for one in json.loads(profile.read_text())["levels"]}
        for one in before["levels"]:
            self.assertGreaterEqual(after[one["level"]]["seconds"], one["seconds"], "what was learned is added to")
        self.assertEqual(list((self.state / "profiles").iterdir()), [profile])


class Leases(Upgrade):
    def setUp(self):
        super().setUp()
        self.make_gpus()

    def test_one_whose_holder_was_killed_is_put_back_by_the_next_command(self):
        self.assertEqual(self.told("device", "leases")["leases"], [])
        self.assertEqual(self.cards()[0]["power_limit_w"], 450)

    def config(self):
        text = (self.state / "agent/agent.toml").read_text()
        for old, new in (("/run/heliostat/agent.sock", self.folder / "agent.sock"),
                         ("/var/lib/heliostat", self.state / "agent/leases"),
                         ("/var/log/heliostat/audit.log", self.state / "agent/audit.log")):
            text = text.replace(old, str(new))
        path = self.write("agent.toml", text)
        path.chmod(0o600)
        return path

    def heliostatd(self, *arguments):
        return subprocess.run([BUILD / "bin/heliostatd", "--config", self.config(), *arguments], capture_output=True, text=True,
                              env={**os.environ, **self.environment}, check=False, timeout=60)

    def test_the_agent_s_policy_means_what_it_meant(self):
        result = self.heliostatd("--check-config")
        self.assertEqual(result.returncode, 0, result.stderr)
        for words in ("root", "150 to 500 W", "power-limit", "core-clock", "8 h"):
            self.assertIn(words, result.stdout)

    def test_those_of_an_agent_that_was_killed_are_put_back_by_the_next(self):
        audit = self.state / "agent/audit.log"
        before = audit.read_text()
        agent = subprocess.Popen([BUILD / "bin/heliostatd", "--config", self.config()], env={**os.environ, **self.environment},
                                 stderr=subprocess.PIPE, text=True)
        while "serving" not in agent.stderr.readline():
            self.assertIsNone(agent.poll())
        self.assertEqual(self.told("device", "leases", "--all"), {"by": "agent", "leases": []})
        card = self.cards()[1]
        self.assertEqual((card["power_limit_w"], card["core_clock"]), (250, None))
        agent.terminate()
        agent.communicate(timeout=60)
        self.assertEqual(agent.returncode, 0)
        text = audit.read_text()
        self.assertTrue(text.startswith(before))
        self.assertTrue(all(json.loads(line) for line in text.splitlines()))

    def test_and_by_a_restore(self):
        self.assertEqual(self.heliostatd("--restore").returncode, 0)
        card = self.cards()[1]
        self.assertEqual((card["power_limit_w"], card["core_clock"]), (250, None))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
