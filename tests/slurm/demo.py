#!/usr/bin/env python3
"""A morning of a real Slurm cluster with fake GPUs in about a minute, followed by heliostatctld in mode shadow.

    demo.py BUILD [-o PAGE] [--hours H] [--speed N]
    demo.py --check              say whether it can run here as this user; packages may still be missing

Boots tests/slurm/lab in accelerated time, lets users submit jobs with `heliostat submit`, and shows what the controller
says: status, jobs, the reason of one, and the page of what it would have saved. Carbon intensity and prices are those
of a built-in zone. Every number is an outcome of this run. Everything but the page is removed at the end, also after
Ctrl-C. Exit status 77: a lab cannot run here.
"""
import argparse
import datetime
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CANNOT_RUN = 77
HERE = pathlib.Path(__file__).resolve().parent
ZONE = "mixed-import"
MORNING = "2023-05-15T05:00:00Z"  # in the signals: six in the morning there
HISTORY = "2023-04-01T00:00:00Z"  # from which the forecast learns
CLASSES = ["4:a100:4", "3:h100:8"]
# What users of a morning submit: name, GPUs, hours, and what they allow.
KINDS = [
    ("train-llm", "gpu:h100:8", 1.5, ["--slack", "200%"]),
    ("finetune", "gpu:a100:4", 1.0, ["--slack", "100%"]),
    ("sweep", "gpu:a100:1", 0.5, ["--deadline", "+9h"]),
    ("evaluate", "gpu:a100:2", 0.4, []),
    ("embed", "gpu:h100:4", 0.75, ["--deadline", "+7h", "--may", "requeue"]),
    ("notebook", "gpu:a100:1", 1.0, []),
]
USERS = ["daemon", "bin", "sys", "games", "man"]  # accounts that every Debian has


def load_lab():
    path = HERE / "lab"
    loader = importlib.machinery.SourceFileLoader("lab", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("lab", loader))
    loader.exec_module(module)
    return module


def jobs_of(hours, draw):
    """[(minute, kind, user)] in order: most come early, none in the second half."""
    jobs = []
    for index in range(round(5 * hours)):
        minute = 60 * hours * 0.55 * draw.random() ** 1.5
        jobs.append((minute, KINDS[index % len(KINDS)], draw.choice(USERS)))
    return sorted(jobs, key=lambda job: job[0])


def config_of(folder):
    return f"""mode = "shadow"
state = "{folder}/state"
socket = "{folder}/controller.sock"
policy = "ca-rm-performance"
poll_seconds = 30
planning_seconds = 1
[cluster]
kind = "slurm"
[signals]
carbon = {{ file = "{folder}/zone.csv", column = "carbon_g_per_kwh", replay_from = {MORNING} }}
price = {{ file = "{folder}/zone.csv", column = "price_per_kwh", replay_from = {MORNING} }}
[site]
pue = 1.3
currency = "EUR"
"""


