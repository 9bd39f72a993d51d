#!/usr/bin/env python3
"""Kills the agent, owners of leases, or both with kill -9: at every step of a lease, and at random moments.

Checks after each kill: no setting is left behind, no granted lease of a living owner is lost, no GPU is restored twice.

usage: kill_test.py BUILD-FOLDER [--kills 60] [--seed 1]
"""
import argparse
import concurrent.futures
import random
import signal
import threading
import time

from harness import Node, Owner, Refused, wait_until

# Fault points of the agent in a test build, by the part of its life in which it reaches them.
WHILE_SERVING = ["take-read", "take-journalled", "take-applied", "take-recorded", "release-begun", "release-restored",
                 "release-recorded", "journal-written", "agent-accepted", "agent-answering", "agent-answered"]
WHILE_STARTING = ["agent-started", "recover-begun", "recover-applied", "recover-recorded", "journal-replaced"]
WHILE_STOPPING = ["agent-stopping", "putback-applied", "putback-recorded"]


class Ledger:
    """The clients' view: leases that they hold, and leases that they may hold."""

    def __init__(self):
        self.held = {}  # lease -> (owner or None, GPU)
        self.maybe_released = set()

    def take(self, node, gpu, watts, owner):
        more = {"pid": owner.pid} if owner else {}
        with node.client() as client:
            lease = client.ask(do="set", gpu=str(gpu), power_limit_w=watts, ttl_s=600, **more)["lease"]["id"]
        self.held[lease] = (owner, gpu)
        return lease

    def release(self, node, lease):
        was_tried = lease in self.maybe_released  # and the agent died before it answered
        self.maybe_released.add(lease)
        try:
            with node.client() as client:
                client.ask(do="release", lease=lease)
        except Refused as refusal:
            if not was_tried or refusal.args[0]["code"] != "not-found":
                raise
        del self.held[lease]

    def owner_died(self, owner):
        self.held = {lease: (who, gpu) for lease, (who, gpu) in self.held.items() if who is not owner}

    def check_none_lost(self, node):
        told = {lease["id"] for lease in node.leases()}
        lost = set(self.held) - self.maybe_released - told
        assert not lost, f"leases lost: {lost}; the agent has {told}"


def limits_of(cards):
    return [card["power_limit_w"] for card in cards]


def end_everything(node, owners):
    """Ends every owner and releases every lease without one; then each GPU must have its initial setting. Returns the GPUs."""
    for owner in owners:
        owner.kill()
    with node.client() as client:
        wait_until(lambda: client.ask(do="reset") is not None and not node.leases(), "no lease is left")
    seen = []

    def are_right():
        seen[:] = node.cards()
        return limits_of(seen) == node.bases()
    wait_until(are_right, lambda: f"cards stand at {limits_of(seen)}, began at {node.bases()}")
    return seen


def check_no_double_restore(node, cards, is_reloaded=False):
    """No GPU is set to the value that it has: not twice in a row (except after a reload of the driver), and not again now."""
    for gpu, card in enumerate(cards):
        written = [write["high"] for write in card["last_writes"] if write["result"] == 0]
        twice = [value for before, value in zip(written, written[1:]) if before == value]
        assert is_reloaded or not twice, f"GPU {gpu}: the same value written twice in a row: {written}"
    before = [card["writes"]["power-limit"] for card in cards]
    node.stop()
    node.start()
    node.stop()
    cards = node.cards()
    after = [card["writes"]["power-limit"] for card in cards]
    assert before == after, f"cards that stood right were written again: {before} -> {after}"
    assert limits_of(cards) == node.bases()


def serve_a_life(node, ledger, owners):
    """Two owners on one knob, one of them without a process, take, renew and release leases until the agent dies."""
    first, second = owners
    try:
        a = ledger.take(node, 0, 300, first)
        b = ledger.take(node, 0, 350, second)
        c = ledger.take(node, 0, 400, None)
        with node.client() as client:
            client.ask(do="renew", lease=a, ttl_s=900)
        ledger.release(node, a)
        ledger.release(node, b)
        ledger.release(node, c)
        ledger.take(node, 0, 320, first)
    except (OSError, ConnectionError):
        pass


def kill_owners(owners, ledger):
    for owner in owners:
        owner.kill()
        ledger.owner_died(owner)


def die_while_serving(point, nth, owners_die):
    with Node() as node:
        owners = [Owner(), Owner()]
        ledger = Ledger()
        node.start(HELIOSTAT_KILL_AT=f"{point}:{nth}")
        serve_a_life(node, ledger, owners)
        died = node.agent.poll() is not None or wait_dead(node, 0.3)
        if not died:
            node.kill()
        if owners_die:
            kill_owners(owners, ledger)
        node.start()
        ledger.check_none_lost(node)
        check_no_double_restore(node, end_everything(node, owners))
        return died


