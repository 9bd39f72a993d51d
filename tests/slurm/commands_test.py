#!/usr/bin/env python3
"""The commands of `heliostat cluster` on a real Slurm, as operators and users see them. Skipped where no lab can run.

usage: commands_test.py BUILD-FOLDER [unittest options]
"""
import json
import re
import subprocess
import sys
import unittest

from controlled_lab import ControlledLab, Controller, skip_where_no_lab_runs, wait_until

BUILD = sys.argv.pop(1) if len(sys.argv) > 1 else sys.exit(f"usage: {sys.argv[0]} BUILD-FOLDER")
TWO_GPUS = ("--gres=gpu:a40:2", "-t", "60")
STATUS = {"mode", "policy", "cluster", "jobs", "nodes", "power_kw", "carbon_g_per_kwh", "saved", "last_cycle_s", "healthy",
          "problems"}
JOB = {"id", "job", "user", "state", "latest_start", "planned_start", "reason", "energy_kwh", "carbon_kg"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class LabCase(unittest.TestCase):
    OPTIONS = ("--class", "2:a40:4", "--class", "1:h100:2", "--class", "1:none:0")

    @classmethod
    def setUpClass(cls):
        cls.lab = ControlledLab(BUILD, *cls.OPTIONS)
        cls.addClassCleanup(cls.lab.remove)
        cls.submit_jobs()
        cls.controller = Controller(cls.lab, cls.lab.config(operators=["daemon"], cluster={"partitions": '["main"]'}))
        cls.addClassCleanup(cls.controller.stop)

    @classmethod
    def submit_jobs(cls):
        pass

    def ask(self, *words, user=None, status=0):
        done = self.lab.run("heliostat", "cluster", *words, user=user)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def json(self, *words, user=None):
        return json.loads(self.ask(*words, "--json", user=user).stdout)

    def assert_refused(self, words, where, user=None, status=2):
        done = self.ask(*words, user=user, status=status)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith(f"heliostat: error: {where}: "), done.stderr)
        return done.stderr


