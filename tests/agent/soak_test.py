#!/usr/bin/env python3
"""Mixed load on doubled GPUs with random faults: training that starts and stops, leases of many owners, GPUs that are lost,
hang, refuse, clamp, ignore or lose settings, and settings from outside; at times the agent is killed.

At the end every GPU must have its initial setting, and the agent must not have grown in memory or open files.

usage: soak_test.py BUILD-FOLDER [--minutes 0.3] [--seed 1] [--check-memory]
"""
import argparse
import pathlib
import random
import subprocess
import time

from harness import BIN, Node, Owner, Refused, wait_until

FAULTS = [("no-permission",), ("lost",), ("hang", "all:1.5"), ("hang", "nvmlDeviceSetPowerManagementLimit:1.5"),
          ("clamp", "350:500"), ("round", "25000"), ("ignore",), ("unsupported", "nvmlDeviceGetTemperature"),
          ("unsupported", "nvmlDeviceGetTotalEnergyConsumption"), ("out-of-band", "400"), ("reload",)]
GPUS = ("H200", "H200", "H100", "H200")
# GPUs start at their default, which a reload restores; the last one is also set from outside.
DEFAULT_W = 700.0
# Clocks are locked on that many of the first GPUs. The fault `ignore` is not used there, because NVML cannot report where a
# clock is locked.
CLOCKED = 2


class Soak:
    def __init__(self, node, seed):
        self.node = node
        self.random = random.Random(seed)
        self.owners = [Owner() for _ in range(4)]
        self.trainers = {}
        self.leases = []
        self.foreign = DEFAULT_W
        self.did = {}

    def count(self, what):
        self.did[what] = self.did.get(what, 0) + 1

    def ask(self, **question):
        with self.node.client() as client:
            return client.ask(**question)

    def take(self):
        owner = self.random.choice([*self.owners, None])
        gpu = self.random.randrange(len(GPUS))
        if gpu < CLOCKED and self.random.random() < 0.5:
            knob = {"core_clock_mhz": [600, self.random.randrange(40, 130) * 15]}
        else:
            knob = {"power_limit_w": self.random.randrange(200, 701)}
        more = {"pid": owner.pid} if owner else {}
        lease = self.ask(do="set", gpu=str(gpu), ttl_s=self.random.choice([1, 5, 60]), job="soak", **knob,
                         **more)["lease"]["id"]
        self.leases.append(lease)

    def release(self):
        if self.leases:
            self.ask(do="release", lease=self.leases.pop(self.random.randrange(len(self.leases))))

    def renew(self):
        if self.leases:
            self.ask(do="renew", lease=self.random.choice(self.leases), ttl_s=self.random.choice([1, 10, 100]))

    def look(self):
        for what in ("status", "list", "leases", "rights"):
            self.ask(do=what)
        self.ask(do="show", gpu="1")

    def nonsense(self):
        try:
            self.ask(do="set", gpu="9", power_limit_w="much", ttl_s=-1)
        except Refused:
            pass

    def train(self):
        gpu = self.random.randrange(len(GPUS))
        old = self.trainers.pop(gpu, None)
        if old is not None:
            old.kill()
            old.wait()
        else:
            self.trainers[gpu] = subprocess.Popen(
                [BIN / "stand-in-train", "--gpu", str(gpu), "--steps", "100000000"], env=self.node.environment(),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def owner_dies(self):
        which = self.random.randrange(len(self.owners))
        self.owners[which].kill()
        self.owners[which] = Owner()

    def break_something(self):
        fault = self.random.choice(FAULTS)
        gpu = self.random.randrange(CLOCKED if fault == ("ignore",) else 0, len(GPUS))
        self.node.double("fault", self.node.state, str(gpu), *fault)

    def mend(self):
        self.node.double("clear", self.node.state, "all")

    def another_hand(self):
        self.foreign = float(self.random.randrange(250, 700))
        self.node.double("set", self.node.state, str(len(GPUS) - 1), "power-limit", str(self.foreign))

    def kill_agent(self):
        self.node.kill()
        self.node.start()

    def step(self):
        what, = self.random.choices(
            [self.take, self.release, self.renew, self.look, self.nonsense, self.train, self.owner_dies,
             self.break_something, self.mend, self.another_hand, self.kill_agent],
            [30, 15, 5, 20, 2, 2, 2, 2, 4, 1, 0.5])
        try:
            what()
            self.count(what.__name__)
        except Refused as refusal:
            self.count(f"{what.__name__} refused")
            assert refusal.args[0]["code"] != "internal" or "ignore" in str(refusal), refusal

    def finish(self):
        self.mend()
        for trainer in self.trainers.values():
            trainer.kill()
            trainer.wait()
        for owner in self.owners:
            owner.kill()
        wait_until(lambda: self.ask(do="reset") is not None and not self.node.leases(), "no lease is left")
        wait_until(self.is_right, f"cards end at {self.node.limits()}, turned by others to {self.foreign}")
        wait_until(lambda: all(card["core_clock"] is None for card in self.node.cards()), "a clock is still locked")

    def is_right(self):
        limits = self.node.limits()
        return limits[:-1] == [DEFAULT_W] * (len(GPUS) - 1) and limits[-1] in (DEFAULT_W, self.foreign)


def weigh(pid):
    """Resident kilobytes, open files and threads of a process."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return int(fields["VmRSS"].split()[0]), len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir())), int(fields["Threads"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check-memory", action="store_true", help="not under a sanitizer, which keeps freed memory")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between steps")
    arguments = parser.parse_args()
    with Node(GPUS) as node:
        for gpu in range(node.count):
            node.double("set", node.state, str(gpu), "power-limit", "default")
        node.start()
        soak = Soak(node, arguments.seed)
        end = time.monotonic() + 60 * arguments.minutes
        highest = 0
        while time.monotonic() < end:
            soak.step()
            time.sleep(arguments.pause)
            if soak.did.get("look", 0) % 50 == 0:
                memory, files, threads = weigh(node.agent.pid)
                highest = max(highest, memory)
                assert files < 100 and threads < 40, f"{files} open files, {threads} threads"
                assert not arguments.check_memory or memory < 20 * 1024, f"{memory} kB resident"
        soak.finish()
        node.stop()
        print(f"{arguments.minutes:g} minutes: {sum(soak.did.values())} steps, {highest / 1024:.1f} MB resident at most")
        print(", ".join(f"{name} {times}" for name, times in sorted(soak.did.items())))


if __name__ == "__main__":
    main()
