"""Runs of `heliostat run` on doubled GPUs: what their tests share."""
import concurrent.futures
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

    def card(self, gpu=0):
        return json.loads(self.double("show", self.state))["gpus"][gpu]

    def limit(self):
        return self.card()["power_limit_w"]

    def lowered(self):
        """By a decision: at the start the knob is tried out just below the top."""
        return self.limit() <= 500

    def run_it(self, *command, options=(), **more):
        return run("run", "--carbon", self.carbon, "--speed-up", "720", "--forecast", "yesterday", "--period", "5s",
                   *options, "--", *command, env={**self.environment, **more.pop("env", {})}, **more)

    def start(self, *command, options=(), period="5s"):
        """Begins a run, whose stderr is in the file log."""
        with open(self.folder / "log", "w", encoding="utf-8") as log:
            return subprocess.Popen([HELIOSTAT, "run", "--carbon", str(self.carbon), "--speed-up", "720", "--forecast",
                                     "yesterday", "--period", period, *options, "--", *map(str, command)],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                                    env={**os.environ, "LC_ALL": "C.UTF-8", **self.environment})

    def log(self):
        return (self.folder / "log").read_text(encoding="utf-8")

    def train_until_told(self, status=0):
        """A program that trains until end_it, and ends with this status."""
        return ["sh", "-c", f"{BUILD}/bin/stand-in-train --steps 100000000 --batch 1 --every 200 & "
                            f"while [ ! -e '{self.folder}/end' ]; do sleep 0.1; done; kill $!; exit {status}"]

    def end_it(self):
        (self.folder / "end").touch()

    def end_trainers(self):
        """Programs outlive Heliostat; those of this test are known by their state."""
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                program = (entry / "cmdline").read_bytes().split(b"\0")[0]
                if program.endswith(b"stand-in-train") and str(self.state).encode() in (entry / "environ").read_bytes():
                    os.kill(int(entry.name), signal.SIGKILL)
            except (OSError, ProcessLookupError):
                pass

    def wait_until(self, holds, what, pause=0.4):
        end = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(pause)  # looking at a card starts a program

    def last_bill(self):
        result = run("report", "--json", env=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def train(self, steps, *more):
        # One sample per step: about 2,300 steps per second at full speed.
        return [BUILD / "bin/stand-in-train", "--steps", str(steps), "--batch", "1", "--every", "200", *more]


def run_side_by_side(module):
    """One process a test, several at a time: they mostly wait for their programs."""
    names = [f"{name}.{test}" for name, what in sorted(vars(module).items())
             if isinstance(what, type) and issubclass(what, Live) and what is not Live
             for test in unittest.TestLoader().getTestCaseNames(what)]
    names.sort(key=lambda name: name.split(".")[0] != "Learns")  # the longest first
    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        done = list(pool.map(lambda name: subprocess.run([sys.executable, module.__file__, HELIOSTAT, name],
                                                         capture_output=True, text=True, check=False), names))
    for name, one in zip(names, done):
        print(f"{name}: {'passed' if one.returncode == 0 else 'FAILED'}\n{one.stderr}")
    return max(one.returncode for one in done)


def main():
    """With a test's name, runs it; else all, side by side."""
    if len(sys.argv) == 1:
        sys.exit(run_side_by_side(sys.modules["__main__"]))
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
