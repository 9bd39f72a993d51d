#!/usr/bin/env python3
"""Measures output through `heliostat run` against a direct start, on a pipe and on a terminal; the goal is at most three
times the time. Counts the steps of a million lines of progress.

usage: relay_compare.py [BUILD-FOLDER] [--megabytes N]
"""
import argparse
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOAL = 3.0
LINES = 1_000_000
# Lines without numbers are passed over quickly; lines of a log are looked at for progress.
KINDS = {"text": "the quick brown fox jumps over the lazy dog and prints a line",
         "log": "[2026-01-01 00:00:00,123] INFO worker 12: loaded shard 34 of 99 in 0.12 s"}


def drain(file):
    count = 0
    while True:
        try:
            got = os.read(file, 1 << 20)
        except OSError:  # a terminal whose other end is closed
            return count
        if not got:
            return count
        count += len(got)


def time_on_pipe(command, environment):
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                          env=environment) as running:
        count = drain(running.stdout.fileno())
        running.wait()
    return time.perf_counter() - began, count


def time_on_terminal(command, environment):
    began = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(command[0], [str(word) for word in command], environment)
    count = drain(terminal)
    os.waitpid(pid, 0)
    os.close(terminal)
    return time.perf_counter() - began, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build/bench")
    parser.add_argument("--megabytes", type=int, default=1000)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        state = f"{folder}/gpus"
        subprocess.run([build / "bin/nvml-double", "create", state, "--gpu", "H200"], check=True, capture_output=True)
        environment = {**os.environ, "HELIOSTAT_NVML": str(build / "lib/libnvidia-ml-double.so"), "HELIOSTAT_DOUBLE": state,
                       "HELIOSTAT_AGENT": f"{folder}/none", "HELIOSTAT_STATE": f"{folder}/leases",
                       "HELIOSTAT_RUNS": f"{folder}/runs", "HELIOSTAT_PROFILES": f"{folder}/profiles"}
        through = [build / "bin/heliostat", "run", "--quiet", "--zone", "coal", "--knob", "pace", "--"]
        print("output through heliostat run, against a direct start")
        worst = 0.0
        for name, line in KINDS.items():
            program = ["sh", "-c", f"yes '{line}' | head -c {arguments.megabytes * 10 ** 6}"]
            for place, measure in (("pipe", time_on_pipe), ("terminal", time_on_terminal)):
                direct, ours = (min(measure(command, environment) for _ in range(2)) for command in (program, through + program))
                worst = max(worst, ours[0] / direct[0])
                print(f"  {arguments.megabytes} MB of {name} on a {place}: {direct[0]:.2f} s directly, {ours[0]:.2f} s, "
                      f"{ours[0] / direct[0]:.2f} times; {ours[1] - direct[1]} bytes more")
        done = subprocess.run([*through, "seq", "-f", f"step %.0f/{LINES}", str(LINES)], env=environment, capture_output=True,
                              text=True, check=True)
        bill = json.loads(subprocess.run([build / "bin/heliostat", "report", "--json"], env=environment, capture_output=True,
                                         text=True, check=True).stdout)["bill"]
        print(f"  {LINES} lines of progress: {done.stdout.count(chr(10))} arrive, {bill['steps']:.0f} steps are counted")
        print(f"  worst ratio {worst:.2f}, goal {GOAL:.0f}: {'reached' if worst <= GOAL else 'MISSED'}")


if __name__ == "__main__":
    main()
