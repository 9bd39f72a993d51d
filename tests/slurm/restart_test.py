#!/usr/bin/env python3
"""heliostatctld while it, slurmctld, slurmdbd and munged are killed or hang at random moments, on a real Slurm.

After each drill: it has said that something is wrong, it goes on, it counts no job twice and forgets none, and energy sums up.
Arguments: the build folder; `--drills N` and `--seed S` for random ones instead of the short form. `make chaos` runs many.
"""
import argparse
import calendar
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import fast_lab
import lab_meter
from fast_lab import Controller, Lab, SPEED

CLASSES = ("2:a40:4", "1:h100:8")
GROUPS = {"gpu[1-2]": ("A40", 4), "gpu3": ("H100", 8)}
SHORT = ("controller_killed", "slurmctld_killed", "munge_hangs", "killed_while_it_saves", "disk_full")
FINAL = {"COMPLETED", "FAILED", "TIMEOUT", "REQUEUED", "CANCELLED"}


class RestartTest(unittest.TestCase):
    build, drills, seed, only = "", 0, 0, ""
    maxDiff = None

    def setUp(self):
        self.random = random.Random(self.seed)
        scratch = fast_lab.scratch_folder()
        self.addCleanup(scratch.cleanup)
        options = [word for one in CLASSES for word in ("--class", one)]
        self.lab = Lab(scratch.name, "lab", *options, "--database")
        self.addCleanup(self.lab.down)
        self.controller = Controller(self.build, self.lab, fast_lab.groups(GROUPS), 'mode = "shadow"')
        self.mount()
        self.controller.start()
        self.begun = self.lab.now()
        self.crashed = set()  # jobs that were there when slurmctld crashed: Slurm itself is not sure of them

    def mount(self):
        """A state folder that can become full, where the machine allows it."""
        state = self.controller.state
        state.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", state], capture_output=True, check=False)
        self.can_fill = done.returncode == 0
        if self.can_fill:
            self.addCleanup(subprocess.run, ["umount", "-l", state], check=False)
        shutil.chown(state, fast_lab.USER)

    def some_jobs(self):
        """Submits a few, and changes some. Any of it may fail: Slurm may be away."""
        for _ in range(self.random.randint(1, 3)):
            gpus = self.random.randint(1, 4)
            options = self.random.choice(["", "-a 1-3%2", "--comment=heliostat:slack=50%", "--requeue", "-N2"])
            kind = "a40" if "N2" in options else self.random.choice(["a40", "h100"])
            try:
                self.lab.submit("drill", f"-t 30 --gres=gpu:{kind}:{gpus} {options}", self.random.choice([20, 120, 300, 600]))
            except AssertionError:
                continue
        running = self.lab.run("squeue", "-h", "-t", "running", "-o", "%A", check=False).split()
        if running:
            verb = self.random.choice(["requeue", "suspend", "cancel", "none"])
            number = self.random.choice(running)
            command = {"cancel": ["scancel", number], "none": ["true"]}.get(verb, ["scontrol", verb, number])
            self.lab.run(*command, check=False)
        for number in self.lab.run("squeue", "-h", "-t", "suspended", "-o", "%A", check=False).split():
            self.lab.run("scontrol", "resume", number, check=False)

    def pause(self, least=0.2, most=2.0):
        time.sleep(self.random.uniform(least, most))

    def drill_controller_killed(self):
        self.controller.signal(signal.SIGKILL)
        self.some_jobs()
        self.pause(0, 4)
        self.controller.start()
        self.assertIn("goes on with accounts since", self.controller.log())

    def drill_controller_hangs(self):
        self.controller.signal(signal.SIGSTOP)
        self.some_jobs()
        self.pause(1, 4)
        self.controller.signal(signal.SIGCONT)

    def drill_killed_while_it_saves(self):
        for _ in range(3):
            self.controller.signal(signal.SIGHUP)
            time.sleep(self.random.uniform(0, 0.05))
            self.controller.signal(signal.SIGKILL)
            self.controller.start()
        self.assertRegex(self.controller.log(), r"goes on with accounts since .*, saved with the look of \d{4}-")

    def drill_slurmctld_killed(self):
        self.pause()
        self.crashed |= self.keys_of_slurm().keys()
        self.lab.do("kill", "slurmctld")
        self.expect_trouble()
        self.lab.do("start", "slurmctld")

    def drill_slurmctld_hangs(self):
        self.lab.do("freeze", "slurmctld")
        self.expect_trouble()
        self.lab.do("thaw", "slurmctld")

    def drill_munge_killed(self):
        self.lab.do("kill", "munge")
        self.expect_trouble()
        self.lab.do("start", "munge")

    def drill_munge_hangs(self):
        self.lab.do("freeze", "munge")
        self.expect_trouble()
        self.lab.do("thaw", "munge")

    def drill_slurmdbd_killed(self):
        self.lab.do("kill", "slurmdbd")
        self.some_jobs()
        self.pause()
        self.lab.do("start", "slurmdbd")

    def drill_controller_and_slurmdbd_killed(self):
        """Jobs come and go unseen, and then there are no accounts of them for a while."""
        self.controller.signal(signal.SIGKILL)
        self.lab.submit("unseen", "-t 30 --gres=gpu:a40:1", 20)
        time.sleep(8)
        self.lab.do("kill", "slurmdbd")
        self.controller.start()
        self.expect_trouble("accounts of the cluster")
        self.lab.do("start", "slurmdbd")

    def drill_slurmdbd_hangs(self):
        self.lab.do("freeze", "slurmdbd")
        self.some_jobs()
        self.pause()
        self.lab.do("thaw", "slurmdbd")

    def drill_disk_full(self):
        if not self.can_fill:
            return
        full = self.controller.state / "full"
        with open(full, "wb", buffering=0) as file, self.assertRaises(OSError):
            while True:
                file.write(b"x" * 4096)
        self.controller.signal(signal.SIGHUP)
        self.expect_trouble("nothing is saved since")
        self.some_jobs()
        full.unlink()

    def expect_trouble(self, words=""):
        status = self.controller.wait_for(lambda status: not status["healthy"] and words in " ".join(status["problems"]), 40)
        # The log has the same.
        self.assertTrue(any(without_digits(problem) in without_digits(self.controller.log()) for problem in status["problems"]),
                        status["problems"])

    def keys_of_slurm(self):
        """{key: row} of all runs that Slurm has accounts of since the begin."""
        fields = "JobID,JobIDRaw,Submit,ElapsedRaw,AllocTRES,State,NodeList,Start,End"
        until = time.monotonic() + 30  # slurmdbd may be about to start
        while True:
            try:
                rows = self.lab.run("sacct", "-a", "-X", "-D", "-n", "-P", "-S", "now-10days", "-o", fields).splitlines()
                break
            except AssertionError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)
        keys = {}
        for row in rows:
            number, raw, submit, *rest = row.split("|")
            if "[" in number:
                continue  # elements that wait, in one row
            seconds = calendar.timegm(time.strptime(submit, "%Y-%m-%dT%H:%M:%S"))
            keys[f"{number if '_' in number else raw}@{seconds}"] = rest
        return keys

    def check(self, drill):
        """What must hold when all is well again."""
        self.controller.wait_for(lambda status: status["healthy"], 100)
        self.controller.signal(signal.SIGHUP)
        # The accounts of Slurm may be some minutes behind, which are seconds here.
        until = time.monotonic() + 20
        while True:
            slurm = self.keys_of_slurm()  # before the look that is asked for
            self.controller.look()
            status, jobs, nodes = self.controller.view()
            forgotten = {key: row for key, row in slurm.items() if key not in jobs}
            if not forgotten or time.monotonic() > until:
                break
        where = f"after {drill}, seed {self.seed}: {status}\n{self.controller.log()[-4000:]}"
        self.assertEqual(forgotten, {}, where)
        used = status["used"]["energy_kwh"]
        shared = status["unused"]["energy_kwh"] + sum(job["energy_kwh"] for job in jobs.values())
        self.assertAlmostEqual(shared, used, delta=1e-6 * used, msg=where)
        of_nodes = sum(node["energy_kwh"] for node in nodes)
        self.assertAlmostEqual(of_nodes, used, delta=1e-6 * used, msg=where)
        wrong = {}
        for key, (seconds, resources, state, names, *_) in slurm.items():
            gpus = re.search(r"gres/gpu=(\d+)", resources)
            if key in self.crashed or not gpus or state.split()[0] not in FINAL:
                continue
            # While slurmdbd hangs, it takes the next start of a requeued job for the end of its former run.
            number = key.split("@")[0]
            if state != "REQUEUED" and any(other.startswith(f"{number}@") and other > key for other in slurm):
                continue
            watts = int(gpus[1]) * (lab_meter.GPU_BUSY_W + lab_meter.BASE_W / (8 if names == "gpu3" else 4))
            has = jobs[key]["energy_kwh"] * 3.6e6 / watts
            # The end of a run that was requeued is known to a look.
            if abs(has - int(seconds)) > (2 * SPEED if state == "REQUEUED" else 2):
                wrong[key] = (has, slurm[key], jobs[key])
        self.assertEqual(wrong, {}, where)
        return len(slurm)

    def test_it_goes_on_after_every_trouble(self):
        for name in self.order():
            begin = time.monotonic()
            print(f"{name}: ", end="", flush=True)
            self.some_jobs()
            self.pause()
            getattr(self, f"drill_{name}")()
            jobs = self.check(name)
            print(f"{time.monotonic() - begin:.1f} s, {jobs} runs", flush=True)
        self.controller.stop()
        if self.can_fill:
            self.expect_refusal_of_a_state_folder_that_cannot_be_written()

    def order(self):
        if not self.drills:
            return SHORT
        every = [name.removeprefix("drill_") for name in dir(self) if name.startswith(f"drill_{self.only}")]
        names = []
        while len(names) < self.drills:
            names += self.random.sample(every, len(every))
        return names[:self.drills]

    def expect_refusal_of_a_state_folder_that_cannot_be_written(self):
        subprocess.run(["mount", "-o", "remount,ro", self.controller.state], check=True)
        length = len(self.controller.log())
        with self.assertRaises(AssertionError):
            self.controller.start()
        self.assertNotEqual(self.controller.process.wait(), 0)
        refusal = self.controller.log()[length:]
        self.assertRegex(refusal, r"heliostatctld: error: \S+: cannot be opened: Read-only file system\n")


def without_digits(text):
    return re.sub(r"\d", "", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--drills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="drills whose name begins so")
    options = parser.parse_args()
    RestartTest.build, RestartTest.drills = options.build, options.drills
    RestartTest.seed, RestartTest.only = options.seed, options.only
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    os.environ["TZ"] = "UTC"  # for sacct
    fast_lab.skip_unless_possible("--database")
    main()
