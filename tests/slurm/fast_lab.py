"""A lab of `lab`, and heliostatctld beside it, for tests of the controller on a real Slurm."""
import atexit
import collections
import contextlib
import datetime
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

import lab_meter
import lab_supervisor

HERE = pathlib.Path(__file__).resolve().parent
LAB = HERE / "lab"
SPEED = 60  # seconds of a lab in one second
# Whom the controller runs as: it needs no rights of an operator. In `sdiag` its questions are those of this user.
USER = 65534
# Every command of Slurm that could change something, or that costs slurmctld time.
COMMANDS = ("sacct sacctmgr salloc sattach sbatch sbcast scancel scontrol scrontab sdiag sinfo sprio squeue sreport srun sshare "
            "sstat strigger").split()
EXEC_AS = ("import os, sys; fd, user = int(sys.argv[1]), int(sys.argv[2]); os.setgroups([]); os.setgid(user); os.setuid(user); "
           "os.execve(fd, sys.argv[3:], dict(os.environ))")


def skip_unless_possible(*options):
    possible = subprocess.run([LAB, "check", "--speed", str(SPEED), *options], capture_output=True, text=True, check=False)
    if possible.returncode == 77:
        sys.exit(print(possible.stderr, end="") or 77)


class Lab:
    """A lab in accelerated time, in a folder of its own under `root`."""

    def __init__(self, root, name, *options):
        self.folder = pathlib.Path(root) / name
        done = subprocess.run([LAB, "up", self.folder, "--speed", str(SPEED), "--owner", str(os.getpid()), *options],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        atexit.register(self.down)
        lines = (self.folder / "environment").read_text().splitlines()
        self.variables = dict(line.split("=", 1) for line in lines)
        self.begun = time.monotonic()

    def down(self):
        if self.folder.exists():
            subprocess.run([LAB, "down", self.folder], check=False)

    def environment(self):
        return {**os.environ, **self.variables}

    def run(self, *command, check=True):
        """The output of a command in the lab's time."""
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=self.environment())
        if check and done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout

    def start(self, *command):
        """A command that goes on."""
        return subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env=self.environment())

    def submit(self, name, options="", seconds=600, script=None):
        """Returns the number of the job."""
        return int(self.run("sh", "-c", f"sbatch --parsable -o /dev/null -J {name} {options} --wrap "
                            f"'{script or f'exec sleep {seconds}'}'"))

    def do(self, action, *names):
        for name in names:
            lab_supervisor.ask(self.folder, action, name)

    def joules(self):
        """{node: what the meter has counted since the boot}"""
        return {node: joules for node, _, joules in lab_supervisor.ask(self.folder, "watts")}

    def now(self):
        """The time in the lab, in seconds since 1970."""
        return int(self.run("date", "+%s"))

    def clock(self):
        """The clock of the lab as lab_clock.cc reads it."""
        readings = []
        for _ in range(5):
            before = time.time_ns()
            now = int(self.run("date", "+%s%N"))
            readings.append((time.time_ns() - before, f"{time.time_ns()} {now} {SPEED}"))
        return min(readings)[1]

    def wait_until(self, lab_seconds):
        """Until so much of the lab's time has passed since the boot."""
        time.sleep(max(0.0, self.begun + lab_seconds / SPEED - time.monotonic()))


def groups(gpus_of):
    """The part of a config that says what the meter counts. `gpus_of` is {hostlist: (type, GPUs per node)}."""
    text = ""
    for index, (nodes, (gpu, gpus)) in enumerate(gpus_of.items()):
        text += (f'[[groups]]\nname = "g{index}"\ngpu = "{gpu}"\nnodes = "{nodes}"\ngpus_per_node = {gpus}\n'
                 f"gpu_idle_w = {lab_meter.GPU_IDLE_W}\ngpu_busy_w = {lab_meter.GPU_BUSY_W}\nnode_base_w = {lab_meter.BASE_W}\n"
                 f"node_sleep_w = {lab_meter.SLEEP_W}\nwake_minutes = 5\nwake_wh = 0\n")
    return text


