#!/usr/bin/env python3
"""What an agent does while a part of the machine does not work: an audit log that blocks, a slow start, a driver or a GPU
that comes late, more leases than fit into one answer.

usage: trouble_test.py BUILD-FOLDER [--leases 350]
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from harness import BIN, DOUBLE, Node, Refused, wait_until

LEASES = 350


class Trouble(unittest.TestCase):
    gpus = ("H200",)

    def setUp(self):
        self.node = Node(self.gpus)
        self.addCleanup(self.node.close)

    def set(self, gpu=0, watts=300, **more):
        with self.node.client() as client:
            return client.ask(do="set", gpu=gpu, power_limit_w=watts, ttl_s=600, **more)["lease"]["id"]

    def status(self):
        with self.node.client() as client:
            return client.ask(do="status")

    def leases_by_command(self):
        done = subprocess.run([BIN / "heliostat", "device", "leases", "--all", "--json"], env=self.node.environment(),
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["leases"]


class BlockedAuditLog(Trouble):
    def test_no_card_waits_for_it(self):
        self.node.start()
        kept, released = self.set(watts=310), self.set(watts=300)
        # The next line blocks: nobody reads from the pipe.
        log = self.node.path / "audit.log"
        log.unlink()
        os.mkfifo(log)
        self.node.agent.send_signal(signal.SIGHUP)
        with self.node.client() as client:
            for _ in range(3):
                with self.assertRaisesRegex(Refused, "cannot be audited"):
                    client.ask(do="set", gpu=0, power_limit_w=250, ttl_s=600)
            client.ask(do="release", lease=released)
            self.assertEqual(self.node.limits(), [310])
            troubles = client.ask(do="status")["troubles"]
            self.assertIn("has not taken a line", troubles[0])
            self.assertNotIn("driver", " ".join(troubles))
        start = time.monotonic()
        self.node.stop()
        self.assertLess(time.monotonic() - start, 15.0)
        self.assertEqual(self.node.limits(), self.node.bases())
        self.assertNotIn("not put back", self.node.log_text())
        log.unlink()
        self.node.start()
        self.assertEqual([lease["id"] for lease in self.node.leases()], [kept])


class SlowStart(Trouble):
    def test_leases_are_not_denied_before_the_journal_is_read(self):
        self.node.start()
        lease = self.set()
        self.node.kill()
        self.node.double("fault", self.node.state, "0", "hang", "all")
        self.node.start(wait=False)
        wait_until(self.node.socket.exists, "the socket")
        said = set()

        def ask():
            try:
                with self.node.client() as client:
                    try:
                        said.add(tuple(one["id"] for one in client.ask(do="leases", all=True)["leases"]))
                        client.ask(do="renew", lease=lease, ttl_s=700)
                    except Refused as refusal:
                        self.assertEqual(refusal.args[0]["code"], "unavailable", refusal)
                        said.add(refusal.args[0]["what"])
                    return client.ask(do="status")["state"] == "serving"
            except OSError:  # the socket is of the agent that was killed
                return False
        wait_until(lambda: ask() or said, "an answer")
        self.assertEqual(said, {"is starting"})
        self.node.double("clear", self.node.state, "0")
        wait_until(ask, "the agent serves")
        ask()
        self.assertEqual(said, {"is starting", (lease,)})
        self.assertEqual([one["id"] for one in self.node.leases()], [lease])

    def test_a_command_waits_for_the_start(self):
        self.node.start()
        lease = self.set()
        self.node.kill()
        self.node.double("fault", self.node.state, "0", "hang", "nvmlDeviceGetPowerUsage:1.0")
        self.node.start(wait=False)
        wait_until(self.node.is_there, "the agent answers")
        told = subprocess.run([BIN / "heliostat", "doctor"], env=self.node.environment(), capture_output=True, text=True,
                              check=False).stdout
        self.assertNotIn("0 leases", told)
        self.assertEqual([one["id"] for one in self.leases_by_command()], [lease])


class LateGpus(Trouble):
    gpus = ("H200", "H100")

    def test_a_driver_that_comes_later_is_found(self):
        library = self.node.path / "libnvidia-ml.so"
        self.node.start()
        self.set()
        self.node.kill()
        self.node.start(HELIOSTAT_NVML=str(library))
        self.assertEqual(self.status()["gpus"], 0)
        library.symlink_to(DOUBLE)
        wait_until(lambda: self.status()["gpus"] == 2, "the GPUs are found")
        self.assertEqual(self.status()["troubles"], [])
        wait_until(self.node.leases, "the lease is in force again")
        self.set(1)

    def test_a_gpu_that_was_lost_at_the_start_comes_back(self):
        self.node.double("fault", self.node.state, "0", "lost")
        self.node.start()
        self.assertEqual(self.status()["gpus"], 1)
        self.node.double("clear", self.node.state, "0")
        wait_until(lambda: self.status()["gpus"] == 2, "the GPU is found")
        with self.node.client() as client:
            indices = [gpu["identity"]["index"] for gpu in client.ask(do="list")["gpus"]]
        self.assertEqual(indices, [0, 1])
        self.set(0)


class ManyLeases(Trouble):
    gpus = ("H200",) * 8

    def test_are_listed_in_pages(self):
        self.node.start()
        with self.node.client() as client:
            ids = {client.ask(do="set", gpu=i % 8, power_limit_w=300, ttl_s=600, job="j" * 64)["lease"]["id"]
                   for i in range(LEASES)}
            with self.assertRaisesRegex(Refused, "pages"):
                client.ask(do="leases", all=True)
            self.assertLessEqual(len(client.ask(do="show", gpu=0)["gpu"]["leases"]), 100)
        self.assertEqual({lease["id"] for lease in self.leases_by_command()}, ids)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--leases", type=int, default=LEASES)
    known, rest = parser.parse_known_args()
    LEASES = known.leases
    unittest.main(argv=[sys.argv[0], *rest])
