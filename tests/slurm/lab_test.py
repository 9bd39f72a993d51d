#!/usr/bin/env python3
"""The Slurm lab itself: several at once, nothing left behind, clear refusals.

Skipped with a message where a lab cannot run.
"""
import importlib.machinery
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

LAB = pathlib.Path(__file__).resolve().parent / "lab"
# A job that leaves its session and its parents, as badly behaved programs do.
DAEMON_JOB = "setsid sh -c 'sleep 3600 & sleep 3600 & touch {0}.begun; wait' & touch {0}; sleep 3600"


def lab(*arguments, **more):
    return subprocess.run([LAB, *map(str, arguments)], capture_output=True, text=True, check=False, **more)


def wait_until(is_true, limit_s=30):
    until = time.monotonic() + limit_s
    while not is_true():
        if time.monotonic() > until:
            raise AssertionError("still not true")
        time.sleep(0.01)


def processes_of(folder):
    """The processes whose command line or environment names the folder."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            text = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in text:
            found.append((int(entry.name), text[:200]))
    return found


class LabTest(unittest.TestCase):
    def setUp(self):
        root = tempfile.TemporaryDirectory(prefix="slurm-lab-test-")
        self.addCleanup(root.cleanup)
        os.chmod(root.name, 0o755)
        self.root = pathlib.Path(root.name)
        self.addCleanup(self.end_all)

    def end_all(self):
        for folder in self.root.glob("*/options.json"):
            lab("down", folder.parent)

    def up(self, name, *options):
        booted = lab("up", self.root / name, *options)
        self.assertEqual(booted.returncode, 0, booted.stderr)
        return self.root / name

    def slurm(self, folder, command):
        done = subprocess.run(["sh", "-c", f". {folder}/env.sh; {command}"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_two_labs_at_once_have_their_own_nodes(self):
        first = self.up("a", "--class", "1:a40:2", "--class", "1:h100:8")
        second = self.up("b", "--class", "3:rtx4090:4")
        self.assertEqual(self.slurm(first, "sinfo -h -N -p main -o '%N %G'").split(),
                         ["gpu1", "gpu:a40:2", "gpu2", "gpu:h100:8"])
        self.assertEqual(self.slurm(second, "sinfo -h -N -p main -o %N").split(), ["gpu1", "gpu2", "gpu3"])
        lab("down", first)
        self.assertEqual(self.slurm(second, "sinfo -h -p main -o %t").split(), ["idle"])

    def test_down_leaves_no_process_and_no_file(self):
        folder = self.up("a", "--class", "2:a40:2")
        mark = self.root / "job"
        self.slurm(folder, f"sbatch -o /dev/null --wrap \"{DAEMON_JOB.format(mark)}\"")
        wait_until(pathlib.Path(f"{mark}.begun").exists)
        self.assertGreater(len(processes_of(self.root)), 6)
        self.assertEqual(lab("down", folder).returncode, 0)
        self.assertEqual(processes_of(self.root), [])
        self.assertFalse(folder.exists())

    def test_down_ends_what_a_killed_supervisor_left(self):
        folder = self.up("a", "--class", "2:a40:2")
        mark = self.root / "job"
        self.slurm(folder, f"sbatch -o /dev/null --wrap \"{DAEMON_JOB.format(mark)}\"")
        wait_until(pathlib.Path(f"{mark}.begun").exists)
        supervisor = [pid for pid, text in processes_of(folder) if b"lab_supervisor" in text]
        os.kill(supervisor[0], signal.SIGKILL)
        self.assertEqual(lab("down", folder).returncode, 0)
        self.assertEqual(processes_of(self.root), [])

    def test_frozen_munge_goes_on_where_it_was(self):
        folder = self.up("a", "--class", "1:a40:1")
        lab("do", folder, "freeze", "munge")
        with self.assertRaises(subprocess.TimeoutExpired):
            subprocess.run(["munge", "-n", "-S", folder / "munge/socket"], capture_output=True, timeout=0.2)
        lab("do", folder, "thaw", "munge")
        self.assertIn("MUNGE:", self.slurm(folder, f"munge -n -S {folder}/munge/socket"))

    def test_a_lab_ends_with_its_owner(self):
        owner = subprocess.Popen(["sleep", "3600"])
        folder = self.up("a", "--class", "1:a40:1", "--owner", owner.pid)
        owner.kill()
        owner.wait()
        wait_until(lambda: not processes_of(folder))

    def test_nodes_sleep_and_wake_and_the_meter_sees_it(self):
        folder = self.up("a", "--class", "1:a40:4", "--power-saving", "--meter")

        def watts():
            return float(lab("watts", folder).stdout.split()[1])

        wait_until(lambda: watts() == 150 + 4 * 20)
        self.slurm(folder, "sbatch -o /dev/null --gres=gpu:3 --wrap 'sleep 3600'")
        wait_until(lambda: watts() == 150 + 20 + 3 * 350)
        self.slurm(folder, "scontrol suspend 1")
        wait_until(lambda: watts() == 150 + 4 * 20)
        self.slurm(folder, "scancel 1; scontrol update nodename=gpu1 state=power_down_force")
        wait_until(lambda: watts() == 15)

    def test_time_passes_faster(self):
        folder = self.up("a", "--class", "1:a40:1", "--speed", "60")
        # A job of two minutes ends long before.
        begin = time.monotonic()
        self.slurm(folder, "srun --gres=gpu:1 sleep 120")
        self.assertLess(time.monotonic() - begin, 60)

    def test_refusals_are_one_line(self):
        (self.root / "full").mkdir()
        (self.root / "full/file").touch()
        for arguments, words in [(("up", self.root / "full"), "is not empty"),
                                 (("up", self.root / "a", "--class", "4:a40"), "write NODES:TYPE:GPUS"),
                                 (("down", self.root / "nothing"), "is no lab"),
                                 (("watts", self.root / "nothing"), "No such file")]:
            refused = lab(*arguments)
            self.assertEqual(refused.returncode, 2, arguments)
            self.assertIn(words, refused.stderr)
            self.assertEqual(refused.stderr.count("\n"), 1, refused.stderr)
            self.assertEqual(processes_of(self.root), [])

    def test_without_root_it_says_so(self):
        module = importlib.machinery.SourceFileLoader("lab", str(LAB)).load_module()
        with unittest.mock.patch("os.geteuid", return_value=1000):
            self.assertIn("root", module.why_not(None))
        with unittest.mock.patch("shutil.which", return_value=None):
            self.assertIn("install the package", module.why_not(None))


if __name__ == "__main__":
    possible = lab("check", "--speed", "60")
    if possible.returncode == 77:
        sys.exit(print(possible.stderr, end="") or 77)
    unittest.main()
