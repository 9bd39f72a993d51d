"""A lab with a controller on it, for tests of its commands."""
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

LAB = pathlib.Path(__file__).resolve().parent / "lab"
# Neither the configuration of this machine nor its place counts.
QUIET = {"HELIOSTAT_CONFIG": "/nowhere/config.toml", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
CARBON_G_PER_KWH = [400, 400, 100, 100, 100, 400]  # by hour, from the begin of the accounts on; then again


def skip_where_no_lab_runs():
    possible = subprocess.run([LAB, "check"], capture_output=True, text=True, check=False)
    if possible.returncode == 77:
        print(possible.stderr, end="")
        sys.exit(77)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def wait_until(is_true, limit_s=30):
    until = time.monotonic() + limit_s
    while True:
        value = is_true()
        if value:
            return value
        if time.monotonic() > until:
            raise AssertionError("still not true")
        time.sleep(0.02)


class Folder:
    """A folder that other users may enter, with the programs and a config."""

    def __init__(self, build):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="heliostat-cluster-"))
        self.path.chmod(0o755)
        (self.path / "bin").mkdir(mode=0o755)
        for name in ("heliostat", "heliostatctld"):
            shutil.copy(pathlib.Path(build) / "bin" / name, self.path / "bin" / name)
        rows = "".join(f"2026-01-{1 + h // 24:02}T{h % 24:02}:00:00Z,{CARBON_G_PER_KWH[h % 6]}\n" for h in range(120))
        (self.path / "carbon.csv").write_text("time,carbon_g_per_kwh\n" + rows)
        self.socket = self.path / "controller.sock"
        self.variables = {**os.environ, **QUIET, "HELIOSTAT_CONTROLLER": str(self.socket)}

    def remove(self):
        shutil.rmtree(self.path)

    def config(self, name="controller.toml", **keys):
        """Writes a config; keys replace those of a usual one, or stand in the table [cluster] or [signals]."""
        top = {"mode": "shadow", "state": str(self.path / "state"), "socket": str(self.socket), "poll_seconds": 1,
               "planning_seconds": 0, **{k: v for k, v in keys.items() if not isinstance(v, dict)}}
        tables = {"signals": {"carbon": "{ file = \"carbon.csv\", replay_from = 2026-01-04T00:00:00Z }"},
                  **{k: v for k, v in keys.items() if isinstance(v, dict)}}
        lines = [f"{key} = {json.dumps(value)}" for key, value in top.items()]
        for table, members in tables.items():
            lines += [f"[{table}]", *(f"{key} = {value}" for key, value in members.items())]
        path = self.path / name
        path.write_text("\n".join(lines) + "\n")
        return path

    def run(self, *words, user=None, env=None):
        """Runs a program of the folder or of Slurm, as another user if one is named."""
        program = self.path / "bin" / words[0]
        command = [str(program) if program.exists() else words[0], *map(str, words[1:])]
        if user:
            command = ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups", *command]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.path, timeout=60,
                              env={**self.variables, **(env or {})}, stdin=subprocess.DEVNULL)


class Controller:
    """A running heliostatctld."""

    def __init__(self, folder, config, env=None):
        self.folder = folder
        self.log_path = folder.path / f"log-{time.monotonic_ns()}"
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen([folder.path / "bin/heliostatctld", "--config", config], stdout=log, stderr=log,
                                            env={**folder.variables, **(env or {})}, stdin=subprocess.DEVNULL)
        try:
            wait_until(lambda: self.process.poll() is not None or self.is_looking())
        except AssertionError as error:
            raise AssertionError(f"it does not come up: {self.log()}") from error
        if self.process.poll() is not None:
            raise AssertionError(f"it ended with status {self.process.returncode}: {self.log()}")

    def is_looking(self):
        status = self.folder.run("heliostat", "cluster", "status", "--json")
        answer = json.loads(status.stdout) if status.returncode == 0 else {}
        return answer.get("looked") or answer.get("problems")

    def log(self):
        return self.log_path.read_text()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


class ControlledLab(Folder):
    """A Slurm lab in a folder."""

    def __init__(self, build, *options):
        super().__init__(build)
        self.lab = self.path / "lab"
        booted = subprocess.run([LAB, "up", self.lab, "--owner", str(os.getpid()), *options], capture_output=True, text=True,
                                check=False)
        if booted.returncode != 0:
            self.remove()
            raise AssertionError(booted.stderr)
        self.variables |= dict(line.split("=", 1) for line in (self.lab / "environment").read_text().splitlines())

    def remove(self):
        subprocess.run([LAB, "down", self.lab], check=True)
        super().remove()

    def do(self, action, name):
        subprocess.run([LAB, "do", self.lab, action, name], check=True)

    def slurm(self, *words, user=None):
        done = self.run(*words, user=user)
        if done.returncode != 0:
            raise AssertionError(f"{words}: {done.stderr}")
        return done.stdout

    def sbatch(self, *options, user=None, submit=()):
        """Submits a job that sleeps, by `heliostat submit` where it is given options; returns its number."""
        words = ["sbatch", "-o", "/dev/null", *options, "--wrap", "sleep 1000"]
        if submit:
            words = ["heliostat", "submit", *submit, "--", *words]
        return re.search(r"Submitted batch job (\d+)", self.slurm(*words, user=user))[1]
