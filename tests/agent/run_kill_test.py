#!/usr/bin/env python3
"""Kills and stops two of the processes around a program of `heliostat run` at random moments.

usage: run_kill_test.py BUILD-FOLDER [--rounds N] [--at-once N] [--seed N]

Of each pair one process at least remains that continues the program and puts its card back. The program lives on unless it
was struck itself.
"""
import argparse
import concurrent.futures
import dataclasses
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = """
import os, subprocess, sys, time
worker = subprocess.Popen(["sleep", "60"], start_new_session=True)
with open(sys.argv[1] + ".new", "w") as file:
    file.write(f"{os.getpid()} {worker.pid}")
os.rename(sys.argv[1] + ".new", sys.argv[1])
end = time.monotonic() + 60
step = 0
while time.monotonic() < end:
    step += 1
    print("step", step, flush=True)
    time.sleep(0.01)
"""
MEMBERS = ("heliostat", "first guard", "second guard", "program", "worker")
# A stop of the program itself is the user's, and stays.
SIGNALS = {"heliostat": (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP, signal.SIGTSTP),
           "first guard": (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP),
           "second guard": (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP),
           "program": (signal.SIGKILL, signal.SIGTERM), "worker": (signal.SIGKILL,)}
# Where Heliostat kills itself, and the knob with which it comes there. "run-turned:3": at the third time.
STEPS = [*(("pace", f"run-{step}") for step in ("started", "holding", "held", "held:2", "releasing")),
         *(("power-limit", step) for step in ("run-turning", "run-turned", "run-turned:3", "run-turning:4", "take-read",
                                              "journal-written", "journal-written:4"))]
PATIENCE_S = 40
# Learning comes first: settings change some seconds after the start.
LATEST_S = 24


@dataclasses.dataclass(frozen=True)
class Blow:
    member: str
    number: int

    def __str__(self):
        return f"{self.member} by {signal.Signals(self.number).name}"