def die_while_starting(point, owners_die):
    with Node() as node:
        owners = [Owner(), Owner()]
        ledger = Ledger()
        node.start()
        ledger.take(node, 0, 300, owners[0])
        ledger.take(node, 0, 350, owners[1])
        node.kill()
        if owners_die:
            kill_owners(owners, ledger)
        # The driver was reloaded meanwhile, so that the agent has a setting to correct at its start.
        node.double("fault", node.state, "0", "reload")
        node.start(HELIOSTAT_KILL_AT=point, wait=False)
        died = wait_dead(node, 10.0)
        if not died:
            node.kill()
        node.start()
        ledger.check_none_lost(node)
        check_no_double_restore(node, end_everything(node, owners), is_reloaded=True)
        return died


def die_while_stopping(point, owners_die):
    with Node() as node:
        owners = [Owner(), Owner()]
        ledger = Ledger()
        node.start(HELIOSTAT_KILL_AT=point)
        ledger.take(node, 0, 300, owners[0])
        node.agent.send_signal(signal.SIGTERM)
        died = node.agent.wait(30) == -signal.SIGKILL
        if owners_die:
            kill_owners(owners, ledger)
        node.start()
        ledger.check_none_lost(node)
        check_no_double_restore(node, end_everything(node, owners))
        return died


def wait_dead(node, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if node.agent.poll() is not None:
            return True
        time.sleep(0.005)
    return False


def at_every_step():
    lives = [life for owners_die in (False, True) for life in (
        *((die_while_serving, point, nth, owners_die) for point in WHILE_SERVING for nth in (1, 2, 4)),
        *((die_while_starting, point, owners_die) for point in WHILE_STARTING),
        *((die_while_stopping, point, owners_die) for point in WHILE_STOPPING))]
    reached = {}
    # Each case has its own node and mostly waits.
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for (_, point, *_), died in zip(lives, pool.map(lambda life: life[0](*life[1:]), lives)):
            reached[point] = reached.get(point, 0) + died
    missed = [point for point, times in reached.items() if times == 0]
    assert not missed, f"never reached: {missed}"
    print(f"killed at {sum(reached.values())} steps, {len(reached)} different ones")


class Storm:
    """Random requests on one node, during which the agent or an owner is killed at random moments."""

    def __init__(self, node, seed):
        self.node = node
        self.random = random.Random(seed)
        self.owners = [Owner() for _ in range(3)]
        self.ledger = Ledger()
        self.agents_killed = self.owners_killed = 0

    def request(self):
        choice = self.random.random()
        if choice < 0.6 or not self.ledger.held:
            owner = self.random.choice([*self.owners, None])
            self.ledger.take(self.node, self.random.randrange(self.node.count), self.random.randrange(200, 301), owner)
        else:
            self.ledger.release(self.node, self.random.choice(sorted(self.ledger.held)))

    def burst(self):
        """Sends requests until the agent is gone, or for a while when an owner is killed."""
        end = time.monotonic() + 0.03
        try:
            while time.monotonic() < end:
                try:
                    self.request()
                except Refused as refusal:
                    # An owner that was just killed cannot hold a lease, and its leases cannot be released.
                    assert "process" in str(refusal) or "lease" in str(refusal), refusal
        except (OSError, ConnectionError):
            pass

    def strike(self):
        victims = self.random.choice([("agent",), ("agent",), ("owner",), ("agent", "owner")])
        delay = self.random.uniform(0.0, 0.025)
        doomed = self.random.randrange(len(self.owners))

        def kill():
            time.sleep(delay)
            if "owner" in victims:
                self.owners[doomed].kill()
            if "agent" in victims:
                self.node.kill()

        killer = threading.Thread(target=kill)
        killer.start()
        self.burst()
        killer.join()
        if "owner" in victims:
            self.owners_killed += 1
            self.ledger.owner_died(self.owners[doomed])
            self.owners[doomed] = Owner()
        if "agent" in victims:
            self.agents_killed += 1
            self.node.start()
        self.ledger.check_none_lost(self.node)
        if len(self.ledger.held) > 20:
            for lease in sorted(self.ledger.held)[:15]:
                self.ledger.release(self.node, lease)


def at_random(kills, seed):
    with Node(("H200", "A40", "H100")) as node:
        for gpu in range(node.count):  # a value that an A40 supports too
            node.double("set", node.state, str(gpu), "power-limit", str(250 + gpu))
        node.base_of = lambda gpu: 250.0 + gpu
        node.start()
        storm = Storm(node, seed)
        while storm.agents_killed + storm.owners_killed < kills:
            storm.strike()
        check_no_double_restore(node, end_everything(node, storm.owners))
        print(f"killed at random: {storm.agents_killed} agents, {storm.owners_killed} owners; nothing left behind")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["steps", "random"])
    arguments = parser.parse_args()
    if arguments.only != "random":
        at_every_step()
    if arguments.only != "steps":
        at_random(arguments.kills, arguments.seed)


if __name__ == "__main__":
    main()
