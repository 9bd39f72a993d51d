#!/usr/bin/env python3
"""Commands from other hosts: `heliostat cluster --controller` asks a real heliostatctld over TCP, with the lab's MUNGE.

    remote_test.py BUILD_FOLDER

Skipped with a message where a lab cannot run.
"""
import json
import pathlib
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from controlled_lab import Controller, ControlledLab, free_port, skip_where_no_lab_runs, wait_until  # noqa: E402

OTHER = "nobody"


def send(port, line):
    """The line that answers this line."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(line.encode() + b"\n")
        with connection.makefile() as file:
            return file.readline().strip()


class Listener(threading.Thread):
    """Between one asker and the controller: passes one request on, and keeps it."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port, self.to, self.request = self.server.getsockname()[1], port, ""

    def run(self):
        connection, _ = self.server.accept()
        with connection, connection.makefile("rw") as file:
            self.request = file.readline().strip()
            file.write(send(self.to, self.request) + "\n")
        self.server.close()


class RemoteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = ControlledLab(BUILD, "--class", "1:a40:4", "--set", "PrivateData=jobs")
        cls.addClassCleanup(cls.lab.remove)
        cls.port = free_port()
        munge_socket = cls.lab.lab / "munge/socket"
        cls.remote = {"HELIOSTAT_MUNGE_SOCKET": str(munge_socket), "HELIOSTAT_CONTROLLER": f"root@localhost:{cls.port}"}
        cls.jobs = {user: cls.lab.sbatch("--gres=gpu:1", "-t", "60", user=user) for user in ("root", OTHER)}
        config = cls.lab.config(remote={"listen": f'"127.0.0.1:{cls.port}"', "names": '["localhost"]',
                                        "munge_socket": f'"{munge_socket}"'})
        checked = cls.lab.run("heliostatctld", "--config", config, "--check-config").stdout
        assert f"listens at 127.0.0.1:{cls.port} as localhost" in checked, checked
        controller = Controller(cls.lab, config)
        cls.addClassCleanup(lambda: controller.stop() == 0 or cls.fail(controller.log()))
        wait_until(lambda: cls.ids() == set(cls.jobs.values()))

    @classmethod
    def cluster(cls, *words, user=None):
        """`heliostat cluster` as on another host."""
        return cls.lab.run("heliostat", "cluster", *words, user=user, env=cls.remote)

    @classmethod
    def ids(cls, *words, user=None):
        answer = cls.cluster("jobs", "--json", *words, user=user)
        return {job["id"] for job in json.loads(answer.stdout)} if answer.returncode == 0 else answer.stderr

    def check_answers(self, *words):
        answer = self.cluster("status", "--json", *words)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("mode", json.loads(answer.stdout))

    def check_local(self):
        """The Unix socket answers; returns the seconds that it takes."""
        begin = time.monotonic()
        self.check_answers("--socket", self.lab.socket)
        return time.monotonic() - begin

    def test_each_user_sees_what_slurm_shows_and_only_operators_write(self):
        self.assertEqual(self.ids(), set(self.jobs.values()))
        self.assertEqual(self.ids("--controller", f"0@localhost:{self.port}"), set(self.jobs.values()))
        self.assertEqual(self.ids(user=OTHER), {self.jobs[OTHER]})
        refused = self.cluster("mode", "observe", user=OTHER)
        self.assertEqual(refused.returncode, 2, refused)
        self.assertIn(f"{OTHER} is none", refused.stderr)
        self.assertEqual(self.cluster("mode", "observe").returncode, 0)

    def test_a_wrong_address_is_one_line(self):
        for address, status, words in ((f"{OTHER}@localhost:{self.port}", 2, "Unauthorized credential"),
                                       (f"root@127.0.0.1:{self.port}", 2, "is for the host '127.0.0.1'; this one is localhost"),
                                       (f"root@localhost:{free_port()}", 1, "no server listens there"),
                                       ("no-such-user@localhost", 2, "is not known on this host"),
                                       ("root@localhost:port", 2, "has no port from 1 to 65535")):
            ended = self.cluster("status", "--controller", address)
            self.assertEqual(ended.returncode, status, ended)
            self.assertIn(words, ended.stderr)
            self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        both = self.cluster("status", "--controller", "root@localhost", "--socket", "/x")
        self.assertIn("is given beside --socket", both.stderr)

    def test_a_request_is_taken_once_and_munge_may_come_and_go(self):
        between = Listener(self.port)
        between.start()
        self.check_answers("--controller", f"root@localhost:{between.port}")
        self.assertTrue(between.request.startswith("MUNGE:"))
        self.assertIn("refused: unmunge: the credential was decoded before", send(self.port, between.request))
        self.lab.do("kill", "munge")
        self.assertTrue(send(self.port, between.request).startswith("later: unmunge: "))
        gone = self.cluster("status")
        self.assertEqual(gone.returncode, 1)
        self.assertIn("munged must run", gone.stderr)
        self.check_local()
        self.lab.do("start", "munge")
        wait_until(lambda: self.cluster("status").returncode == 0)
        self.assertEqual(send(self.port, between.request), "refused: request: was taken before; a new request")

    def test_whoever_floods_disturbs_no_local_user(self):
        self.lab.do("freeze", "munge")
        flood = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(100)]
        for connection in flood:
            try:
                connection.sendall(b"MUNGE:" + b"A" * 20000 + b":\n")
            except OSError:
                pass  # the server has refused it meanwhile
        self.assertLess(self.check_local(), 5)
        for connection in flood:
            connection.close()
        self.lab.do("thaw", "munge")
        wait_until(lambda: self.cluster("status").returncode == 0)


if __name__ == "__main__":
    skip_where_no_lab_runs()
    BUILD = sys.argv.pop()
    unittest.main()
