"""The process that starts, watches and ends the daemons of a lab. Only `lab` calls it."""
import ctypes
import datetime
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

import lab_config
import lab_meter

ACTIONS = ("start", "wake", "stop", "kill", "freeze", "thaw")
MARK = "SLURM_LAB_FOLDER"  # in the environment of every daemon
PR_SET_CHILD_SUBREAPER = 36
FIRST_PORT, PORTS_PER_BLOCK, BLOCKS = 10240, 64, 350  # below the ports that the kernel gives to clients
BOOT_LIMIT_S = 90


def ask(folder, *words):
    """Sends a request to the supervisor of a lab and returns its answer."""
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(str(pathlib.Path(folder) / "control"))
        channel.sendall(json.dumps(words).encode() + b"\n")
        answer = json.loads(channel.makefile().readline() or '{"error": "the supervisor ended"}')
    if "error" in answer:
        raise OSError(answer["error"])
    return answer["done"]


def descendants(pid):
    """All processes below one, by the parents that the kernel names."""
    below = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it ended
        below.setdefault(parent, []).append(int(entry.parent.name))
    found, todo = [], [pid]
    while todo:
        children = below.get(todo.pop(), [])
        found += children
        todo += children
    return found


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def end_strays(folder):
    """Ends what a supervisor left that was killed itself: daemons by their mark, and jobs."""
    mark, conf = f"{MARK}={folder}".encode(), f"SLURM_CONF={folder}/etc/slurm.conf".encode()
    while True:
        strays = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                variables = entry.read_bytes().split(b"\0")
            except OSError:
                continue
            is_job = conf in variables and any(line.startswith(b"SLURM_JOB_ID=") for line in variables)
            if mark in variables or is_job:
                strays.append(int(entry.parent.name))
        if not strays:
            return
        for stray in strays:
            send(stray, signal.SIGKILL)
        time.sleep(0.02)


