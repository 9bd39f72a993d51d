#!/usr/bin/env python3
"""heliostatctld beside a bare squeue, on the Slurm of this environment with 10,000 jobs: cycles, memory, a list of all jobs.

usage: controller_compare.py FOLDER-OF-BINARIES

cluster_bench, which runs first, submits the jobs. Both modes look every second for some cycles.
"""
import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

BINARIES = pathlib.Path(sys.argv[1]).resolve()
CYCLES = 9


def milliseconds(command, **more):
    begin = time.monotonic()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, **more)
    return 1000 * (time.monotonic() - begin), len(done.stdout)


def write_config(folder, mode):
    hours = "".join(f"2026-01-01T{hour:02}:00:00Z,{300 - 10 * hour}\n" for hour in range(24))
    (folder / "carbon.csv").write_text(f"time,carbon_g_per_kwh\n{hours}")
    signal = '{ file = "carbon.csv", replay_from = 2026-01-01T00:00:00Z }'
    (folder / "config.toml").write_text(f'mode = "{mode}"\nstate = "state"\nsocket = "socket"\npoll_seconds = 1\n[cluster]\n'
                                        f'default_slack = "50%"\n[signals]\ncarbon = {signal}\n')


@contextlib.contextmanager
def controller(folder):
    with open(folder / "log", "wb") as log:
        daemon = subprocess.Popen([BINARIES / "heliostatctld", "--config", folder / "config.toml"], stdout=log, stderr=log)
    try:
        yield daemon
    finally:
        daemon.terminate()
        daemon.wait()


def status(environment):
    return json.loads(subprocess.run([BINARIES / "heliostat", "cluster", "status", "--json"], env=environment, check=True,
                                     capture_output=True).stdout)


def measure(mode, squeue):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_config(folder, mode)
        environment = {**os.environ, "HELIOSTAT_CONTROLLER": str(folder / "socket")}
        with controller(folder) as daemon:
            cycles, looked, until = [], None, time.monotonic() + 120
            while len(cycles) < CYCLES and time.monotonic() < until:
                time.sleep(0.2)
                if not (folder / "socket").exists():
                    continue
                answer = status(environment)
                if answer["healthy"] and answer["looked"] != looked:
                    cycles.append(1000 * answer["last_cycle_s"])
                    looked = answer["looked"]
            if len(cycles) < CYCLES:
                sys.exit(f"heliostatctld makes no cycles: {(folder / 'log').read_text()[-400:]}")
            peak = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{daemon.pid}/status").read_text())[1]) / 1024
            listed, size = milliseconds([BINARIES / "heliostat", "cluster", "jobs", "--json"], env=environment)
    whole = statistics.median(cycles)
    jobs = sum(answer["jobs"][state] for state in ("waiting", "running"))
    print(f"{mode}: a cycle with {jobs:,} jobs and {sum(answer['nodes'].values()):,} nodes of a real Slurm{whole:>9.0f} ms"
          f"{whole / squeue:>8.1f} times a bare squeue{peak:>6.0f} MB in all")
    print(f"{mode}: heliostat cluster jobs --json{listed:>41.0f} ms{listed / squeue:>8.1f} times a bare squeue"
          f"{size / 1e6:>6.1f} MB of text", flush=True)


def main():
    squeue = statistics.median(milliseconds(["squeue", "-r"])[0] for _ in range(CYCLES))
    print(f"a bare `squeue -r` in this run{squeue:>49.0f} ms")
    for mode in ("observe", "shadow"):
        measure(mode, squeue)


if __name__ == "__main__":
    main()