class Controller:
    """heliostatctld on a lab, as a user without rights."""

    def __init__(self, build, lab, config, top="", state=None):
        """`build` has bin/heliostatctld; `config` is appended; `top` has keys of the config that stand above its tables."""
        self.lab = lab
        self.program = os.open(f"{build}/bin/heliostatctld", os.O_RDONLY)
        self.clock = pathlib.Path(shutil.copy(f"{build}/lib/liblab_clock.so", lab.folder))
        self.folder = lab.folder / "heliostat"
        self.folder.mkdir()
        self.state = state or self.folder / "state"
        self.socket = self.folder / "controller.sock"
        (self.folder / "bin").mkdir()
        for command in COMMANDS:
            wrapper = self.folder / "bin" / command
            wrapper.write_text(f"#!/bin/sh\nprintf '%s ' {command} \"$@\" >>{self.folder}/calls; echo >>{self.folder}/calls\n"
                               f"LD_PRELOAD='{lab.variables['LD_PRELOAD']}' exec {shutil.which(command) or '/bin/false'} \"$@\"\n")
            wrapper.chmod(0o755)
        self.write_carbon()
        (self.folder / "config.toml").write_text(
            f'state = "{self.state}"\nsocket = "{self.socket}"\npoll_seconds = 1\n{top}\n'
            f'[signals]\ncarbon = {{ file = "carbon.csv" }}\n{config}')
        shutil.chown(self.folder, USER)
        self.process = None

    def write_carbon(self):
        """High and low in turn, from an hour before now on."""
        hour = self.lab.now() // 3600 * 3600 - 3600
        rows = ["time,carbon_g_per_kwh"]
        for index in range(24 * 14):
            at = datetime.datetime.fromtimestamp(hour + 3600 * index, datetime.timezone.utc)
            rows.append(f"{at:%Y-%m-%dT%H:%M:%SZ},{500 if index % 3 == 0 else 100}")
        (self.folder / "carbon.csv").write_text("\n".join(rows) + "\n")

    def start(self):
        # Its limits on commands are in real time, as on any machine; the wall clock is that of the lab.
        variables = {**self.lab.environment(), "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
                     "LD_PRELOAD": str(self.clock), "LAB_CLOCK": self.lab.clock()}
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", EXEC_AS, str(self.program), str(USER), "heliostatctld", "--config",
                 str(self.folder / "config.toml")],
                env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[self.program], cwd="/")
        return self.wait_for(lambda status: status["looked"])

    def log(self):
        return (self.folder / "log").read_text()

    def calls(self):
        """The commands that it has called, as lists of words."""
        return [line.split() for line in (self.folder / "calls").read_text().splitlines()]

    def ask(self, what, **more):
        with socket.socket(socket.AF_UNIX) as channel:
            channel.settimeout(20)
            channel.connect(str(self.socket))
            channel.sendall(json.dumps({"ask": what, **more}).encode() + b"\n")
            reply = json.loads(channel.makefile().readline())
        if "error" in reply:
            raise AssertionError(reply["error"])
        return reply["answer"]

    def wait_for(self, is_true, limit_s=60):
        """Waits until a status is so, and returns it."""
        until = time.monotonic() + limit_s
        status = None
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise AssertionError(f"heliostatctld ended: {self.log()[-2000:]}")
            try:
                status = self.ask("status")
            except (OSError, ValueError):
                status = None  # not yet, or no longer
            if status and is_true(status):
                return status
            time.sleep(0.05)
        raise AssertionError(f"never came true: {status}; {self.log()[-2000:]}")

    def look(self):
        """The status after a look that begins from now on."""
        seen = self.ask("status")["looked"]
        first = self.wait_for(lambda status: status["looked"] > seen)["looked"]
        return self.wait_for(lambda status: status["looked"] > first)

    def view(self):
        """Status, {key: job} of all jobs and nodes, all as of one look. Raises when a job is listed twice."""
        while True:
            status, nodes = self.ask("status"), self.ask("nodes")
            listed, archived = self.ask("jobs") + self.ask("ended"), self.archived()
            if self.ask("status")["looked"] != status["looked"]:
                continue
            keys = collections.Counter(job["key"] for job in listed)
            if max(keys.values(), default=0) > 1:
                raise AssertionError(f"listed twice: {keys}")
            return status, {**archived, **{job["key"]: job for job in listed}}, nodes

    def signal(self, number):
        self.process.send_signal(number)
        if number in (signal.SIGKILL, signal.SIGTERM):
            self.process.wait(timeout=30)

    def stop(self):
        """Ends it, and raises when it did not end well: sanitizers say so too."""
        self.signal(signal.SIGTERM)
        if self.process.returncode != 0 or "ERROR: AddressSanitizer" in self.log() or "runtime error:" in self.log():
            raise AssertionError(f"status {self.process.returncode}: {self.log()[-4000:]}")

    def archived(self):
        """{key: report} of the jobs that are complete and saved."""
        with contextlib.closing(sqlite3.connect(f"file:{self.state}/state.db?mode=ro", uri=True)) as database:
            return {key: json.loads(report) for key, report in database.execute("SELECT key, report FROM jobs")}


def scratch_folder():
    """A folder that is removed at the end, and that jobs of other users may pass through."""
    folder = tempfile.TemporaryDirectory(prefix="slurm-controller-")
    os.chmod(folder.name, 0o755)
    return folder