class Demo:
    def __init__(self, options):
        self.options = options
        self.lab = load_lab()
        self.heliostat = pathlib.Path(options.build).resolve() / "bin/heliostat"
        self.daemon = self.heliostat.with_name("heliostatctld")
        self.page = pathlib.Path(options.output).resolve()
        self.controller = None
        self.folder = None
        self.variables = {}
        self.submitted = []

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="heliostat-demo-"))
        self.folder.chmod(0o755)
        return self

    def __exit__(self, *_):
        # A second Ctrl-C must not stop the cleaning.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if self.controller and self.controller.poll() is None:
            self.controller.terminate()
            try:
                self.controller.wait(10)
            except subprocess.TimeoutExpired:
                self.controller.kill()
                self.controller.wait()
        if (self.folder / "lab/options.json").exists():
            self.lab.down(self.folder / "lab")
        shutil.rmtree(self.folder, ignore_errors=True)

    def command(self, *words, env=None, check=True):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                              env={**os.environ, **(env or {})})
        if check and done.returncode != 0:
            lines = done.stderr.strip().splitlines() or [f"ends with status {done.returncode}"]
            raise OSError(f"{pathlib.Path(str(words[0])).name}: {lines[-1]}")
        return done.stdout

    def cluster(self, *words):
        return self.command(self.heliostat, "cluster", *words, env={"HELIOSTAT_CONTROLLER": str(self.folder / "controller.sock")})

    def boot(self):
        lab_options = self.lab.parse(["up", str(self.folder / "lab"), "--speed", str(self.options.speed), "--owner", str(os.getpid()),
                                      *(word for one in CLASSES for word in ("--class", one)),
                                      "--begin", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT05:45:00Z"),
                                      "--set", "MessageTimeout=900", "--set", "MinJobAge=1800"])
        self.lab.up(self.folder / "lab", lab_options)
        lines = (self.folder / "lab/environment").read_text().splitlines()
        # Timeouts of our own programs stay real.
        self.variables = {**dict(line.split("=", 1) for line in lines), "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                          "DONT_FAKE_MONOTONIC": "1"}

    def make_signals(self):
        self.command(self.heliostat, "signal", "generate", "--zone", ZONE, "--start", HISTORY, "--end", "2023-05-20T00:00:00Z",
                     "--step", "1h", "-o", self.folder / "zone.csv")

    def begin(self):
        config = self.folder / "controller.toml"
        config.write_text(config_of(self.folder))
        with open(self.folder / "controller.log", "wb") as log:
            self.controller = subprocess.Popen([str(self.daemon), "--config", str(config)], stdin=subprocess.DEVNULL, stdout=log,
                                               stderr=log, env={**os.environ, **self.variables})
        until = time.monotonic() + 60
        while not self.is_followed():
            if self.controller.poll() is not None or time.monotonic() > until:
                lines = (self.folder / "controller.log").read_text().splitlines() or ["it says nothing"]
                raise OSError(f"heliostatctld: does not follow the lab: {lines[-1]}")
            time.sleep(0.1)

    def status(self):
        return json.loads(self.cluster("status", "--json"))

    def is_followed(self):
        try:
            return self.status()["healthy"]
        except OSError:
            return False

    def submit(self, kind, user):
        name, gpus, hours, allowed = kind
        limit = round(90 * hours)
        seconds = round(3600 * hours)
        # A job that says nothing needs no help of ours.
        submit = [self.heliostat, "submit", *allowed, "--"] if allowed else []
        words = [*submit, "sbatch", f"--uid={user}", "--chdir=/tmp", f"--job-name={name}",
                 f"--gres={gpus}", f"--time={limit}", "--output=/dev/null", "--wrap", f"sleep {seconds}"]
        self.submitted.append(self.command(*words, env=self.variables).split()[-1])

    def line(self, status):
        jobs, shadow = status["jobs"], status["shadow"]
        print(f"  {status['looked'][11:16]}  {status['carbon_g_per_kwh'] or 0:>4.0f} g/kWh  {status['power_kw']:>5.1f} kW  "
              f"{jobs['running']:>2} jobs run, {jobs['waiting']:>2} wait; on the twin {shadow['jobs_waiting']:>2} wait for "
              "cleaner power", flush=True)

    def morning(self):
        begin = time.monotonic()
        hours = lambda: (time.monotonic() - begin) * self.options.speed / 3600  # noqa: E731
        todo = jobs_of(self.options.hours, random.Random(1))
        shown = 0.0
        while hours() < self.options.hours:
            while todo and todo[0][0] <= 60 * hours():
                _, kind, user = todo.pop(0)
                self.submit(kind, user)
            if hours() >= shown:
                self.line(self.status())
                shown += 0.5
            time.sleep(0.05)

    def show_answer(self, *words):
        # By the clock of the lab, at usual speed.
        now = self.status()["looked"].replace("T", " ").rstrip("Z")
        done = self.command("faketime", "-f", f"@{now}", self.heliostat, "cluster", *words,
                            env={"HELIOSTAT_CONTROLLER": str(self.folder / "controller.sock"), "TZ": "UTC"})
        print(f"\n$ heliostat cluster {' '.join(words)}\n{done}", end="", flush=True)

    def show(self):
        self.show_answer("status")
        self.show_answer("jobs")
        jobs = json.loads(self.cluster("jobs", "--json"))
        waits = [job["id"] for job in jobs if job["standing"] in ("would wait", "would start later")]
        number = (waits or self.submitted)[0]
        self.show_answer("why", number)
        self.page.parent.mkdir(parents=True, exist_ok=True)
        self.cluster("report", "-o", self.page)
        print(f"\nWhat it would have saved: {self.page}")

    def run(self):
        print(f"Booting a Slurm of {len(CLASSES)} node classes with fake GPUs; {self.options.speed} seconds of it pass in one …",
              flush=True)
        self.make_signals()
        self.boot()
        self.begin()
        nodes = sum(int(one.split(":")[0]) for one in CLASSES)
        print(f"{nodes} nodes are up, and heliostatctld follows them in mode shadow: it decides, and changes nothing.\n"
              f"A morning of {self.options.hours:g} hours, with the carbon intensity and prices of the built-in zone {ZONE}:",
              flush=True)
        self.morning()
        self.show()


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("build", metavar="BUILD", nargs="?", default="build/release", help="the folder of a release build")
    parser.add_argument("-o", "--output", default="build/slurm-demo.html", metavar="PAGE")
    parser.add_argument("--hours", type=float, default=8.0, metavar="H", help="how much of the morning passes")
    parser.add_argument("--speed", type=int, default=360, metavar="N", help="seconds of the lab in one second")
    return parser.parse_args(arguments)


def say_whether_it_can(reason):
    if not reason:
        return 0
    print(f"slurm-demo: cannot run here: it {reason}", file=sys.stderr)
    return CANNOT_RUN


def main():
    options = parse(sys.argv[1:])
    if options.check:
        return say_whether_it_can(None if os.geteuid() == 0 else "is not run as root; Slurm's daemons change users")
    demo = Demo(options)
    reason = demo.lab.why_not(options)
    if reason:
        return say_whether_it_can(reason)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with demo:
            demo.run()
    except KeyboardInterrupt:
        print("\nslurm-demo: ended; everything is cleaned up", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"slurm-demo: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
