#!/usr/bin/env python3
"""Leases of processes in containers: the agent ties them to the process that asks, whatever number it has for itself.

Needs the right to create pid namespaces; skipped with a message elsewhere.

usage: container_test.py BUILD-FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

from harness import BIN, Node, Refused, wait_until

CONTAINER = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
# Asks for what its argument says, prints the answer and waits.
ASK = """
import json, socket, sys, time
agent = socket.socket(socket.AF_UNIX)
agent.connect(sys.argv[1])
agent.sendall(sys.argv[2].encode() + b"\\n")
print(agent.makefile().readline(), end="", flush=True)
time.sleep(600)
"""
UNPRIVILEGED = 64321
SEES_ALL = 64322  # a group


def may_create_namespaces():
    return subprocess.run([*CONTAINER, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0


# Not the stand-in, whose load the double ends when it does not find the process by its number.
STEPS = """
import time
for step in range(1, 100000):
    print("step", step, flush=True)
    time.sleep(0.001)
"""


class Containers(unittest.TestCase):
    def setUp(self):
        self.node = Node()
        self.addCleanup(self.node.close)

    def ask(self, prefix, **question):
        """The answer to a question of a program in a container, and the program, which goes on."""
        client = subprocess.Popen([*prefix, sys.executable, "-c", ASK, str(self.node.socket), json.dumps(question)],
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(client.stdout.close)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        return json.loads(client.stdout.readline()), client

    def start_without_sight(self, *options):
        """Starts the agent as in the unit of systemd, without the right to look into processes of others, and hides them."""
        hidden = ["unshare", "--mount", "sh", "-c", f"mount -t proc -o hidepid=2,gid={SEES_ALL} proc /proc && "
                  'exec setpriv --bounding-set -all,+sys_admin --inh-caps -all,+sys_admin "$@"', "sh", *options]
        self.node.agent = subprocess.Popen([*hidden, BIN / "heliostatd", "--config", self.node.config],
                                           stderr=self.node.log, stdout=self.node.log, env=self.node.environment())
        self.node.wait_ready()

    def limit(self):
        return self.node.limits()[0]

    def test_a_lease_ends_with_its_process_in_the_container(self):
        self.node.start()
        answer, client = self.ask(CONTAINER, do="set", gpu=0, power_limit_w=300, ttl_s=600, pid=0)
        self.assertTrue(answer["ok"], answer)
        owner = answer["lease"]["owner"]["pid"]
        self.assertIn(ASK, pathlib.Path(f"/proc/{owner}/cmdline").read_text().split("\0"))
        self.assertEqual(self.limit(), 300)
        client.kill()
        wait_until(lambda: self.limit() == self.node.base_of(0), "the card is put back")

    def test_a_number_of_the_container_is_refused(self):
        self.node.start()
        answer, _ = self.ask(CONTAINER, do="set", gpu=0, power_limit_w=300, ttl_s=600, pid=1)
        self.assertFalse(answer["ok"], answer)
        self.assertIn("another pid namespace", answer["what"])
        self.assertEqual(self.limit(), self.node.base_of(0))

    def test_a_thread_of_the_kernel_is_refused(self):
        if pathlib.Path("/proc/2/comm").read_text().strip() != "kthreadd":
            self.skipTest("no kernel threads are visible here")
        self.node.start()
        with self.node.client() as client, self.assertRaisesRegex(Refused, "kernel thread"):
            client.ask(do="set", gpu=0, power_limit_w=300, ttl_s=600, pid=2)

    def test_a_run_in_a_container_leaves_nothing_behind(self):
        self.node.start()
        carbon = self.node.path / "carbon.csv"
        carbon.write_text("time,carbon_g_per_kwh\n" + "".join(
            f"2023-06-{1 + hour // 24:02d}T{hour % 24:02d}:00:00Z,{700 if hour % 2 else 100}\n" for hour in range(72)))
        environment = self.node.environment(HELIOSTAT_RUNS=str(self.node.path / "runs"),
                                            HELIOSTAT_PROFILES=str(self.node.path / "profiles"))
        run = subprocess.Popen([*CONTAINER, BIN / "heliostat", "run", "--carbon", carbon, "--speed-up", "720",
                                "--forecast", "yesterday", "--period", "5s", "--", sys.executable, "-c", STEPS],
                               env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.node.log)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        lease = wait_until(self.node.leases, self.node.log_text)[0]
        self.assertEqual(pathlib.Path(f"/proc/{lease['owner']['pid']}/comm").read_text().strip(), "heliostat")
        run.kill()
        wait_until(lambda: self.limit() == self.node.base_of(0) and not self.node.leases(), "the card is put back")

    def test_a_proc_that_hides_processes_is_named(self):
        config = self.node.config.read_text()
        self.node.config.write_text(config + f"[[allow]]\nusers = [{UNPRIVILEGED}]\ngpus = ['*']\n"
                                             "knobs = ['power-limit']\n")
        os.chmod(self.node.path, 0o755)
        self.start_without_sight()
        if self.node.agent.poll() is not None:
            self.skipTest("/proc cannot be mounted here")
        user = ["setpriv", f"--reuid={UNPRIVILEGED}", f"--regid={UNPRIVILEGED}", "--clear-groups"]
        answer, _ = self.ask(user, do="set", gpu=0, power_limit_w=300, ttl_s=600, pid=0)
        self.assertFalse(answer["ok"], answer)
        self.assertIn("hidepid", answer["allowed"])
        answer, _ = self.ask(user, do="set", gpu=0, power_limit_w=300, ttl_s=600)
        self.assertTrue(answer["ok"], answer)
        self.node.stop()
        # The remedy that the refusal and the guide name.
        self.start_without_sight("--groups", str(SEES_ALL))
        answer, _ = self.ask(user, do="set", gpu=0, power_limit_w=300, ttl_s=600, pid=0)
        self.assertTrue(answer["ok"], answer)


if __name__ == "__main__":
    if not may_create_namespaces():
        print("skipped: this user may not create pid namespaces")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