def take_ports(count):
    """Ports that no other lab has: whole blocks, each held by a name that goes away with this process."""
    needed = -(-count // PORTS_PER_BLOCK)
    for first in range(BLOCKS - needed):
        held = []
        try:
            for block in range(first, first + needed):
                held.append(socket.socket(socket.AF_UNIX))
                held[-1].bind(f"\0heliostat-slurm-lab-{block}")
            ports = [FIRST_PORT + first * PORTS_PER_BLOCK + index for index in range(count)]
            for port in ports:
                with socket.socket() as probe:
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    probe.bind(("127.0.0.1", port))
            return held, ports
        except OSError:
            for name in held:
                name.close()
    raise OSError("no block of free ports; end other labs")


class Supervisor:
    def __init__(self, folder):
        self.folder = folder
        self.options = json.loads((folder / "options.json").read_text())
        self.nodes = lab_config.nodes_of(self.options)
        names = ["slurmctld", "slurmdbd", "mariadb", *(name for name, _, _ in self.nodes)]
        self.held, ports = take_ports(len(names))
        self.ports = dict(zip(names, ports))
        self.running = {}  # pid by name
        self.clock_files = []
        self.variables = {"SLURM_CONF": str(folder / "etc/slurm.conf")}
        self.meter = lab_meter.Meter(self.nodes, self.options["speed"]) if self.options["meter"] else None

    def command(self, name):
        folder = self.folder
        if name == "munge":
            files = [f"--key-file={folder}/munge/key", f"--socket={folder}/munge/socket", f"--pid-file={folder}/munge/pid",
                     f"--log-file={folder}/munge/log", f"--seed-file={folder}/munge/seed"]
            return ["munged", "--foreground", "--num-threads=4", *files]
        if name == "mariadb":
            return ["mariadbd", "--no-defaults", "--user=mysql", f"--datadir={folder}/mysql", f"--socket={folder}/mysql/socket",
                    "--bind-address=127.0.0.1", f"--port={self.ports[name]}", "--innodb-buffer-pool-size=64M",
                    "--innodb-flush-log-at-trx-commit=2", f"--pid-file={folder}/mysql/pid"]
        if name in ("slurmctld", "slurmdbd"):
            return [name, "-D"]
        if name in self.ports:
            return ["slurmd", "-D", "-N", name]
        raise OSError(f"{name}: is no part of this lab; one of: munge, {', '.join(self.ports)}")

    def start(self, name, is_boot=False):
        command = self.command(name)
        if is_boot:
            command.append("-b")  # slurmctld waits for a node that says it was booted
        if name in self.running:
            return
        if name == "munge":
            # After a kill the old socket is in the way.
            (self.folder / "munge/socket").unlink(missing_ok=True)
        # munged lives in real time: its patience with clients is two seconds of its clock.
        variables = {} if name == "munge" else self.variables
        with open(self.folder / f"log/{name}.out", "ab") as log:
            # The kernel ends them when this process is killed.
            child = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                     env={**os.environ, **variables, MARK: str(self.folder)}, start_new_session=True)
        self.running[name] = child.pid

    def signal(self, name, number, wait_s=0.0):
        self.command(name)  # refuses unknown names
        if name in self.running:
            send(self.running[name], number)
        until = time.monotonic() + wait_s
        while name in self.running and time.monotonic() < until:
            self.reap()
            time.sleep(0.005)

    def stop(self, name):
        self.signal(name, signal.SIGTERM, wait_s=5)
        self.signal(name, signal.SIGKILL, wait_s=5)

    def reap(self):
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            self.running = {name: running for name, running in self.running.items() if running != pid}

    def output(self, *command):
        return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **self.variables})

    def wait_for(self, what, is_true):
        until = time.monotonic() + BOOT_LIMIT_S
        while not is_true():
            if time.monotonic() > until:
                raise OSError(f"{what} is not up after {BOOT_LIMIT_S} s; see {self.folder}/log")
            time.sleep(0.02)

    def boot(self):
        lab_config.write(self.folder, self.options, self.ports)
        if self.options["speed"] != 1:
            self.accelerate()
        self.start("munge")
        self.wait_for("munge", (self.folder / "munge/socket").is_socket)
        if self.options["database"]:
            self.boot_database()
        self.start("slurmctld")
        self.wait_for("slurmctld", lambda: "UP" in self.output("scontrol", "ping").stdout)
        for name, _, _ in self.nodes:
            self.start(name)
        self.wait_for("every node", lambda: self.output("sinfo", "-h", "-p", "main", "-o", "%t %D").stdout.split() ==
                      ["idle", str(len(self.nodes))])
        lines = [f"{name}={value}" for name, value in self.variables.items()]
        (self.folder / "environment").write_text("\n".join(lines) + "\n")
        (self.folder / "env.sh").write_text("".join(f"export '{line}'\n" for line in lines))

    def boot_database(self):
        data = self.folder / "mysql"
        shutil.chown(data, "mysql")
        made = self.output("mariadb-install-db", "--no-defaults", f"--datadir={data}", "--user=mysql", "--skip-test-db",
                           "--auth-root-authentication-method=normal")
        if made.returncode != 0:
            raise OSError(f"mariadb-install-db fails: {made.stdout[-200:]}{made.stderr[-200:]}")
        self.start("mariadb")
        sql = ("create database slurm; create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost "
               "identified by 'slurm'; grant all on slurm.* to slurm@'127.0.0.1'; grant all on slurm.* to slurm@localhost")
        self.wait_for("mariadb", lambda: self.output("mariadb", "--no-defaults", "-S", f"{data}/socket", "-e", sql).returncode == 0)
        self.start("slurmdbd")
        self.wait_for("slurmdbd", lambda: self.output("sacctmgr", "-n", "show", "cluster").returncode == 0)

    def accelerate(self):
        """All processes share one clock, which `faketime` owns as long as its program runs."""
        ahead = 0
        if self.options["begin"]:
            begin = datetime.datetime.fromisoformat(self.options["begin"].replace("Z", "+00:00"))
            ahead = round(begin.timestamp() - time.time())
        holder = subprocess.Popen(["faketime", "-f", f"{ahead:+} x{self.options['speed']}", "sleep", "infinity"],
                                  stdin=subprocess.DEVNULL)
        wanted = ("LD_PRELOAD=", "FAKETIME=", "FAKETIME_SHARED=")
        found = []

        def look():
            for pid in [holder.pid, *descendants(holder.pid)]:
                lines = pathlib.Path(f"/proc/{pid}/environ").read_text().split("\0")
                found[:] = [line for line in lines if line.startswith(wanted)]
                if len(found) == len(wanted):
                    return True
            return False

        self.wait_for("faketime", look)
        self.variables.update(line.split("=", 1) for line in found)
        for name in self.variables["FAKETIME_SHARED"].split():
            self.clock_files += pathlib.Path("/dev/shm").glob(f"*{name.lstrip('/')}")
        for file in self.clock_files:
            file.chmod(0o666)  # jobs of other users read the clock too

    def obey(self, action, *names):
        if action == "watts":
            if not self.meter:
                raise OSError("the lab has no meter; boot it with --meter")
            self.read_meter()
            return self.meter.readings()
        for name in names:
            if action in ("start", "wake"):
                self.start(name, is_boot=action == "wake")
            elif action == "stop":
                self.stop(name)
            elif action == "kill":
                self.signal(name, signal.SIGKILL, wait_s=5)
            else:
                self.signal(name, signal.SIGSTOP if action == "freeze" else signal.SIGCONT)
        return None

    def read_meter(self):
        self.meter.read({name for name, _, _ in self.nodes if name in self.running}, descendants(os.getpid()))

    def answer(self, listener):
        """True when the lab is to go down."""
        channel, _ = listener.accept()
        with channel:
            words = json.loads(channel.makefile().readline() or '["nothing"]')
            if words == ["down"]:
                self.end()
                channel.sendall(b'{"done": null}\n')
                return True
            try:
                reply = {"done": self.obey(*words)}
            except OSError as error:
                reply = {"error": str(error)}
            channel.sendall(json.dumps(reply).encode() + b"\n")
        return False

    def serve(self):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.folder / "control"))
        listener.listen(64)
        owner = self.options["owner"]
        (self.folder / "ready").touch()
        while not owner or pathlib.Path(f"/proc/{owner}").exists():
            if select.select([listener], [], [], 0.1)[0] and self.answer(listener):
                return
            self.reap()
            # Looking through all processes costs ten milliseconds.
            if self.meter and time.monotonic() - self.meter.read_at > 0.25:
                self.read_meter()

    def end(self):
        """Ends all processes. Those left alone are children of this one, so none is left when it has no children."""
        while self.reap():
            for pid in descendants(os.getpid()):
                send(pid, signal.SIGKILL)
            time.sleep(0.005)
        for file in self.clock_files:
            file.unlink(missing_ok=True)


def main():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    folder = pathlib.Path(sys.argv[1])
    try:
        supervisor = Supervisor(folder)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    try:
        supervisor.boot()
        supervisor.serve()
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        supervisor.end()
        sys.exit(str(error))
    finally:
        supervisor.end()


if __name__ == "__main__":
    main()
