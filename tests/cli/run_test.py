#!/usr/bin/env python3
"""`heliostat run` end to end on doubled GPUs: settings follow the signal, everything is as it was whatever dies, the
program notices nothing.

usage: run_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from program import HELIOSTAT, Case, run

BUILD = pathlib.Path(HELIOSTAT).parent.parent
DOUBLE = BUILD / "lib/libnvidia-ml-double.so"
PYTHON = pathlib.Path(__file__).resolve().parents[2] / "python"


def day(values, days=3):
    """A file whose hours take these values in turn."""
    rows = [f"2023-06-{1 + hour // 24:02d}T{hour % 24:02d}:00:00Z,{values[hour % len(values)]}"
            for hour in range(24 * days)]
    return "time,carbon_g_per_kwh\n" + "\n".join(rows) + "\n"


class Live(Case):
    def setUp(self):
        super().setUp()
        self.state = self.folder / "double.state"
        self.environment = {"HELIOSTAT_NVML": str(DOUBLE), "HELIOSTAT_DOUBLE": str(self.state),
                            "HELIOSTAT_AGENT": str(self.folder / "agent.sock"),
                            "HELIOSTAT_STATE": str(self.folder / "leases"),
                            "HELIOSTAT_RUNS": str(self.folder / "runs"),
                            "HELIOSTAT_PROFILES": str(self.folder / "profiles")}
        self.double("create", self.state, "--gpu", "H200")
        self.double("set", self.state, "0", "power-limit", "650")
        self.carbon = self.write("carbon.csv", day([100, 700]))

    def double(self, *arguments):
        done = subprocess.run([BUILD / "bin/nvml-double", *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def card(self):
        return json.loads(self.double("show", self.state))["gpus"][0]

    def limit(self):
        return self.card()["power_limit_w"]

    def run_it(self, *command, options=(), **more):
        return run("run", "--carbon", self.carbon, "--speed-up", "720", "--forecast", "yesterday", "--period", "5s",
                   *options, "--", *command, env={**self.environment, **more.pop("env", {})}, **more)

    def start(self, *command, options=()):
        return subprocess.Popen([HELIOSTAT, "run", "--carbon", str(self.carbon), "--speed-up", "720", "--forecast",
                                 "yesterday", "--period", "5s", *options, "--", *map(str, command)],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env={**os.environ, "LC_ALL": "C.UTF-8", **self.environment})

    def end_trainers(self):
        """Programs outlive Heliostat; those of this test are known by their state."""
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if str(self.state).encode() in (entry / "environ").read_bytes() and b"stand-in" in (
                        entry / "cmdline").read_bytes():
                    os.kill(int(entry.name), signal.SIGKILL)
            except (OSError, ProcessLookupError):
                pass

    def wait_until(self, holds, what):
        end = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)

    def last_bill(self):
        result = run("report", "--json", env=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def train(self, steps, *more):
        # One sample a step: about 2,300 steps a second at full speed.
        return [BUILD / "bin/stand-in-train", "--steps", str(steps), "--batch", "1", "--every", "200", *more]


class Transparent(Live):
    def test_output_and_exit_status_are_the_programs_own(self):
        result = self.run_it("sh", "-c", "printf 'a\\rb\\033[1m\\n'; echo err >&2; exit 7")
        self.assertEqual(result.returncode, 7)
        self.assertEqual(result.stdout.replace("\r", "\n"), "a\nb\033[1m\n")  # as Python reads text
        self.assertIn("err\n", result.stderr)

    def test_a_death_by_signal_is_passed_on(self):
        self.assertEqual(self.run_it("sh", "-c", "kill -TERM $$").returncode, -signal.SIGTERM)

    def test_a_program_that_is_not_there_is_one_line(self):
        result = self.run_it("/nowhere/program")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(len([line for line in result.stderr.splitlines() if "error" in line]), 1, result.stderr)

    def test_bad_usage_starts_nothing(self):
        mark = self.folder / "started"
        for options in (["--knob", "volume"], ["--period", "0s"], ["--max-slowdown", "fast"], ["--deadline", "2001-01-01"],
                        ["--gpu", "7"], ["--zone", "GB"], ["--forecast", "tea-leaves"], ["--eta", "2"]):
            with self.subTest(options):
                result = self.run_it("touch", mark, options=options)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertFalse(mark.exists())
        missing = run("run", "--", "touch", mark, env=self.environment)
        self.assertEqual(missing.returncode, 2)
        self.assertFalse(mark.exists())


class Follows(Live):
    def test_limits_follow_the_signal_and_everything_is_as_it_was(self):
        result = self.run_it(*self.train(45000, "--style", "tqdm"), timeout=200)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertEqual(self.limit(), 650)
        self.assertGreater(self.card()["writes"]["power-limit"], 1)
        bill = self.last_bill()
        self.assertGreater(json.dumps(bill).count("carbon"), 0)
        self.assertIn("kWh", result.stderr)

    def test_shadow_decides_and_turns_nothing(self):
        result = self.run_it(*self.train(15000), options=["--shadow"], timeout=200)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertEqual(self.card()["writes"]["power-limit"], 0)

    def test_pace_holds_the_program_and_touches_no_card(self):
        result = self.run_it(*self.train(15000), options=["--knob", "pace"], timeout=200)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertEqual(self.card()["writes"]["power-limit"], 0)


class Dies(Live):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.end_trainers)

    def lowered(self):
        return self.limit() != 650

    def test_a_crash_of_the_program_leaves_nothing(self):
        running = self.start("sh", "-c", f"{BUILD}/bin/stand-in-train --steps 100000000 & sleep 8; kill $!; exit 3")
        self.assertEqual(running.wait(120), 3)
        self.assertEqual(self.limit(), 650)

    def test_kill_9_without_an_agent_is_put_right_by_whoever_comes_next(self):
        running = self.start(*self.train(100000000))
        self.wait_until(self.lowered, "the limit is turned")
        running.kill()
        running.wait(30)
        self.assertEqual(run("device", "leases", "--json", env=self.environment).returncode, 0)
        self.assertEqual(self.limit(), 650)

    def test_with_an_agent_kill_9_and_a_restart_of_the_agent(self):
        config = self.write("agent.toml", f'socket = "{self.folder}/agent.sock"\nstate = "{self.folder}/leases"\n'
                                          f'audit = "{self.folder}/audit.log"\n')
        config.chmod(0o600)

        def agent():
            started = subprocess.Popen([BUILD / "bin/heliostatd", "--config", config],
                                       env={**os.environ, **self.environment}, stderr=subprocess.PIPE, text=True)
            while "serving" not in started.stderr.readline():
                self.assertIsNone(started.poll())
            return started

        first = agent()
        running = self.start(*self.train(100000000))
        self.wait_until(self.lowered, "the limit is turned")
        first.kill()
        first.communicate()
        second = agent()
        time.sleep(6)
        self.assertIsNone(running.poll())
        running.kill()
        running.wait(30)
        self.wait_until(lambda: self.limit() == 650, "the agent puts the card back")
        second.terminate()
        second.communicate(timeout=30)

    def test_a_signal_that_ends_is_told_and_training_goes_on(self):
        self.carbon = self.write("short.csv", day([100, 700], days=1))
        result = self.run_it(*self.train(30000), options=["--carbon-start", "2023-06-01T22:00:00Z"], timeout=200)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertIn("stale", result.stderr)
        self.assertEqual(self.limit(), 650)


class Torch(Live):
    def test_a_real_loop_on_the_cpu_reports_its_steps(self):
        # Debian's own Python has python3-torch, whichever Python runs these tests.
        python = next((name for name in (sys.executable, "/usr/bin/python3") if pathlib.Path(name).exists() and
                       subprocess.run([name, "-c", "import torch"], capture_output=True, check=False).returncode == 0), None)
        if python is None:
            self.skipTest("python3-torch is not installed")
        program = self.write("train.py", """
import time, torch, heliostat
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
end = time.time() + 15
while time.time() < end:
    x, y = torch.randn(256, 64), torch.randint(0, 10, (256,))
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    heliostat.step(samples=256)
""")
        self.double("load", self.state, "0", "resnet50")
        result = self.run_it(python, program, timeout=200, env={"PYTHONPATH": str(PYTHON)})
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertIn("steps that it reports", result.stderr)
        self.assertEqual(self.limit(), 650)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