def state_of(pid):
    """'T' is stopped; '' when there is no such process, or only its remains."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if state in "ZX" else state


def parent_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def wait_until(holds):
    end = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Round:
    """One run, and two blows at a random moment."""

    environment = {}

    def __init__(self, build, folder, rng):
        self.build, self.folder, self.rng = build, pathlib.Path(folder), rng
        self.was_turned = False
        self.pids = {}
        self.knob = rng.choice(("pace", "power-limit"))
        pair = rng.choice(list(itertools.combinations(MEMBERS, 2)))
        self.blows = [Blow(member, rng.choice(SIGNALS[member])) for member in pair]
        rng.shuffle(self.blows)

    def double(self, *arguments):
        return subprocess.run([self.build / "bin/nvml-double", *map(str, arguments)], capture_output=True, text=True,
                              check=True).stdout

    def is_card_back(self):
        return json.loads(self.double("show", self.folder / "gpus"))["gpus"][0]["power_limit_w"] == 700

    def start(self):
        state = self.folder / "gpus"
        self.double("create", state, "--gpu", "H200")
        carbon = self.folder / "carbon.csv"
        carbon.write_text("time,carbon_g_per_kwh\n" + "".join(
            f"2023-06-{1 + hour // 24:02d}T{hour % 24:02d}:00:00Z,{900 if hour % 2 else 100}\n" for hour in range(72)))
        environment = {**os.environ, **self.environment, "HELIOSTAT_NVML": str(self.build / "lib/libnvidia-ml-double.so"),
                       "HELIOSTAT_DOUBLE": str(state), "HELIOSTAT_AGENT": str(self.folder / "none"),
                       "HELIOSTAT_STATE": str(self.folder / "leases"), "HELIOSTAT_RUNS": str(self.folder / "runs"),
                       "HELIOSTAT_PROFILES": str(self.folder / "profiles")}
        with open(self.folder / "log", "w", encoding="utf-8") as log:
            self.heliostat = subprocess.Popen(
                [self.build / "bin/heliostat", "run", "--carbon", carbon, "--speed-up", "3600", "--forecast", "yesterday",
                 "--period", "1s", "--eta", "1", "--knob", self.knob, "--", sys.executable, "-c", PROGRAM,
                 self.folder / "pids"], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)
        if not wait_until((self.folder / "pids").exists):
            raise RuntimeError("the program did not start: " + (self.folder / "log").read_text())
        program, worker = map(int, (self.folder / "pids").read_text().split())
        first = parent_of(program)
        self.pids = {"heliostat": self.heliostat.pid, "first guard": first, "second guard": parent_of(first),
                     "program": program, "worker": worker}

    def strike(self):
        time.sleep(self.rng.uniform(0, LATEST_S))
        is_held = state_of(self.pids["program"]) == "T"
        self.was_turned = is_held or not self.is_card_back()
        for blow in self.blows:
            send(self.pids[blow.member], blow.number)
            time.sleep(self.rng.choice((0, 0, self.rng.uniform(0, 0.1))))

    def check(self):
        struck = {blow.member for blow in self.blows}
        numbers = {blow.number for blow in self.blows if blow.member == "heliostat"}
        # SIGTERM and SIGTSTP are passed on: the program acts on them.
        is_asked = bool(numbers & {signal.SIGTERM, signal.SIGTSTP})
        if signal.SIGTSTP not in numbers:
            for name in ("program", "worker"):
                if not wait_until(lambda name=name: state_of(self.pids[name]) != "T"):
                    return f"the {name} stays stopped"
            if not is_asked and "program" not in struck and not state_of(self.pids["program"]):
                return "the program is gone"
        if "worker" not in struck and not state_of(self.pids["worker"]):
            return "the worker is gone"
        return ""

    def end(self):
        """Ends what is left, and looks at the card."""
        for name in ("program", "worker"):
            send(self.pids[name], signal.SIGKILL)
        for name in ("heliostat", "first guard", "second guard"):
            send(self.pids[name], signal.SIGCONT)
        try:
            self.heliostat.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            return "heliostat does not end"
        return "" if wait_until(self.is_card_back) else "the card stays turned"

    def run(self):
        try:
            self.start()
            self.strike()
            return self.check() or self.end()
        finally:
            for pid in self.pids.values():
                send(pid, signal.SIGKILL)
            self.heliostat.kill()
            self.heliostat.wait()


class Step(Round):
    """One run, which kills itself at a step."""

    def __init__(self, build, folder, knob, point):
        super().__init__(build, folder, random.Random(1))
        self.knob, self.blows = knob, [f"heliostat at {point}", "nothing"]
        self.environment = {"HELIOSTAT_KILL_AT": point}

    def strike(self):
        if not wait_until(lambda: self.heliostat.poll() is not None):
            raise RuntimeError(f"did not come to the step: {self.blows[0]}")

    def check(self):
        for name in ("program", "worker"):
            if not wait_until(lambda name=name: state_of(self.pids[name]) not in ("T", "")):
                return f"the {name} is stopped or gone"
        return ""


def play(make):
    # A guard may still write its journal when the round is over.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        one = make(folder)
        wrong = one.run()
        if not wrong:
            return one.was_turned, ""
        log = (pathlib.Path(folder) / "log").read_text()
        told = "\n".join(line for line in log.splitlines() if not line.startswith("step"))
        return one.was_turned, f"{one.knob}, {one.blows[0]}, then {one.blows[1]}: {wrong}\n{told}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    seeds = range(arguments.seed, arguments.seed + arguments.rounds)
    rounds = [*(lambda folder, step=step: Step(build, folder, *step) for step in STEPS),
              *(lambda folder, seed=seed: Round(build, folder, random.Random(seed)) for seed in seeds)]
    with concurrent.futures.ThreadPoolExecutor(arguments.at_once) as pool:
        done = list(pool.map(play, rounds))
    wrong = [told for _, told in done if told]
    print("\n".join(wrong))
    turned = sum(was_turned for was_turned, _ in done)
    print(f"{len(STEPS)} steps and {arguments.rounds} rounds, in {turned} a program was held or a card turned at that moment; {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
