"""A node with doubled GPUs and a real agent, for tests that kill processes."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

if len(sys.argv) < 2:
    sys.exit(f"usage: {sys.argv[0]} BUILD-FOLDER [options]")
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
BIN = BUILD / "bin"
DOUBLE = BUILD / "lib" / "libnvidia-ml-double.so"
# Limits of the GPUs before a test: neither their default nor their highest limit.
BASE_W = 450.0
PATIENCE_S = 60.0


class Refused(Exception):
    """The agent refused a request."""


def wait_until(holds, what):
    """Waits until `holds` returns a true value, and returns it. `what` is a text for the error, or a function that makes it."""
    end = time.monotonic() + PATIENCE_S
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE_S:.0f} s in vain: {what() if callable(what) else what}")
        time.sleep(0.005)


class Client:
    """One connection. A request is one line, and so is its answer."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE_S)
        try:
            self.socket.connect(str(path))
        except OSError:
            self.socket.close()
            raise
        self.reader = self.socket.makefile("rb")

    def ask(self, **question):
        self.socket.sendall(json.dumps(question).encode() + b"\n")
        line = self.reader.readline()
        if not line:
            raise ConnectionResetError("the agent went away")
        answer = json.loads(line)
        if not answer.pop("ok"):
            raise Refused(answer)
        return answer

    def close(self):
        self.reader.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Owner:
    """A process that only holds leases."""

    def __init__(self):
        self.process = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        self.pid = self.process.pid

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Node:
    """Doubled GPUs, the agent's folders and the agent itself, which can be killed and restarted."""

    made = {}  # initial states of GPUs, for the next node with the same GPUs

    def __init__(self, gpus=("H200",)):
        self.folder = tempfile.TemporaryDirectory(prefix="heliostat-node-")
        self.path = pathlib.Path(self.folder.name)
        self.socket = self.path / "agent.sock"
        self.state = self.path / "double.state"
        self.log = open(self.path / "agent.log", "ab")
        config = self.path / "agent.toml"
        config.write_text(f'socket = "{self.socket}"\nstate = "{self.path}/leases"\naudit = "{self.path}/audit.log"\n'
                          "requests_per_second = { writes = 10000, burst = 10000 }\n")
        config.chmod(0o600)
        self.config = config
        self.agent = None
        self.count = len(gpus)
        if gpus not in Node.made:
            self.double("create", self.state, *(word for gpu in gpus for word in ("--gpu", gpu)))
            for gpu in range(self.count):
                self.double("set", self.state, str(gpu), "power-limit", str(self.base_of(gpu)))
            Node.made[gpus] = self.state.read_bytes()
        else:
            self.state.write_bytes(Node.made[gpus])

    def base_of(self, gpu):
        return BASE_W + 10 * gpu

    def double(self, *arguments):
        done = subprocess.run([BIN / "nvml-double", *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def cards(self):
        return json.loads(self.double("show", self.state))["gpus"]

    def environment(self, **more):
        return {**os.environ, "HELIOSTAT_NVML": str(DOUBLE), "HELIOSTAT_DOUBLE": str(self.state),
                "HELIOSTAT_AGENT": str(self.socket), "HELIOSTAT_STATE": str(self.path / "leases"), **more}

    def start(self, wait=True, **environment):
        self.agent = subprocess.Popen([BIN / "heliostatd", "--config", self.config], stderr=self.log, stdout=self.log,
                                      env=self.environment(**environment))
        if wait:
            self.wait_ready()

    def is_there(self):
        """Whether the agent answers, even if it is starting."""
        try:
            with Client(self.socket) as client:
                return bool(client.ask(do="status"))
        except (OSError, ConnectionError):
            return False

    def is_ready(self):
        try:
            with Client(self.socket) as client:
                return client.ask(do="status")["state"] == "serving"
        except (OSError, ConnectionError):
            return False

    def wait_ready(self):
        wait_until(lambda: self.is_ready() or self.agent.poll() is not None, "the agent answers")

    def kill(self):
        self.agent.send_signal(signal.SIGKILL)
        self.agent.wait()

    def stop(self):
        self.agent.send_signal(signal.SIGTERM)
        status = self.agent.wait(PATIENCE_S)
        assert status == 0, f"the agent ended with {status}:\n{self.log_text()}"

    def client(self):
        return Client(self.socket)

    def leases(self):
        with self.client() as client:
            return client.ask(do="leases", all=True)["leases"]

    def limits(self):
        return [card["power_limit_w"] for card in self.cards()]

    def bases(self):
        return [self.base_of(gpu) for gpu in range(self.count)]

    def log_text(self):
        self.log.flush()
        return (self.path / "agent.log").read_text(errors="replace")

    def close(self):
        if self.agent is not None and self.agent.poll() is None:
            self.kill()
        self.log.close()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            print(self.log_text()[-4000:], file=sys.stderr)
        self.close()