class CommandsTest(LabCase):
    @classmethod
    def submit_jobs(cls):
        sbatch = cls.lab.sbatch
        cls.lab.slurm("scontrol", "create", "reservation", "reservationname=r", "starttime=now", "duration=60", "nodes=gpu3",
                      "users=root")
        jobs = cls.jobs = {}
        jobs["runs with slack"] = sbatch("--gres=gpu:a40:4", "-t", "60", submit=["--slack", "200%"], user="nobody")
        # A name that would write on the terminal of an operator.
        jobs["runs"] = sbatch("-J", "red\x1b[31m\rname" + 60 * "x", "--gres=gpu:a40:4", "-t", "60", user="daemon")
        jobs["slack"] = sbatch("--gres=gpu:a40:4", "-t", "60", submit=["--slack", "500%"], user="nobody")
        jobs["deadline"] = sbatch(*TWO_GPUS, submit=["--deadline", "+18h"])
        jobs["out of reach"] = sbatch(*TWO_GPUS, submit=["--deadline", "+30m"])
        jobs["past"] = sbatch(*TWO_GPUS, "--comment", "heliostat:deadline=2020-01-01T00:00:00Z")
        jobs["wrong"] = sbatch(*TWO_GPUS, "--comment", "ticket 17 heliostat:slak=50%", user="nobody")
        jobs["no slack"] = sbatch(*TWO_GPUS, submit=["--slack", "0%"])
        jobs["silent"] = sbatch(*TWO_GPUS)
        jobs["array"] = sbatch(*TWO_GPUS, "--array=0-1", submit=["--slack", "100%"])
        jobs["first"] = sbatch(*TWO_GPUS, submit=["--slack", "100%"])
        jobs["second"] = sbatch(*TWO_GPUS, "-d", "afterok:" + jobs["first"], submit=["--slack", "50%"])
        jobs["held"] = sbatch(*TWO_GPUS, "-H", submit=["--slack", "100%"])
        jobs["begin"] = sbatch(*TWO_GPUS, "--begin=now+2hours", submit=["--slack", "100%"])
        jobs["unlimited"] = sbatch("--gres=gpu:a40:2", submit=["--slack", "100%"])
        jobs["cpu"] = sbatch("-N4", "--exclusive", "-t", "10", submit=["--slack", "100%"])
        jobs["two partitions"] = sbatch(*TWO_GPUS, "-p", "main,other", submit=["--slack", "100%"])
        jobs["reserved"] = sbatch("--gres=gpu:h100:2", "-t", "60", "--reservation=r", submit=["--slack", "100%"])
        jobs["parts"] = cls.lab.slurm("sbatch", "-o", "/dev/null", "--comment", "heliostat:slack=100%", *TWO_GPUS, ":", *TWO_GPUS,
                                      "--wrap", "sleep 1000").split()[-1]
        waiting = subprocess.Popen(["salloc", "--no-shell", "-J", "shell", *TWO_GPUS], env=cls.lab.variables,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(waiting.wait)
        cls.addClassCleanup(waiting.kill)
        jobs["interactive"] = wait_until(lambda: cls.lab.slurm("squeue", "-h", "-n", "shell", "-o", "%i").strip())

    def why(self, name):
        return " ".join(self.ask("why", self.jobs[name]).stdout.split())

    def test_why_says_of_each_job_what_heliostat_makes_of_it(self):
        for name, words in {
                "runs with slack": ["running, 4 GPUs", "would have started it at once", "slack 200 %"],
                "runs": ["says nothing about slack", "heliostat submit"],
                "slack": ["no free nodes for it yet (", "it may start until 2", "would save about", "latest start",
                          "best start", "that saves", "more slack, or a later deadline"],
                "deadline": ["it may start until 2", "its user allows deadline 2"],
                "out of reach": ["leaves no time: it may run until 2", "A later deadline, or a shorter time limit"],
                "past": ["its deadline 2020-01-01T00:00:00Z leaves no time"],
                "wrong": ["its comment cannot be read", "'slak=50%' is not known",
                          f"scontrol update JobId={self.jobs['wrong']} Comment='heliostat:slack=50%'"],
                "no slack": ["its comment allows no slack"],
                "silent": ["says nothing about slack or a deadline", "would let it wait for cleaner power"],
                "first": [f"because job {self.jobs['second']} waits for it", f"More slack for job {self.jobs['second']}"],
                "second": [f"It waits for other jobs (afterok:{self.jobs['first']})", "from then on it may wait 30 min more"],
                "held": ["It is held: its user or an operator has to release it; from then on it may wait 1 h more"],
                "begin": ["Its user wants it to begin at 2", "it may start until 2"],
                "unlimited": ["no time limit and no deadline"],
                "cpu": ["asks for no GPUs"],
                "two partitions": ["a partition that is not managed here", "Only the operator can change that"],
                "reserved": ["it runs in a reservation"],
                "parts": ["it is heterogeneous"],
                "interactive": ["it is interactive", "As a batch job with slack"]}.items():
            text = self.why(name).lower()
            for word in words:
                self.assertIn(word.lower(), text, name)
        # As squeue shows them.
        self.assertIn("job " + self.jobs["array"] + "_1 ", self.ask("why", self.jobs["array"] + "_1").stdout)
        self.ask("why", self.jobs["array"] + "_[0-1]")
        self.assertIn(f"job {int(self.jobs['parts']) + 1} ", self.ask("why", self.jobs["parts"] + "+1").stdout)

    def test_json_has_the_members_of_the_contract(self):
        status = self.json("status")
        self.assertLessEqual(STATUS, set(status))
        self.assertEqual((status["cluster"], status["mode"], status["healthy"], status["problems"]), ("lab", "shadow", True, []))
        self.assertEqual(set(status["jobs"]), {"waiting", "parked", "running"})
        self.assertEqual(status["jobs"]["running"], 3)
        self.assertEqual(set(status["nodes"]), {"up", "asleep", "waking", "down"})
        self.assertEqual(status["nodes"]["up"], 4)
        self.assertEqual(set(status["saved"]), {"carbon_kg", "cost"})
        self.assertEqual(status["carbon_g_per_kwh"], 400)
        self.assertGreater(status["power_kw"], 1)
        jobs = {job["id"]: job for job in self.json("jobs")}
        for job in jobs.values():
            self.assertLessEqual(JOB, set(job))
        slack = jobs[self.jobs["slack"]]
        self.assertEqual((slack["user"], slack["state"], slack["may_wait"]), ("nobody", "waiting", True))
        self.assertRegex(slack["latest_start"], TIME)
        self.assertLess(slack["planned_start"], slack["latest_start"])
        self.assertIsNone(jobs[self.jobs["silent"]]["latest_start"])
        why = self.json("why", self.jobs["slack"])
        self.assertLessEqual(JOB | {"allowed", "advice", "length", "saves_carbon_kg"}, set(why))
        self.assertGreater(why["saves_carbon_kg"], 0)
        self.assertEqual([node["gpus"] for node in self.json("nodes")], [4, 4, 2, 0])
        plan = self.json("plan")
        self.assertEqual(len(plan["slots"]), 4 * 48)
        self.assertIn(self.jobs["deadline"], [job["id"] for job in plan["jobs"]])

    def test_texts_fit_terminals_of_any_width(self):
        for words in (["check"], ["status"], ["jobs"], ["jobs", "--ended"], ["nodes"], ["plan"], ["why", self.jobs["wrong"]],
                      ["why", self.jobs["runs"]]):
            for columns in (60, 80, 100):
                done = self.lab.run("heliostat", "cluster", *words, env={"COLUMNS": str(columns)})
                self.assertEqual(done.returncode, 0, done.stderr)
                for line in done.stdout.splitlines():
                    self.assertTrue(line.isprintable(), line)
                    is_one_word = len(line.split()) <= 1
                    self.assertTrue(len(line) <= columns or is_one_word, f"{columns} columns: {line}")

    def test_check_names_what_lacks_and_whose_comment_is_wrong(self):
        findings = self.json("check")["findings"]

        def told(subject):
            return " ".join(finding["what"] for finding in findings if finding["subject"] == subject)

        self.assertIn("no database", told("accounting"))
        self.assertIn("off", told("power saving"))
        self.assertIn(f"cannot be read: {self.jobs['wrong']}", told("jobs"))
        self.assertIn("3 nodes with 10 GPUs, 1 without", told("nodes"))
        self.assertIn("runs in mode shadow", told("controller"))

    def test_a_user_corrects_the_comment_as_why_says(self):
        number = self.lab.sbatch(*TWO_GPUS, "--comment", "heliostat:slack=half", user="nobody")
        wait_until(lambda: self.lab.run("heliostat", "cluster", "why", number).returncode == 0)
        command = re.search(r"scontrol update JobId=(\S+) Comment='(\S+)'", " ".join(self.ask("why", number).stdout.split()))
        self.lab.slurm("scontrol", "update", f"JobId={command[1]}", f"Comment={command[2]}", user="nobody")
        wait_until(lambda: self.json("why", number)["allowed"] == "slack 50 %")
        self.lab.slurm("scancel", number)

    def test_a_job_that_is_not_known_is_one_line(self):
        for number in ("9999", "x", "17_17"):
            self.assertIn("a number as squeue shows it", self.assert_refused(["why", number], f"job {number}"))

    def test_only_operators_change_the_mode(self):
        for words in (["mode", "observe"], ["release"]):
            self.assertIn("is for operators, and nobody is none", self.assert_refused(words, words[0], user="nobody"))
        self.assertIn("which this version cannot do yet", self.assert_refused(["mode", "live"], "mode"))
        self.assert_refused(["mode", "shadov"], "mode")
        self.assertEqual(self.json("status")["mode"], "shadow")
        self.assertEqual(self.ask("release", user="daemon").stdout, "no job was held\n")
        self.ask("mode", "observe", user="daemon")
        wait_until(lambda: self.json("status")["mode"] == "observe")
        self.assertIn("in mode observe nothing is decided", self.why("runs with slack"))
        self.ask("mode", "shadow")
        wait_until(lambda: "shadow" in self.json("status"))


class PrivateDataTest(LabCase):
    OPTIONS = ("--class", "1:a40:4", "--set", "PrivateData=jobs")

    @classmethod
    def submit_jobs(cls):
        cls.mine = cls.lab.sbatch("--gres=gpu:2", "-t", "60", submit=["--slack", "50%"], user="nobody")
        cls.other = cls.lab.sbatch("--gres=gpu:2", "-t", "60", submit=["--slack", "50%"], user="bin")
        cls.waits = cls.lab.sbatch("--gres=gpu:2", "-t", "60", submit=["--slack", "900%"], user="bin")
        wait_until(lambda: cls.lab.slurm("squeue", "-h", "-t", "R").count("\n") == 2)

    def ids(self, *words, user):
        answer = self.json(*words, user=user)
        return {job["id"] for job in (answer["jobs"] if words[0] == "plan" else answer)}

    def test_users_see_their_own_jobs_and_operators_all(self):
        self.assertEqual(self.ids("jobs", user="nobody"), {self.mine})
        self.assertEqual(self.ids("jobs", user="bin"), {self.other, self.waits})
        self.assertEqual(self.ids("jobs", user="games"), set())
        for user in ("root", "daemon"):
            self.assertEqual(self.ids("jobs", user=user), {self.mine, self.other, self.waits})
        self.assertEqual(self.ids("plan", user="nobody"), set())
        self.assertEqual(self.ids("plan", user="daemon"), {self.waits})
        hidden = self.assert_refused(["why", self.other], f"job {self.other}", user="nobody")
        absent = self.assert_refused(["why", "9999"], "job 9999", user="nobody")
        self.assertEqual(hidden.replace(f"job {self.other}:", "job 9999:"), absent)
        self.ask("why", self.mine, user="nobody")
        self.lab.slurm("scancel", self.other, self.mine)
        wait_until(lambda: self.ids("jobs", "--ended", user="daemon") == {self.mine, self.other})
        self.assertEqual(self.ids("jobs", "--ended", user="nobody"), {self.mine})
        self.assertEqual(self.ids("jobs", "--ended", user="games"), set())
        self.assert_refused(["why", self.other], f"job {self.other}", user="nobody")
        self.assertIn("only operators see all of it", self.ask("check", user="nobody").stdout)


if __name__ == "__main__":
    skip_where_no_lab_runs()
    unittest.main()
